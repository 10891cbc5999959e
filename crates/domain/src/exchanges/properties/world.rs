//! A shopper, a merchant and us, who do at random whatever each of them can do.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::exchanges::answer::ExchangeAnswer;
use crate::exchanges::order::{ExchangeOrder, ExchangeTerms, exchange_order};
use crate::exchanges::record::{ExchangeRecord, ExchangeState};
use crate::exchanges::variants::VariantLists;
use crate::merchants::merchant::MerchantSettings;
use crate::orders::order::{Order, Refund, RefundLine, Variant};
use crate::random::SeededRandom;
use crate::returns::identifier::RmaId;
use crate::returns::ledger::Ledger;
use crate::returns::policy::{GiftCardOffer, Policy};
use crate::returns::quote::Quote;
use crate::returns::request::{Fallback, ReturnItem, ReturnRequest};
use crate::returns::rma::{Rma, RmaEvent, RmaRefusal, RmaStatus, RmaUnit, apply};
use crate::returns::settlement::{RefundReport, settle};
use crate::returns::start::{OrderContext, StartContext, start};
use crate::returns::test_orders::{empty_order, fill_randomly};
use crate::returns::{Resolution, ReturnMethod};

const ATTEMPTS_MAX: u32 = 6;
/// What the merchant calls its order.
const EXCHANGE: &str = "E-1";

/// Where the message with the exchange order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    Waiting { attempts: u32 },
    Delivered,
    Failed,
}

/// The exchange order as we hold it: what was asked, and what is stored of it.
pub(super) struct Asked {
    pub(super) order: ExchangeOrder,
    pub(super) quote: Quote,
    pub(super) record: ExchangeRecord,
    message: Message,
}

/// What the merchant did.
#[derive(Default)]
pub(super) struct Merchant {
    /// The order under its key. A second with another content would be a broken promise.
    pub(super) placed: Option<ExchangeOrder>,
    shipped: bool,
    cancelled: bool,
    refunds: usize,
}

