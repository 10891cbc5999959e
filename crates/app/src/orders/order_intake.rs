//! The intake of orders: what follows when incoming snapshots are compared with the stored ones.
//!
//! The snapshot with the newest `updated_at` is stored; an older one is dropped, except for refunds
//! that are new in it. Refunds are recorded separately from the snapshots, because they never
//! change and stay when a later snapshot omits them, even if it contradicts them.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use domain::{
    exchanges::chain::held_to_credit,
    faults::Faults,
    identifier::MerchantId,
    orders::{
        intake::{self, IntakeOutcome, SnapshotVersion},
        order::{Order, OrderStatus, Refund},
        order_message::{OrderReadContext, RefundCheck, RefundEntry, Snapshot, SnapshotBody},
        recorded_refunds::{MisfitLine, find_misfit_lines, find_misfits, find_reused_lines},
    },
    time::micros,
};
use store::{IntakeKey, IntakeState, OrderRow, RefundRow, Transaction};

use crate::{
    App, AppError,
    access::secrets::hash,
    core::scope::RequestScope,
    orders::{
        intake_conflict::{ConflictReason, IntakeConflict, RefundConflict},
        load_order::{
            find_newest_snapshot, load_exchange_credit, read_order_body, read_recorded_refund,
        },
        shopper_keys::shopper_hash,
    },
    returns::{
        origin::Origin,
        settle_refunds::{
            DoubtfulRefund, NewRefund, PublishedOrder, ends_exchange, settle_refunds,
        },
    },
};

/// An order that is ready to be compared with the stored snapshot.
#[derive(Clone, Debug)]
pub(crate) struct IncomingOrder {
    pub(crate) order_id: String,
    updated_us: i64,
    status: OrderStatus,
    currency: String,
    secondary_id: String,
    hash: Bytes,
    body: Bytes,
    refunds: Vec<IncomingRefund>,
    shopper_hash: i64,
    /// Only if it has refunds. The lines of most orders are not needed again, and all orders of a
    /// message in memory at once would slow down the others.
    refunded: Option<Arc<Order>>,
}

#[derive(Clone, Debug)]
struct IncomingRefund {
    refund_id: String,
    hash: Bytes,
    body: Bytes,
    /// Why it can only be one that is recorded: new ones must have a later date, and must fit.
    is_past: bool,
    misfits: Vec<MisfitLine>,
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
        let misfits = find_misfit_lines(&snapshot.order);
        let misfits_of = |it: &RefundEntry| {
            misfits.iter().filter(|misfit| misfit.refund == it.position).copied().collect()
        };
        let refund = |entry: RefundEntry| IncomingRefund {
            is_past: context.strict && is_past(&entry),
            misfits: misfits_of(&entry),
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
    fn key(&self) -> IntakeKey<'_> {
        IntakeKey {
            order_id: &self.order_id,
            refund_ids: self.refund_ids().collect(),
            as_exchange: ends_exchange(self.status) || !self.refunds.is_empty(),
        }
    }

    fn published(&self, position: usize) -> PublishedOrder<'_> {
        PublishedOrder { position, id: &self.order_id, status: self.status, body: &self.body }
    }

    fn read_whole(&self) -> Result<Arc<Order>, AppError> {
        match &self.refunded {
            Some(order) => Ok(order.clone()),
            None => read_order_body(&self.body, &self.order_id).map(Arc::new),
        }
    }

    pub(crate) fn refund_ids(&self) -> impl Iterator<Item = &str> {
        self.refunds.iter().map(|refund| refund.refund_id.as_str())
    }
}

/// What follows from incoming orders.
pub(crate) struct IntakeDecision {
    pub(crate) outcomes: Vec<IntakeOutcome>,
    pub(crate) conflicts: Vec<IntakeConflict>,
    /// Refunds that need attention: those that an operator should review, and those without effect.
    pub(crate) doubtful: Vec<DoubtfulRefund>,
    pub(crate) transaction: Transaction,
}

