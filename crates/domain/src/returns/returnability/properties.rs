//! Every refusal names its reason, and the reason is true: change the fact and the rule gives in.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::orders::order::OrderStatus;
use crate::random::SeededRandom;
use crate::returns::ledger::MerchantRefund;
use crate::returns::made_up::{empty_order, fill_at_random};
use crate::returns::policy::{TagEffect, TagRule};

/// Everything that the rules read.
#[derive(Clone)]
struct World {
    order: Order,
    ledger: Ledger,
    policy: Policy,
    now: Timestamp,
}

impl World {
    fn judge(&self) -> Returnability {
        returnability(&self.order, &self.ledger, &self.policy, self.now)
    }
}

const TAGS: [&str; 8] = [
    "final sale",
    "GIFT_CARD",
    "Bopis",
    "third-party",
    "customer_service",
    "electronics",
    "blue",
    "summer",
];

fn random_tags(numbers: &mut SeededRandom) -> Vec<String> {
    let tags = TAGS.iter().filter(|_| numbers.one_in(12));
    tags.map(|tag| (*tag).to_owned()).collect()
}

fn random_policy(numbers: &mut SeededRandom) -> Policy {
    let mut policy = Policy::default();
    let effect = TagEffect::Window { days: 7 };
    policy.tags.push(TagRule { tag: "electronics".to_owned(), effect });
    policy.window_days = u32::try_from(numbers.between(0, 40)).unwrap();
    if numbers.one_in(3) {
        policy.countries = vec!["US".to_owned(), "CA".to_owned()];
    }
    if numbers.one_in(3) {
        policy.methods[0].amount_max_cents = Some(numbers.between(0, 8_000));
    }
    policy
}

fn random_world(order: &mut Order, numbers: &mut SeededRandom) -> World {
    fill_at_random(order, numbers);
    let mut ledger = Ledger::default();
    for line in &order.items {
        let quantity = numbers.between(0, line.quantity_shipped);
        let rma = format!("rma_{}", numbers.between(0, 2));
        let now = order.created_at;
        let refund = MerchantRefund { identifier: "RF-1", line: &line.identifier, quantity, now };
        ledger = match numbers.between(0, 3) {
            0 => ledger.spend(order, &line.identifier, quantity, &rma).unwrap().0,
            1 => ledger.refund_outside(order, &refund).ledger,
            2 => {
                let (ledger, _) = ledger.spend(order, &line.identifier, quantity, &rma).unwrap();
                ledger.refund_within(&rma, &[0, 2, 4], &refund).ledger
            }
            _ => ledger,
        };
    }
    let start = order.created_at;
    let day = |days: i64| start + jiff::SignedDuration::from_hours(24 * days);
    for line in &mut order.items {
        line.tags = random_tags(numbers);
        line.quantity += numbers.between(0, 2);
        line.quantity_canceled = numbers.between(0, line.quantity - line.quantity_shipped);
        line.shipped_date = (!numbers.one_in(4)).then(|| day(numbers.between(0, 20)));
        line.return_policy_end_date = numbers.one_in(4).then(|| day(numbers.between(0, 40)));
        line.quantity_refunded =
            numbers.one_in(3).then(|| numbers.between(0, line.quantity_shipped));
    }
    let mut order = order.clone();
    order.tags = random_tags(numbers);
    order.status = if numbers.one_in(8) { OrderStatus::Cancelled } else { OrderStatus::Shipped };
    order.shipping_address.country_code = (if numbers.one_in(4) { "DE" } else { "us" }).to_owned();
    World { order, ledger, policy: random_policy(numbers), now: day(numbers.between(0, 50)) }
}

