//! Policies as merchants might write them, valid and invalid.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::faults::{FaultCode, Faults};
use crate::json as document;

fn read_policy(policy: &Value) -> Result<Policy, Faults> {
    Policy::read(&document::parse(policy.to_string().as_bytes()).unwrap())
}

/// Every fault of a policy: the field, and what is wrong.
fn faults(policy: &Value) -> Vec<(String, String)> {
    let faults = read_policy(policy).unwrap_err();
    faults.errors.into_iter().map(|error| (error.field, error.reason)).collect()
}

fn paths(policy: &Value) -> Vec<String> {
    faults(policy).into_iter().map(|(field, _)| field).collect()
}

/// A policy in which every field occurs.
fn full() -> Value {
    json!({
        "window_days": 45,
        "tags": [
            { "tag": "Final Sale", "effect": "final_sale" },
            { "tag": "electronics", "effect": "window", "days": 14 },
            { "tag": "bulky", "effect": "customer_service" }
        ],
        "countries": ["US", "CA"],
        "reasons": [
            { "code": "too_small", "label": "Too small", "offers_exchange": true,
              "merchant_fault": false },
            { "code": "damaged", "label": "Arrived damaged", "offers_exchange": true,
              "merchant_fault": true }
        ],
        "methods": [
            { "method": "mail-back", "fee_cents": 595,
              "fees_by_reason": [{ "reason": "too_small", "fee_cents": 0 }] },
            { "method": "express-returns", "fee_cents": 0, "countries": ["US"],
              "unit_weight_max": 5.5 },
            { "method": "customer-keep", "fee_cents": 0, "reasons": ["damaged"],
              "amount_max_cents": 1500 }
        ],
        "exchanges": false,
        "cheaper_exchanges": true,
        "dearer_exchanges": true,
        "gift_returns": true,
        "gift_card": { "sku": "GIFT-CARD", "bonus_per_mille": 100, "bonus_max_cents": 2000 },
        "refund_at": "receipt",
        "shipping_refunded": "merchant_fault",
        "withdrawal": {
            "offered": true, "informed": false, "delivery_days_assumed": 3,
            "standard_shipping_cents": 495,
            "exceptions": [{ "tag": "engraved", "exception": "made_to_order" }]
        }
    })
}

#[test]
fn an_empty_policy_is_the_default() {
    assert_eq!(read_policy(&json!({})).unwrap(), Policy::default());
    assert_eq!(serde_json::from_value::<Policy>(json!({})).unwrap(), Policy::default());
}

#[test]
fn a_policy_is_written_as_it_was_read() {
    let policy = read_policy(&full()).unwrap();

    assert_eq!(serde_json::to_value(&policy).unwrap(), full());
    assert_eq!(serde_json::from_value::<Policy>(full()).unwrap(), policy);

    let default = serde_json::to_value(Policy::default()).unwrap();
    assert_eq!(read_policy(&default).unwrap(), Policy::default());
}

#[test]
fn every_fault_is_reported_at_once_with_its_path() {
    let policy = json!({
        "window_days": -1,
        "tags": [{ "tag": " ", "effect": "burn" }, { "effect": "window" },
                 { "tag": "a-b", "effect": "third_party", "days": 3 },
                 { "tag": "A b", "effect": "window", "days": 4000 }],
        "countries": ["us", "US", "United States"],
        "reasons": [{ "code": "Too Small", "label": "" }],
        "methods": [
            { "method": "pigeon", "fee_cents": -5 },
            { "method": "mail-back", "fees": 3 },
            { "method": "mail-back", "countries": "US" },
        ],
        "exchanges": "yes",
        "gift_card": { "bonus_per_mille": 1001 },
        "refund_at": "never",
        "shipping_refunded": 1,
        "withdrawal": {
            "offered": "yes", "delivery_days_assumed": 91, "days": 14,
            "exceptions": [{ "tag": "--", "exception": "heavy" }, { "tag": "a", "exception": "digital" },
                           { "tag": "A", "exception": "digital" }]
        },
        "windowdays": 3
    });

    assert_eq!(
        paths(&policy),
        [
            "$.window_days",
            "$.tags[0].tag",
            "$.tags[0].effect",
            "$.tags[1].tag",
            "$.tags[1].days",
            "$.tags[2].days",
            "$.tags[3].days",
            "$.tags[3].tag",
            "$.countries[2]",
            "$.reasons[0].code",
            "$.reasons[0].label",
            "$.methods[0].method",
            "$.methods[0].fee_cents",
            "$.methods[1].fees",
            "$.methods[2].countries",
            "$.methods[2].method",
            "$.exchanges",
            "$.gift_card.bonus_per_mille",
            "$.gift_card.sku",
            "$.refund_at",
            "$.shipping_refunded",
            "$.withdrawal.delivery_days_assumed",
            "$.withdrawal.offered",
            "$.withdrawal.exceptions[0].tag",
            "$.withdrawal.exceptions[0].exception",
            "$.withdrawal.exceptions[2].tag",
            "$.withdrawal.days",
            "$.windowdays",
        ]
    );
}

