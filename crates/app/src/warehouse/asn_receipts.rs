//! Units that arrive against an ASN: received, or kept as a question for an operator.

mod batch;

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{receipt::Receipt, rma::apply},
    warehouse::{
        receipt_message::received,
        receiving::{
            Acceptance, AsnState, ReceivingContext, ReceivingDecision, UnitScan, license_plate,
            receive, returned,
        },
        unit::UnitRecord,
    },
};
use jiff::Timestamp;
use serde::Serialize;
use store::{AsnLineFilter, StoreError, Transaction, UnitRow, Versioned};

use crate::{
    App, AppError,
    access::authenticate::Caller,
    core::commit_once::COMMIT_ATTEMPTS_MAX,
    messages::outbox::{self, About},
    returns::change_return::put_return,
    warehouse::resolve_merchant::resolve_merchant,
};

pub(crate) use batch::{TOGETHER_MAX, receive_together};

/// What a scan came to.
pub(crate) enum ScanResult {
    Received,
    Repeat,
    /// An operator is asked, because of this.
    Asked(String),
}

/// Receives a unit against an ASN. `name` tells the receipt from others, where the unit has no license plate.
pub(crate) async fn receive_for_asn(
    app: &App,
    caller: &Caller,
    receipt: &Receipt,
    name: &str,
) -> Result<ScanResult, AppError> {
    let merchant = resolve_owner(app, caller, receipt).await?;
    for _ in 0..COMMIT_ATTEMPTS_MAX {
        match scan(app, &merchant, receipt, name).await {
            Err(AppError::Store(StoreError::Conflict)) => (),
            done => return done,
        }
    }
    Err(StoreError::Conflict.into())
}

/// Whose the unit is. What nobody announced is the platform's until an operator says otherwise.
async fn resolve_owner(
    app: &App,
    caller: &Caller,
    receipt: &Receipt,
) -> Result<MerchantId, AppError> {
    let number = receipt.asn_number.as_deref().unwrap_or_default();
    let owners = app.store.merchants_of_asn(number).await?;
    match resolve_merchant(caller, None, &owners) {
        Ok(owner) => Ok(owner.unwrap_or_else(MerchantId::platform)),
        Err(_) => fitting(app, &owners, receipt).await,
    }
}

/// The lines that a scan can be of. For an operator who is asked, `more` that it could be of.
fn line_filter(receipt: &Receipt, more: bool) -> AsnLineFilter<'_> {
    fn text(optional: Option<&String>) -> &str {
        optional.map_or("", String::as_str)
    }
    AsnLineFilter {
        line: text(receipt.line_identifier.as_ref()),
        unit: text(receipt.unit_identifier.as_ref()),
        own: text(receipt.client_unit_identifier.as_ref()),
        sku: text(receipt.sku.as_ref()),
        upc: text(receipt.upc.as_ref()),
        carton: text(receipt.carton_identifier.as_ref()),
        serial_number: text(receipt.serial_number.as_ref()),
        more,
        any: 0,
    }
}

/// The merchant whose ASN of a shared number announces what was scanned.
async fn fitting(
    app: &App,
    owners: &[MerchantId],
    receipt: &Receipt,
) -> Result<MerchantId, AppError> {
    let number = receipt.asn_number.as_deref().unwrap_or_default();
    for owner in owners {
        let announces = |state: &Versioned<AsnState>| {
            state.value.asn.lines().any(|line| {
                let plate = line.detail.unit_identifier.is_some()
                    && line.detail.unit_identifier == receipt.unit_identifier;
                plate || Some(&line.detail.sku) == receipt.sku.as_ref()
            })
        };
        let asns = app.store.asns(owner, number, &line_filter(receipt, false)).await?;
        if asns.iter().any(announces) {
            return Ok(owner.clone());
        }
    }
    Ok(MerchantId::platform())
}

async fn scan(
    app: &App,
    merchant: &MerchantId,
    receipt: &Receipt,
    name: &str,
) -> Result<ScanResult, AppError> {
    let number = receipt.asn_number.as_deref().unwrap_or_default();
    let mut known =
        load_scan_context(app, merchant, (receipt, name), &line_filter(receipt, false)).await?;
    let mut decision = known.decide(receipt, app.world.now());
    if let ReceivingDecision::Exception(_) = decision {
        // It is asked with all that it could be of.
        known =
            load_scan_context(app, merchant, (receipt, name), &line_filter(receipt, true)).await?;
        decision = known.decide(receipt, app.world.now());
    }
    let replaces = known.unit.as_ref().map_or(0, |it| it.version);
    let mut transaction = Transaction::new("receiving a unit");
    match decision {
        ReceivingDecision::Repeat => return Ok(ScanResult::Repeat),
        ReceivingDecision::Exception(unit) => {
            let kind = unit.question(number).map(|question| question.kind);
            let words = kind.map(|kind| kind.name().to_owned()).unwrap_or_default();
            transaction.put_units(merchant, vec![UnitRow { replaces, unit: *unit }]);
            app.commit(transaction).await?;
            return Ok(ScanResult::Asked(words));
        }
        ReceivingDecision::Accepted(acceptance) => {
            if let Some(asn) = known.asn {
                accept_unit(app, merchant, (asn, &acceptance, replaces), &mut transaction).await?;
            }
        }
    }
    app.commit(transaction).await?;
    Ok(ScanResult::Received)
}

