//! Whatever shoppers, carriers, the warehouse, the merchant, and operators do to one order, in any
//! sequence: no unit is spent twice, and a refund without a unit leaves a record.
//!
//! The ledger and the returns are changed by different functions and stored in different rows. So
//! after every step, they are compared with each other and with what the merchant paid.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::condition::Condition;
use super::identifier::RmaId;
use super::journal::{Actor, ActorKind, ReturnChange, ReturnEvent, replay, state_after};
use super::ledger::{Ledger, agreement::find_disagreements};
use super::policy::Policy;
use super::request::{ReturnItem, ReturnRequest};
use super::rma::{CarrierScan, CorrectedReceipt, Rma, RmaEvent, apply};
use super::settlement::{PaidReturn, RefundReport, settle, settle_with};
use super::start::{OrderContext, StartContext, start};
use super::test_orders::{empty_order, order_line};
use super::{Resolution, ReturnMethod};
use crate::merchants::merchant::MerchantSettings;
use crate::money::books::Balances;
use crate::orders::order::{Order, Refund, RefundLine};
use crate::random::SeededRandom;

const LINES: [&str; 2] = ["A", "B"];
/// Most histories are shorter.
const STEPS_MAX: u64 = 24;
const SEEDS: u64 = 100_000;

fn now() -> Timestamp {
    "2026-01-10T12:00:00Z".parse().unwrap()
}

struct OrderHistory {
    order: Order,
    ledger: Ledger,
    returns: Vec<Rma>,
    /// The journal of each return, and the sum of what its events posted.
    journals: BTreeMap<RmaId, (Vec<ReturnEvent>, Balances)>,
    refunds: Vec<Refund>,
    /// Refunds that were listed for an operator, settled or not.
    problems: BTreeSet<String>,
    random: SeededRandom,
}

impl OrderHistory {
    fn new(seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let mut order = empty_order();
        order.identifier = "O-1".to_owned();
        order.items =
            LINES.map(|name| order_line(name, 1 + random.between(0, 3), [1_000, 70, 30])).to_vec();
        Self {
            order,
            ledger: Ledger::default(),
            returns: Vec::new(),
            journals: BTreeMap::new(),
            refunds: Vec::new(),
            problems: BTreeSet::new(),
            random,
        }
    }

    fn step(&mut self) {
        match self.random.between(0, 9) {
            0..=2 => self.start(),
            3 => self.change(&RmaEvent::Canceled),
            4..=6 => self.refund(),
            7 => self.match_by_hand(),
            _ => {
                let event = self.goods_event();
                self.change(&event);
            }
        }
    }

    /// A shopper starts a return of some units of a line.
    fn start(&mut self) {
        let name = LINES[self.random.index(LINES.len())];
        let resolutions = [Resolution::Refund, Resolution::Refund, Resolution::Exchange];
        let resolution = resolutions[self.random.index(resolutions.len())];
        let request = ReturnRequest {
            email: Some(self.order.customer.email.clone()),
            return_method: ReturnMethod::MailBack,
            items: vec![ReturnItem {
                order_identifier: self.order.identifier.clone(),
                order_line_item_identifier: name.to_owned(),
                quantity: 1 + self.random.between(0, 2),
                return_reason: "too_small".to_owned(),
                resolution,
                exchange_sku: (resolution == Resolution::Exchange).then(|| "OTHER".to_owned()),
                fallback: None,
                fallback_sku: None,
            }],
            gift: None,
            language: None,
            parcel_count: 1,
        };
        let context = OrderContext {
            order: self.order.clone(),
            ledger: self.ledger.clone(),
            original_order_identifier: None,
            exchanged: false,
            variants: BTreeMap::new(),
        };
        let orders = BTreeMap::from([(self.order.identifier.clone(), context)]);
        let context = StartContext {
            request: &request,
            orders: &orders,
            policy: &Policy::default(),
            policy_version: 0,
            settings: MerchantSettings { managed_receiving: true, ..MerchantSettings::default() },
            now: now(),
        };
        let id = RmaId::from_random(self.random.number().to_be_bytes());
        let Ok(started) = start(&context, id) else { return };
        self.ledger = started.ledgers[&self.order.identifier].clone();
        self.returns.push(started.rma.clone());
        self.record(ReturnChange::State(Box::new(started.rma.clone())), None, &started.rma);
    }

