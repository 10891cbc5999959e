//! Every refusal has a true reason: if the fact changes, the rule no longer objects.

use std::collections::{HashMap, HashSet};

use super::*;
use crate::orders::order::OrderStatus;
use crate::random::SeededRandom;
use crate::returns::ledger::MerchantRefund;
use crate::returns::policy::{TagEffect, TagRule};
use crate::returns::test_orders::{empty_order, fill_randomly};

/// Everything that the rules depend on.
#[derive(Clone)]
struct RuleInputs {
    order: Order,
    ledger: Ledger,
    policy: Policy,
    now: Timestamp,
}

impl RuleInputs {
    fn judge(&self) -> Returnability {
        check_returnability(&self.order, &self.ledger, &self.policy, self.now)
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

fn random_tags(random: &mut SeededRandom) -> Vec<String> {
    let tags = TAGS.iter().filter(|_| random.one_in(12));
    tags.map(|tag| (*tag).to_owned()).collect()
}

fn random_policy(random: &mut SeededRandom) -> Policy {
    let mut policy = Policy::default();
    let effect = TagEffect::Window { days: 7 };
    policy.tags.push(TagRule { tag: "electronics".to_owned(), effect });
    policy.window_days = u32::try_from(random.between(0, 40)).unwrap();
    if random.one_in(3) {
        policy.countries = vec!["US".to_owned(), "CA".to_owned()];
    }
    if random.one_in(3) {
        policy.methods[0].amount_max_cents = Some(random.between(0, 8_000));
    }
    policy
}

fn random_inputs(order: &mut Order, random: &mut SeededRandom) -> RuleInputs {
    fill_randomly(order, random);
    let mut ledger = Ledger::default();
    for line in &order.items {
        let quantity = random.between(0, line.quantity_shipped);
        let rma = format!("rma_{}", random.between(0, 2));
        let now = order.created_at;
        let refund = MerchantRefund { identifier: "RF-1", line: &line.identifier, quantity, now };
        ledger = match random.between(0, 3) {
            0 => ledger.spend(order, &line.identifier, quantity, &rma).unwrap().0,
            1 => ledger.clone().refund_outside(order, &[refund]).ledger,
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
        line.tags = random_tags(random);
        line.quantity += random.between(0, 2);
        line.quantity_canceled = random.between(0, line.quantity - line.quantity_shipped);
        line.shipped_date = (!random.one_in(4)).then(|| day(random.between(0, 20)));
        line.return_policy_end_date = random.one_in(4).then(|| day(random.between(0, 40)));
        line.quantity_refunded = random.one_in(3).then(|| random.between(0, line.quantity_shipped));
    }
    let mut order = order.clone();
    order.tags = random_tags(random);
    order.status = if random.one_in(8) { OrderStatus::Cancelled } else { OrderStatus::Shipped };
    order.shipping_address.country_code = (if random.one_in(4) { "DE" } else { "us" }).to_owned();
    RuleInputs { order, ledger, policy: random_policy(random), now: day(random.between(0, 50)) }
}

/// Changes the fact that `rule` depends on for a line, and nothing else.
fn change_fact(inputs: &RuleInputs, line: usize, rule: ReturnRule) -> RuleInputs {
    let mut inputs = inputs.clone();
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
        without(&mut inputs.order.items[line].tags, &inputs.policy, effect);
        without(&mut inputs.order.tags, &inputs.policy, effect);
        return inputs;
    }
    let line = &mut inputs.order.items[line];
    match rule {
        ReturnRule::OrderStatus => inputs.order.status = OrderStatus::Shipped,
        ReturnRule::Shipped => {
            line.quantity_canceled = 0;
            line.quantity_shipped = line.quantity;
        }
        ReturnRule::Window if line.return_policy_end_date.is_some() => {
            line.return_policy_end_date = Some(inputs.now + jiff::SignedDuration::from_secs(1));
        }
        ReturnRule::Window => line.shipped_date = Some(inputs.now),
        ReturnRule::Country => inputs.order.shipping_address.country_code = "CA".to_owned(),
        ReturnRule::Method => inputs.policy.methods[0].amount_max_cents = None,
        ReturnRule::AlreadyReturned => inputs.ledger = Ledger::default(),
        ReturnRule::AlreadyRefunded => {
            line.quantity_refunded = None;
            inputs.ledger = Ledger::default();
        }
        ReturnRule::FinalSale
        | ReturnRule::GiftCard
        | ReturnRule::PickUpInStore
        | ReturnRule::ThirdParty
        | ReturnRule::CustomerService
        | ReturnRule::Tags => unreachable!("{rule:?} objects because of a tag or not at all"),
    }
    inputs
}

fn objects(unit: &UnitReturnability, rule: ReturnRule) -> bool {
    unit.objections().any(|answer| answer.rule == rule)
}

#[test]
fn every_refused_unit_has_a_rule_and_changing_its_fact_flips_it() {
    let mut order = empty_order();
    let mut seen = HashSet::new();
    for seed in 0..3_000 {
        let inputs = random_inputs(&mut order, &mut SeededRandom::new(seed));
        let judged = inputs.judge();
        // Judging takes most of the time here, and the units of a line share most answers.
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
                        .or_insert_with(|| change_fact(&inputs, position, answer.rule).judge());
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
fn an_answer_changes_when_it_says_and_no_earlier() {
    let mut order = empty_order();
    for seed in 0..3_000 {
        let mut inputs = random_inputs(&mut order, &mut SeededRandom::new(seed));
        let answers = |inputs: &RuleInputs| -> Vec<(ReturnRule, RuleVerdict, Option<Timestamp>)> {
            let judged = inputs.judge();
            let units = judged.lines.iter().flat_map(|line| &line.units);
            let answers = units.flat_map(|unit| &unit.rules);
            answers.map(|answer| (answer.rule, answer.verdict, answer.changes_at)).collect()
        };
        let before = answers(&inputs);
        let Some(first) = before.iter().filter_map(|(_, _, changes_at)| *changes_at).min() else {
            continue;
        };
        inputs.now = first - jiff::SignedDuration::from_micros(1);
        assert_eq!(answers(&inputs), before, "seed {seed}");
        inputs.now = first;
        for (was, is) in before.iter().zip(answers(&inputs)) {
            assert_eq!(was.1 != is.1, was.2 == Some(first), "seed {seed}");
        }
    }
}

#[test]
fn what_is_called_returnable_can_be_spent_for_the_refund_that_was_shown() {
    let mut order = empty_order();
    for seed in 0..3_000 {
        let inputs = random_inputs(&mut order, &mut SeededRandom::new(seed));
        for line in inputs.judge().lines {
            let returnable: Vec<&UnitReturnability> =
                line.units.iter().filter(|unit| unit.returnable).collect();
            let quantity = i64::try_from(returnable.len()).unwrap();
            let spent = inputs.ledger.spend(&inputs.order, &line.line_identifier, quantity, "rma");
            let (_, spent) = spent.unwrap();
            // Units that are refused one by one (worth a cent too much) may come before others.
            if inputs.policy.methods[0].amount_max_cents.is_none() {
                for (unit, spent) in returnable.iter().zip(spent) {
                    assert_eq!(unit.unit, spent.unit, "seed {seed}");
                    assert_eq!(unit.refund.unwrap().amounts, spent.amounts, "seed {seed}");
                }
            }
        }
    }
}

/// Any number, with a preference for the extremes.
fn extreme(random: &mut SeededRandom) -> i64 {
    match random.between(0, 4) {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => random.between(0, 3) - 1,
        _ => i64::from_ne_bytes(random.number().to_ne_bytes()),
    }
}

#[test]
fn no_order_is_so_odd_that_the_rules_fail_or_pay_a_negative_amount() {
    let mut order = empty_order();
    for seed in 0..2_000 {
        let mut random = SeededRandom::new(seed);
        let mut inputs = random_inputs(&mut order, &mut random);
        inputs.order.discount_amount_cents = extreme(&mut random);
        inputs.order.shipping_amount_cents = extreme(&mut random);
        inputs.order.shipping_tax_amount_cents = extreme(&mut random);
        inputs.order.created_at = [Timestamp::MIN, Timestamp::MAX][random.index(2)];
        for line in &mut inputs.order.items {
            line.product_amount_cents = extreme(&mut random);
            line.tax_amount_cents = extreme(&mut random);
            line.discount_amount_cents = extreme(&mut random);
            // Only some, because a line of a thousand units takes long.
            if random.one_in(40) {
                line.quantity = extreme(&mut random);
                line.quantity_shipped = extreme(&mut random);
                line.quantity_refunded = Some(extreme(&mut random));
            }
        }
        inputs.policy.window_days = [0, u32::MAX][random.index(2)];
        inputs.policy.methods[0].fee_cents = extreme(&mut random);

        let judged = inputs.judge();

        let units = judged.lines.iter().flat_map(|line| &line.units);
        for refund in units.filter_map(|unit| unit.refund) {
            assert!(refund.refund_cents >= 0, "seed {seed}");
            assert!(refund.amounts.discount_cents >= 0, "seed {seed}");
        }
        let (_, shipping_cents) = Ledger::default().spend_shipping(&inputs.order, "rma_1").unwrap();
        assert!(shipping_cents >= 0, "seed {seed}");
    }
}