/// What is known when a unit is scanned.
struct ScanContext {
    asn: Option<Versioned<AsnState>>,
    others: Vec<AsnState>,
    unit: Option<Versioned<UnitRecord>>,
    plate: String,
}

impl ScanContext {
    fn decide(&self, receipt: &Receipt, now: Timestamp) -> ReceivingDecision {
        let scene = ReceivingContext {
            asn: self.asn.as_ref().map(|it| &it.value),
            others: &self.others,
            unit: self.unit.as_ref().map(|it| &it.value),
        };
        receive(&scene, &UnitScan { unit_identifier: &self.plate, receipt }, now)
    }
}

/// The ASN goes first: it changes with every unit that is received, so whatever is read after it is true for as long
/// as its version is.
async fn load_scan_context(
    app: &App,
    merchant: &MerchantId,
    (receipt, name): (&Receipt, &str),
    wanted: &AsnLineFilter<'_>,
) -> Result<ScanContext, AppError> {
    let number = receipt.asn_number.as_deref().unwrap_or_default();
    let mut asns = app.store.asns(merchant, number, wanted).await?;
    let line = receipt.line_identifier.as_deref();
    let chosen = asns.iter().position(|it| line.is_some_and(|id| it.value.asn.line(id).is_some()));
    let asn = (!asns.is_empty()).then(|| asns.swap_remove(chosen.unwrap_or(0)));
    let state = asn.as_ref().map(|it| &it.value);
    let plate = license_plate(state, receipt, name).to_owned();
    let unit = app.store.units(merchant, [plate.as_str()].into_iter()).await?.pop();
    let mut others: Vec<AsnState> = asns.into_iter().map(|it| it.value).collect();
    let announced = unit.as_ref().and_then(|it| it.value.announcement.as_ref());
    if let Some(elsewhere) = announced.filter(|it| it.asn_number.as_str() != number) {
        let found = app.store.asns(merchant, elsewhere.asn_number.as_str(), wanted).await?;
        others.extend(found.into_iter().map(|it| it.value));
    }
    Ok(ScanContext { asn, others, unit, plate })
}

/// A unit is here: it counts on its ASN, the merchant is told, and so is the return that it belongs to.
pub(crate) async fn accept_unit(
    app: &App,
    merchant: &MerchantId,
    (mut asn, acceptance, replaces): (Versioned<AsnState>, &Acceptance, i64),
    transaction: &mut Transaction,
) -> Result<(), AppError> {
    asn.value.count(acceptance);
    let line = acceptance.line_identifier.as_deref();
    transaction.count_unit(merchant, &asn, line);
    let unit = &acceptance.unit;
    transaction.put_units(merchant, vec![UnitRow { replaces, unit: unit.clone() }]);
    if let Some(message) = received(&asn.value.asn, unit) {
        enqueue_receipt(app, transaction, merchant, (&asn.value, unit), &message);
    }
    let line = acceptance.line_identifier.as_deref().and_then(|id| asn.value.asn.line(id));
    if let Some((id, event)) = line.and_then(|line| returned(&line, unit))
        && let Some(rma) = app.store.rma(merchant, &id).await?
        && let Ok(decision) = apply(&rma.value, &event, app.world.now())
        && decision.changed
    {
        put_return(app, transaction, merchant, (&decision.rma, &rma));
    }
    Ok(())
}

/// Receipts of one ASN are told in order; each can be found by its unit.
pub(crate) fn enqueue_receipt(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    (asn, unit): (&AsnState, &UnitRecord),
    message: &impl Serialize,
) {
    let body = Bytes::from(serde_json::to_vec(message).expect("a message has string keys"));
    let about = About {
        kind: MessageKind::InventoryReceipt,
        reference: &unit.unit_identifier,
        sequence: asn.told,
    };
    // A number is unique within its program only.
    let lane = format!("{} {}", asn.asn.program_identifier, asn.asn.asn_number);
    transaction.enqueue(outbox::message_in_lane(app, merchant, &about, &lane, body));
}
