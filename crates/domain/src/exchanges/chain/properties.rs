//! An exchange order ships in parts, changes and is partly canceled, while its goods are returned:
//! never is more refunded than was given for it.

use std::collections::BTreeMap;

use super::tests::{ORIGINAL, exchanged, sample_record};
use super::*;
use crate::orders::payments::tests::payment;
use crate::random::SeededRandom;
use crate::returns::ReturnMethod;
use crate::returns::rma::{RmaEvent, RmaGoods, apply};
use crate::returns::test_orders::{empty_order, new_rma, order_line};

const EXCHANGE: &str = "E-1";

struct World {
    random: SeededRandom,
    record: ExchangeRecord,
    rma: Rma,
    /// How many units of each SKU were exchanged.
    units: BTreeMap<String, i64>,
    order: Order,
    ledger: Ledger,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let mut goods: Vec<RmaGoods> = Vec::new();
        let mut units: BTreeMap<String, i64> = BTreeMap::new();
        for _ in 0..=random.between(0, 4) {
            let sku = format!("SKU-{}", random.between(0, 2));
            goods.push(exchanged(&sku, random.between(0, 3_000)));
            *units.entry(sku).or_default() += 1;
        }
        let record = sample_record(goods.iter().map(RmaGoods::replaced_cents).sum(), 0);
        let new = new_rma(ReturnMethod::CustomerKeep, false, goods);
        let mut order = empty_order();
        order.status = OrderStatus::Created;
        order.shipping_amount_cents = random.between(0, 900);
        if random.one_in(3) {
            order.transactions = vec![payment("sale", "success", random.between(0, 900))];
        }
        for sku in units.keys() {
            let mut line = order_line(sku, 0, [0, 0, 0]);
            line.sku = Some(sku.clone());
            line.quantity = units[sku];
            line.unit_price_amount_cents = random.between(0, 4_000);
            order.items.push(line);
        }
        let rma = Rma::open(new, record.created_at);
        let mut world = Self { random, record, rma, units, order, ledger: Ledger::default() };
        world.happen(&RmaEvent::ExchangePlaced {
            order_identifier: ORIGINAL.to_owned(),
            exchange_order_identifier: EXCHANGE.to_owned(),
        });
        world
    }

    fn happen(&mut self, event: &RmaEvent) {
        self.rma = apply(&self.rma, event, self.record.created_at).unwrap().rma;
    }

    fn credit(&self) -> ExchangeCredit {
        ExchangeCredit::of(&self.record, Some(&self.rma), None)
    }

    /// The merchant publishes the order again: more is shipped or canceled, a price or a discount
    /// changes, or goods are added that replace nothing.
    fn publish(&mut self) {
        let Self { random, order, .. } = self;
        let position = random.index(order.items.len());
        let change = random.between(0, 5);
        if let Some(line) = order.items.get_mut(position) {
            let open = line.quantity - line.quantity_shipped - line.quantity_canceled;
            match change {
                0 => line.quantity_canceled += random.between(0, open),
                1 => line.unit_price_amount_cents = random.between(0, 4_000),
                2 => line.discount_amount_cents = random.between(0, 500),
                _ => line.quantity_shipped += random.between(0, open),
            }
        }
        if change == 5 && order.items.len() < 6 {
            let id = format!("ADDED-{}", order.items.len());
            order.items.push(order_line(&id, 1, [random.between(0, 2_000), 0, 0]));
        }
        for line in &mut order.items {
            line.product_amount_cents = line.unit_price_amount_cents * line.quantity_shipped;
            line.tax_amount_cents = line.product_amount_cents / 10;
        }
        order.discount_amount_cents = if random.one_in(3) { random.between(0, 2_000) } else { 0 };
    }

    /// The shopper returns some of the goods that were shipped, or all of them.
    fn return_goods(&mut self, everything: bool) {
        let held = held_to_credit(&self.order, &self.credit(), &self.ledger);
        for line in self.ledger.units(&held) {
            let open = i64::try_from(line.open().count()).unwrap();
            let quantity = if everything { open } else { self.random.between(0, open) };
            let id = &line.line_identifier;
            // The hold is computed once for a return, so it must be right for all of its lines.
            self.ledger = self.ledger.spend(&held, id, quantity, "rma_1").unwrap().0;
        }
        if everything || self.random.one_in(6) {
            let held = held_to_credit(&self.order, &self.credit(), &self.ledger);
            if let Ok((ledger, _)) = self.ledger.spend_shipping(&held, "rma_1") {
                self.ledger = ledger;
            }
        }
    }

    /// The order is finished: what was not shipped is canceled.
    fn finish(&mut self) {
        let count = |units: fn(&OrderLine) -> i64| {
            let lines = self.order.items.iter().filter(|line| units(line) > 0);
            let by_sku = lines.filter(|line| self.units.contains_key(&line.identifier));
            by_sku.map(|line| (line.identifier.clone(), units(line))).collect()
        };
        let exchange_order_identifier = EXCHANGE.to_owned();
        let events = if self.random.one_in(2) {
            self.order.status = OrderStatus::Shipped;
            let units = count(|line| line.quantity - line.quantity_shipped);
            [
                RmaEvent::ExchangePartCanceled { exchange_order_identifier, units },
                RmaEvent::ExchangeFulfilled { exchange_order_identifier: EXCHANGE.to_owned() },
            ]
        } else {
            self.order.status = OrderStatus::Cancelled;
            let units = count(|line| line.quantity_shipped);
            [
                RmaEvent::ExchangePartShipped { exchange_order_identifier, units },
                RmaEvent::ExchangeCanceled { exchange_order_identifier: EXCHANGE.to_owned() },
            ]
        };
        for event in &events {
            self.happen(event);
        }
    }

    /// What the shopper got in money: for the goods, for their shipping, and for the units that
    /// were refunded instead.
    fn refunded_cents(&self) -> i128 {
        let units = self.rma.units.iter().map(|unit| &unit.goods);
        let instead = units.filter(|goods| goods.resolution == Resolution::Refund);
        let instead: i64 = instead.map(|goods| goods.amounts.refund_cents()).sum();
        let shipping = self.ledger.shipping().map_or(0, |shipping| shipping.amount_cents);
        self.ledger.frozen_ever_cents() + i128::from(instead) + i128::from(shipping)
    }
}

#[test]
fn no_chain_refunds_more_than_was_paid() {
    let (mut exact, mut divided) = (0, 0);
    for seed in 0..20_000 {
        let mut world = World::new(seed);
        let paid =
            i128::from(world.record.goods_credit_cents) + world.credit().on_top_cents(&world.order);
        for _ in 0..world.random.between(1, 6) {
            world.publish();
            if world.random.one_in(2) {
                world.return_goods(false);
            }
            assert!(world.refunded_cents() <= paid, "seed {seed}");
        }
        world.finish();
        assert!(world.refunded_cents() <= paid, "seed {seed}");
        world.return_goods(true);
        assert!(world.refunded_cents() <= paid, "seed {seed}");
        exact += usize::from(world.refunded_cents() == paid);
        let is_part = |line: &OrderLine| line.quantity_shipped != line.quantity;
        divided += usize::from(world.order.items.iter().any(is_part));
    }
    assert!(exact > 2_000 && divided > 2_000, "{exact} {divided}: too few to mean anything");
}
