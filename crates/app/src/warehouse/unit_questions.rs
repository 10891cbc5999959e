//! Units that did not fit when they were scanned: operators are asked, and decide.

use domain::{
    identifier::MerchantId,
    time::from_micros,
    warehouse::{
        receipt_message::rejected,
        receiving::{AnswerDecision, AsnState, ReceivingContext, answer},
        unit::{ReceivingAnswer, UnitRecord},
    },
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{AsnLineFilter, Cursor, DoubtfulUnit, Transaction, UnitRow, Versioned, next_page};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::{
        audit_trail,
        commit_once::{Request, commit_once},
    },
    warehouse::asn_receipts::{accept_unit, enqueue_receipt},
};

/// A unit that an operator is asked about.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = UnitInDoubt)]
pub struct UnitException {
    /// Whose unit it is; `platform` while nobody knows.
    #[schema(example = "acme")]
    pub merchant: String,
    /// Since when.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// The unit with its open questions and their candidates.
    pub unit: UnitRecord,
}

/// A page of units in doubt.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = UnitsInDoubt)]
pub struct UnitExceptionPage {
    /// The oldest question first.
    pub exceptions: Vec<UnitException>,
    /// Pass as `after` to read on; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

pub async fn list_unit_exceptions(
    app: &App,
    after: Option<&str>,
    limit: usize,
) -> Result<UnitExceptionPage, AppError> {
    let after = after.and_then(Cursor::parse).unwrap_or_else(Cursor::oldest);
    let found = app.store.units_in_doubt(&after, limit).await?;
    let next = next_page(&found, limit, DoubtfulUnit::cursor);
    let view = |it: DoubtfulUnit| UnitException {
        merchant: it.merchant,
        since: from_micros(it.since_us).unwrap_or_default(),
        unit: it.unit,
    };
    Ok(UnitExceptionPage { exceptions: found.into_iter().map(view).collect(), next })
}

/// Which question is answered: about whose unit, asked when it was scanned for which ASN.
#[derive(Clone, Copy, Debug)]
pub struct QuestionKey<'a> {
    pub merchant: &'a MerchantId,
    pub unit: &'a str,
    pub asn_number: &'a str,
}

/// An operator decides about a unit that did not fit.
pub async fn answer_question(
    app: &App,
    request: Request<'_>,
    asked: QuestionKey<'_>,
    decided: &ReceivingAnswer,
) -> Result<UnitRecord, AppError> {
    commit_once(app, request, || async {
        let unit = app.store.units(asked.merchant, [asked.unit].into_iter()).await?.pop();
        let unit = unit.ok_or(AppError::NotFound("unit"))?;
        let (owner, mut asns) = scene_of(app, asked, decided).await?;
        let (subject, replaces) = subject(app, (asked, decided), &owner, &unit).await?;
        let states: Vec<AsnState> = asns.iter().map(|it| it.value.clone()).collect();
        let scene = ReceivingContext { asn: None, others: &states, unit: Some(&subject) };
        let answered = answer(&scene, asked.asn_number, decided, app.world.now())
            .map_err(|refusal| AppError::Conflict(refusal.to_string()))?;
        let mut transaction = Transaction::new("answering a question about a unit");
        let after = match answered {
            AnswerDecision::Unchanged => unit.value.clone(),
            AnswerDecision::Rejected(unit) => {
                reject(app, &owner, (asns.first_mut(), &unit), &mut transaction);
                *unit
            }
            AnswerDecision::Accepted(acceptance) => {
                let line = acceptance.line_identifier.as_deref();
                let has = |asn: &AsnState| line.is_none_or(|line| asn.asn.line(line).is_some());
                let chosen = asns.iter().position(|it| has(&it.value));
                if let Some(chosen) = chosen {
                    let asn = asns.swap_remove(chosen);
                    accept_unit(app, &owner, (asn, &acceptance, replaces), &mut transaction)
                        .await?;
                }
                if chosen.is_some() && owner == *asked.merchant {
                    note(app, &mut transaction, request, (asked, decided));
                    return Ok((acceptance.unit, transaction));
                }
                acceptance.unit
            }
        };
        let row = UnitRow { replaces: unit.version, unit: after.clone() };
        transaction.put_units(asked.merchant, vec![row]);
        note(app, &mut transaction, request, (asked, decided));
        Ok((after, transaction))
    })
    .await
}

