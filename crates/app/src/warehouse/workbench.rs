//! The receiving bench: a warehouse worker opens parcels and receives the units in them.
//!
//! The worker has a code, and often does not know which merchant it belongs to. So everything
//! starts with the parcels that a code can mean (`parcel_search`). Receiving itself is done by the
//! same use cases that the systems of the warehouse call.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{
        receipt::{Condition, Receipt},
        rma::{CorrectedReceipt, Rma},
    },
    warehouse::{
        parcel::{Parcel, ParcelKind, ReceivedItem},
        stray::SlipDetails,
        unit::{ReceivingAnswer, ReceivingQuestion, UnitRecord},
    },
};
use jiff::Timestamp;

use crate::{
    App, AppError,
    access::sessions::Session,
    core::scope::{IdempotencyKey, RequestScope},
    returns::{carrier_events::EventResult, change_return::close_receiving},
    warehouse::{
        corrections::{CorrectionResult, ReceivedUnitKey, correct_receipt, is_correctable},
        parcel_search::load_merchant_name,
        receipts::record_receipts,
        stray_search::{ReturnProposal, propose_returns},
        unit_questions::{QuestionKey, answer_question},
    },
};

/// A unit with the scanned license plate, and the ASN that it belongs to.
#[derive(Clone, Debug)]
pub struct UnitLocation {
    pub merchant: MerchantId,
    pub merchant_name: String,
    pub asn_number: String,
    /// Whether it was already received for that ASN.
    pub received: bool,
}

/// A unit that was scanned.
#[derive(Clone, Debug)]
pub struct ScannedUnit {
    pub unit_identifier: String,
    /// The line that it was received for.
    pub line_identifier: Option<String>,
    /// What identifies the article.
    pub article: String,
    pub condition: Condition,
    pub channel: Option<String>,
    /// Why it was rejected, if it was.
    pub reject_reason: Option<String>,
    pub at: Timestamp,
    /// Whether its receipt can still be corrected.
    pub correctable: bool,
    /// The open question about the unit, if there is one.
    pub question: Option<ReceivingQuestion>,
}

/// The ASNs that a unit with this license plate was announced or received for.
#[boxed]
pub async fn locate_unit(app: &App, plate: &str) -> Result<Vec<UnitLocation>, AppError> {
    let mut found = Vec::new();
    for merchant in app.store.merchants_of_unit(plate).await? {
        let unit = app.store.units(&merchant, [plate].into_iter()).await?.pop();
        let Some((asn_number, received)) = unit.and_then(|unit| find_asn(&unit.value)) else {
            continue;
        };
        let merchant_name = load_merchant_name(app, &merchant).await?;
        found.push(UnitLocation { merchant, merchant_name, asn_number, received });
    }
    Ok(found)
}

fn find_asn(unit: &UnitRecord) -> Option<(String, bool)> {
    match (&unit.receipt, &unit.announcement) {
        (Some(receipt), _) => Some((receipt.asn_number.clone(), true)),
        (None, Some(announced)) => Some((announced.asn_number.to_string(), false)),
        (None, None) => None,
    }
}

/// The units that were scanned for a parcel, in the order of `plates`.
#[boxed]
pub async fn load_scanned_units(
    app: &App,
    parcel: &Parcel,
    plates: &[&str],
) -> Result<Vec<ScannedUnit>, AppError> {
    let (now, merchant) = (app.world.now(), &parcel.merchant);
    let units = app.store.units(merchant, plates.iter().copied()).await?;
    let of_plate = |plate: &&str| {
        let here = parcel.here.get(*plate).map(|here| view_returned_unit(plate, here, now));
        let unit = units.iter().find(|unit| unit.value.unit_identifier == **plate);
        here.or_else(|| view_unit(&parcel.number, &unit?.value, now))
    };
    Ok(plates.iter().filter_map(of_plate).collect())
}

fn view_returned_unit(plate: &str, here: &ReceivedItem, now: Timestamp) -> ScannedUnit {
    ScannedUnit {
        unit_identifier: plate.to_owned(),
        line_identifier: Some(here.line_identifier.clone()),
        article: here.article.clone(),
        condition: here.condition,
        channel: here.channel.clone(),
        reject_reason: here.reject_reason.clone(),
        at: here.at,
        correctable: is_correctable(here.at, now),
        question: None,
    }
}

fn view_unit(number: &str, unit: &UnitRecord, now: Timestamp) -> Option<ScannedUnit> {
    let question = unit.question(number);
    let open = unit.open_questions().find(|it| it.asn_number == number);
    // The receipt of a unit that was received elsewhere is not of this parcel.
    let receipt = unit.receipt.as_ref().filter(|_| open.is_none());
    let (scanned, at) = match (receipt, question) {
        (Some(receipt), _) => (&receipt.scanned, receipt.received_at),
        (None, Some(question)) => (&question.scanned, question.raised_at),
        (None, None) => return None,
    };
    let codes = [&scanned.sku, &scanned.upc, &scanned.unit_identifier].into_iter();
    Some(ScannedUnit {
        unit_identifier: unit.unit_identifier.clone(),
        line_identifier: receipt.and_then(|receipt| receipt.line_identifier.clone()),
        article: codes.flatten().next().cloned().unwrap_or_default(),
        condition: scanned.condition,
        channel: unit.channel.clone().or_else(|| scanned.channel.clone()),
        reject_reason: unit.rejected_because().filter(|_| open.is_none()).map(str::to_owned),
        at,
        correctable: receipt.is_some() && is_correctable(at, now),
        question: open.cloned(),
    })
}

