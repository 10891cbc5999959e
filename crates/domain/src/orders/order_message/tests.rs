//! Messages of all kinds, judged as a whole: every expectation is the complete list of
//! what is wrong or doubtful.

mod amounts;
mod properties;
mod required;
mod stored;
mod uniqueness;

use serde_json::{Value, json};

use super::*;
use crate::faults::FaultCode;
use crate::{json as document, samples};

const ORDER: &str = "$.returns_portal_order.orders[0]";

fn context(strict: bool) -> OrderReadContext {
    OrderReadContext { now: "2026-06-01T00:00:00Z".parse().unwrap(), strict }
}

/// The order of the full sample.
fn order() -> Value {
    let message: Value = serde_json::from_str(samples::order_message()).unwrap();
    message["returns_portal_order"]["orders"][0].clone()
}

/// The order of the full sample after `edit`.
fn edited(edit: impl FnOnce(&mut Value)) -> Value {
    let mut order = order();
    edit(&mut order);
    order
}

fn message(orders: &[Value]) -> Value {
    json!({ "returns_portal_order": { "orders": orders } })
}

fn judge(message: &Value, strict: bool) -> Result<OrderMessage, Faults> {
    let text = message.to_string();
    read_message(&document::parse(text.as_bytes()).unwrap(), &context(strict))
}

/// Every error of a message with these orders, the place of the first order left out.
fn errors(orders: &[Value]) -> Vec<(String, FaultCode)> {
    errors_of(&message(orders), false)
}

fn errors_of(message: &Value, strict: bool) -> Vec<(String, FaultCode)> {
    let Err(faults) = judge(message, strict) else {
        return Vec::new();
    };
    assert_eq!(faults.total, faults.errors.len());
    assert!(faults.errors.iter().all(|error| !error.reason.is_empty()));
    faults.errors.into_iter().map(|error| (error.field.replace(ORDER, "@"), error.code)).collect()
}

/// Every warning of an acceptable message with this order, which are the errors when strict.
fn doubts(order: Value) -> Vec<String> {
    let message = message(&[order]);
    let reading = judge(&message, false).unwrap();
    let fields: Vec<String> =
        reading.warnings.into_iter().map(|warning| warning.field.replace(ORDER, "@")).collect();
    let strict: Vec<String> = errors_of(&message, true)
        .into_iter()
        .map(|(field, code)| {
            assert_eq!(code, FaultCode::Invalid);
            field
        })
        .collect();
    assert_eq!(strict, fields);
    fields
}

fn invalid(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::Invalid)
}

fn missing(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::MissingField)
}

fn wrong_type(field: &str) -> (String, FaultCode) {
    (field.to_owned(), FaultCode::InvalidType)
}

#[test]
fn the_sample_has_neither_errors_nor_warnings() {
    let reading = judge(&message(&[order()]), true).unwrap();

    assert_eq!(reading.warnings, []);
    assert_eq!(reading.orders.len(), 1);
    assert_eq!(reading.orders[0].order.items.len(), 2);
}

#[test]
fn a_message_without_orders_is_acceptable() {
    assert_eq!(judge(&message(&[]), false).unwrap().orders, []);
}

#[test]
fn an_envelope_of_another_shape_is_named() {
    let judged = |message: Value| errors_of(&message, false);

    assert_eq!(judged(Value::Null), [missing("$")]);
    assert_eq!(judged(json!([])), [wrong_type("$")]);
    assert_eq!(judged(json!({})), [missing("$.returns_portal_order")]);
    assert_eq!(
        judged(json!({ "returns_portal_order": [] })),
        [wrong_type("$.returns_portal_order")]
    );
    assert_eq!(
        judged(json!({ "returns_portal_order": {} })),
        [missing("$.returns_portal_order.orders")]
    );
    assert_eq!(
        judged(json!({ "returns_portal_order": { "orders": {} } })),
        [wrong_type("$.returns_portal_order.orders")]
    );
    assert_eq!(errors(&[json!(1)]), [wrong_type("@")]);
}

#[test]
fn a_message_of_too_many_orders_is_refused_unread() {
    let at_the_limit = vec![json!(1); ORDERS_MAX];
    let beyond = vec![json!(1); ORDERS_MAX + 1];

    assert_eq!(judge(&message(&at_the_limit), false).unwrap_err().total, ORDERS_MAX);
    assert_eq!(errors(&beyond), [invalid("$.returns_portal_order.orders")]);
}

#[test]
fn unknown_fields_are_warned_of_and_stay_warnings_when_strict() {
    let mut message = message(&[edited(|order| {
        order["loyalty tier"] = json!("gold");
        order["items"][1]["aisle"] = json!(4);
    })]);
    message["sent_by"] = json!("shop");
    message["returns_portal_order"]["page"] = json!(1);

    let warnings = judge(&message, true).unwrap().warnings;

    let expected = [
        ("$.returns_portal_order.orders[0].items[1].aisle", "unknown field, kept as sent"),
        ("$.returns_portal_order.orders[0]['loyalty tier']", "unknown field, kept as sent"),
        ("$.returns_portal_order.page", "unknown field, ignored"),
        ("$.sent_by", "unknown field, ignored"),
    ];
    let found: Vec<(&str, &str)> =
        warnings.iter().map(|warning| (warning.field.as_str(), warning.message.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_summary_reads_as_a_sentence() {
    let faults = judge(
        &message(&[edited(|order| {
            order["status"] = json!("Lost");
            order["items"][0]["quantity"] = json!("two");
        })]),
        false,
    )
    .unwrap_err();

    assert_eq!(
        faults.summary(),
        "2 fields are not acceptable: $.returns_portal_order.orders[0].status must be one of \
         Created, Shipped, Cancelled; $.returns_portal_order.orders[0].items[0].quantity must be \
         an integer"
    );
}

#[test]
fn an_order_alone_has_its_paths_from_the_root() {
    let text = edited(|order| order["items"][0]["sku"] = json!(1)).to_string();
    let document = document::parse(text.as_bytes()).unwrap();

    let faults = read_order(&document, &context(false)).unwrap_err();

    assert_eq!(faults.errors.len(), 1);
    assert_eq!(faults.errors[0].field, "$.items[0].sku");
}