/// Changes what `rule` read about a line, and nothing else.
fn changed(world: &World, line: usize, rule: ReturnRule) -> World {
    let mut world = world.clone();
    let without = |tags: &mut Vec<String>, policy: &Policy, effect: TagEffect| {
        tags.retain(|tag| policy.rules_for(std::slice::from_ref(tag)).all(|(_, is)| is != effect));
    };
    let effect = match rule {
        ReturnRule::FinalSale => Some(TagEffect::FinalSale),
        ReturnRule::GiftCard => Some(TagEffect::GiftCard),
        ReturnRule::PickUpInStore => Some(TagEffect::PickUpInStore),
        ReturnRule::ThirdParty => Some(TagEffect::ThirdParty),
        ReturnRule::CustomerService => Some(TagEffect::CustomerService),
        ReturnRule::OrderStatus
        | ReturnRule::Shipped
        | ReturnRule::Window
        | ReturnRule::Tags
        | ReturnRule::Country
        | ReturnRule::Method
        | ReturnRule::AlreadyReturned
        | ReturnRule::AlreadyRefunded => None,
    };
    if let Some(effect) = effect {
        without(&mut world.order.items[line].tags, &world.policy, effect);
        without(&mut world.order.tags, &world.policy, effect);
        return world;
    }
    let line = &mut world.order.items[line];
    match rule {
        ReturnRule::OrderStatus => world.order.status = OrderStatus::Shipped,
        ReturnRule::Shipped => {
            line.quantity_canceled = 0;
            line.quantity_shipped = line.quantity;
        }
        ReturnRule::Window if line.return_policy_end_date.is_some() => {
            line.return_policy_end_date = Some(world.now + jiff::SignedDuration::from_secs(1));
        }
        ReturnRule::Window => line.shipped_date = Some(world.now),
        ReturnRule::Country => world.order.shipping_address.country_code = "CA".to_owned(),
        ReturnRule::Method => world.policy.methods[0].amount_max_cents = None,
        ReturnRule::AlreadyReturned => world.ledger = Ledger::default(),
        ReturnRule::AlreadyRefunded => {
            line.quantity_refunded = None;
            world.ledger = Ledger::default();
        }
        ReturnRule::FinalSale
        | ReturnRule::GiftCard
        | ReturnRule::PickUpInStore
        | ReturnRule::ThirdParty
        | ReturnRule::CustomerService
        | ReturnRule::Tags => unreachable!("{rule:?} objects by a tag or not at all"),
    }
    world
}

fn objects(unit: &UnitReturnability, rule: ReturnRule) -> bool {
    unit.objections().any(|answer| answer.rule == rule)
}

#[test]
fn every_refused_unit_names_a_rule_and_changing_its_fact_flips_it() {
    let mut order = empty_order();
    let mut seen = HashSet::new();
    for seed in 0..3_000 {
        let world = random_world(&mut order, &mut SeededRandom::new(seed));
        let judged = world.judge();
        // Judging is what takes the time here, and the units of a line share most answers.
        let mut flips = HashMap::new();
        for (position, line) in judged.lines.iter().enumerate() {
            for (index, unit) in line.units.iter().enumerate() {
                let refused = unit.objections().next().is_some();
                assert_eq!(unit.returnable, !refused, "seed {seed}");
                assert_eq!(unit.returnable, !unit.methods.is_empty(), "seed {seed}");
                for answer in unit.objections() {
                    seen.insert(answer.rule);
                    let flipped = flips
                        .entry((position, answer.rule))
                        .or_insert_with(|| changed(&world, position, answer.rule).judge());
                    let flipped = &flipped.lines[position].units[index];
                    assert_eq!(flipped.unit, unit.unit, "seed {seed}");
                    assert!(!objects(flipped, answer.rule), "seed {seed}: {answer:?}");
                }
            }
        }
    }
    assert_eq!(seen.len(), ReturnRule::ALL.len() - 1, "every rule but `tags` objects somewhere");
}

