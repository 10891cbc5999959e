//! Whole requests: every expectation is the complete list of faults.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::json as document;
use crate::reader::test_faults::{invalid, list_faults, missing, wrong_type};

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

fn read_value(request: &Value) -> Result<ReturnRequest, Faults> {
    read_request(&document::parse(request.to_string().as_bytes()).unwrap())
}

/// Every fault of the sample after `edit`.
fn faults(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut request = sample();
    edit(&mut request);
    list_faults(read_value(&request))
}

#[test]
fn a_request_is_read_as_it_is_written() {
    let request = read_value(&sample()).unwrap();

    assert_eq!(serde_json::to_value(&request).unwrap(), sample());
    assert_eq!(request.items[0].fallback, Some(Fallback::GiftCard));
    assert_eq!(request.return_method, ReturnMethod::MailBack);
}

#[test]
fn parcels_have_at_least_one_unit_each_and_only_goods_that_are_packed_have_several() {
    let several = faults(|request| request["parcel_count"] = json!(2));
    assert_eq!(several, []);
    let refused = [invalid("$.parcel_count")];
    for count in [0, 3, 21] {
        let found = faults(|request| request["parcel_count"] = json!(count));
        assert_eq!(found, refused, "{count}");
    }
    for method in ["express-returns", "customer-keep"] {
        let found = faults(|request| {
            request["return_method"] = json!(method);
            request["parcel_count"] = json!(2);
        });
        assert_eq!(found, refused, "{method}");
    }
}

#[test]
fn every_fault_is_reported_at_once() {
    let found = faults(|request| {
        *request = json!({
            "email": "nobody",
            "return_method": "by-air",
            "items": [{ "quantity": 0, "resolution": "money", "fallback": "exchange" }, 7],
            "gift": {},
        });
    });

    assert_eq!(
        found,
        [
            invalid("$.email"),
            invalid("$.return_method"),
            missing("$.items[0].order_identifier"),
            missing("$.items[0].order_line_item_identifier"),
            invalid("$.items[0].quantity"),
            missing("$.items[0].return_reason"),
            invalid("$.items[0].resolution"),
            invalid("$.items[0].fallback"),
            wrong_type("$.items[1]"),
            missing("$.gift.giftee_email"),
        ]
    );
}

#[test]
fn an_e_mail_address_of_the_shopper_or_of_the_recipient_of_a_gift_is_required() {
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
    assert_eq!(unreadable, [wrong_type("$.email")]);
}

#[test]
fn a_variant_is_sent_only_for_an_exchange() {
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
fn a_fallback_to_another_variant_names_it_and_only_such_a_fallback_does() {
    let fallback = |fallback: Value, sku: Value| {
        faults(|request| {
            request["items"][0]["fallback"] = fallback;
            request["items"][0]["fallback_sku"] = sku;
        })
    };
    let refused = [invalid("$.items[0].fallback_sku")];

    assert_eq!(fallback(json!("variant"), json!("TEE-NAVY-S")), []);
    assert_eq!(fallback(json!("variant"), Value::Null), [missing("$.items[0].fallback_sku")]);
    assert_eq!(fallback(json!("variant"), json!("")), refused);
    assert_eq!(fallback(json!("variant"), json!("TEE-NAVY-L")), refused);
    assert_eq!(fallback(json!("variant"), json!("x".repeat(256))), refused);
    for other in [json!("refund"), json!("gift_card"), Value::Null] {
        assert_eq!(fallback(other, json!("TEE-NAVY-S")), refused);
    }
    assert_eq!(fallback(json!("exchange"), json!("TEE-NAVY-S")), [invalid("$.items[0].fallback")]);
    let not_exchanged = faults(|request| {
        request["items"][1]["fallback"] = json!("variant");
        request["items"][1]["fallback_sku"] = json!("TEE-NAVY-S");
    });
    assert_eq!(not_exchanged, [invalid("$.items[1].fallback"), invalid("$.items[1].fallback_sku")]);
}

#[test]
fn a_request_with_another_variant_as_fallback_is_written_as_it_was_read() {
    let mut request = sample();
    request["items"][0]["fallback"] = json!("variant");
    request["items"][0]["fallback_sku"] = json!("TEE-NAVY-S");

    let read = read_value(&request).unwrap();

    assert_eq!(read.items[0].fallback, Some(Fallback::Variant));
    assert_eq!(serde_json::to_value(&read).unwrap(), request);
}

#[test]
fn a_line_is_unique_for_a_reason_resolution_and_variant() {
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
fn there_is_at_least_one_item_and_not_too_many() {
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
fn unknown_fields_are_faults_everywhere() {
    let found = faults(|request| {
        request["items"][1]["exchangesku"] = json!("TEE");
        request["gift"]["note"] = json!("hello");
        request["e-mail"] = json!("a@b");
    });

    assert_eq!(
        found,
        [invalid("$.items[1].exchangesku"), invalid("$.gift.note"), invalid("$['e-mail']")]
    );
}

#[test]
fn fallbacks_are_parsed_from_their_names() {
    for fallback in Fallback::ALL {
        assert_eq!(Fallback::parse(fallback.name()), Some(fallback));
        assert_eq!(serde_json::to_value(fallback).unwrap(), fallback.name());
    }
    assert_eq!(Fallback::parse("exchange"), None);
}

proptest! {
    #[test]
    fn any_value_in_any_field_is_read_or_refused(
        key in prop::sample::select(vec!["email", "return_method", "items", "gift"]),
        item_key in prop::sample::select(
            vec!["quantity", "resolution", "exchange_sku", "fallback", "fallback_sku"],
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
        if let Err(faults) = read_value(&request) {
            prop_assert!(faults.errors.iter().all(|error| error.field.starts_with("$.items[0]")));
        }
        request[key] = value;
        if let Err(faults) = read_value(&request) {
            prop_assert!(faults.total > 0);
        }
    }
}