#[test]
fn countries_are_written_in_capitals_and_are_unique() {
    assert_eq!(read_policy(&json!({ "countries": ["us", "De"] })).unwrap().countries, ["US", "DE"]);
    assert_eq!(paths(&json!({ "countries": ["us", "US"] })), ["$.countries[1]"]);
}

#[test]
fn a_method_refers_only_to_existing_reasons() {
    let methods = json!([{ "method": "customer-keep", "reasons": ["damaged", "bored"],
        "fees_by_reason": [{ "reason": "lost", "fee_cents": 1 }] }]);

    assert_eq!(
        paths(&json!({ "methods": methods })),
        ["$.methods[0].fees_by_reason[0].reason", "$.methods[0].reasons[1]"]
    );
    let unreadable = json!([{ "code": 1, "label": "Lost" }]);
    assert_eq!(
        paths(&json!({ "reasons": unreadable, "methods": methods })),
        ["$.reasons[0].code"],
        "the unreadable reason may be the right one"
    );
}

#[test]
fn a_fee_for_the_merchants_own_fault_is_a_mistake() {
    let fees = json!([{ "reason": "damaged", "fee_cents": 100 }]);

    assert_eq!(
        faults(&json!({ "methods": [{ "method": "mail-back", "fees_by_reason": fees }] })),
        [(
            "$.methods[0].fees_by_reason[0].reason".to_owned(),
            "must not be a reason for which the merchant is at fault, because no fee is charged then".to_owned()
        )]
    );
}

#[test]
fn empty_and_too_long_lists_are_faults() {
    let tags: Vec<Value> =
        (0..101).map(|n| json!({ "tag": format!("t{n}"), "effect": "final_sale" })).collect();

    assert_eq!(
        paths(&json!({ "tags": tags, "reasons": [], "methods": [] })),
        ["$.tags", "$.reasons", "$.methods"]
    );
    assert_eq!(read_policy(&json!([])).unwrap_err().errors[0].code, FaultCode::InvalidType);
}

#[test]
fn a_tag_is_recognized_in_any_spelling() {
    let policy = Policy::default();
    let tags = ["Final-Sale", " FINAL sale ", "final_sale", "sale", "BOPIS"].map(str::to_owned);

    let rules: Vec<(&str, TagEffect)> = policy.rules_for(&tags).collect();

    assert_eq!(
        rules,
        [
            ("Final-Sale", TagEffect::FinalSale),
            (" FINAL sale ", TagEffect::FinalSale),
            ("final_sale", TagEffect::FinalSale),
            ("BOPIS", TagEffect::PickUpInStore),
        ]
    );
}

#[test]
fn the_default_policy_knows_the_tags_that_merchants_use() {
    let policy = Policy::default();
    for (tag, effect) in [
        ("FinalSale", TagEffect::FinalSale),
        ("pickup_in_store", TagEffect::PickUpInStore),
        ("Thirdparty", TagEffect::ThirdParty),
        ("cs-required", TagEffect::CustomerService),
        ("customer service required", TagEffect::CustomerService),
    ] {
        let rules: Vec<_> = policy.rules_for(&[tag.to_owned()]).map(|(_, effect)| effect).collect();
        assert_eq!(rules, [effect], "{tag}");
    }
    let written = serde_json::to_value(&policy).unwrap();
    assert_eq!(read_policy(&written).unwrap(), policy, "no tag is listed twice");
}

#[test]
fn the_choices_are_parsed_from_their_names() {
    for moment in RefundAt::ALL {
        assert_eq!(RefundAt::parse(moment.name()), Some(moment));
        assert_eq!(serde_json::to_value(moment).unwrap(), moment.name());
    }
    for when in ShippingRefunded::ALL {
        assert_eq!(ShippingRefunded::parse(when.name()), Some(when));
        assert_eq!(serde_json::to_value(when).unwrap(), when.name());
    }
}

fn junk() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".{0,3}".prop_map(Into::into),
        Just(json!([])),
        Just(json!([{}, 1])),
        Just(json!({ "a": 1 })),
    ]
}

proptest! {
    #[test]
    fn any_value_of_a_field_is_read_or_refused_and_what_passes_is_written_the_same(
        key in 0_usize..9, inner in any::<bool>(), value in junk(),
    ) {
        let mut policy = full();
        let name = policy.as_object().unwrap().keys().nth(key).unwrap().clone();
        if inner && policy[&name].is_array() {
            policy[&name][0] = value;
        } else {
            policy[&name] = value;
        }
        match read_policy(&policy) {
            Ok(read) => {
                let written = serde_json::to_value(&read).unwrap();
                prop_assert_eq!(read_policy(&written).unwrap(), read);
            }
            Err(faults) => prop_assert!(faults.total > 0),
        }
    }
}
