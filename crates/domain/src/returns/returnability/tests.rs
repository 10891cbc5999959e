//! Each rule, by example.

use serde_json::json;

use super::*;
use crate::orders::order::OrderStatus;
use crate::returns::ledger::MerchantRefund;
use crate::returns::policy::{GiftCardOffer, TagEffect, TagRule};
use crate::returns::test_orders::{order_line, order_of};

/// Two units, shipped on 2026-01-02.
fn two_units() -> Order {
    order_of(vec![order_line("a", 2, [1_001, 80, 0])], 0)
}

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

/// The units of the first line in the middle of January.
fn judge_units(order: &Order, ledger: &Ledger, policy: &Policy) -> Vec<UnitReturnability> {
    check_returnability(order, ledger, policy, at("2026-01-15T12:00:00Z")).lines[0].units.clone()
}

fn answer(unit: &UnitReturnability, rule: ReturnRule) -> (RuleVerdict, &str) {
    let answer = unit.rules.iter().find(|answer| answer.rule == rule).unwrap();
    (answer.verdict, &answer.fact)
}

/// What prevents a return of the first unit.
fn objections(order: &Order, policy: &Policy) -> Vec<(ReturnRule, String)> {
    let units = judge_units(order, &Ledger::default(), policy);
    assert_eq!(units[0].returnable, units[0].objections().next().is_none());
    units[0].objections().map(|answer| (answer.rule, answer.fact.clone())).collect()
}

#[test]
fn a_line_with_the_sku_of_gift_cards_cannot_be_returned() {
    let mut policy = Policy::default();
    let sku = "SKU-a".to_owned();
    policy.gift_card = Some(GiftCardOffer { sku, bonus_per_mille: 0, bonus_max_cents: None });

    let fact = "SKU-a is the SKU of gift cards".to_owned();
    assert_eq!(objections(&two_units(), &policy), [(ReturnRule::GiftCard, fact)]);
}

#[test]
fn a_returnable_unit_is_shown_with_its_refund_and_its_offers() {
    let mut policy = Policy::default();
    policy.methods[0].fee_cents = 595;
    policy.gift_card =
        Some(GiftCardOffer { sku: "GIFT".to_owned(), bonus_per_mille: 0, bonus_max_cents: None });

    let units = judge_units(&two_units(), &Ledger::default(), &policy);

    assert_eq!(
        serde_json::to_value(&units[0]).unwrap(),
        json!({
            "unit": 0,
            "returnable": true,
            "rules": [
                { "rule": "order_status", "verdict": "allows", "fact": "the order is Shipped" },
                { "rule": "shipped", "verdict": "allows", "fact": "2 of 2 units shipped" },
                { "rule": "window", "verdict": "allows",
                  "fact": "shipped on 2026-01-02; the 30-day window ends on 2026-02-01",
                  "changes_at": "2026-02-02T00:00:00Z" },
                { "rule": "tags", "verdict": "allows",
                  "fact": "no tag of the line or the order prevents a return" },
                { "rule": "country", "verdict": "allows",
                  "fact": "returns from the country US are accepted" },
                { "rule": "method", "verdict": "allows", "fact": "can be returned by mail-back" },
                { "rule": "already_returned", "verdict": "allows", "fact": "not in a return" },
                { "rule": "already_refunded", "verdict": "allows", "fact": "not refunded" }
            ],
            "refund": { "refund_cents": 541, "price_cents": 501, "discount_cents": 0,
                        "tax_cents": 40 },
            "methods": [{
                "method": "mail-back",
                "fee_cents": 541,
                "fees_by_reason": [
                    { "reason": "not_as_described", "fee_cents": 0 },
                    { "reason": "damaged", "fee_cents": 0 },
                    { "reason": "wrong_item", "fee_cents": 0 },
                    { "reason": "late", "fee_cents": 0 }
                ]
            }],
            "exchange": true,
            "gift_card": true
        })
    );
}

#[test]
fn the_last_day_of_the_window_is_a_whole_day() {
    let order = two_units();
    let judged = |now| {
        let judged = check_returnability(&order, &Ledger::default(), &Policy::default(), at(now));
        judged.lines[0].units[0].clone()
    };

    assert!(judged("2026-02-01T23:59:59.999999Z").returnable);
    let late = judged("2026-02-02T00:00:00Z");
    assert!(!late.returnable);
    assert_eq!(
        answer(&late, ReturnRule::Window),
        (RuleVerdict::Refuses, "shipped on 2026-01-02; the 30-day window ends on 2026-02-01")
    );
    assert_eq!(late.objections().next().unwrap().changes_at, None);
    assert_eq!((late.methods.len(), late.exchange), (0, false));
}

#[test]
fn a_window_counts_from_the_order_when_nobody_knows_when_it_was_shipped() {
    let mut order = two_units();
    order.items[0].shipped_date = None;

    let units = judge_units(&order, &Ledger::default(), &Policy::default());

    let expected = "ordered on 2026-01-01; the 30-day window ends on 2026-01-31";
    assert_eq!(answer(&units[0], ReturnRule::Window), (RuleVerdict::Allows, expected));
}

#[test]
fn the_end_that_a_line_names_stands_above_the_policy() {
    let mut order = two_units();
    order.items[0].return_policy_end_date = Some(at("2026-01-15T00:00:00Z"));
    assert_eq!(objections(&order, &Policy::default()), [], "a date alone is a whole day");

    order.items[0].return_policy_end_date = Some(at("2026-01-15T11:00:00Z"));
    let expected = "the line can be returned until 2026-01-15T11:00:00Z".to_owned();
    assert_eq!(objections(&order, &Policy::default()), [(ReturnRule::Window, expected)]);
}

