//! Exceptions: units that did not match when they were scanned. Operators decide about them.

use std::collections::BTreeMap;

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        receipt::Condition,
        rma::{Rma, RmaEvent, WrongItem},
    },
    warehouse::{
        asn::InboundAsn,
        receipt_message::{parcel_of_return, received, rejected},
        receiving::{AnswerDecision, AsnState, ReceivingContext, answer, code_of_line},
        unit::{ReceivingAnswer, UnitRecord},
    },
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{AsnLineFilter, DoubtfulUnit, Transaction, UnitRow, Versioned, next_page};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::{
        audit_trail::record_change, commit_once::commit_once, list_query::read_after,
        scope::RequestScope, time::time_from_us,
    },
    returns::{origin::Origin, return_draft::ReturnDraft},
    warehouse::{
        asn_receipts::{AcceptedUnit, accept_unit, apply_to_return, enqueue_receipt},
        disposition::{ReceivedGoods, with_channel_of_question},
        settings::find_receiving_warehouse,
    },
};

/// A unit that an operator must decide about.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = UnitInDoubt)]
pub struct UnitException {
    /// The merchant of the unit, or `platform` while it is unknown.
    #[schema(example = "acme")]
    pub merchant: String,
    /// When the first open question was raised.
    pub since: Timestamp,
    /// The unit with its open questions and their candidates.
    pub unit: UnitRecord,
}

/// A page of exceptions.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = UnitsInDoubt)]
pub struct UnitExceptionPage {
    /// The oldest question first.
    pub exceptions: Vec<UnitException>,
    /// Pass as `after` to get the next page. Absent on the last page.
    pub next: Option<String>,
}

#[boxed]
pub async fn list_unit_exceptions(
    app: &App,
    after: Option<&str>,
    limit: usize,
) -> Result<UnitExceptionPage, AppError> {
    let after = read_after(after)?;
    let units = app.store.units_in_doubt(&after, limit).await?;
    let next = next_page(&units, limit, DoubtfulUnit::cursor);
    let view = |it: DoubtfulUnit| UnitException {
        merchant: it.merchant,
        since: time_from_us(it.since_us),
        unit: it.unit,
    };
    Ok(UnitExceptionPage { exceptions: units.into_iter().map(view).collect(), next })
}

/// A question about a unit of `merchant` that was scanned for the ASN `asn_number`.
#[derive(Clone, Copy, Debug)]
pub struct QuestionKey<'a> {
    pub merchant: &'a MerchantId,
    pub unit: &'a str,
    pub asn_number: &'a str,
}

/// An operator decides about a unit that did not match.
#[boxed]
pub async fn answer_question(
    scope: RequestScope<'_>,
    question: QuestionKey<'_>,
    decided: &ReceivingAnswer,
) -> Result<UnitRecord, AppError> {
    let QuestionKey { merchant, unit, asn_number } = question;
    commit_once(scope, || async {
        let mut transaction = Transaction::new("answering a question about a unit");
        // Boxed, because it holds everything that was loaded about the unit.
        let after = Box::pin(decide_answer(scope, &mut transaction, question, decided)).await?;
        let detail = json!({ "unit": unit, "asn": asn_number, "answer": decided });
        let scope = scope.for_merchant(merchant);
        record_change(scope, &mut transaction, "unit.answer", &detail);
        Ok((after, transaction))
    })
    .await
}