/// The unit that is decided about, and the version of its owner's record that the decision
/// replaces. A unit that becomes a merchant's may be known to that merchant already, and is one and
/// the same then.
async fn subject(
    app: &App,
    (asked, decided): (QuestionKey<'_>, &ReceivingAnswer),
    owner: &MerchantId,
    unit: &Versioned<UnitRecord>,
) -> Result<(UnitRecord, i64), AppError> {
    if *owner == *asked.merchant {
        return Ok((unit.value.clone(), unit.version));
    }
    match decided {
        ReceivingAnswer::Reject { .. } => Ok((unit.value.clone(), 0)),
        ReceivingAnswer::Match { .. } | ReceivingAnswer::Surplus => {
            let known = app.store.units(owner, [asked.unit].into_iter()).await?.pop();
            Ok(known.map_or_else(
                || (unit.value.clone(), 0),
                |known| (known.value.joined(&unit.value), known.version),
            ))
        }
    }
}

/// A unit that came for an ASN is refused: the merchant is told.
fn reject(
    app: &App,
    merchant: &MerchantId,
    (asn, unit): (Option<&mut Versioned<AsnState>>, &UnitRecord),
    transaction: &mut Transaction,
) {
    let Some(asn) = asn else { return };
    if rejected(&asn.value.asn, unit).is_none() {
        return;
    }
    asn.value.told = asn.value.told.saturating_add(1);
    transaction.count_unit(merchant, &asn, None);
    if let Some(message) = rejected(&asn.value.asn, unit) {
        enqueue_receipt(app, transaction, merchant, (&asn.value, unit), &message);
    }
}

fn note(
    app: &App,
    transaction: &mut Transaction,
    request: Request<'_>,
    (asked, decided): (QuestionKey<'_>, &ReceivingAnswer),
) {
    let detail = json!({ "unit": asked.unit, "asn": asked.asn_number, "answer": decided });
    audit_trail::record_change(
        app,
        transaction,
        request.client,
        (asked.merchant, "unit.answer", detail),
    );
}

/// The ASNs that an answer is about, and whose they are: of a unit that nobody announced, the merchant of
/// the ASN that it is matched to.
async fn scene_of(
    app: &App,
    asked: QuestionKey<'_>,
    decided: &ReceivingAnswer,
) -> Result<(MerchantId, Vec<Versioned<AsnState>>), AppError> {
    let (number, line) = match decided {
        ReceivingAnswer::Match { asn_number, line_identifier } => {
            (asn_number.as_str(), Some(line_identifier.as_str()))
        }
        ReceivingAnswer::Surplus | ReceivingAnswer::Reject { .. } => (asked.asn_number, None),
    };
    let wanted = AsnLineFilter { line: line.unwrap_or_default(), ..AsnLineFilter::default() };
    let asns = app.store.asns(asked.merchant, number, &wanted).await?;
    if *asked.merchant != MerchantId::platform() {
        return Ok((asked.merchant.clone(), asns));
    }
    let mut found = (asked.merchant.clone(), asns);
    // Merchants may share a number: the first that has the line is meant.
    for owner in app.store.merchants_of_asn(number).await?.into_iter().rev() {
        let asns = app.store.asns(&owner, number, &wanted).await?;
        let has = |it: &Versioned<AsnState>| line.is_none_or(|id| it.value.asn.line(id).is_some());
        if asns.iter().any(has) {
            found = (owner, asns);
        }
    }
    Ok(found)
}
