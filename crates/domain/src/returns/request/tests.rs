//! Requests of all kinds, judged as a whole: every expectation is the complete list of faults.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::json as document;

fn sample() -> Value {
    json!({
        "email": "dana.whitfield@example.com",
        "return_method": "mail-back",
        "items": [
            {
                "order_identifier": "ORD-100472",
                "order_line_item_identifier": "ORD-100472-1",
                "quantity": 1,
                "return_reason": "too_small",
                "resolution": "exchange",
                "exchange_sku": "TEE-NAVY-L",
                "fallback": "gift_card",
            },
            {
                "order_identifier": "ORD-100472",
                "order_line_item_identifier": "ORD-100472-1",
                "quantity": 1,
                "return_reason": "too_small",
                "resolution": "refund",
            },
        ],
        "gift": { "giftee_email": "robin.ames@example.com" },
    })
}

fn judge(request: &Value) -> Result<ReturnRequest, Faults> {
    read_request(&document::parse(request.to_string().as_bytes()).unwrap())
}

/// Every fault of the sample after `edit`.
fn faults(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut request = sample();
    edit(&mut request);
    match judge(&request) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.errors.into_iter().map(|error| (error.field, error.code)).collect(),
    }
}

fn invalid(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::Invalid)
}

fn missing(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::MissingField)
}

#[test]
fn a_request_is_read_as_it_is_written() {
    let request = judge(&sample()).unwrap();

    assert_eq!(serde_json::to_value(&request).unwrap(), sample());
    assert_eq!(request.items[0].fallback, Some(Fallback::GiftCard));
    assert_eq!(request.return_method, ReturnMethod::MailBack);
}

#[test]
fn everything_wrong_is_told_at_once() {
    let told = faults(|request| {
        *request = json!({
            "email": "nobody",
            "return_method": "by-air",
            "items": [{ "quantity": 0, "resolution": "money", "fallback": "exchange" }, 7],
            "gift": {},
        });
    });

    assert_eq!(
        told,
        [
            invalid("$.email"),
            invalid("$.return_method"),
            missing("$.items[0].order_identifier"),
            missing("$.items[0].order_line_item_identifier"),
            invalid("$.items[0].quantity"),
            missing("$.items[0].return_reason"),
            invalid("$.items[0].resolution"),
            invalid("$.items[0].fallback"),
            ("$.items[1]".to_owned(), FaultCode::InvalidType),
            missing("$.gift.giftee_email"),
        ]
    );
}

#[test]
fn an_address_is_needed_of_the_shopper_or_the_one_with_the_gift() {
    let drop_key = |request: &mut Value, key: &str| {
        request.as_object_mut().unwrap().remove(key);
    };

    assert_eq!(faults(|request| drop_key(request, "email")), []);
    assert_eq!(faults(|request| drop_key(request, "gift")), []);
    let neither = faults(|request| {
        drop_key(request, "email");
        drop_key(request, "gift");
    });
    assert_eq!(neither, [missing("$.email | $.gift")]);
    let unreadable = faults(|request| {
        request["email"] = json!(1);
        request["gift"] = Value::Null;
    });
    assert_eq!(unreadable, [("$.email".to_owned(), FaultCode::InvalidType)]);
}

#[test]
fn a_variant_is_named_for_an_exchange_and_for_nothing_else() {
    assert_eq!(
        faults(|request| request["items"][0]["exchange_sku"] = Value::Null),
        [missing("$.items[0].exchange_sku")]
    );
    assert_eq!(
        faults(|request| request["items"][0]["exchange_sku"] = json!("")),
        [invalid("$.items[0].exchange_sku")]
    );
    for resolution in ["refund", "gift_card"] {
        assert_eq!(
            faults(|request| request["items"][0]["resolution"] = json!(resolution)),
            [invalid("$.items[0].exchange_sku"), invalid("$.items[0].fallback")]
        );
    }
}

#[test]
fn no_line_stands_twice_for_the_same_reason_and_wish() {
    let repeated = |edit: fn(&mut Value)| {
        faults(|request| {
            request["items"][1] = request["items"][0].clone();
            edit(&mut request["items"][1]);
        })
    };

    assert_eq!(
        repeated(|item| item["fallback"] = json!("refund")),
        [invalid("$.items[1].order_line_item_identifier")]
    );
    assert_eq!(repeated(|item| item["return_reason"] = json!("broken")), []);
    assert_eq!(repeated(|item| item["exchange_sku"] = json!("TEE-NAVY-S")), []);
    assert_eq!(repeated(|item| item["order_identifier"] = json!("ORD-2")), []);
    assert_eq!(repeated(|item| item["order_line_item_identifier"] = json!("2")), []);
}

#[test]
fn there_are_items_and_not_too_many() {
    let many = |count: usize, quantity: i64| {
        faults(|request| {
            let item = request["items"][1].clone();
            let numbered = |number: usize| {
                let mut item = item.clone();
                item["order_line_item_identifier"] = json!(number.to_string());
                item["quantity"] = json!(quantity);
                item
            };
            request["items"] = (0..count).map(numbered).collect();
        })
    };

    assert_eq!(many(0, 1), [invalid("$.items")]);
    assert_eq!(many(ITEMS_MAX, 50), []);
    assert_eq!(many(ITEMS_MAX, 51), [invalid("$.items")]);
    assert_eq!(many(ITEMS_MAX + 1, 1), [invalid("$.items")]);
    assert_eq!(many(1, 1_000), []);
    assert_eq!(many(1, 1_001), [invalid("$.items[0].quantity")]);
}

#[test]
fn unknown_fields_are_errors_wherever_they_stand() {
    let told = faults(|request| {
        request["items"][1]["exchangesku"] = json!("TEE");
        request["gift"]["note"] = json!("hello");
        request["e-mail"] = json!("a@b");
    });

    assert_eq!(
        told,
        [invalid("$.items[1].exchangesku"), invalid("$.gift.note"), invalid("$['e-mail']")]
    );
}

#[test]
fn fallbacks_are_found_by_the_names_they_are_written_by() {
    for fallback in Fallback::ALL {
        assert_eq!(Fallback::parse(fallback.name()), Some(fallback));
        assert_eq!(serde_json::to_value(fallback).unwrap(), fallback.name());
    }
    assert_eq!(Fallback::parse("exchange"), None);
}

proptest! {
    #[test]
    fn any_value_in_any_field_is_judged(
        key in prop::sample::select(vec!["email", "return_method", "items", "gift"]),
        item_key in prop::sample::select(
            vec!["quantity", "resolution", "exchange_sku", "fallback"],
        ),
        value in prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            Just(json!([null])),
            Just(json!({ "a": 1 })),
        ],
    ) {
        let mut request = sample();
        request["items"][0][item_key] = value.clone();
        if let Err(faults) = judge(&request) {
            prop_assert!(faults.errors.iter().all(|error| error.field.starts_with("$.items[0]")));
        }
        request[key] = value;
        if let Err(faults) = judge(&request) {
            prop_assert!(faults.total > 0);
        }
    }
}
