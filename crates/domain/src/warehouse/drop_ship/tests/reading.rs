//! Drop-ship requests of all kinds, judged as a whole: every expectation is the complete list of
//! faults.

use serde_json::{Value, json};

use super::*;
use crate::faults::{FaultCode, Faults};
use crate::json as document;

fn parsed(
    value: &Value,
    read: impl FnOnce(&document::Json<'_>) -> Vec<(String, FaultCode)>,
) -> Vec<(String, FaultCode)> {
    read(&document::parse(value.to_string().as_bytes()).unwrap())
}

fn listed<T>(outcome: Result<T, Faults>) -> Vec<(String, FaultCode)> {
    let errors = outcome.err().map(|faults| faults.errors).unwrap_or_default();
    errors.into_iter().map(|error| (error.field, error.code)).collect()
}

/// Every fault of the sample order after `edit`.
fn faults(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut message: Value = serde_json::from_str(samples::drop_ship_order_request()).unwrap();
    edit(&mut message["order"]);
    let context = DropShipReadContext { first_id: 1, now: time(0) };
    parsed(&message, |document| listed(read_drop_ship_order(document, &context)))
}

fn of_shipping(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut request = serde_json::from_str(samples::drop_ship_shipment_request()).unwrap();
    edit(&mut request);
    parsed(&request, |document| listed(read_shipping(document)))
}

fn of_cancellation(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut request = serde_json::from_str(samples::drop_ship_cancellation_request()).unwrap();
    edit(&mut request);
    parsed(&request, |document| listed(read_cancellation(document)))
}

fn told(field: &str, code: FaultCode) -> Vec<(String, FaultCode)> {
    vec![(field.to_owned(), code)]
}

/// So many lines.
fn lines(count: usize) -> Value {
    let line = |number| {
        json!({"client_identifier": format!("{number}"), "sku": "A", "quantity": 1,
               "price_cents": 1, "tax_cents": 0})
    };
    (0..count).map(line).collect::<Vec<_>>().into()
}

#[test]
fn everything_required_is_missed_when_it_is_absent() {
    let paths = [
        "/client_identifier",
        "/shipping_method",
        "/price_cents",
        "/tax_cents",
        "/shipping_cost_cents",
        "/shipping_tax_cents",
        "/billing_address",
        "/shipping_address",
        "/billing_address/name",
        "/billing_address/street",
        "/billing_address/city",
        "/billing_address/state",
        "/billing_address/zip_code",
        "/billing_address/country",
        "/order_items",
        "/order_items/0/client_identifier",
        "/order_items/0/sku",
        "/order_items/0/quantity",
        "/order_items/0/price_cents",
        "/order_items/0/tax_cents",
    ];
    for path in paths {
        let field = format!("$.order{}", path.replace('/', ".")).replace(".0", "[0]");
        let found = faults(|order| *order.pointer_mut(path).unwrap() = Value::Null);
        assert_eq!(found, told(&field, FaultCode::MissingField), "{path}");
    }
}

#[test]
fn everything_wrong_is_told_at_once() {
    let found = faults(|order| {
        order["shipping_method"] = json!("DRONE");
        order["price_cents"] = json!(-1);
        order["expected_delivery_date"] = json!("2026-03-09T10:00:00Z");
        order["signature_required"] = json!("yes");
        order["order_items"][0]["quantity"] = json!(0);
        order["order_items"][1]["client_identifier"] = json!("DS-20417-1");
        order["status"] = json!("shipped");
    });

    let invalid = |field: &str| (format!("$.order.{field}"), FaultCode::Invalid);
    assert_eq!(
        found,
        [
            invalid("shipping_method"),
            invalid("price_cents"),
            invalid("expected_delivery_date"),
            ("$.order.signature_required".to_owned(), FaultCode::InvalidType),
            invalid("order_items[0].quantity"),
            invalid("order_items[1].client_identifier"),
            invalid("status"),
        ]
    );
}

#[test]
fn an_order_has_1_to_125_lines() {
    let of_lines = |count: usize| faults(|order| order["order_items"] = lines(count));
    let refused = told("$.order.order_items", FaultCode::Invalid);

    assert_eq!(of_lines(0), refused);
    assert_eq!(of_lines(1), []);
    assert_eq!(of_lines(ITEMS_MAX), []);
    assert_eq!(of_lines(ITEMS_MAX + 1), refused);
}

#[test]
fn numbers_are_given_in_a_row() {
    let order = sample_order();

    assert_eq!(order.id, 51_001);
    assert_eq!((order.billing_address.id, order.shipping_address.id), (51_002, 51_003));
    assert_eq!(order.order_items.iter().map(|item| item.id).collect::<Vec<_>>(), [51_004, 51_005]);
    assert_eq!(DropShipReadContext::IDS, 3 + i64::try_from(ITEMS_MAX).unwrap());
}

#[test]
fn a_date_is_a_day_of_the_calendar() {
    let dated = |text: &str| faults(|order| order["expected_delivery_date"] = json!(text));

    assert_eq!(dated("2024-02-29"), []);
    for text in ["2026-02-29", "20260309", "09.03.2026", "2026-03-9", "", "2026-W10-1"] {
        assert_eq!(
            dated(text),
            told("$.order.expected_delivery_date", FaultCode::Invalid),
            "{text}"
        );
    }
}

#[test]
fn a_request_to_ship_names_a_carrier_and_units() {
    assert_eq!(of_shipping(|_| ()), []);
    assert_eq!(of_shipping(|it| it["items"] = json!([])), told("$.items", FaultCode::Invalid));
    let found = of_shipping(|it| {
        it["items"] = json!([{"client_identifier": "1", "quantity": 1},
                             {"client_identifier": "1", "quantity": 0, "sku": "A"}]);
        it["carrier"] = Value::Null;
        it["shipping_method"] = json!("x".repeat(256));
        it["billed_weight"] = json!(-1);
        it["shipping_cost_cents"] = json!("5");
        it["order"] = json!(1);
    });
    assert_eq!(
        found,
        [
            ("$.items[1].quantity".to_owned(), FaultCode::Invalid),
            ("$.items[1].sku".to_owned(), FaultCode::Invalid),
            ("$.carrier".to_owned(), FaultCode::MissingField),
            ("$.shipping_method".to_owned(), FaultCode::Invalid),
            ("$.billed_weight".to_owned(), FaultCode::Invalid),
            ("$.shipping_cost_cents".to_owned(), FaultCode::InvalidType),
            ("$.items[1].client_identifier".to_owned(), FaultCode::Invalid),
            ("$.order".to_owned(), FaultCode::Invalid),
        ]
    );
}

#[test]
fn a_request_to_cancel_has_a_reason_and_perhaps_units() {
    assert_eq!(of_cancellation(|_| ()), []);
    assert_eq!(of_cancellation(|it| it["items"] = Value::Null), []);
    assert_eq!(of_cancellation(|it| it["items"] = json!([])), []);
    assert_eq!(
        of_cancellation(|it| it["reason"] = Value::Null),
        told("$.reason", FaultCode::MissingField)
    );
    assert_eq!(
        of_cancellation(|it| it["reason"] = json!("")),
        told("$.reason", FaultCode::Invalid)
    );
    assert_eq!(
        of_cancellation(|it| it["outcome"] = json!("lost")),
        told("$.outcome", FaultCode::Invalid)
    );
    assert_eq!(
        of_cancellation(|it| it["items"][0]["quantity"] = json!("1")),
        told("$.items[0].quantity", FaultCode::InvalidType)
    );
}
