//! What published orders mean for returns. A refund closes the return that it pays for, or becomes
//! a problem for an operator. An exchange order that was shipped fulfills its return; one that was
//! canceled turns the exchange into a refund.
//!
//! One message may contain several refunds of one order, or of several orders that share a return.
//! So everything that is loaded is kept and changed in memory until all refunds are settled.

use std::collections::BTreeMap;

use domain::{
    exchanges::record::ExchangeRecord,
    identifier::MerchantId,
    money::comparison::find_difference,
    orders::{
        order::{IGNORE_REFUND, Order, OrderLine, OrderStatus, Refund},
        recorded_refunds::MisfitRefund,
    },
    returns::{
        identifier::RmaId,
        ledger::Ledger,
        rma::{Rma, RmaEvent},
        settlement::{PaidReturn, RefundReport, Settlement, settle as settle_refund},
    },
};
use store::{RefundProblem, Transaction, Versioned};

use crate::{
    App, AppError,
    orders::load_order::read_order_body,
    returns::{
        origin::Origin,
        return_draft::{ReturnDraft, describe_difference},
    },
};

/// How many units and refunds of returns are looked at for the refunds of a message. Each refund
/// changes the whole return and has a message of its own, so without a limit a small request could
/// cause gigabytes of messages.
const WORK_MAX: usize = 100_000;

/// A refund that is not recorded yet.
#[derive(Clone, Copy)]
pub(crate) struct NewRefund<'a> {
    /// The newest snapshot of its order.
    pub(crate) order: &'a Order,
    pub(crate) refund: &'a Refund,
    /// The position of the order in its message.
    pub(crate) order_position: usize,
    /// The position of the refund in the order.
    pub(crate) refund_position: usize,
}

/// An order as it was just published.
pub(crate) struct PublishedOrder<'a> {
    /// Its position in its message.
    pub(crate) position: usize,
    pub(crate) id: &'a str,
    pub(crate) status: OrderStatus,
    /// The order as it is stored.
    pub(crate) body: &'a [u8],
}

/// The warning about a refund that names neither units nor a return.
const NO_EFFECT: &str = "has no effect, because it names no units and no return";

/// A refund that the merchant is warned about, because an operator should review it, or because it
/// has no effect.
pub(crate) struct DoubtfulRefund {
    pub(crate) order: usize,
    /// None if the refund is not in the message, but was recorded before.
    pub(crate) refund: Option<usize>,
    pub(crate) reason: String,
}

/// What follows from the orders of a message.
#[derive(Default)]
pub(crate) struct Settlements {
    ledgers: BTreeMap<String, Versioned<Ledger>>,
    returns: BTreeMap<RmaId, ReturnDraft>,
    problems: Vec<RefundProblem>,
    /// Problems of refunds that no longer fit their orders.
    misfits: Vec<RefundProblem>,
    doubtful: Vec<DoubtfulRefund>,
    /// Exchange orders that were canceled, as they were loaded.
    cancelled: Vec<Versioned<ExchangeRecord>>,
    work: usize,
    beyond_limit: Option<RefundPosition>,
}

/// The position of a refund in a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefundPosition {
    pub(crate) order_position: usize,
    pub(crate) refund_position: usize,
}

/// What follows for its return from an order, if it is an exchange order.
pub(crate) fn exchange_events(order: &Order) -> Vec<RmaEvent> {
    let id = || order.identifier.clone();
    let count = |units_of: fn(&OrderLine) -> i64| {
        let mut by_sku: BTreeMap<String, i64> = BTreeMap::new();
        for line in &order.items {
            let units = units_of(line);
            if let Some(sku) = line.sku.as_ref().filter(|_| units > 0) {
                *by_sku.entry(sku.clone()).or_default() += units;
            }
        }
        by_sku
    };
    let (part, whole) = match order.status {
        OrderStatus::Created => return Vec::new(),
        OrderStatus::Shipped => (
            RmaEvent::ExchangePartCanceled {
                exchange_order_identifier: id(),
                units: count(|line| line.quantity_canceled),
            },
            RmaEvent::ExchangeFulfilled { exchange_order_identifier: id() },
        ),
        OrderStatus::Cancelled => (
            RmaEvent::ExchangePartShipped {
                exchange_order_identifier: id(),
                units: count(|line| line.quantity_shipped),
            },
            RmaEvent::ExchangeCanceled { exchange_order_identifier: id() },
        ),
    };
    vec![part, whole]
}

