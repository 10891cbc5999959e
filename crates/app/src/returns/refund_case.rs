//! A refund problem with everything that an operator needs to decide: what was paid for, and which
//! returns of the order it could belong to.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    orders::order::{Order, Refund},
    returns::{
        identifier::RmaId,
        rma::Rma,
        settlement::{RefundReport, find_candidates},
    },
};
use jiff::Timestamp;

use crate::{
    App, AppError,
    orders::load_order::{OrderWithLedger, load_order},
    returns::refund_problems::ProblemView,
};

/// A problem, its refund, and the returns that the refund could belong to.
#[derive(Clone, Debug)]
pub struct RefundCase {
    pub problem: ProblemView,
    /// None if the order no longer contains the refund.
    pub refund: Option<RefundFacts>,
    /// The returns that it could belong to, the most likely first.
    pub candidates: Vec<RefundCandidate>,
}

/// The content of a refund.
#[derive(Clone, Debug)]
pub struct RefundFacts {
    pub amount_cents: i64,
    pub currency: String,
    pub created_at: Timestamp,
    pub note: Option<String>,
    /// The return that the refund names.
    pub rma_identifier: Option<String>,
    pub lines: Vec<RefundedLine>,
}

/// Refunded units of an order line.
#[derive(Clone, Debug)]
pub struct RefundedLine {
    pub identifier: String,
    /// The title of the line, or empty if the order has no such line.
    pub title: String,
    pub quantity: i64,
}

/// A return that a refund could belong to.
#[derive(Clone, Debug)]
pub struct RefundCandidate {
    pub rma_identifier: String,
    pub status: &'static str,
    pub created_at: Timestamp,
    /// The units of the refund that the return expects a refund for.
    pub pays_for: i64,
    /// The other units of the refund.
    pub left_over: i64,
    /// The units of the same lines that would still expect a refund.
    pub short_of: i64,
}

/// Loads what belongs to a problem.
#[boxed]
pub async fn load_refund_case(app: &App, problem: ProblemView) -> Result<RefundCase, AppError> {
    let missing = |_| AppError::NotFound("merchant");
    let merchant = MerchantId::parse(&problem.merchant).map_err(missing)?;
    let loaded = load_order(app, &merchant, &problem.order_identifier).await?;
    let is_it = |refund: &&Refund| refund.identifier == problem.refund_identifier;
    let refund = loaded.as_ref().and_then(|it| it.order.refunds.iter().find(is_it));
    let (Some(OrderWithLedger { order, ledger, .. }), Some(refund)) = (&loaded, refund) else {
        return Ok(RefundCase { problem, refund: None, candidates: Vec::new() });
    };
    let ledger = &ledger.value;
    let mut returns: Vec<Rma> = Vec::new();
    for id in ledger.rmas().iter().filter_map(|text| RmaId::parse(text)) {
        returns.extend(app.store.rma(&merchant, &id).await?.map(|rma| rma.value));
    }
    let report = RefundReport { order, refund, now: app.world.now() };
    let found = find_candidates(report, ledger, &returns);
    let candidates = found.iter().map(|candidate| RefundCandidate {
        rma_identifier: candidate.rma.rma_identifier.to_string(),
        status: candidate.rma.status.name(),
        created_at: candidate.rma.created_at,
        pays_for: candidate.pays_for,
        left_over: candidate.left_over,
        short_of: candidate.short_of,
    });
    let candidates = candidates.collect();
    Ok(RefundCase { problem, refund: Some(view_refund(order, refund)), candidates })
}

fn view_refund(order: &Order, refund: &Refund) -> RefundFacts {
    let title = |line: &str| {
        let line = order.items.iter().find(|item| item.identifier == line);
        line.map(|item| item.title.clone()).unwrap_or_default()
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
