//! Orders as they arrive, ready to be compared with what is stored.

use std::sync::Arc;

use bytes::Bytes;
use domain::{
    faults::Faults,
    orders::{
        order::{Order, OrderStatus},
        order_message::{OrderReadContext, RefundCheck, RefundEntry, Snapshot, SnapshotBody},
    },
    time::micros,
};
use store::{IntakeKey, OrderRow, RefundRow};

use crate::{
    AppError,
    access::secrets::hash,
    orders::{load_order::read_order_body, shopper_keys::shopper_hash},
    returns::settle_refunds::{PublishedOrder, ends_exchange},
};

/// An order that is ready to be compared with the stored snapshot.
#[derive(Clone, Debug)]
pub(crate) struct IncomingOrder {
    pub(crate) order_id: String,
    pub(super) updated_us: i64,
    status: OrderStatus,
    pub(super) currency: String,
    secondary_id: String,
    pub(super) hash: Bytes,
    body: Bytes,
    pub(super) refunds: Vec<IncomingRefund>,
    shopper_hash: i64,
    /// Only if it has refunds. The lines of most orders are not needed again, and all orders of a
    /// message in memory at once would slow down the others.
    pub(super) refunded: Option<Arc<Order>>,
}

#[derive(Clone, Debug)]
pub(super) struct IncomingRefund {
    pub(super) refund_id: String,
    pub(super) hash: Bytes,
    body: Bytes,
    /// Whether it can only be one that is recorded, because new ones must have a later date.
    pub(super) is_past: bool,
}

/// What is wrong with an order, or several.
pub(crate) struct FaultyReading {
    /// Everything, including refunds that do not fit the order, or whose date has passed if reading
    /// is strict. Those that are recorded may be like that.
    pub(crate) faults: Faults,
    /// Everything that does not depend on which refunds are recorded.
    pub(crate) certain: Faults,
}

/// Reads an order, or several. A new refund must fit the order and, if reading is strict, have a
/// date in the future. One that is recorded need not, which is checked when it is looked up.
pub(crate) fn read_with_recorded_refunds<T>(
    context: &OrderReadContext,
    mut read: impl FnMut(&OrderReadContext) -> Result<T, Faults>,
) -> Result<T, FaultyReading> {
    read(context).or_else(|faults| {
        let only_new = OrderReadContext { refunds: RefundCheck::New, ..*context };
        read(&only_new).map_err(|certain| FaultyReading { faults, certain })
    })
}

impl IncomingOrder {
    /// `snapshot` was read from `document`.
    pub(crate) fn new(snapshot: Snapshot, document: &Bytes, context: &OrderReadContext) -> Self {
        let dated = &snapshot.order.refunds;
        let is_past = |it: &RefundEntry| {
            dated.get(it.position).is_some_and(|it| it.created_at <= context.now)
        };
        let refund = |entry: RefundEntry| IncomingRefund {
            is_past: context.strict && is_past(&entry),
            refund_id: entry.identifier,
            hash: hash(&entry.canonical),
            body: entry.body.into(),
        };
        let refunds = snapshot.refunds.into_iter().map(refund).collect();
        let body = match snapshot.body {
            SnapshotBody::AsSent(place) => document.slice(place),
            SnapshotBody::Written(bytes) => bytes.into(),
        };
        let order = snapshot.order;
        Self {
            order_id: order.identifier.clone(),
            updated_us: micros(order.updated_at),
            status: order.status,
            currency: order.currency.clone(),
            secondary_id: order.secondary_identifier.clone().unwrap_or_default(),
            hash: hash(&body),
            body,
            shopper_hash: shopper_hash(&order.customer.email),
            refunded: (!order.refunds.is_empty()).then(|| Arc::new(order)),
            refunds,
        }
    }

    /// What is looked up for it. An exchange order matters when it was shipped or canceled, and for
    /// what its refunds are worth.
    pub(super) fn key(&self) -> IntakeKey<'_> {
        IntakeKey {
            order_id: &self.order_id,
            refund_ids: self.refund_ids().collect(),
            as_exchange: ends_exchange(self.status) || !self.refunds.is_empty(),
        }
    }

    pub(super) fn published(&self, position: usize) -> PublishedOrder<'_> {
        PublishedOrder { position, id: &self.order_id, status: self.status, body: &self.body }
    }

    pub(super) fn read_whole(&self) -> Result<Arc<Order>, AppError> {
        match &self.refunded {
            Some(order) => Ok(order.clone()),
            None => read_order_body(&self.body, &self.order_id).map(Arc::new),
        }
    }

    pub(crate) fn refund_ids(&self) -> impl Iterator<Item = &str> {
        self.refunds.iter().map(|refund| refund.refund_id.as_str())
    }

    /// What is stored of it, in the place of the version `replaces`.
    pub(super) fn row(&self, replaces: i64) -> OrderRow {
        OrderRow {
            order_id: self.order_id.clone(),
            replaces,
            updated_us: self.updated_us,
            status: self.status,
            shopper_hash: self.shopper_hash,
            secondary_id: self.secondary_id.clone(),
            hash: self.hash.clone(),
            body: self.body.clone(),
        }
    }

    /// What is stored of the refund at a position.
    pub(super) fn refund_row(&self, position: usize) -> Option<RefundRow> {
        let refund = self.refunds.get(position)?;
        Some(RefundRow {
            refund_id: refund.refund_id.clone(),
            order_id: self.order_id.clone(),
            hash: refund.hash.clone(),
            body: refund.body.clone(),
        })
    }
}