/// Whether an order with this status can end an exchange.
pub(crate) const fn ends_exchange(status: OrderStatus) -> bool {
    match status {
        OrderStatus::Created => false,
        OrderStatus::Shipped | OrderStatus::Cancelled => true,
    }
}

impl Settlements {
    /// `ledgers` has the ledgers of the refunded orders, as far as anything of them is spent.
    pub(crate) async fn settle_refunds(
        &mut self,
        app: &App,
        merchant: &MerchantId,
        refunds: &[NewRefund<'_>],
        ledgers: &BTreeMap<String, Versioned<Ledger>>,
    ) -> Result<(), AppError> {
        for new in refunds {
            if new.refund.is_ignored() {
                self.warn(new, format!("has no effect, because it has the tag {IGNORE_REFUND}"));
                continue;
            }
            let ledger = ledgers.get(&new.order.identifier);
            self.load(app, merchant, new.order, ledger).await?;
            if !self.take_work(new) {
                break;
            }
            self.settle(app, merchant, new);
        }
        Ok(())
    }

    /// Loads the returns of the order, unless they are loaded already.
    async fn load(
        &mut self,
        app: &App,
        merchant: &MerchantId,
        order: &Order,
        ledger: Option<&Versioned<Ledger>>,
    ) -> Result<(), AppError> {
        if self.ledgers.contains_key(&order.identifier) {
            return Ok(());
        }
        let nothing_spent = || Versioned { value: Ledger::default(), version: 0 };
        let ledger = ledger.cloned().unwrap_or_else(nothing_spent);
        for id in ledger.value.rmas().iter().filter_map(|text| RmaId::parse(text)) {
            if !self.returns.contains_key(&id)
                && let Some(rma) = app.store.rma(merchant, &id).await?
            {
                self.returns.insert(id, ReturnDraft::new(rma));
            }
        }
        self.ledgers.insert(order.identifier.clone(), ledger);
        Ok(())
    }

    /// Whether a refund can be settled, too. The first one always can.
    fn take_work(&mut self, new: &NewRefund<'_>) -> bool {
        let Some(ledger) = self.ledgers.get(&new.order.identifier) else { return true };
        let ids = ledger.value.rmas().iter().filter_map(|text| RmaId::parse(text));
        let returns = ids.filter_map(|id| self.returns.get(&id)).map(ReturnDraft::current);
        let work = returns.map(|rma| rma.units.len() + rma.refunds.len()).sum();
        let is_first = self.work == 0;
        self.work = self.work.saturating_add(work);
        let fits = is_first || self.work <= WORK_MAX;
        if !fits {
            let NewRefund { order_position, refund_position, .. } = *new;
            self.beyond_limit = Some(RefundPosition { order_position, refund_position });
        }
        fits
    }

    /// The first refund that was not settled, because those before it were work enough.
    pub(crate) fn first_beyond_limit(&self) -> Option<RefundPosition> {
        self.beyond_limit
    }

    fn settle(&mut self, app: &App, merchant: &MerchantId, new: &NewRefund<'_>) {
        let refund = new.refund;
        let Some(ledger) = self.ledgers.get_mut(&new.order.identifier) else { return };
        let ids = ledger.value.rmas().iter().filter_map(|text| RmaId::parse(text));
        let returns: Vec<Rma> =
            ids.filter_map(|id| self.returns.get(&id)).map(|it| it.current().clone()).collect();
        let now = returns.iter().fold(app.world.now(), |now, rma| rma.next_change_at(now));
        let report = RefundReport { order: new.order, refund, now };
        let Settlement { ledger: after, changed, problem } =
            settle_refund(report, &ledger.value, &returns);
        if after == ledger.value && changed.is_none() && problem.is_none() {
            self.warn(new, NO_EFFECT.to_owned());
            return;
        }
        ledger.value = after;
        if let Some(PaidReturn { event, rma }) = changed {
            if let Some(difference) = find_difference(&rma, &refund.identifier) {
                self.warn(new, describe_difference(&rma, &difference));
            }
            if let Some(draft) = self.returns.get_mut(&rma.rma_identifier) {
                draft.push(event, rma, report.now);
            }
        }
        if let Some(problem) = problem {
            self.warn(new, problem.message().to_owned());
            self.problems.push(RefundProblem {
                merchant: merchant.to_string(),
                refund_id: refund.identifier.clone(),
                order_id: new.order.identifier.clone(),
                kind: problem.state().to_owned(),
                state: problem.state().to_owned(),
                noticed_us: app.world.now_us(),
                detail: problem.message().to_owned(),
                ..RefundProblem::default()
            });
        }
    }

    fn warn(&mut self, new: &NewRefund<'_>, reason: String) {
        let (order, refund) = (new.order_position, Some(new.refund_position));
        self.doubtful.push(DoubtfulRefund { order, refund, reason });
    }

    /// Lists recorded refunds that the newest snapshot of `order` contradicts.
    pub(crate) fn list_misfits(
        &mut self,
        app: &App,
        merchant: &MerchantId,
        order: &PublishedOrder<'_>,
        misfits: &[MisfitRefund<'_>],
    ) {
        for MisfitRefund { refund, position, reason } in misfits {
            let (order_position, identifier) = (order.position, &refund.identifier);
            let warning = match position {
                Some(_) => format!("was recorded before and {reason}"),
                None => format!("omit {identifier}, which was recorded before and {reason}"),
            };
            self.doubtful.push(DoubtfulRefund {
                order: order_position,
                refund: *position,
                reason: warning,
            });
            self.misfits.push(RefundProblem {
                merchant: merchant.to_string(),
                refund_id: identifier.clone(),
                order_id: order.id.to_owned(),
                kind: "conflict".to_owned(),
                state: "conflict".to_owned(),
                noticed_us: app.world.now_us(),
                detail: reason.clone(),
                ..RefundProblem::default()
            });
        }
    }

    /// Applies exchange orders that were published as shipped or canceled to their returns. `known`
    /// has those among `orders` that are exchange orders.
    pub(crate) async fn apply_exchange_orders(
        &mut self,
        app: &App,
        merchant: &MerchantId,
        orders: impl Iterator<Item = PublishedOrder<'_>>,
        known: &BTreeMap<String, Versioned<ExchangeRecord>>,
    ) -> Result<(), AppError> {
        for PublishedOrder { id, status, body, .. } in orders {
            let Some(record) = known.get(id).filter(|_| ends_exchange(status)) else { continue };
            let events = exchange_events(&read_order_body(body, id)?);
            let id = record.value.rma_identifier.clone();
            if !self.returns.contains_key(&id)
                && let Some(rma) = app.store.rma(merchant, &id).await?
            {
                self.returns.insert(id.clone(), ReturnDraft::new(rma));
            }
            let Some(draft) = self.returns.get_mut(&id) else { continue };
            for event in events {
                if let Ok(decision) = draft.apply(&event, app.world.now())
                    && decision.changed
                    && matches!(event, RmaEvent::ExchangeCanceled { .. })
                {
                    self.cancelled.push(record.clone());
                }
            }
        }
        Ok(())
    }

    /// Adds everything to the transaction that records the refunds.
    pub(crate) async fn put(
        self,
        app: &App,
        merchant: &MerchantId,
        transaction: &mut Transaction,
        origin: &Origin,
    ) -> Result<Vec<DoubtfulRefund>, AppError> {
        for (order_id, ledger) in &self.ledgers {
            transaction.put_ledger(merchant, order_id, &ledger.value, ledger.version);
        }
        for problem in &self.problems {
            transaction.put_refund_problem(merchant, problem);
        }
        // They add their differences to the problems.
        for draft in self.returns.into_values() {
            draft.put(app, transaction, merchant, origin).await?;
        }
        for record in &self.cancelled {
            transaction.update_exchange_order(merchant, &record.value.cancelled(), record.version);
        }
        for problem in &self.misfits {
            transaction.insert_refund_problem(merchant, problem);
        }
        Ok(self.doubtful)
    }
}
