//! Refunds that an operator should review: list them, and match them with returns.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    money::comparison::find_difference,
    orders::order::Refund,
    returns::{
        identifier::RmaId,
        rma::Rma,
        settlement::{PaidReturn, RefundReport, find_candidates, settle_with},
    },
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{RefundProblem, Transaction, next_page};
use utoipa::ToSchema;

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{
        audit_trail::record_change, commit_once::commit_once, list_query::read_after,
        scope::RequestScope, time::time_from_us,
    },
    orders::load_order::find_order,
    returns::{
        origin::Origin,
        return_draft::{ReturnDraft, describe_difference},
    },
};

/// A refund that matched no return, paid for units that were already spent, does not fit the newest
/// snapshot of its order, or differs from what was promised.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProblemView {
    #[schema(example = "acme")]
    pub merchant: String,
    /// The merchant's identifier of the refund.
    #[schema(example = "RF-2201")]
    pub refund_identifier: String,
    /// The order that is refunded.
    #[schema(example = "ORD-100472")]
    pub order_identifier: String,
    /// What is wrong: unmatched, conflict, short_paid, over_paid, paid_not_received,
    /// paid_after_reject or shipping_not_paid.
    #[schema(example = "short_paid")]
    pub kind: String,
    /// Its kind until someone looks into it. Then asked: the merchant was asked about it. awaited:
    /// the rest is expected. settled: it is resolved.
    #[schema(example = "short_paid")]
    pub state: String,
    /// When the refund arrived.
    pub noticed_at: Timestamp,
    /// What is wrong, or how it was resolved.
    #[schema(example = "does not name a return, and could pay for any of RMA-7K3Q-9XWD-2M4T, …")]
    pub detail: String,
    /// If the refund differs from the promise: both amounts. Decided about when it is matched.
    pub difference: Option<DifferenceView>,
}

/// What was promised and what was paid, in minor units of the currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DifferenceView {
    /// The return whose promise it is.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: String,
    /// ISO 4217 code of both amounts.
    #[schema(example = "USD")]
    pub currency: String,
    /// What the refund should have been.
    #[schema(example = 4015)]
    pub promised_cents: i64,
    /// What it was, with what was accepted before.
    #[schema(example = 4014)]
    pub paid_cents: i64,
}

replayable!(ProblemView);

/// A page of problems.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Problems)]
pub struct RefundProblemPage {
    /// Oldest first.
    pub refunds: Vec<ProblemView>,
    /// Pass as `after` to get the next page. Absent on the last page.
    pub next: Option<String>,
}

impl RefundProblemPage {
    fn new(problems: Vec<RefundProblem>, limit: usize) -> Self {
        let next = next_page(&problems, limit, RefundProblem::cursor);
        Self { refunds: problems.into_iter().map(ProblemView::from).collect(), next }
    }
}

impl From<RefundProblem> for ProblemView {
    fn from(row: RefundProblem) -> Self {
        Self {
            merchant: row.merchant,
            refund_identifier: row.refund_id,
            order_identifier: row.order_id,
            kind: row.kind,
            state: row.state,
            noticed_at: time_from_us(row.noticed_us),
            detail: row.detail,
            difference: (!row.rma_id.is_empty()).then_some(DifferenceView {
                rma_identifier: row.rma_id,
                currency: row.currency,
                promised_cents: row.promised_cents,
                paid_cents: row.paid_cents,
            }),
        }
    }
}

#[boxed]
pub async fn list_refund_problems(
    app: &App,
    state: &str,
    after: Option<&str>,
    limit: usize,
) -> Result<RefundProblemPage, AppError> {
    let problems = app.store.refund_problems(state, &read_after(after)?, limit).await?;
    Ok(RefundProblemPage::new(problems, limit))
}

/// All problems that are not settled, of all merchants, oldest first.
#[boxed]
pub async fn list_open_problems(
    app: &App,
    after: Option<&str>,
    limit: usize,
) -> Result<RefundProblemPage, AppError> {
    let problems = app.store.open_refund_problems(&read_after(after)?, limit).await?;
    Ok(RefundProblemPage::new(problems, limit))
}