    /// Adds a change to the journal of its return.
    fn record(&mut self, change: ReturnChange, before: Option<&Rma>, after: &Rma) {
        let actor = Actor::unnamed(ActorKind::Schedule);
        let number = after.messages_sent;
        let event = ReturnEvent { number, at: now(), actor, cause: None, change };
        let posted = Balances::of(after).since(&before.map(Balances::of).unwrap_or_default());
        assert_eq!(posted.sum(), 0, "{event:?}");
        let journal = self.journals.entry(after.rma_identifier.clone()).or_default();
        journal.0.push(event);
        journal.1 = journal.1.plus(&posted);
    }

    /// An event is applied to a return, twice.
    fn change(&mut self, event: &RmaEvent) {
        if self.returns.is_empty() {
            return;
        }
        let position = self.random.index(self.returns.len());
        let Ok(first) = apply(&self.returns[position], event, now()) else { return };
        let second = apply(&first.rma, event, now()).unwrap();
        assert!(!second.changed && second.rma == first.rma, "{event:?}");
        if first.changed && *event == RmaEvent::Canceled {
            let id = first.rma.rma_identifier.as_str();
            self.ledger = self.ledger.release(id);
            assert_eq!(self.ledger.release(id), self.ledger);
        }
        let before = std::mem::replace(&mut self.returns[position], first.rma.clone());
        if first.changed {
            self.record(ReturnChange::Event(event.clone()), Some(&before), &first.rma);
        }
    }

    fn goods_event(&mut self) -> RmaEvent {
        let plate = format!("LP-{}", self.random.between(0, 5));
        match self.random.between(0, 6) {
            0 => RmaEvent::label("P-1".to_owned(), Vec::new()),
            1 => RmaEvent::Received {
                receipt_identifier: plate,
                line: Some(LINES[self.random.index(LINES.len())].to_owned()),
                sku: None,
                condition: Condition::N,
                reject_reason: self.random.one_in(4).then(|| "stained".to_owned()),
                channel: None,
                assigned: self.random.one_in(2),
            },
            2 => RmaEvent::ReceivingClosed,
            5 => RmaEvent::ReceiptCorrected {
                receipt_identifier: plate,
                corrected: self.random.one_in(2).then(|| CorrectedReceipt {
                    condition: Condition::B,
                    channel: None,
                    reject_reason: self.random.one_in(2).then(|| "stained".to_owned()),
                }),
            },
            3 => RmaEvent::ExchangePlaced {
                order_identifier: self.order.identifier.clone(),
                exchange_order_identifier: "EX-1".to_owned(),
            },
            4 => RmaEvent::ExchangeFailed { order_identifier: self.order.identifier.clone() },
            _ => {
                let scan = CarrierScan::ALL[self.random.index(CarrierScan::ALL.len())];
                RmaEvent::Scanned { scan, tracking_number: None, lines: Vec::new() }
            }
        }
    }

    /// The merchant reports a refund, and reports it again.
    fn refund(&mut self) {
        let identifier = format!("RF-{}", self.refunds.len());
        let lines = LINES.iter().filter_map(|name| {
            let quantity = self.random.between(0, 2);
            (quantity > 0).then(|| RefundLine {
                identifier: format!("{identifier}-{name}"),
                quantity,
                order_item_identifier: (*name).to_owned(),
            })
        });
        let refund_line_items = lines.collect();
        let rma_identifier = match self.random.between(0, 3) {
            0 => Some("RMA-7K3Q-9XWD-2M4T".to_owned()),
            1 if !self.returns.is_empty() => {
                let position = self.random.index(self.returns.len());
                Some(self.returns[position].rma_identifier.to_string())
            }
            _ => None,
        };
        let refund = Refund {
            identifier,
            total_refund_amount_cents: 1,
            refund_line_items,
            note: None,
            created_at: now(),
            rma_identifier,
            tags: Vec::new(),
        };
        let first = settle(self.report(&refund), &self.ledger, &self.returns);
        self.ledger = first.ledger;
        self.replace(first.changed);
        if first.problem.is_some() {
            self.problems.insert(refund.identifier.clone());
        }
        let second = settle(self.report(&refund), &self.ledger, &self.returns);
        assert_eq!((second.ledger, second.changed), (self.ledger.clone(), None));
        self.refunds.push(refund);
    }

