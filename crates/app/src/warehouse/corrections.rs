//! Corrections: what a worker said about a unit a few minutes ago was wrong.
//!
//! A correction never changes what was recorded. It is a new event of the return and of the unit,
//! and the merchant gets a new message: about the return, the unit, or both.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        rma::{CorrectedReceipt, Rma, RmaEvent},
    },
    warehouse::{
        receipt_message::{received, withdrawn},
        receiving::{AsnState, return_of},
        unit::{ChangedBy, UnitEvent, UnitRecord, apply},
    },
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::{AsnLineFilter, Transaction, UnitRow, Versioned};

use crate::{
    App, AppError,
    core::{commit_once::commit_once, idempotency::replayable, scope::RequestScope},
    returns::{origin::Origin, return_draft::ReturnDraft},
    warehouse::asn_receipts::enqueue_receipt,
};

/// How long after its receipt a unit can be corrected.
pub const CORRECTABLE_S: i64 = 10 * 60;

/// Whether a receipt can still be corrected.
pub fn is_correctable(received_at: Timestamp, now: Timestamp) -> bool {
    now.as_second().saturating_sub(received_at.as_second()) <= CORRECTABLE_S
}

/// A unit that was received from a parcel.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedUnitKey<'a> {
    pub merchant: &'a MerchantId,
    /// Whether the parcel is one of a return, or of an ASN.
    pub is_return: bool,
    /// The return, or the number of the ASN.
    pub parcel: &'a str,
    /// The license plate.
    pub unit: &'a str,
}

/// That a receipt was corrected.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorrectionResult {
    /// Whether anything changed.
    pub changed: bool,
}

replayable!(CorrectionResult);

/// Corrects the receipt of a unit, or removes it if the unit was not received at all.
#[boxed]
pub async fn correct_receipt(
    scope: RequestScope<'_>,
    key: ReceivedUnitKey<'_>,
    corrected: Option<&CorrectedReceipt>,
    user_login: &str,
) -> Result<CorrectionResult, AppError> {
    let by = ChangedBy { reason: None, user_login: Some(user_login.to_owned()) };
    let correction = Correction { corrected, by: &by, origin: &Origin::of_warehouse(scope) };
    commit_once(scope, || async {
        let mut transaction = Transaction::new("correcting a receipt");
        let rma = RmaId::parse(key.parcel).filter(|_| key.is_return);
        // Boxed, because both hold a return while its mails are rendered.
        let changed = match rma {
            Some(rma) => {
                let app = scope.app;
                Box::pin(correct_on_return(app, &mut transaction, key, &rma, correction)).await
            }
            None => Box::pin(correct_on_asn(scope.app, &mut transaction, key, correction)).await,
        }?;
        Ok((CorrectionResult { changed }, transaction))
    })
    .await
}

#[derive(Clone, Copy)]
struct Correction<'a> {
    corrected: Option<&'a CorrectedReceipt>,
    by: &'a ChangedBy,
    origin: &'a Origin,
}

impl Correction<'_> {
    fn of_return(&self, unit: &str) -> RmaEvent {
        let corrected = self.corrected.cloned();
        RmaEvent::ReceiptCorrected { receipt_identifier: unit.to_owned(), corrected }
    }

    /// The unit after the correction, and whether it changed.
    fn of_unit(&self, unit: &UnitRecord, now: Timestamp) -> Result<(UnitRecord, bool), AppError> {
        let event =
            UnitEvent::Corrected { corrected: self.corrected.cloned(), by: self.by.clone() };
        let refuse = |refusal: &dyn std::fmt::Display| AppError::Conflict(refusal.to_string());
        let decision = apply(unit, &event, now).map_err(|refusal| refuse(&refusal))?;
        Ok((decision.unit, decision.changed))
    }
}

fn too_late() -> AppError {
    AppError::Conflict("a receipt can be corrected for ten minutes".to_owned())
}

/// A unit that was received for a return. It has no record if it was received by a version that
/// recorded none. If it came by ASN, the correction is one of the ASN, too.
async fn correct_on_return(
    app: &App,
    transaction: &mut Transaction,
    key: ReceivedUnitKey<'_>,
    id: &RmaId,
    correction: Correction<'_>,
) -> Result<bool, AppError> {
    let known = app.store.units(key.merchant, [key.unit].into_iter()).await?.pop();
    // A unit from the parcel of this return may have been matched to another return.
    let matched = known.as_ref().and_then(|it| find_return(&it.value, key.parcel));
    let id = matched.as_ref().unwrap_or(id);
    let before = app.store.rma(key.merchant, id).await?.ok_or(AppError::NotFound("return"))?;
    let is_late = find_receipt_time(&before.value, key.unit)
        .is_some_and(|received_at| !is_correctable(received_at, app.world.now()));
    if is_late {
        return Err(too_late());
    }
    if let Some(known) = known.as_ref().filter(|_| matched.is_none())
        && let Some(number) = find_asn_number(app, key, &known.value, id).await?
    {
        let on_asn = ReceivedUnitKey { is_return: false, parcel: number, ..key };
        return correct_on_asn(app, transaction, on_asn, correction).await;
    }
    let changed = put_on_return(app, transaction, key, before, correction).await?;
    if let Some(known) = known.filter(|_| matched.is_some()) {
        let (unit, _) = correction.of_unit(&known.value, app.world.now())?;
        transaction.put_units(key.merchant, vec![UnitRow { replaces: known.version, unit }]);
    }
    Ok(changed)
}