/// The unit after the answer. Everything that follows from the answer is added to the transaction.
async fn decide_answer(
    scope: RequestScope<'_>,
    transaction: &mut Transaction,
    question: QuestionKey<'_>,
    decided: &ReceivingAnswer,
) -> Result<UnitRecord, AppError> {
    let (app, origin) = (scope.app, Origin::of_request(scope));
    let unit = app.store.units(question.merchant, [question.unit].into_iter()).await?.pop();
    let unit = unit.ok_or(AppError::NotFound("unit"))?;
    if let ReceivingAnswer::MatchReturn { rma_identifier, .. } = decided {
        let answered = ReturnAnswer { question, decided, rma: rma_identifier, origin: &origin };
        return match_to_return(app, transaction, &unit, answered).await;
    }
    let asked = unit.value.question(question.asn_number);
    let program = asked.and_then(|it| it.scanned.program_identifier.as_deref());
    let (owner, mut asns) = load_asns(app, question, decided, program).await?;
    let (subject, replaces) = match decided {
        _ if owner == *question.merchant => (unit.value.clone(), unit.version),
        ReceivingAnswer::Reject { .. } => (unit.value.clone(), 0),
        ReceivingAnswer::Match { .. }
        | ReceivingAnswer::MatchReturn { .. }
        | ReceivingAnswer::Surplus => join_with_known(app, &owner, &unit.value).await?,
    };
    let number = question.asn_number;
    let nothing = ReceivedGoods::default();
    let subject = with_channel_of_question(app, &owner, subject, number, nothing).await?;
    let states: Vec<AsnState> = asns.iter().map(|it| it.value.clone()).collect();
    let context = ReceivingContext { asn: None, others: &states, unit: Some(&subject) };
    let answered = answer(&context, question.asn_number, decided, app.world.now())
        .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
    let after = match answered {
        AnswerDecision::Unchanged => unit.value.clone(),
        AnswerDecision::Rejected(unit) => {
            if let Some(asn) = asns.first_mut() {
                reject_unit(app, transaction, &owner, asn, &unit);
            } else {
                reject_wrong_item(app, transaction, question, &unit, &origin).await?;
            }
            *unit
        }
        AnswerDecision::Accepted(acceptance) => {
            let line = acceptance.line_identifier.as_deref();
            let has = |asn: &AsnState| line.is_none_or(|line| asn.asn.line(line).is_some());
            let chosen = asns.iter().position(|it| has(&it.value));
            if let Some(chosen) = chosen {
                let asn = asns.swap_remove(chosen);
                // The operator decided, so a return that does not expect the unit stays as it is.
                let of_return = apply_to_return(app, &owner, &asn.value, &acceptance).await?;
                let of_return = of_return.ok().flatten();
                let (acceptance, origin) = (&acceptance, &origin);
                let accepted = AcceptedUnit { asn, acceptance, replaces, of_return, origin };
                accept_unit(app, transaction, &owner, accepted).await?;
            } else {
                report_surplus(app, transaction, question, &acceptance.unit).await?;
            }
            if chosen.is_some() && owner == *question.merchant {
                return Ok(acceptance.unit);
            }
            acceptance.unit
        }
    };
    let row = UnitRow { replaces: unit.version, unit: after.clone() };
    transaction.put_units(question.merchant, vec![row]);
    Ok(after)
}

/// A unit that becomes the merchant's, and the version of the merchant's record that it replaces.
/// The merchant may know the unit already; then the two are one.
async fn join_with_known(
    app: &App,
    merchant: &MerchantId,
    unit: &UnitRecord,
) -> Result<(UnitRecord, i64), AppError> {
    let known = app.store.units(merchant, [unit.unit_identifier.as_str()].into_iter()).await?.pop();
    Ok(known.map_or_else(|| (unit.clone(), 0), |known| (known.value.joined(unit), known.version)))
}

/// Counts a unit that was rejected for an ASN, and enqueues the message about it.
fn reject_unit(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    asn: &mut Versioned<AsnState>,
    unit: &UnitRecord,
) {
    if rejected(&asn.value.asn, unit).is_none() {
        return;
    }
    asn.value.told = asn.value.told.saturating_add(1);
    transaction.count_units(merchant, asn, &BTreeMap::new(), app.world.now_us());
    if let Some(message) = rejected(&asn.value.asn, unit) {
        enqueue_receipt(app, transaction, merchant, &message, unit);
    }
}

/// A return, and its parcel as an ASN for the messages about what does not belong into it.
struct ReturnParcel {
    rma: Versioned<Rma>,
    asn: InboundAsn,
}