/// Receives a unit for a merchant, or keeps it as an exception.
#[boxed]
pub async fn receive_unit(
    app: &App,
    session: &Session,
    merchant: &MerchantId,
    receipt: Receipt,
    idempotency: &IdempotencyKey,
) -> Result<Option<EventResult>, AppError> {
    let scope = act_for_merchant(app, session, merchant, idempotency);
    let recorded = record_receipts(scope, &[receipt]).await?;
    Ok(recorded.results.into_iter().next())
}

/// Closes the receiving of a return: no more of its units are in the parcel.
#[boxed]
pub async fn close_parcel(
    app: &App,
    session: &Session,
    parcel: &Parcel,
    idempotency: &IdempotencyKey,
) -> Result<Option<Rma>, AppError> {
    if parcel.kind != ParcelKind::Return {
        return Ok(None);
    }
    let scope = act_for_merchant(app, session, &parcel.merchant, idempotency);
    close_receiving(scope, &parcel.number).await.map(Some)
}

/// The worker knows which of the proposed lines a unit matches. Everything else is for an operator
/// to decide.
#[boxed]
pub async fn match_to_proposal(
    app: &App,
    session: &Session,
    parcel: &Parcel,
    plate: &str,
    proposal: usize,
) -> Result<UnitRecord, AppError> {
    let unit = app.store.units(&parcel.merchant, [plate].into_iter()).await?.pop();
    let unit = unit.ok_or(AppError::NotFound("unit"))?.value;
    let question = unit.question(&parcel.number).ok_or(AppError::NotFound("question"))?;
    let chosen = question.candidates.get(proposal).ok_or(AppError::NotFound("proposal"))?;
    let answer = ReceivingAnswer::Match {
        asn_number: chosen.asn_number.clone(),
        line_identifier: chosen.line_identifier.clone(),
    };
    let question_key =
        QuestionKey { merchant: &parcel.merchant, unit: plate, asn_number: &parcel.number };
    answer_question(session.scope(app), question_key, &answer).await
}

/// The returns that a unit with an open question could belong to, the likeliest first.
#[boxed]
pub async fn propose_returns_for(
    app: &App,
    parcel: &Parcel,
    question: &ReceivingQuestion,
) -> Result<Vec<ReturnProposal>, AppError> {
    propose_returns(app, &parcel.merchant, &question.scanned, &SlipDetails::default()).await
}

/// The worker knows which of the proposed returns a unit belongs to.
#[boxed]
pub async fn match_to_return(
    app: &App,
    session: &Session,
    parcel: &Parcel,
    plate: &str,
    rma: &str,
) -> Result<UnitRecord, AppError> {
    let unit = app.store.units(&parcel.merchant, [plate].into_iter()).await?.pop();
    let unit = unit.ok_or(AppError::NotFound("unit"))?.value;
    let question = unit.question(&parcel.number).ok_or(AppError::NotFound("question"))?;
    let proposals = propose_returns_for(app, parcel, question).await?;
    let is_chosen = |it: &ReturnProposal| it.rma_identifier.as_str() == rma;
    let chosen = proposals.into_iter().find(is_chosen).ok_or(AppError::NotFound("proposal"))?;
    let answer = ReceivingAnswer::MatchReturn {
        rma_identifier: chosen.rma_identifier,
        line_identifier: chosen.line.line_identifier,
    };
    let key = QuestionKey { merchant: &parcel.merchant, unit: plate, asn_number: &parcel.number };
    answer_question(session.scope(app), key, &answer).await
}

/// The worker rejects a unit that does not match. Its merchant is told.
#[boxed]
pub async fn reject_unexpected_unit(
    app: &App,
    session: &Session,
    parcel: &Parcel,
    plate: &str,
    reason: &str,
) -> Result<UnitRecord, AppError> {
    let key = QuestionKey { merchant: &parcel.merchant, unit: plate, asn_number: &parcel.number };
    let answer = ReceivingAnswer::Reject { reason: reason.to_owned() };
    answer_question(session.scope(app), key, &answer).await
}

/// The worker corrects what was said about a unit a few minutes ago. Without a new receipt, the
/// unit was not received after all.
#[boxed]
pub async fn correct_unit(
    app: &App,
    session: &Session,
    parcel: &Parcel,
    unit: &CorrectedUnit<'_>,
    idempotency: &IdempotencyKey,
) -> Result<CorrectionResult, AppError> {
    let scope = act_for_merchant(app, session, &parcel.merchant, idempotency);
    let key = ReceivedUnitKey {
        merchant: &parcel.merchant,
        is_return: parcel.kind == ParcelKind::Return,
        parcel: &parcel.number,
        unit: unit.plate,
    };
    correct_receipt(scope, key, unit.corrected, session.operator.as_str()).await
}

/// A unit whose receipt is corrected.
#[derive(Clone, Copy, Debug)]
pub struct CorrectedUnit<'a> {
    pub plate: &'a str,
    pub corrected: Option<&'a CorrectedReceipt>,
}

/// A request of the person at the bench, on behalf of the merchant. The platform's units are
/// received for the merchant that announced them.
fn act_for_merchant<'a>(
    app: &'a App,
    session: &'a Session,
    merchant: &'a MerchantId,
    idempotency: &'a IdempotencyKey,
) -> RequestScope<'a> {
    let merchant = (*merchant != MerchantId::platform()).then_some(merchant);
    RequestScope { merchant, idempotency: Some(idempotency), ..session.scope(app) }
}

/// A license plate for a unit that has none.
pub fn generate_plate(app: &App) -> String {
    format!("U-{:016X}", u64::from_be_bytes(app.world.random()))
}