/// The return that a unit from the parcel of the return `parcel` was received for: this one, or the
/// one that it was matched to. None if it came from elsewhere.
fn find_return(unit: &UnitRecord, parcel: &str) -> Option<RmaId> {
    let received_for = unit.receipt.as_ref()?.asn_number.as_str();
    let is_matched = unit.question(parcel).is_some_and(|it| it.answer.is_some());
    RmaId::parse_exact(received_for).filter(|_| received_for == parcel || is_matched)
}

/// The number of the ASN that a unit of the return counts on, if the unit came by one whose carton
/// refers to the return.
async fn find_asn_number<'a>(
    app: &App,
    key: ReceivedUnitKey<'_>,
    unit: &'a UnitRecord,
    id: &RmaId,
) -> Result<Option<&'a str>, AppError> {
    let Some(receipt) = &unit.receipt else { return Ok(None) };
    let Some(line) = receipt.line_identifier.as_deref() else { return Ok(None) };
    let on_asn = ReceivedUnitKey { is_return: false, parcel: &receipt.asn_number, ..key };
    let asn = load_asn(app, on_asn, Some(line)).await?;
    let refers_to = asn.and_then(|asn| return_of(&asn.value.asn.line(line)?));
    Ok((refers_to.as_ref() == Some(id)).then_some(receipt.asn_number.as_str()))
}

fn find_receipt_time(rma: &Rma, unit: &str) -> Option<Timestamp> {
    let mut receipts = rma.units.iter().filter_map(|it| it.receipt.as_ref());
    receipts.find(|it| it.receipt_identifier == unit).map(|it| it.received_at)
}

async fn put_on_return(
    app: &App,
    transaction: &mut Transaction,
    key: ReceivedUnitKey<'_>,
    before: Versioned<Rma>,
    correction: Correction<'_>,
) -> Result<bool, AppError> {
    let mut draft = ReturnDraft::new(before);
    let decision = draft
        .apply(&correction.of_return(key.unit), app.world.now())
        .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
    draft.put(app, transaction, key.merchant, correction.origin).await?;
    Ok(decision.changed)
}

/// A unit that was received for an ASN, which may belong to a return.
async fn correct_on_asn(
    app: &App,
    transaction: &mut Transaction,
    key: ReceivedUnitKey<'_>,
    correction: Correction<'_>,
) -> Result<bool, AppError> {
    let missing = || AppError::NotFound("unit");
    let unit = app.store.units(key.merchant, [key.unit].into_iter()).await?.pop();
    let unit = unit.ok_or_else(missing)?;
    let receipt = unit.value.receipt.clone().filter(|it| it.asn_number == key.parcel);
    let receipt = receipt.ok_or_else(missing)?;
    if !is_correctable(receipt.received_at, app.world.now()) {
        return Err(too_late());
    }
    let (after, changed) = correction.of_unit(&unit.value, app.world.now())?;
    if !changed {
        return Ok(false);
    }
    let line = receipt.line_identifier.as_deref();
    let mut asn = load_asn(app, key, line).await?.ok_or_else(missing)?;
    if correction.corrected.is_none() {
        asn.value.uncount(line);
        transaction.uncount_unit(key.merchant, &asn, line, app.world.now_us());
    }
    let message = match correction.corrected {
        Some(_) => received(&asn.value.asn, &after),
        None => withdrawn(&asn.value.asn, &unit.value),
    };
    if let Some(message) = message {
        enqueue_receipt(app, transaction, key.merchant, &message, &after);
    }
    let line = line.and_then(|line| asn.value.asn.line(line));
    if let Some(id) = line.and_then(|line| return_of(&line))
        && let Some(before) = app.store.rma(key.merchant, &id).await?
        && find_receipt_time(&before.value, key.unit).is_some()
    {
        put_on_return(app, transaction, key, before, correction).await?;
    }
    transaction.put_units(key.merchant, vec![UnitRow { replaces: unit.version, unit: after }]);
    Ok(true)
}

/// The ASN that the unit counts on. Programs may share its number; the line tells which one.
async fn load_asn(
    app: &App,
    key: ReceivedUnitKey<'_>,
    line: Option<&str>,
) -> Result<Option<Versioned<AsnState>>, AppError> {
    let filter = AsnLineFilter {
        line: line.unwrap_or_default(),
        unit: key.unit,
        ..AsnLineFilter::default()
    };
    let asns = app.store.asns(key.merchant, key.parcel, &filter).await?;
    let has_line =
        |it: &Versioned<AsnState>| line.is_none_or(|line| it.value.asn.line(line).is_some());
    Ok(asns.into_iter().find(has_line))
}