/// All problems of one merchant, settled ones too, oldest first.
#[boxed]
pub async fn list_own_problems(
    app: &App,
    merchant: &MerchantId,
    after: Option<&str>,
    limit: usize,
) -> Result<RefundProblemPage, AppError> {
    let problems = app.store.refund_problems_of(merchant, &read_after(after)?, limit).await?;
    Ok(RefundProblemPage::new(problems, limit))
}

/// Problems of one merchant in one state, or all that are not settled, oldest first.
#[boxed]
pub async fn list_merchant_problems(
    app: &App,
    merchant: &MerchantId,
    state: Option<&str>,
    after: Option<&str>,
    limit: usize,
) -> Result<RefundProblemPage, AppError> {
    let after = read_after(after)?;
    let problems = app.store.merchant_refund_problems(merchant, state, &after, limit).await?;
    Ok(RefundProblemPage::new(problems, limit))
}

/// How an operator resolves a problem.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Match)]
pub struct RefundMatch {
    /// The return that the refund belongs to. Absent if it belongs to none; then nothing changes.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: Option<String>,
    /// The reason, for the record.
    #[schema(example = "agreed with the merchant by telephone")]
    pub note: Option<String>,
}

/// What an operator's decision led to.
struct MatchResult {
    /// What was decided.
    resolution: String,
    /// The returns that the rest of the refund could pay for.
    rest: Vec<String>,
    /// The return whose promise the refund is compared with.
    compared: Option<Rma>,
}

impl MatchResult {
    /// The problem after the decision. While the rest of the refund could pay for another return,
    /// it stays open. Then the refund may still differ from the promise.
    fn resolve(&self, problem: RefundProblem, note: Option<&str>) -> RefundProblem {
        let note = note.map(|note| format!(": {note}")).unwrap_or_default();
        let mut detail = format!("{}{note}", self.resolution);
        let compared = self.compared.as_ref();
        let difference =
            compared.and_then(|rma| Some((rma, find_difference(rma, &problem.refund_id)?)));
        let mut after = RefundProblem { rma_id: String::new(), ..problem };
        if let Some((rma, difference)) = &difference {
            after.rma_id = rma.rma_identifier.to_string();
            after.currency.clone_from(&rma.currency);
            after.promised_cents = difference.promised_cents;
            after.paid_cents = difference.paid_cents;
        }
        match (self.rest.as_slice(), difference) {
            ([], Some((rma, difference))) => {
                difference.kind.name().clone_into(&mut after.kind);
                after.state.clone_from(&after.kind);
                detail = format!("{detail}; {}", describe_difference(rma, &difference));
            }
            ([], None) => "settled".clone_into(&mut after.state),
            (rest, _) => detail = format!("{detail}; the rest could pay for {}", rest.join(", ")),
        }
        RefundProblem { detail, ..after }
    }
}

/// Resolves a problem: the refund is applied to a return, or is left unchanged.
#[boxed]
pub async fn match_refund(
    scope: RequestScope<'_>,
    refund_id: &str,
    matched: &RefundMatch,
) -> Result<ProblemView, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let matching = commit_once(scope, || async {
        let problem = app.store.refund_problem(merchant, refund_id).await?;
        let problem = problem.ok_or(AppError::NotFound("refund problem"))?;
        if !problem.waits_for_match() {
            return Err(AppError::Conflict("the refund is already resolved".to_owned()));
        }
        let mut transaction = Transaction::new("matching a refund");
        // First, because a return that is paid below may write its difference to the problem.
        transaction.guard_refund_problem(merchant, &problem);
        let result = match &matched.rma_identifier {
            None => leave_unchanged(app, merchant, &problem).await?,
            Some(rma) => {
                let id = RmaId::parse(rma).ok_or(AppError::NotFound("return"))?;
                let result = pay_for_return(scope, &mut transaction, &problem, &id).await?;
                keep_difference(app, merchant, &problem, result).await?
            }
        };
        let after = result.resolve(problem, matched.note.as_deref());
        transaction.put_refund_problem(merchant, &after);
        let detail = json!({ "refund": refund_id, "match": matched });
        record_change(scope, &mut transaction, "refund.match", &detail);
        Ok((after.into(), transaction))
    });
    // It is large, and would be part of every future that awaits it.
    Box::pin(matching).await
}