pub(crate) async fn decide_intake(
    scope: RequestScope<'_>,
    orders: &[IncomingOrder],
) -> Result<IntakeDecision, AppError> {
    let (app, merchant) = (scope.app, scope.merchant()?);
    let stored = StoredState::load(app, merchant, orders).await?;
    let now_us = app.world.now_us();
    let mut transaction = Transaction::new("storing orders");
    let (mut rows, mut new_refunds) = (Vec::new(), Vec::new());
    let (mut conflicts, mut unsettled) = (stored.currency_conflicts(orders), Vec::new());
    for (position, order) in orders.iter().enumerate() {
        let head = stored.known.heads.get(&order.order_id);
        let outcome = stored.outcome(order);
        let conflict = |refund, reason| IntakeConflict::of_refund(position, refund, reason);
        for (refund, entry) in order.refunds.iter().enumerate() {
            if !stored.is_new(entry) {
                let contradicted = conflict(refund, RefundConflict::Content);
                conflicts.extend(stored.contradicts(order, entry).then_some(contradicted));
                continue;
            }
            conflicts.extend(entry.is_past.then(|| conflict(refund, RefundConflict::Past)));
            let misfits = entry.misfits.iter().map(|misfit| RefundConflict::Misfit(*misfit));
            conflicts.extend(misfits.map(|reason| conflict(refund, reason)));
            let Some(whole) = &order.refunded else { continue };
            let Some(content) = whole.refunds.get(refund) else { continue };
            let reused = find_reused_lines(content, stored.refunds_of(order));
            let reused = reused.into_iter().map(RefundConflict::Line);
            conflicts.extend(reused.map(|reason| conflict(refund, reason)));
            new_refunds.push(build_refund_row(order, entry));
            unsettled.push(NewRefund {
                order: stored.valued(order).unwrap_or(whole),
                refund: content,
                order_position: position,
                refund_position: refund,
            });
        }
        if outcome.is_stored() {
            rows.push(build_order_row(order, head.map_or(0, |head| head.version)));
        } else if let Some(head) = head.filter(|_| stored.newest.contains_key(&order.order_id)) {
            transaction.touch_order(merchant, &order.order_id, head.version, now_us);
        }
    }
    transaction.put_orders(merchant, rows, now_us);
    transaction.insert_refunds(merchant, new_refunds, now_us);
    let settling = settle_refunds(app, merchant, &unsettled, &stored.known.ledgers);
    let mut settlements = Box::pin(settling).await?;
    conflicts.extend(settlements.first_beyond_limit().map(IntakeConflict::too_many));
    for (position, order) in orders.iter().enumerate() {
        let recorded = stored.refunds_of(order);
        if stored.outcome(order) == IntakeOutcome::Updated && !recorded.is_empty() {
            let whole = order.read_whole()?;
            let misfits = find_misfits(&whole, recorded);
            settlements.list_misfits(app, merchant, &order.published(position), &misfits);
        }
    }
    // Unchanged orders count, too: their exchange orders may have become known in the meantime.
    let orders_by_position = orders.iter().enumerate();
    let current = orders_by_position.filter(|(_, it)| stored.outcome(it) != IntakeOutcome::Stale);
    let current = current.map(|(position, it)| it.published(position));
    settlements.apply_exchange_orders(app, merchant, current, &stored.known.exchanges).await?;
    let origin = Origin::of_request(scope);
    let doubtful = settlements.put(app, merchant, &mut transaction, &origin).await?;
    let outcomes = orders.iter().map(|order| stored.outcome(order)).collect();
    Ok(IntakeDecision { outcomes, conflicts, doubtful, transaction })
}

/// What is stored about incoming orders.
struct StoredState {
    known: IntakeState,
    /// The recorded refunds of orders that change, or that have new refunds.
    refunds: HashMap<String, Vec<Refund>>,
    /// The newest snapshots of orders whose new refunds arrived with an older one.
    newest: HashMap<String, Order>,
    /// The currencies of orders that change after money was promised or paid for them, and of those
    /// in `newest`.
    currencies: HashMap<String, String>,
    /// Exchange orders with new refunds, worth no more than what was given for them.
    held: HashMap<String, Order>,
}