pub(super) struct World {
    numbers: SeededRandom,
    now: Timestamp,
    policy: Policy,
    pub(super) order: Order,
    pub(super) ledger: Ledger,
    pub(super) returns: BTreeMap<RmaId, Rma>,
    pub(super) asked: Option<Asked>,
    pub(super) merchant: Merchant,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut numbers = SeededRandom::new(seed);
        let mut order = empty_order();
        fill_randomly(&mut order, &mut numbers);
        let mut policy = Policy::default();
        (policy.cheaper_exchanges, policy.dearer_exchanges) = (true, true);
        let bonus = u32::try_from(numbers.between(0, 200)).unwrap();
        let sku = "CARD".to_owned();
        policy.gift_card =
            Some(GiftCardOffer { sku, bonus_per_mille: bonus, bonus_max_cents: None });
        policy.methods[0].fee_cents = numbers.between(0, 800);
        Self {
            numbers,
            now: "2026-01-10T12:00:00Z".parse().unwrap(),
            policy,
            order,
            ledger: Ledger::default(),
            returns: BTreeMap::new(),
            asked: None,
            merchant: Merchant::default(),
        }
    }

    /// Something happens.
    pub(super) fn step(&mut self) {
        match self.numbers.between(0, 9) {
            0 | 1 => self.begin(),
            2 | 3 => self.send(),
            4 | 5 => self.settle_exchange(),
            6 if self.numbers.one_in(3) => self.cancel_exchange_order(),
            6 => self.ship(),
            7 => self.pay(),
            8 => self.cancel(),
            _ => self.tell_again(),
        }
    }

    fn request(&mut self) -> ReturnRequest {
        let lines = self.order.items.clone();
        let mut items = Vec::new();
        for line in &lines {
            let resolution = Resolution::ALL[self.numbers.index(3)];
            let exchange = resolution == Resolution::Exchange;
            let fallback = Fallback::ALL.get(self.numbers.index(4)).filter(|_| exchange).copied();
            let other = fallback.filter(|fallback| *fallback == Fallback::Variant);
            let item = ReturnItem {
                order_identifier: self.order.identifier.clone(),
                order_line_item_identifier: line.identifier.clone(),
                quantity: 1 + self.numbers.between(0, 2),
                return_reason: "too_small".to_owned(),
                resolution,
                exchange_sku: exchange.then(|| "NEW".to_owned()),
                fallback,
                fallback_sku: other.map(|_| "OTHER".to_owned()),
            };
            if self.numbers.one_in(2) {
                items.push(item);
            }
        }
        let email = Some(self.order.customer.email.clone());
        ReturnRequest {
            email,
            return_method: ReturnMethod::MailBack,
            items,
            gift: None,
            language: None,
            parcel_count: 1,
        }
    }

    /// What the merchant says of the variants: a price, and now and then that there are none.
    fn variants(&mut self) -> VariantLists {
        let mut said = BTreeMap::new();
        for line in &self.order.items {
            let variants = ["NEW", "OTHER"].map(|sku| Variant {
                sku: Some(sku.to_owned()),
                title: None,
                product_identifier: None,
                attributes: Vec::new(),
                unit_price_amount_cents: Some(self.numbers.between(0, 20_000)),
                quantity_in_stock: Some(self.numbers.between(0, 3)),
                image_url: None,
                product_url: None,
            });
            said.insert(line.variant_identifier.clone(), Some(variants.to_vec()));
        }
        said
    }

    /// The shopper asks for a return, in one of several tabs.
    fn begin(&mut self) {
        let (request, variants) = (self.request(), self.variants());
        if request.items.is_empty() {
            return;
        }
        let known = OrderContext {
            order: self.order.clone(),
            ledger: self.ledger.clone(),
            original_order_identifier: None,
            exchanged: self.asked.is_some(),
            variants: variants.clone(),
        };
        let basis = StartContext {
            request: &request,
            orders: &BTreeMap::from([(self.order.identifier.clone(), known)]),
            policy: &self.policy,
            policy_version: 1,
            settings: MerchantSettings { managed_receiving: false, ..MerchantSettings::default() },
            now: self.now,
        };
        let id = RmaId::from_random(self.numbers.number().to_be_bytes());
        let Ok(started) = start(&basis, id.clone()) else { return };
        if let Some(ledger) = started.ledgers.get(&self.order.identifier) {
            self.ledger = ledger.clone();
        }
        let terms = ExchangeTerms {
            gift_card_sku: "CARD",
            fee_cents: started.quote.fee_from_gift_card_cents,
            bonus_cents: started.quote.bonus_credit_cents,
            variants: &variants,
        };
        if let Some((order, record)) = exchange_order(&started.rma, &self.order, &terms, 1) {
            assert!(self.asked.is_none(), "a second exchange order");
            let message = Message::Waiting { attempts: 0 };
            self.asked = Some(Asked { order, quote: started.quote, record, message });
        }
        self.returns.insert(id, started.rma);
    }

    /// The message is sent: it is taken, taken and forgotten in a crash, not taken, or refused.
    fn send(&mut self) {
        let Some(asked) = &mut self.asked else { return };
        let Message::Waiting { attempts } = asked.message else { return };
        let take = |merchant: &mut Merchant| {
            let first = merchant.placed.get_or_insert_with(|| asked.order.clone());
            assert_eq!(*first, asked.order, "two contents under one key");
        };
        asked.message = match self.numbers.between(0, 5) {
            0 | 1 => {
                take(&mut self.merchant);
                Message::Delivered
            }
            2 => {
                take(&mut self.merchant);
                asked.message
            }
            // Whoever placed the order before answers it; only others refuse it for good.
            _ if self.merchant.placed.is_some() => asked.message,
            3 | 4 if attempts + 1 < ATTEMPTS_MAX => Message::Waiting { attempts: attempts + 1 },
            _ => Message::Failed,
        };
    }

    /// What came of the message is entered, unless the server is killed before.
    fn settle_exchange(&mut self) {
        let Some(asked) = &mut self.asked else { return };
        if asked.record.state != ExchangeState::Pending || self.numbers.one_in(4) {
            return;
        }
        let order_identifier = self.order.identifier.clone();
        let events = match asked.message {
            Message::Waiting { .. } => return,
            Message::Delivered => {
                let order_identifier_given = Some(EXCHANGE.to_owned());
                let answer = ExchangeAnswer {
                    order_identifier: order_identifier_given,
                    ..ExchangeAnswer::default()
                };
                asked.record = asked.record.placed(&answer, self.now);
                let exchange_order_identifier = EXCHANGE.to_owned();
                let fulfilled = RmaEvent::ExchangeFulfilled { exchange_order_identifier };
                let exchange_order_identifier = EXCHANGE.to_owned();
                let placed =
                    RmaEvent::ExchangePlaced { order_identifier, exchange_order_identifier };
                let exchange_order_identifier = EXCHANGE.to_owned();
                let cancelled = RmaEvent::ExchangeCanceled { exchange_order_identifier };
                let merchant = &self.merchant;
                if merchant.cancelled {
                    asked.record = asked.record.cancelled();
                }
                std::iter::once(placed)
                    .chain(merchant.shipped.then_some(fulfilled))
                    .chain(merchant.cancelled.then_some(cancelled))
                    .collect()
            }
            Message::Failed => {
                asked.record = asked.record.failed(self.now);
                vec![RmaEvent::ExchangeFailed { order_identifier }]
            }
        };
        let id = asked.record.rma_identifier.clone();
        for event in &events {
            self.happens(&id, event).expect("the return awaits its order");
        }
    }

    fn happens(&mut self, id: &RmaId, event: &RmaEvent) -> Result<(), RmaRefusal> {
        if let Some(rma) = self.returns.get_mut(id) {
            *rma = apply(rma, event, self.now)?.rma;
        }
        Ok(())
    }

    /// The merchant publishes its order as shipped; whose it is may not be known yet.
    fn ship(&mut self) {
        if self.merchant.placed.is_none() || self.merchant.cancelled {
            return;
        }
        self.merchant.shipped = true;
        let placed = self.asked.as_ref().filter(|it| it.record.state == ExchangeState::Placed);
        if let Some(id) = placed.map(|it| it.record.rma_identifier.clone()) {
            let exchange_order_identifier = EXCHANGE.to_owned();
            let event = RmaEvent::ExchangeFulfilled { exchange_order_identifier };
            self.happens(&id, &event).unwrap();
        }
    }

    /// The merchant publishes its order as cancelled.
    fn cancel_exchange_order(&mut self) {
        if self.merchant.placed.is_none() || self.merchant.shipped {
            return;
        }
        self.merchant.cancelled = true;
        let placed = self.asked.as_mut().filter(|it| it.record.state == ExchangeState::Placed);
        let Some(asked) = placed else { return };
        asked.record = asked.record.cancelled();
        let id = asked.record.rma_identifier.clone();
        let exchange_order_identifier = EXCHANGE.to_owned();
        self.happens(&id, &RmaEvent::ExchangeCanceled { exchange_order_identifier }).unwrap();
    }

    /// The merchant pays for units of a return, or for what it thinks they are.
    fn pay(&mut self) {
        let Some(rma) = self.any_return() else { return };
        let some = rma.units[self.numbers.index(rma.units.len())].clone();
        let quantity = 1 + self.numbers.between(0, 2);
        let named = self.numbers.one_in(2).then(|| rma.rma_identifier.to_string());
        self.refund(&some.goods.order_line_item_identifier, quantity, named);
    }

    fn refund(&mut self, line: &str, quantity: i64, rma_identifier: Option<String>) {
        self.merchant.refunds += 1;
        let identifier = format!("RF-{}", self.merchant.refunds);
        let refund = Refund {
            refund_line_items: vec![RefundLine {
                identifier: format!("{identifier}-1"),
                quantity,
                order_item_identifier: line.to_owned(),
            }],
            identifier,
            total_refund_amount_cents: 0,
            note: None,
            created_at: self.now,
            rma_identifier,
            tags: Vec::new(),
        };
        for _ in 0..2 {
            let returns: Vec<Rma> = self.returns.values().cloned().collect();
            let report = RefundReport { order: &self.order, refund: &refund, now: self.now };
            let settled = settle(report, &self.ledger, &returns);
            self.ledger = settled.ledger;
            if let Some(paid) = settled.changed {
                self.returns.insert(paid.rma.rma_identifier.clone(), paid.rma);
            }
        }
    }

    fn cancel(&mut self) {
        let Some(id) = self.any_return().map(|rma| rma.rma_identifier) else { return };
        if self.happens(&id, &RmaEvent::Canceled).is_ok() {
            self.ledger = self.ledger.release(id.as_str());
        }
    }

    /// What is known already is told once more, after a crash, say.
    fn tell_again(&mut self) {
        let Some(asked) = &self.asked else { return };
        let id = asked.record.rma_identifier.clone();
        let order_identifier = self.order.identifier.clone();
        let event = match asked.record.state {
            ExchangeState::Pending => return,
            ExchangeState::Failed => RmaEvent::ExchangeFailed { order_identifier },
            ExchangeState::Cancelled => {
                RmaEvent::ExchangeCanceled { exchange_order_identifier: EXCHANGE.to_owned() }
            }
            ExchangeState::Placed => RmaEvent::ExchangePlaced {
                order_identifier,
                exchange_order_identifier: EXCHANGE.to_owned(),
            },
        };
        let before = self.returns.get(&id).cloned();
        self.happens(&id, &event).unwrap();
        assert_eq!(self.returns.get(&id).cloned(), before);
    }

    fn any_return(&mut self) -> Option<Rma> {
        let position = self.numbers.index(self.returns.len().max(1));
        self.returns.values().nth(position).cloned()
    }

    /// Everybody does what is left to do, and nothing is in the way.
    pub(super) fn finish(&mut self) {
        while self.asked.as_ref().is_some_and(|it| it.record.state == ExchangeState::Pending) {
            self.send();
            self.settle_exchange();
        }
        self.ship();
        let open: Vec<(String, String)> = self
            .live()
            .filter(|unit| unit.1.awaits_refund())
            .map(|(rma, unit)| {
                (unit.goods.order_line_item_identifier.clone(), rma.rma_identifier.to_string())
            })
            .collect();
        for (line, rma) in open {
            self.refund(&line, 1, Some(rma));
        }
    }

    /// The units of the returns that were not cancelled.
    pub(super) fn live(&self) -> impl Iterator<Item = (&Rma, &RmaUnit)> {
        let live = self.returns.values().filter(|rma| rma.status != RmaStatus::Canceled);
        live.flat_map(|rma| rma.units.iter().map(move |unit| (rma, unit)))
    }
}
