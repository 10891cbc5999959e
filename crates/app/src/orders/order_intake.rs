//! The intake of orders: what follows when incoming snapshots are compared with the stored ones.
//!
//! The snapshot with the newest `updated_at` is stored; an older one is dropped. Refunds are
//! recorded separately from the snapshots, because they never change and stay when a later snapshot
//! omits them.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    orders::{
        intake::{self, IntakeOutcome, SnapshotVersion},
        order::{Order, OrderStatus},
        order_message::{RefundEntry, Snapshot, SnapshotBody},
    },
    time::micros,
};
use store::{OrderRow, RefundRow, Transaction};

use crate::{
    App, AppError,
    access::secrets::hash,
    returns::settle_refunds::{NewRefund, PublishedOrder, RefundToReview, settle_refunds},
};

/// An order that is ready to be compared with the stored snapshot.
#[derive(Clone, Debug)]
pub(crate) struct IncomingOrder {
    pub(crate) order_id: String,
    updated_us: i64,
    hash: Bytes,
    body: Bytes,
    refunds: Vec<IncomingRefund>,
    status: OrderStatus,
    shopper_hash: i64,
    /// The order itself, if it has refunds.
    order: Option<Arc<Order>>,
}

#[derive(Clone, Debug)]
struct IncomingRefund {
    refund_id: String,
    hash: Bytes,
    body: Bytes,
}

impl IncomingOrder {
    /// `snapshot` was read from `document`.
    pub(crate) fn new(snapshot: Snapshot, document: &Bytes) -> Self {
        let refund = |entry: RefundEntry| IncomingRefund {
            refund_id: entry.identifier,
            hash: hash(&entry.canonical),
            body: entry.body.into(),
        };
        let body = match snapshot.body {
            SnapshotBody::AsSent(place) => document.slice(place),
            SnapshotBody::Written(bytes) => bytes.into(),
        };
        Self {
            order_id: snapshot.order.identifier.clone(),
            updated_us: micros(snapshot.order.updated_at),
            hash: hash(&body),
            body,
            status: snapshot.order.status,
            shopper_hash: shopper_hash(&snapshot.order.customer.email),
            order: (!snapshot.refunds.is_empty()).then(|| Arc::new(snapshot.order)),
            refunds: snapshot.refunds.into_iter().map(refund).collect(),
        }
    }

    pub(crate) fn refund_ids(&self) -> impl Iterator<Item = &str> {
        self.refunds.iter().map(|refund| refund.refund_id.as_str())
    }
}

/// The number by which the orders of a shopper are found. It depends on the e-mail address, but not
/// on its case. Other addresses may have the same number.
pub(crate) fn shopper_hash(email: &str) -> i64 {
    let digest = hash(email.trim().to_lowercase().as_bytes());
    i64::from_be_bytes(digest.first_chunk::<8>().copied().unwrap_or_default())
}

/// What follows from incoming orders.
pub(crate) struct IntakeDecision {
    pub(crate) outcomes: Vec<IntakeOutcome>,
    pub(crate) conflicts: Vec<RefundConflict>,
    /// Refunds that an operator should review.
    pub(crate) to_review: Vec<RefundToReview>,
    pub(crate) transaction: Transaction,
}

/// A refund that is already recorded with another body, or for another order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefundConflict {
    pub(crate) order: usize,
    pub(crate) refund: usize,
}

pub(crate) async fn decide_intake(
    app: &App,
    merchant: &MerchantId,
    orders: &[IncomingOrder],
) -> Result<IntakeDecision, AppError> {
    let ids = orders.iter().map(|order| order.order_id.as_str());
    let heads = app.store.order_heads(merchant, ids).await?;
    let heads: HashMap<_, _> = heads.iter().map(|head| (head.order_id.as_str(), head)).collect();
    let refunds = orders.iter().flat_map(|order| &order.refunds);
    let ids = refunds.map(|refund| refund.refund_id.as_str());
    let recorded = app.store.refund_heads(merchant, ids).await?;
    let recorded: HashMap<_, _> =
        recorded.iter().map(|head| (head.refund_id.as_str(), head)).collect();

    let (mut rows, mut new_refunds) = (Vec::new(), Vec::new());
    let (mut outcomes, mut conflicts, mut unsettled) = (Vec::new(), Vec::new(), Vec::new());
    for (position, order) in orders.iter().enumerate() {
        let stored = heads.get(order.order_id.as_str());
        let before =
            stored.map(|head| SnapshotVersion { updated_us: head.updated_us, hash: &head.hash });
        let incoming = SnapshotVersion { updated_us: order.updated_us, hash: &order.hash };
        let outcome = intake::compare(before.as_ref(), &incoming);
        outcomes.push(outcome);
        for (refund, entry) in order.refunds.iter().enumerate() {
            match recorded.get(entry.refund_id.as_str()) {
                Some(known) if known.hash == entry.hash && known.order_id == order.order_id => (),
                Some(_) => conflicts.push(RefundConflict { order: position, refund }),
                None if outcome.is_stored() => {
                    new_refunds.push(build_refund_row(order, entry));
                    unsettled.extend(order.order.as_deref().map(|order| NewRefund {
                        order,
                        order_position: position,
                        refund_position: refund,
                    }));
                }
                None => (),
            }
        }
        if outcome.is_stored() {
            rows.push(build_order_row(order, stored.map_or(0, |head| head.version)));
        }
    }
    let now_us = app.world.now_us();
    let mut transaction = Transaction::new("storing orders");
    transaction.put_orders(merchant, rows, now_us);
    transaction.insert_refunds(merchant, new_refunds, now_us);
    let mut settlements = settle_refunds(app, merchant, &unsettled).await?;
    // Unchanged orders count, too: their exchange orders may have become known in the meantime.
    let current =
        orders.iter().zip(&outcomes).filter(|(_, outcome)| **outcome != IntakeOutcome::Stale);
    let current =
        current.map(|(order, _)| PublishedOrder { id: &order.order_id, status: order.status });
    settlements.apply_exchange_orders(app, merchant, current).await?;
    let to_review = settlements.put(app, merchant, &mut transaction);
    Ok(IntakeDecision { outcomes, conflicts, to_review, transaction })
}

fn build_order_row(order: &IncomingOrder, replaces: i64) -> OrderRow {
    OrderRow {
        order_id: order.order_id.clone(),
        replaces,
        updated_us: order.updated_us,
        status: order.status,
        shopper_hash: order.shopper_hash,
        hash: order.hash.clone(),
        body: order.body.clone(),
    }
}

fn build_refund_row(order: &IncomingOrder, refund: &IncomingRefund) -> RefundRow {
    RefundRow {
        refund_id: refund.refund_id.clone(),
        order_id: order.order_id.clone(),
        hash: refund.hash.clone(),
        body: refund.body.clone(),
    }
}