impl StoredState {
    /// A few queries, whatever the number of orders. Only orders whose new refunds arrive with an
    /// older snapshot, and exchange orders with new refunds, are read one by one.
    async fn load(
        app: &App,
        merchant: &MerchantId,
        orders: &[IncomingOrder],
    ) -> Result<Self, AppError> {
        let keys: Vec<IntakeKey<'_>> = orders.iter().map(IncomingOrder::key).collect();
        let known = app.store.intake_state(merchant, &keys).await?;
        let mut stored = Self {
            known,
            refunds: HashMap::new(),
            newest: HashMap::new(),
            currencies: HashMap::new(),
            held: HashMap::new(),
        };
        let changed = orders.iter().filter(|order| {
            let refunded =
                stored.known.heads.get(&order.order_id).is_some_and(|head| head.refunded);
            refunded && (stored.outcome(order).is_stored() || stored.has_new_refunds(order))
        });
        let ids = changed.map(|order| order.order_id.as_str());
        for (order_id, body) in app.store.refunds_of_orders(merchant, ids).await? {
            let refund = read_recorded_refund(&body, &order_id)?;
            stored.refunds.entry(order_id).or_default().push(refund);
        }
        let is_stored = |order: &&IncomingOrder| stored.outcome(order).is_stored();
        let bound = orders.iter().filter(is_stored).filter(|order| stored.has_money(order));
        let bound = bound.map(|order| [merchant.as_str(), order.order_id.as_str()]);
        for (_, order_id, body) in app.store.order_bodies(bound).await? {
            let currency = read_order_body(&body, &order_id)?.currency;
            stored.currencies.insert(order_id, currency);
        }
        for order in orders {
            if stored.outcome(order).is_stored() || !stored.has_new_refunds(order) {
                continue;
            }
            let newest = find_newest_snapshot(app, merchant, &order.order_id).await?;
            let Some(newest) = newest else { continue };
            stored.currencies.insert(order.order_id.clone(), newest.currency.clone());
            stored.newest.insert(order.order_id.clone(), newest);
        }
        stored.held = stored.hold_exchange_orders(app, merchant, orders).await?;
        Ok(stored)
    }

    async fn hold_exchange_orders(
        &self,
        app: &App,
        merchant: &MerchantId,
        orders: &[IncomingOrder],
    ) -> Result<HashMap<String, Order>, AppError> {
        let mut held = HashMap::new();
        for order in orders.iter().filter(|order| self.has_new_refunds(order)) {
            let id = &order.order_id;
            let newest = self.newest.get(id).or(order.refunded.as_deref());
            let (Some(exchange), Some(newest)) = (self.known.exchanges.get(id), newest) else {
                continue;
            };
            let credit = load_exchange_credit(app, merchant, &exchange.value).await?;
            let ledger = self.known.ledgers.get(id).map(|it| it.value.clone()).unwrap_or_default();
            held.insert(id.clone(), held_to_credit(newest, &credit, &ledger));
        }
        Ok(held)
    }

    /// What new refunds are judged by, if it is not the incoming order.
    fn valued(&self, order: &IncomingOrder) -> Option<&Order> {
        self.held.get(&order.order_id).or_else(|| self.newest.get(&order.order_id))
    }

    fn outcome(&self, order: &IncomingOrder) -> IntakeOutcome {
        let head = self.known.heads.get(&order.order_id);
        let before =
            head.map(|head| SnapshotVersion { updated_us: head.updated_us, hash: &head.hash });
        let incoming = SnapshotVersion { updated_us: order.updated_us, hash: &order.hash };
        intake::compare(before.as_ref(), &incoming)
    }

    /// Whether something was promised or paid for the order.
    fn has_money(&self, order: &IncomingOrder) -> bool {
        let id = &order.order_id;
        self.known.heads.get(id).is_some_and(|head| head.refunded)
            || self.known.ledgers.get(id).is_some_and(|ledger| ledger.value.has_money())
    }

    /// The orders whose amounts would change their currency. They are never converted.
    fn currency_conflicts(&self, orders: &[IncomingOrder]) -> Vec<IntakeConflict> {
        let changes_currency = |order: &IncomingOrder| {
            self.currencies.get(&order.order_id).is_some_and(|it| *it != order.currency)
        };
        let changed = orders.iter().enumerate().filter(|(_, order)| changes_currency(order));
        changed
            .map(|(order, _)| IntakeConflict { order, reason: ConflictReason::Currency })
            .collect()
    }

    fn refunds_of(&self, order: &IncomingOrder) -> &[Refund] {
        self.refunds.get(&order.order_id).map(Vec::as_slice).unwrap_or_default()
    }

    fn is_new(&self, refund: &IncomingRefund) -> bool {
        !self.known.refunds.contains_key(&refund.refund_id)
    }

    fn has_new_refunds(&self, order: &IncomingOrder) -> bool {
        order.refunds.iter().any(|refund| self.is_new(refund))
    }

    /// Whether the refund is recorded with another body, or for another order.
    fn contradicts(&self, order: &IncomingOrder, refund: &IncomingRefund) -> bool {
        self.known
            .refunds
            .get(&refund.refund_id)
            .is_some_and(|known| known.hash != refund.hash || known.order_id != order.order_id)
    }
}

fn build_order_row(order: &IncomingOrder, replaces: i64) -> OrderRow {
    OrderRow {
        order_id: order.order_id.clone(),
        replaces,
        updated_us: order.updated_us,
        status: order.status,
        shopper_hash: order.shopper_hash,
        secondary_id: order.secondary_id.clone(),
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
