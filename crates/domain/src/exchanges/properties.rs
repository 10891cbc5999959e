//! Random histories, after which the amounts must add up: what was paid equals refunds, goods, gift
//! cards and what the shopper still has.
//!
//! A shopper returns units of one order, in any combination, several times. The merchant accepts
//! the exchange order, is down, or refuses it. Its response is stored or lost in a crash, and the
//! message is sent again. It ships, refunds, refunds too much, and reports everything twice.
//! Returns are canceled if possible. Then everything finishes, and the amounts are compared.

mod world;

use self::world::World;
use super::order::ExchangeOrderItem;
use super::record::ExchangeState;
use crate::returns::Resolution;
use crate::returns::ledger::{SpentBy, UnitState};
use crate::returns::rma::{RmaStatus, RmaUnit};

const SEEDS: u64 = 1_500;
const STEPS: usize = 40;

fn worth<'a>(units: impl Iterator<Item = &'a RmaUnit>) -> i64 {
    units.map(|unit| unit.goods.amounts.refund_cents()).sum()
}

/// What was paid is what is open, what was paid back without a return, and what is on returns; no
/// unit is both refunded and replaced.
fn check(world: &World, seed: u64) {
    let order = &world.order;
    let paid = order.product_amount_cents - order.discount_amount_cents + order.tax_amount_cents;
    let lines = world.ledger.units(order);
    let open = lines.iter().flat_map(|line| &line.units).filter(|it| it.state == UnitState::Open);
    let open: i64 = open.map(|unit| unit.amounts.refund_cents()).sum();
    let spent = order.items.iter().flat_map(|line| world.ledger.spent(&line.identifier));
    let outside = spent.filter(|unit| matches!(unit.by, SpentBy::Refund { .. }));
    let outside: i64 = outside.map(|unit| unit.amounts.refund_cents()).sum();
    let returned = worth(world.live().map(|(_, unit)| unit));
    assert_eq!(open + outside + returned, paid, "seed {seed}");
    for (_, unit) in world.live() {
        assert!(unit.refund.is_none() || unit.exchange.is_none(), "seed {seed}: {unit:?}");
        assert!(unit.exchange.is_none() || unit.is_replaced(), "seed {seed}: {unit:?}");
    }
    let Some(asked) = &world.asked else { return };
    let (credit, goods) = (asked.record.credit_cents, asked.record.goods_credit_cents);
    let card = asked.order.items.iter().find_map(|item| match item {
        ExchangeOrderItem::GiftCard(card) => Some(card.unit_price_amount_cents),
        ExchangeOrderItem::Replacement(_) => None,
    });
    let fee = asked.quote.fee_from_gift_card_cents;
    assert_eq!(goods + card.map_or(0, |card| card + fee), credit, "seed {seed}");
}

/// Every return is settled: with money, or with an order that the merchant placed.
fn check_end(world: &World, seed: u64) {
    for rma in world.returns.values() {
        assert!(rma.status.is_final(), "seed {seed}: {rma:?}");
    }
    let of = |resolution| {
        let units = world.live().map(|(_, unit)| unit);
        units.filter(move |unit| unit.goods.resolution == resolution)
    };
    assert!(of(Resolution::Refund).all(|unit| unit.refund.is_some()), "seed {seed}");
    let goods: i64 = of(Resolution::Exchange).map(|unit| unit.goods.replaced_cents()).sum();
    let cards = worth(of(Resolution::GiftCard));
    let record = world.asked.as_ref().map(|it| &it.record);
    let (goods_cents, cards_cents) = record.map_or((0, 0), |record| {
        (record.goods_credit_cents, record.credit_cents - record.goods_credit_cents)
    });
    let expected = match record.map(|record| record.state) {
        Some(ExchangeState::Placed) => (goods_cents, cards_cents),
        // A gift card is never taken back.
        Some(ExchangeState::Cancelled) => (0, cards_cents),
        Some(ExchangeState::Failed | ExchangeState::Pending) | None => (0, 0),
    };
    assert_eq!((goods, cards), expected, "seed {seed}");
    let taken = [ExchangeState::Placed, ExchangeState::Cancelled];
    let placed = record.is_some_and(|record| taken.contains(&record.state));
    assert_eq!(placed, world.merchant.placed.is_some(), "seed {seed}");
    let bonus: i64 = world
        .returns
        .values()
        .filter(|rma| rma.status != RmaStatus::Canceled)
        .map(|rma| rma.bonus_credit_amount_cents)
        .sum();
    assert!(cards > 0 || bonus == 0, "seed {seed}: a bonus on no card");
}

#[test]
fn what_was_paid_is_refunds_goods_and_cards_whatever_happens() {
    let (mut placed, mut failed, mut cancelled) = (0, 0, 0);
    for seed in 0..SEEDS {
        let mut world = World::new(seed);
        for _ in 0..STEPS {
            world.step();
            check(&world, seed);
        }
        world.finish();
        check(&world, seed);
        check_end(&world, seed);
        match world.asked.map(|asked| asked.record.state) {
            Some(ExchangeState::Placed) => placed += 1,
            Some(ExchangeState::Failed) => failed += 1,
            Some(ExchangeState::Cancelled) => cancelled += 1,
            Some(ExchangeState::Pending) | None => (),
        }
    }
    let counts = [placed, failed, cancelled];
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}: too few to tell");
}
