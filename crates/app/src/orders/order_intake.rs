//! The intake of orders: what follows when incoming snapshots are compared with the stored ones.
//!
//! The snapshot with the newest `updated_at` is stored; an older one is dropped, except for refunds
//! that are new in it. Refunds are recorded separately from the snapshots, because they never
//! change and stay when a later snapshot omits them, even if it contradicts them.

use std::collections::HashMap;

use domain::{
    exchanges::chain::held_to_credit,
    identifier::MerchantId,
    orders::{
        intake::{self, IntakeOutcome, SnapshotVersion},
        order::{Order, Refund},
        recorded_refunds::{find_misfit_lines, find_misfits, find_reused_lines},
    },
};
use store::{IntakeKey, IntakeState, Transaction};

use crate::{
    App, AppError,
    core::scope::RequestScope,
    orders::{
        incoming_order::{IncomingOrder, IncomingRefund},
        intake_conflict::{ConflictReason, IntakeConflict, RefundConflict},
        load_order::{
            find_newest_snapshot, load_exchange_credit, read_order_body, read_recorded_refund,
        },
    },
    returns::{
        origin::Origin,
        settle_refunds::{DoubtfulRefund, NewRefund, Settlements},
    },
};

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
    let outcomes = orders.iter().map(|order| stored.outcome(order)).collect();
    let mut conflicts = stored.find_conflicts(orders);
    if !conflicts.is_empty() {
        // Nothing is stored, and what cannot be recorded need not be settled.
        return Ok(IntakeDecision { outcomes, conflicts, doubtful: Vec::new(), transaction });
    }
    let (mut rows, mut new_refunds, mut unsettled) = (Vec::new(), Vec::new(), Vec::new());
    for (position, order) in orders.iter().enumerate() {
        for (whole, refund) in stored.new_refunds(order) {
            new_refunds.extend(order.refund_row(refund));
            unsettled.extend(whole.refunds.get(refund).map(|content| NewRefund {
                order: stored.valued(order).unwrap_or(whole),
                refund: content,
                order_position: position,
                refund_position: refund,
            }));
        }
        let head = stored.known.heads.get(&order.order_id);
        if stored.outcome(order).is_stored() {
            rows.push(order.row(head.map_or(0, |head| head.version)));
        } else if let Some(head) = head.filter(|_| stored.newest.contains_key(&order.order_id)) {
            transaction.touch_order(merchant, &order.order_id, head.version, now_us);
        }
    }
    transaction.put_orders(merchant, rows, now_us);
    transaction.insert_refunds(merchant, new_refunds, now_us);
    // Unchanged orders count, too: their exchange orders may have become known in the meantime.
    let orders_by_position = orders.iter().enumerate();
    let current = orders_by_position.filter(|(_, it)| stored.outcome(it) != IntakeOutcome::Stale);
    let current = current.map(|(position, it)| it.published(position));
    let mut settlements = Settlements::default();
    // First, because a refund may pay for what an exchange order of the same message cancels.
    settlements.apply_exchange_orders(app, merchant, current, &stored.known.exchanges).await?;
    let settling = settlements.settle_refunds(app, merchant, &unsettled, &stored.known.ledgers);
    Box::pin(settling).await?;
    conflicts.extend(settlements.first_beyond_limit().map(IntakeConflict::too_many));
    for (position, order) in orders.iter().enumerate() {
        let recorded = stored.refunds_of(order);
        if stored.outcome(order) == IntakeOutcome::Updated && !recorded.is_empty() {
            let whole = order.read_whole()?;
            let misfits = find_misfits(&whole, recorded);
            settlements.list_misfits(app, merchant, &order.published(position), &misfits);
        }
    }
    let origin = Origin::of_request(scope);
    let doubtful = settlements.put(app, merchant, &mut transaction, &origin).await?;
    Ok(IntakeDecision { outcomes, conflicts, doubtful, transaction })
}

/// Stored snapshots that are in memory at a time. One may have 10 MiB.
const SNAPSHOTS_AT_ONCE: usize = 16;

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
        stored.currencies = stored.load_currencies(app, merchant, orders).await?;
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

    /// The currencies of orders that change after money was promised or paid for them.
    async fn load_currencies(
        &self,
        app: &App,
        merchant: &MerchantId,
        orders: &[IncomingOrder],
    ) -> Result<HashMap<String, String>, AppError> {
        let is_bound =
            |order: &&IncomingOrder| self.outcome(order).is_stored() && self.has_money(order);
        let bound: Vec<&IncomingOrder> = orders.iter().filter(is_bound).collect();
        let mut currencies = HashMap::new();
        for page in bound.chunks(SNAPSHOTS_AT_ONCE) {
            let keys = page.iter().map(|order| [merchant.as_str(), order.order_id.as_str()]);
            for (_, order_id, body) in app.store.order_bodies(keys).await? {
                // A newer snapshot replaces one that is unreadable.
                if let Ok(order) = read_order_body(&body, &order_id) {
                    currencies.insert(order_id, order.currency);
                }
            }
        }
        Ok(currencies)
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

    /// What contradicts the store, and new refunds that cannot be recorded.
    fn find_conflicts(&self, orders: &[IncomingOrder]) -> Vec<IntakeConflict> {
        let mut conflicts = self.currency_conflicts(orders);
        for (position, order) in orders.iter().enumerate() {
            let reasons = self.find_refund_conflicts(order).into_iter();
            conflicts.extend(
                reasons.map(|(refund, reason)| IntakeConflict::of_refund(position, refund, reason)),
            );
        }
        conflicts
    }

    /// The refunds of an order that cannot be recorded, by their positions.
    fn find_refund_conflicts(&self, order: &IncomingOrder) -> Vec<(usize, RefundConflict)> {
        let mut conflicts = Vec::new();
        for (position, refund) in order.refunds.iter().enumerate() {
            if self.contradicts(order, refund) {
                conflicts.push((position, RefundConflict::Content));
            }
            if self.is_new(refund) && refund.is_past {
                conflicts.push((position, RefundConflict::Past));
            }
        }
        for (whole, position) in self.new_refunds(order) {
            let content = whole.refunds.get(position);
            let reused = content.map(|it| find_reused_lines(it, self.refunds_of(order)));
            let reused = reused.into_iter().flatten();
            conflicts.extend(reused.map(|line| (position, RefundConflict::Line(line))));
        }
        if let Some(whole) = order.refunded.as_ref().filter(|_| self.has_new_refunds(order)) {
            let is_recorded = |it: &Refund| self.known.refunds.contains_key(&it.identifier);
            let misfits = find_misfit_lines(whole, is_recorded).into_iter();
            conflicts.extend(misfits.map(|it| (it.refund, RefundConflict::Misfit(it))));
        }
        conflicts
    }

    fn refunds_of(&self, order: &IncomingOrder) -> &[Refund] {
        self.refunds.get(&order.order_id).map(Vec::as_slice).unwrap_or_default()
    }

    fn is_new(&self, refund: &IncomingRefund) -> bool {
        !self.known.refunds.contains_key(&refund.refund_id)
    }

    /// The order with the position of each of its new refunds.
    fn new_refunds<'a>(
        &'a self,
        order: &'a IncomingOrder,
    ) -> impl Iterator<Item = (&'a Order, usize)> {
        order.refunded.iter().flat_map(|whole| {
            let refunds = order.refunds.iter().enumerate();
            let new = refunds.filter(|(_, refund)| self.is_new(refund));
            new.map(move |(position, _)| (whole.as_ref(), position))
        })
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