#[test]
fn a_tag_can_change_the_days_and_the_fewest_count() {
    let mut policy = Policy::default();
    for (tag, days) in [("holiday", 60), ("electronics", 10)] {
        policy.tags.push(TagRule { tag: tag.to_owned(), effect: TagEffect::Window { days } });
    }
    let mut order = two_units();
    order.tags.push("Holiday".to_owned());
    let holiday = judge_units(&order, &Ledger::default(), &policy);
    let expected =
        "shipped on 2026-01-02; the 60-day window for the tag Holiday ends on 2026-03-03";
    assert_eq!(answer(&holiday[0], ReturnRule::Window), (RuleVerdict::Allows, expected));

    order.items[0].tags.push("electronics".to_owned());
    let expected =
        "shipped on 2026-01-02; the 10-day window for the tag electronics ends on 2026-01-12";
    assert_eq!(objections(&order, &policy), [(ReturnRule::Window, expected.to_owned())]);
}

#[test]
fn a_window_beyond_the_calendar_does_not_end() {
    let mut order = two_units();
    order.items[0].shipped_date = Some(Timestamp::MAX);

    assert_eq!(objections(&order, &Policy::default()), []);
    let policy = Policy { window_days: u32::MAX, ..Policy::default() };
    assert_eq!(objections(&two_units(), &policy), []);
}

#[test]
fn tags_of_line_and_order_are_reported_together_and_customer_service_asks() {
    let mut order = two_units();
    order.items[0].tags = vec!["Final Sale".to_owned(), "customer-service".to_owned()];
    order.tags = vec!["final_sale".to_owned()];

    let units = judge_units(&order, &Ledger::default(), &Policy::default());

    assert!(!units[0].returnable);
    assert_eq!(
        answer(&units[0], ReturnRule::FinalSale),
        (RuleVerdict::Refuses, "the line has the tag Final Sale; the order has the tag final_sale")
    );
    assert_eq!(
        answer(&units[0], ReturnRule::CustomerService),
        (RuleVerdict::Asks, "the line has the tag customer-service")
    );
    order.tags.clear();
    order.items[0].tags.remove(0);
    let asked = objections(&order, &Policy::default());
    assert_eq!(asked.len(), 1, "one that asks is enough to keep it from being returned");
}

#[test]
fn a_canceled_order_has_nothing_to_return() {
    let mut order = two_units();
    order.status = OrderStatus::Cancelled;

    let expected = (ReturnRule::OrderStatus, "the order is Cancelled".to_owned());
    assert_eq!(objections(&order, &Policy::default()), [expected]);
}

#[test]
fn goods_are_returned_only_from_the_countries_of_the_policy() {
    let policy = Policy { countries: vec!["DE".to_owned()], ..Policy::default() };

    let expected = "returns from the country US are not accepted".to_owned();
    assert_eq!(objections(&two_units(), &policy), [(ReturnRule::Country, expected)]);
}

#[test]
fn a_unit_that_no_method_accepts_cannot_be_returned() {
    let mut policy = Policy::default();
    policy.methods[0].unit_weight_max = Some(0.25);

    let expected = "mail-back accepts units that weigh at most 0.25, but one weighs 0.5";
    assert_eq!(objections(&two_units(), &policy), [(ReturnRule::Method, expected.to_owned())]);
    policy.methods.clear();
    assert_eq!(objections(&two_units(), &policy).len(), 1);
}

#[test]
fn units_that_were_not_shipped_are_listed_and_have_no_refund() {
    let mut order = two_units();
    order.items[0].quantity = 4;
    order.items[0].quantity_canceled = 1;

    let units = judge_units(&order, &Ledger::default(), &Policy::default());

    let returnable: Vec<bool> = units.iter().map(|unit| unit.returnable).collect();
    assert_eq!(returnable, [true, true, false, false]);
    assert_eq!(units[3].refund, None);
    assert_eq!(
        answer(&units[3], ReturnRule::Shipped),
        (RuleVerdict::Refuses, "2 of 4 units shipped, 1 canceled")
    );
}

#[test]
fn spent_units_say_what_spent_them_and_keep_their_frozen_amount() {
    let mut order = two_units();
    order.items[0].quantity_refunded = Some(2);
    let (ledger, _) = Ledger::default().spend(&two_units(), "a", 1, "rma_1").unwrap();
    let now = at("2026-01-10T00:00:00Z");
    let refund = MerchantRefund { identifier: "RF-1", line: "a", quantity: 1, now };
    let ledger = ledger.refund_within("rma_1", &[0], &refund).ledger;

    let units = judge_units(&order, &ledger, &Policy::default());

    assert_eq!(
        answer(&units[0], ReturnRule::AlreadyReturned),
        (RuleVerdict::Refuses, "already in return rma_1")
    );
    assert_eq!(
        answer(&units[0], ReturnRule::AlreadyRefunded),
        (RuleVerdict::Refuses, "already refunded in RF-1")
    );
    assert_eq!(units[0].refund.unwrap().refund_cents, 541);
    assert_eq!(
        answer(&units[1], ReturnRule::AlreadyReturned),
        (RuleVerdict::Allows, "not in a return")
    );
    assert_eq!(
        answer(&units[1], ReturnRule::AlreadyRefunded),
        (RuleVerdict::Refuses, "the order reports 2 units of the line as refunded")
    );
}

#[test]
fn the_rules_are_serialized_as_their_names() {
    for rule in ReturnRule::ALL {
        assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
    }
}