    fn report<'a>(&'a self, refund: &'a Refund) -> RefundReport<'a> {
        RefundReport { order: &self.order, refund, now: now() }
    }

    fn replace(&mut self, changed: Option<PaidReturn>) {
        let Some(PaidReturn { event, rma }) = changed else { return };
        let id = rma.rma_identifier.clone();
        let known = self.returns.iter_mut().find(|known| known.rma_identifier == id).unwrap();
        let before = std::mem::replace(known, rma.clone());
        self.record(ReturnChange::Event(event), Some(&before), &rma);
    }

    /// An operator assigns a refund to a return, correctly or not.
    fn match_by_hand(&mut self) {
        if self.problems.is_empty() || self.returns.is_empty() {
            return;
        }
        let position = self.random.index(self.problems.len());
        let id = self.problems.iter().nth(position).unwrap();
        let refund = self.refunds.iter().find(|refund| refund.identifier == *id).unwrap().clone();
        let rma = &self.returns[self.random.index(self.returns.len())];
        let matched = settle_with(self.report(&refund), &self.ledger, rma, &self.returns);
        // A match that changes no return is refused.
        if let Some(paid) = matched.changed {
            self.ledger = matched.ledger;
            let again = settle_with(self.report(&refund), &self.ledger, &paid.rma, &self.returns);
            assert_eq!((again.changed, &again.ledger), (None, &self.ledger));
            self.replace(Some(paid));
        }
    }

    fn check(&self, seed: u64) {
        for line in &self.order.items {
            let spent = self.ledger.spent(&line.identifier);
            let numbers: BTreeSet<u32> = spent.iter().map(|unit| unit.unit).collect();
            assert_eq!(numbers.len(), spent.len(), "seed {seed}: a unit twice");
            assert!(
                i64::try_from(spent.len()).unwrap() <= line.quantity_shipped,
                "seed {seed}: more units than were shipped"
            );
        }
        self.check_returns(seed);
        self.check_refunds(seed);
    }

    /// The journal of each return leads to it, and what was posted are its balances.
    fn check_journals(&self, seed: u64) {
        for rma in &self.returns {
            let (events, posted) = &self.journals[&rma.rma_identifier];
            assert_eq!(replay(events).unwrap().last(), Some(rma), "seed {seed}");
            assert_eq!(state_after(events.clone()).as_ref(), Ok(rma), "seed {seed}");
            assert_eq!(*posted, Balances::of(rma), "seed {seed}");
        }
    }

    /// The units of the returns are those in the ledger, refunded or not.
    fn check_returns(&self, seed: u64) {
        let returns = self.returns.iter().map(|rma| (rma.rma_identifier.to_string(), rma.clone()));
        let refunds = self.refunds.iter().map(|refund| refund.identifier.clone()).collect();
        let order = &self.order.identifier;
        let found = find_disagreements(&self.ledger, order, &returns.collect(), &refunds);
        assert!(found.is_empty(), "seed {seed}: {found:?}");
    }

    /// A refund pays for as many units as it names, or it was listed for an operator.
    fn check_refunds(&self, seed: u64) {
        for refund in &self.refunds {
            for line in &refund.refund_line_items {
                let paid = self.ledger.paid_by(&refund.identifier, &line.order_item_identifier);
                assert!(paid <= line.quantity, "seed {seed}: {} pays twice", refund.identifier);
                assert!(
                    paid == line.quantity || self.problems.contains(&refund.identifier),
                    "seed {seed}: {} paid {paid} of {}",
                    refund.identifier,
                    line.quantity
                );
            }
        }
    }
}

#[test]
fn no_interleaving_spends_a_unit_twice_or_loses_a_refund() {
    // This is the longest test, so it uses two cores.
    std::thread::scope(|threads| {
        for first in 0..2 {
            threads.spawn(move || {
                for seed in (first..SEEDS).step_by(2) {
                    run_history(seed);
                }
            });
        }
    });
}

fn run_history(seed: u64) {
    let mut history = OrderHistory::new(seed);
    for _ in 0..=seed % STEPS_MAX {
        history.step();
        history.check(seed);
    }
    history.check_journals(seed);
}
