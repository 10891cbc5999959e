//! A refund that an operator should look at, with all it takes to decide: what was paid for, and which
//! returns of the order it could be.

use domain::{
    identifier::MerchantId,
    orders::order::{Order, Refund},
    returns::{identifier::RmaId, rma::Rma, settlement::find_candidates},
};
use jiff::Timestamp;

use crate::{App, AppError, orders::load_order::load_order, returns::refund_problems::ProblemView};

/// A problem with everything that is known of its refund.
#[derive(Clone, Debug)]
pub struct RefundCase {
    pub problem: ProblemView,
    /// None when the order does not tell of the refund any more.
    pub refund: Option<RefundFacts>,
    /// The returns that it could pay for, the likeliest first.
    pub candidates: Vec<RefundCandidate>,
}

/// What was paid back.
#[derive(Clone, Debug)]
pub struct RefundFacts {
    pub amount_cents: i64,
    pub currency: String,
    pub created_at: Timestamp,
    pub note: Option<String>,
    /// The return that it names.
    pub rma_identifier: Option<String>,
    pub lines: Vec<RefundedLine>,
}

/// Units of a line that were paid back.
#[derive(Clone, Debug)]
pub struct RefundedLine {
    pub identifier: String,
    /// What the order calls it; empty when it has no such line.
    pub title: String,
    pub quantity: i64,
}

/// A return that a refund could pay for.
#[derive(Clone, Debug)]
pub struct RefundCandidate {
    pub rma_identifier: String,
    pub status: &'static str,
    pub created_at: Timestamp,
    /// How many units of the refund it awaits money for, and how many it has no use for.
    pub pays_for: i64,
    pub left_over: i64,
    /// How many more units of the same lines would still await money.
    pub short_of: i64,
}

/// Looks a problem's refund up.
pub async fn load_refund_case(app: &App, problem: ProblemView) -> Result<RefundCase, AppError> {
    let missing = |_| AppError::NotFound("merchant");
    let merchant = MerchantId::parse(&problem.merchant).map_err(missing)?;
    let found = load_order(app, &merchant, &problem.order_identifier).await?;
    let is_it = |refund: &&Refund| refund.identifier == problem.refund_identifier;
    let refund = found.as_ref().and_then(|held| held.order.refunds.iter().find(is_it));
    let (Some(held), Some(refund)) = (&found, refund) else {
        return Ok(RefundCase { problem, refund: None, candidates: Vec::new() });
    };
    let ledger = &held.ledger.value;
    let mut returns: Vec<Rma> = Vec::new();
    for id in ledger.rmas().iter().filter_map(|text| RmaId::parse(text)) {
        returns.extend(app.store.rma(&merchant, &id).await?.map(|rma| rma.value));
    }
    let found = find_candidates(&held.order, ledger, &returns, refund, app.world.now());
    let candidates = found.iter().map(|candidate| RefundCandidate {
        rma_identifier: candidate.rma.rma_identifier.to_string(),
        status: candidate.rma.status.name(),
        created_at: candidate.rma.created_at,
        pays_for: candidate.pays_for,
        left_over: candidate.left_over,
        short_of: candidate.short_of,
    });
    let candidates = candidates.collect();
    Ok(RefundCase { problem, refund: Some(facts(&held.order, refund)), candidates })
}

fn facts(order: &Order, refund: &Refund) -> RefundFacts {
    let title = |line: &str| {
        let found = order.items.iter().find(|item| item.identifier == line);
        found.map(|item| item.title.clone()).unwrap_or_default()
    };
    let lines = refund.refund_line_items.iter().map(|line| RefundedLine {
        identifier: line.order_item_identifier.clone(),
        title: title(&line.order_item_identifier),
        quantity: line.quantity,
    });
    RefundFacts {
        amount_cents: refund.total_refund_amount_cents,
        currency: order.currency.clone(),
        created_at: refund.created_at,
        note: refund.note.clone(),
        rma_identifier: refund.rma_identifier.clone(),
        lines: lines.collect(),
    }
}