/// The parcel of a return in which a unit came. None for an unknown parcel, whose units are
/// reported to no merchant.
async fn load_parcel(
    app: &App,
    question: QuestionKey<'_>,
    unit: &UnitRecord,
) -> Result<Option<ReturnParcel>, AppError> {
    let (merchant, asked) = (question.merchant, unit.question(question.asn_number));
    let Some((id, asked)) = RmaId::parse_exact(question.asn_number).zip(asked) else {
        return Ok(None);
    };
    let Some(rma) = app.store.rma(merchant, &id).await? else { return Ok(None) };
    let sent_to = find_receiving_warehouse(app, merchant, &rma.value).await?;
    let asn = parcel_of_return(&rma.value, sent_to.as_deref(), &asked.scanned);
    Ok(asn.map(|asn| ReturnParcel { rma, asn }))
}

/// Enqueues the message about a unit in the parcel of a return that is kept although the return
/// does not expect it.
async fn report_surplus(
    app: &App,
    transaction: &mut Transaction,
    question: QuestionKey<'_>,
    unit: &UnitRecord,
) -> Result<(), AppError> {
    let parcel = load_parcel(app, question, unit).await?;
    if let Some(message) = parcel.as_ref().and_then(|parcel| received(&parcel.asn, unit)) {
        enqueue_receipt(app, transaction, question.merchant, &message, unit);
    }
    Ok(())
}

/// Tells the merchant of a return about a unit in its parcel that does not belong to it, and lists
/// the unit on the return.
async fn reject_wrong_item(
    app: &App,
    transaction: &mut Transaction,
    question: QuestionKey<'_>,
    unit: &UnitRecord,
    origin: &Origin,
) -> Result<(), AppError> {
    let (merchant, asked) = (question.merchant, unit.question(question.asn_number));
    let Some((asked, reason)) = asked.zip(unit.reject_reason.as_ref()) else { return Ok(()) };
    let Some(parcel) = load_parcel(app, question, unit).await? else { return Ok(()) };
    if let Some(message) = rejected(&parcel.asn, unit) {
        enqueue_receipt(app, transaction, merchant, &message, unit);
    }
    let codes = [&asked.scanned.sku, &asked.scanned.upc, &asked.scanned.asin].into_iter().flatten();
    let event = RmaEvent::WrongItemRejected(WrongItem {
        receipt_identifier: unit.unit_identifier.clone(),
        code: codes.into_iter().next().unwrap_or(&unit.unit_identifier).clone(),
        reject_reason: reason.clone(),
    });
    let mut draft = ReturnDraft::new(parcel.rma);
    // A canceled return does not change any more.
    if draft.apply(&event, app.world.now()).is_ok() {
        draft.put(app, transaction, merchant, origin).await?;
    }
    Ok(())
}

/// The answer that a unit belongs to a return.
struct ReturnAnswer<'a> {
    question: QuestionKey<'a>,
    decided: &'a ReceivingAnswer,
    rma: &'a RmaId,
    origin: &'a Origin,
}