#[test]
fn an_answer_changes_when_it_says_and_not_before() {
    let mut order = empty_order();
    for seed in 0..3_000 {
        let mut world = random_world(&mut order, &mut SeededRandom::new(seed));
        let answers = |world: &World| -> Vec<(ReturnRule, RuleVerdict, Option<Timestamp>)> {
            let judged = world.judge();
            let units = judged.lines.iter().flat_map(|line| &line.units);
            let answers = units.flat_map(|unit| &unit.rules);
            answers.map(|answer| (answer.rule, answer.verdict, answer.changes_at)).collect()
        };
        let before = answers(&world);
        let Some(first) = before.iter().filter_map(|(_, _, changes_at)| *changes_at).min() else {
            continue;
        };
        world.now = first - jiff::SignedDuration::from_micros(1);
        assert_eq!(answers(&world), before, "seed {seed}");
        world.now = first;
        for (was, is) in before.iter().zip(answers(&world)) {
            assert_eq!(was.1 != is.1, was.2 == Some(first), "seed {seed}");
        }
    }
}

#[test]
fn what_is_called_returnable_can_be_spent_for_the_refund_that_was_shown() {
    let mut order = empty_order();
    for seed in 0..3_000 {
        let world = random_world(&mut order, &mut SeededRandom::new(seed));
        for line in world.judge().lines {
            let returnable: Vec<&UnitReturnability> =
                line.units.iter().filter(|unit| unit.returnable).collect();
            let quantity = i64::try_from(returnable.len()).unwrap();
            let spent = world.ledger.spend(&world.order, &line.line_identifier, quantity, "rma");
            let (_, spent) = spent.unwrap();
            // Units that are refused one by one (worth a cent too much) may stand before others.
            if world.policy.methods[0].amount_max_cents.is_none() {
                for (unit, spent) in returnable.iter().zip(spent) {
                    assert_eq!(unit.unit, spent.unit, "seed {seed}");
                    assert_eq!(unit.refund.unwrap().amounts, spent.amounts, "seed {seed}");
                }
            }
        }
    }
}

/// Anything at all, with a liking for the ends.
fn extreme(numbers: &mut SeededRandom) -> i64 {
    match numbers.between(0, 4) {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => numbers.between(0, 3) - 1,
        _ => i64::from_ne_bytes(numbers.number().to_ne_bytes()),
    }
}

#[test]
fn no_order_is_so_odd_that_the_rules_fail_or_pay_a_negative_amount() {
    let mut order = empty_order();
    for seed in 0..2_000 {
        let mut numbers = SeededRandom::new(seed);
        let mut world = random_world(&mut order, &mut numbers);
        world.order.discount_amount_cents = extreme(&mut numbers);
        world.order.shipping_amount_cents = extreme(&mut numbers);
        world.order.shipping_tax_amount_cents = extreme(&mut numbers);
        world.order.created_at = [Timestamp::MIN, Timestamp::MAX][numbers.index(2)];
        for line in &mut world.order.items {
            line.product_amount_cents = extreme(&mut numbers);
            line.tax_amount_cents = extreme(&mut numbers);
            line.discount_amount_cents = extreme(&mut numbers);
            // Only some, because a line of a thousand units takes long to write down.
            if numbers.one_in(40) {
                line.quantity = extreme(&mut numbers);
                line.quantity_shipped = extreme(&mut numbers);
                line.quantity_refunded = Some(extreme(&mut numbers));
            }
        }
        world.policy.window_days = [0, u32::MAX][numbers.index(2)];
        world.policy.methods[0].fee_cents = extreme(&mut numbers);

        let judged = world.judge();

        let units = judged.lines.iter().flat_map(|line| &line.units);
        for refund in units.filter_map(|unit| unit.refund) {
            assert!(refund.refund_cents >= 0, "seed {seed}");
            assert!(refund.amounts.discount_cents >= 0, "seed {seed}");
        }
        let (_, shipping_cents) = Ledger::default().spend_shipping(&world.order, "rma_1").unwrap();
        assert!(shipping_cents >= 0, "seed {seed}");
    }
}