async fn leave_unchanged(
    app: &App,
    merchant: &MerchantId,
    problem: &RefundProblem,
) -> Result<MatchResult, AppError> {
    let compared = load_compared(app, merchant, problem).await?;
    Ok(MatchResult { resolution: "left unchanged".to_owned(), rest: Vec::new(), compared })
}

/// The result with the return that the refund was compared with before, if the one that it is
/// matched to now got what it was promised. The difference to the other one is still open.
async fn keep_difference(
    app: &App,
    merchant: &MerchantId,
    problem: &RefundProblem,
    result: MatchResult,
) -> Result<MatchResult, AppError> {
    let differs = |rma: &Rma| find_difference(rma, &problem.refund_id).is_some();
    let is_of = |rma: &Rma| rma.rma_identifier.as_str() == problem.rma_id;
    if result.compared.as_ref().is_some_and(|rma| differs(rma) || is_of(rma)) {
        return Ok(result);
    }
    let compared = load_compared(app, merchant, problem).await?;
    Ok(MatchResult { compared, ..result })
}

/// The return that the refund of a problem was compared with, if it differs from its promise.
async fn load_compared(
    app: &App,
    merchant: &MerchantId,
    problem: &RefundProblem,
) -> Result<Option<Rma>, AppError> {
    let Some(id) = RmaId::parse(&problem.rma_id) else { return Ok(None) };
    Ok(app.store.rma(merchant, &id).await?.map(|rma| rma.value))
}

/// Applies the refund of a problem to the return `id`.
async fn pay_for_return(
    scope: RequestScope<'_>,
    transaction: &mut Transaction,
    problem: &RefundProblem,
    id: &RmaId,
) -> Result<MatchResult, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let ledger = app.store.ledger(merchant, &problem.order_id).await?;
    let rma = app.store.rma(merchant, id).await?.ok_or(AppError::NotFound("return"))?;
    let order = find_order(app, merchant, &problem.order_id).await?;
    let order = order.ok_or(AppError::NotFound("order"))?;
    let is_it = |refund: &&Refund| refund.identifier == problem.refund_id;
    let refund = order.refunds.iter().find(is_it).ok_or(AppError::NotFound("refund"))?;
    let now = rma.value.next_change_at(app.world.now());
    let report = RefundReport { order: &order, refund, now };
    let mut returns: Vec<Rma> = Vec::new();
    for other in ledger.value.rmas().iter().filter_map(|text| RmaId::parse(text)) {
        returns.extend(app.store.rma(merchant, &other).await?.map(|rma| rma.value));
    }
    let settlement = settle_with(report, &ledger.value, &rma.value, &returns);
    let Some(PaidReturn { event, rma: paid }) = settlement.changed else {
        let why = "the return does not expect a refund for these units";
        return Err(AppError::Conflict(why.to_owned()));
    };
    transaction.put_ledger(merchant, &problem.order_id, &settlement.ledger, ledger.version);
    let mut draft = ReturnDraft::new(rma);
    draft.push(event, paid.clone(), report.now);
    draft.put(app, transaction, merchant, &Origin::of_request(scope)).await?;
    let resolution = format!("matched to {id}");
    if settlement.problem.is_none() {
        return Ok(MatchResult { resolution, rest: Vec::new(), compared: Some(paid) });
    }
    returns.retain(|other| other.rma_identifier != *id);
    let candidates = find_candidates(report, &settlement.ledger, &returns);
    let payable = candidates.iter().filter(|it| it.pays_for > 0);
    let rest = payable.map(|it| it.rma.rma_identifier.to_string()).collect();
    Ok(MatchResult { resolution, rest, compared: Some(paid) })
}