/// Receives a unit for the return that it belongs to. A unit of an unknown parcel becomes the
/// merchant's.
async fn match_to_return(
    app: &App,
    transaction: &mut Transaction,
    unit: &Versioned<UnitRecord>,
    ReturnAnswer { question, decided, rma, origin }: ReturnAnswer<'_>,
) -> Result<UnitRecord, AppError> {
    let is_stray = *question.merchant == MerchantId::platform();
    let missing = || AppError::NotFound("return");
    let owner = if is_stray {
        app.store.merchant_of_rma(rma).await?.ok_or_else(missing)?
    } else {
        question.merchant.clone()
    };
    let before = app.store.rma(&owner, rma).await?.ok_or_else(missing)?;
    let (subject, replaces) = if is_stray {
        join_with_known(app, &owner, &unit.value).await?
    } else {
        (unit.value.clone(), unit.version)
    };
    let line = match decided {
        ReceivingAnswer::MatchReturn { line_identifier, .. } => Some(line_identifier.as_str()),
        ReceivingAnswer::Match { .. }
        | ReceivingAnswer::Surplus
        | ReceivingAnswer::Reject { .. } => None,
    };
    let belongs = ReceivedGoods { rma: Some(&before.value), line, ..ReceivedGoods::default() };
    let number = question.asn_number;
    let subject = with_channel_of_question(app, &owner, subject, number, belongs).await?;
    let now = app.world.now();
    let context = ReceivingContext { asn: None, others: &[], unit: Some(&subject) };
    let answered = answer(&context, question.asn_number, decided, now)
        .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
    let AnswerDecision::Accepted(acceptance) = answered else { return Ok(unit.value.clone()) };
    let after = acceptance.unit;
    let scanned = after.receipt.as_ref().map(|receipt| &receipt.scanned);
    let event = RmaEvent::Received {
        receipt_identifier: after.unit_identifier.clone(),
        sku: line
            .zip(scanned)
            .and_then(|(line, scanned)| code_of_line(&before.value, line, scanned)),
        line: acceptance.line_identifier,
        condition: scanned.map_or(Condition::TT, |scanned| scanned.condition),
        reject_reason: scanned.and_then(|scanned| scanned.reject_reason.clone()),
        channel: scanned.and_then(|scanned| scanned.channel.clone()),
        assigned: true,
    };
    let mut draft = ReturnDraft::new(before);
    draft.apply(&event, now).map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
    draft.put(app, transaction, &owner, origin).await?;
    transaction.put_units(&owner, vec![UnitRow { replaces, unit: after.clone() }]);
    if is_stray {
        let row = UnitRow { replaces: unit.version, unit: after.clone() };
        transaction.put_units(question.merchant, vec![row]);
    }
    Ok(after)
}

/// The ASNs that an answer is about, and their merchant. If the unit was not announced, that is the
/// merchant of the ASN that the unit is matched to. Of programs that share a number, the one that
/// was scanned counts, or else the one that announced its ASN first.
async fn load_asns(
    app: &App,
    question: QuestionKey<'_>,
    decided: &ReceivingAnswer,
    program: Option<&str>,
) -> Result<(MerchantId, Vec<Versioned<AsnState>>), AppError> {
    let (number, line) = match decided {
        ReceivingAnswer::Match { asn_number, line_identifier } => {
            (asn_number.as_str(), Some(line_identifier.as_str()))
        }
        ReceivingAnswer::Surplus
        | ReceivingAnswer::MatchReturn { .. }
        | ReceivingAnswer::Reject { .. } => (question.asn_number, None),
    };
    let filter = AsnLineFilter { line: line.unwrap_or_default(), ..AsnLineFilter::default() };
    let has = |it: &Versioned<AsnState>| line.is_none_or(|id| it.value.asn.line(id).is_some());
    let mut asns = app.store.asns(question.merchant, number, &filter).await?;
    asns.sort_by_key(|it| {
        let is_scanned = Some(it.value.asn.program_identifier.as_str()) == program;
        (!is_scanned, it.value.announced_at)
    });
    if *question.merchant != MerchantId::platform() {
        return Ok((question.merchant.clone(), asns));
    }
    let mut matching = Vec::new();
    for owner in app.store.merchants_of_asn(number).await? {
        let asns = app.store.asns(&owner, number, &filter).await?;
        if asns.iter().any(has) {
            matching.push((owner, asns));
        }
    }
    let is_shared = matching.len() > 1;
    match (decided, matching.pop()) {
        (ReceivingAnswer::Match { .. } | ReceivingAnswer::Surplus, Some(_)) if is_shared => {
            Err(AppError::Conflict(format!(
                "several merchants have such an ASN {number}: reject the unit here, and have it \
                 scanned again for its merchant"
            )))
        }
        (_, Some(found)) if !is_shared => Ok(found),
        // It is unknown which merchant would have to hear of it.
        (_, _) => Ok((question.merchant.clone(), asns)),
    }
}
