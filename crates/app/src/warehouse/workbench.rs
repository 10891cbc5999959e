//! The receiving bench: a warehouse worker opens parcels and receives the units in them.
//!
//! The worker has a code, and often does not know which merchant it belongs to. So everything
//! starts with the parcels that a code can mean. Receiving itself is done by the same use cases
//! that the systems of the warehouse call.

use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        receipt::{Condition, Receipt},
        rma::Rma,
    },
    warehouse::{
        gs1::Gs1Symbol,
        parcel::{Parcel, ParcelKind, ReceivedItem},
        receiving::AsnState,
        unit::{ReceivingAnswer, ReceivingQuestion, UnitRecord},
    },
};
use jiff::Timestamp;
use store::AsnLineFilter;

use crate::{
    App, AppError,
    access::sessions::Session,
    core::scope::{IdempotencyKey, RequestScope},
    returns::{carrier_events::EventResult, change_return::close_receiving},
    warehouse::{
        receipts::record_receipts,
        unit_questions::{QuestionKey, answer_question},
    },
};

/// The most lines of an ASN that a page shows.
const LINES_SHOWN_MAX: i64 = 200;

/// A parcel and the name of its merchant.
#[derive(Clone, Debug)]
pub struct MatchingParcel {
    pub parcel: Parcel,
    pub merchant_name: String,
}

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
    /// What identifies the article.
    pub article: String,
    pub condition: Condition,
    pub at: Timestamp,
    /// The open question about the unit, if there is one.
    pub question: Option<ReceivingQuestion>,
}

/// The parcels that a code can mean: a return by its identifier or its tracking number, goods by
/// the number of their ASN. Of a GS1 carton label, the carton's number counts. `named` limits them
/// to one merchant; for the platform, the parcel is one that was not announced. A large ASN is not
/// complete, but contains the lines that match the `scanned` code of a unit.
pub async fn find_parcels(
    app: &App,
    named: Option<&MerchantId>,
    code: &str,
    scanned: &str,
) -> Result<Vec<MatchingParcel>, AppError> {
    if named.is_some_and(|it| *it == MerchantId::platform()) {
        let merchant_name = "Not announced".to_owned();
        return Ok(vec![MatchingParcel { parcel: Parcel::unknown(code), merchant_name }]);
    }
    let sscc = Gs1Symbol::parse(code).and_then(|symbol| symbol.sscc);
    let code = sscc.as_deref().unwrap_or(code);
    let mut found = Vec::new();
    let is_named = |merchant: &MerchantId| named.is_none_or(|named| named == merchant);
    for (merchant, id) in find_returns(app, code).await?.into_iter().filter(|it| is_named(&it.0)) {
        if let Some(rma) = app.store.rma(&merchant, &id).await? {
            found.push(add_merchant_name(app, Parcel::of_return(&merchant, &rma.value)).await?);
        }
    }
    for merchant in app.store.merchants_of_asn(code).await?.iter().filter(|it| is_named(it)) {
        let lines = AsnLineFilter {
            unit: scanned,
            own: scanned,
            sku: scanned,
            upc: scanned,
            any: LINES_SHOWN_MAX,
            ..AsnLineFilter::default()
        };
        let asns = app.store.asns(merchant, code, &lines).await?;
        let asns: Vec<AsnState> = asns.into_iter().map(|it| it.value).collect();
        found.push(add_merchant_name(app, Parcel::of_asns(merchant, code, &asns)).await?);
    }
    Ok(found)
}

/// The returns that a code can mean. The code for drop-off points contains the tracking number
/// after the return's identifier.
async fn find_returns(app: &App, code: &str) -> Result<Vec<(MerchantId, RmaId)>, AppError> {
    let first = code.split_whitespace().next().unwrap_or_default();
    for id in [code, first].into_iter().filter_map(RmaId::parse) {
        if let Some(merchant) = app.store.merchant_of_rma(&id).await? {
            return Ok(vec![(merchant, id)]);
        }
    }
    Ok(app.store.returns_by_parcel(None, code).await?)
}

async fn add_merchant_name(app: &App, parcel: Parcel) -> Result<MatchingParcel, AppError> {
    let merchant_name = load_merchant_name(app, &parcel.merchant).await?;
    Ok(MatchingParcel { parcel, merchant_name })
}

async fn load_merchant_name(app: &App, id: &MerchantId) -> Result<String, AppError> {
    let merchant = app.store.merchant(id).await?;
    Ok(merchant.map_or_else(|| id.to_string(), |merchant| merchant.value.name))
}

/// The ASNs that a unit with this license plate was announced or received for.
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
pub async fn load_scanned_units(
    app: &App,
    parcel: &Parcel,
    plates: &[&str],
) -> Result<Vec<ScannedUnit>, AppError> {
    let units = app.store.units(&parcel.merchant, plates.iter().copied()).await?;
    let of_plate = |plate: &&str| {
        let here = parcel.here.get(*plate).map(|here| view_returned_unit(plate, here));
        let unit = units.iter().find(|unit| unit.value.unit_identifier == **plate);
        here.or_else(|| view_unit(&parcel.number, &unit?.value))
    };
    Ok(plates.iter().filter_map(of_plate).collect())
}

fn view_returned_unit(plate: &str, here: &ReceivedItem) -> ScannedUnit {
    ScannedUnit {
        unit_identifier: plate.to_owned(),
        article: here.article.clone(),
        condition: here.condition,
        at: here.at,
        question: None,
    }
}

fn view_unit(number: &str, unit: &UnitRecord) -> Option<ScannedUnit> {
    let question = unit.question(number);
    let receipt = unit.receipt.as_ref();
    let (scanned, at) = match (receipt, question) {
        (Some(receipt), _) => (&receipt.scanned, receipt.received_at),
        (None, Some(question)) => (&question.scanned, question.raised_at),
        (None, None) => return None,
    };
    let codes = [&scanned.sku, &scanned.upc, &scanned.unit_identifier].into_iter();
    let open = question.filter(|it| it.answer.is_none() && receipt.is_none());
    Some(ScannedUnit {
        unit_identifier: unit.unit_identifier.clone(),
        article: codes.flatten().next().cloned().unwrap_or_default(),
        condition: scanned.condition,
        at,
        question: open.cloned(),
    })
}

/// Receives a unit for a merchant, or keeps it as an exception.
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
