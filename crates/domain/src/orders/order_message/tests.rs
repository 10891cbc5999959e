//! Whole messages: every expectation is the complete list of what is wrong or doubtful.

mod amounts;
mod properties;
mod required;
mod stored;
mod uniqueness;

use serde_json::{Value, json};

use super::*;
use crate::faults::FaultCode;
use crate::reader::test_faults::{invalid, list_faults_below, missing, wrong_type};
use crate::{json as document, samples};

const ORDER: &str = "$.returns_portal_order.orders[0]";

fn context(strict: bool) -> OrderReadContext {
    let now = "2026-06-01T00:00:00Z".parse().unwrap();
    OrderReadContext { now, strict, refunds: RefundCheck::All }
}

/// The order of the full sample.
fn sample_order() -> Value {
    let message: Value = serde_json::from_str(samples::order_message()).unwrap();
    message["returns_portal_order"]["orders"][0].clone()
}

/// The order of the full sample after `edit`.
fn edit_order(edit: impl FnOnce(&mut Value)) -> Value {
    let mut order = sample_order();
    edit(&mut order);
    order
}

fn message_of(orders: &[Value]) -> Value {
    json!({ "returns_portal_order": { "orders": orders } })
}

fn read_value(message: &Value, strict: bool) -> Result<OrderMessage, Faults> {
    let text = message.to_string();
    read_message(&document::parse(text.as_bytes()).unwrap(), &context(strict))
}

/// Every error of a message with these orders, with the path of the first order shortened to `@`.
fn errors_in(orders: &[Value]) -> Vec<(String, FaultCode)> {
    message_errors(&message_of(orders), false)
}

fn message_errors(message: &Value, strict: bool) -> Vec<(String, FaultCode)> {
    list_faults_below(ORDER, read_value(message, strict))
}

/// Every warning about a valid message with this order. If strict, the same are errors.
fn doubts_about(order: Value) -> Vec<String> {
    let message = message_of(&[order]);
    let reading = read_value(&message, false).unwrap();
    let fields: Vec<String> =
        reading.warnings.into_iter().map(|warning| warning.field.replace(ORDER, "@")).collect();
    let strict: Vec<String> = message_errors(&message, true)
        .into_iter()
        .map(|(field, code)| {
            assert_eq!(code, FaultCode::Invalid);
            field
        })
        .collect();
    assert_eq!(strict, fields);
    fields
}

#[test]
fn the_sample_has_neither_errors_nor_warnings() {
    let reading = read_value(&message_of(&[sample_order()]), true).unwrap();

    assert_eq!(reading.warnings, []);
    assert_eq!(reading.orders.len(), 1);
    assert_eq!(reading.orders[0].order.items.len(), 2);
}

#[test]
fn a_message_without_orders_is_acceptable() {
    assert_eq!(read_value(&message_of(&[]), false).unwrap().orders, []);
}

#[test]
fn an_envelope_of_another_shape_is_named() {
    let judged = |message: Value| message_errors(&message, false);

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
    assert_eq!(errors_in(&[json!(1)]), [wrong_type("@")]);
}

#[test]
fn a_message_of_too_many_orders_is_refused_unread() {
    let at_the_limit = vec![json!(1); ORDERS_MAX];
    let beyond = vec![json!(1); ORDERS_MAX + 1];

    assert_eq!(read_value(&message_of(&at_the_limit), false).unwrap_err().total, ORDERS_MAX);
    assert_eq!(errors_in(&beyond), [invalid("$.returns_portal_order.orders")]);
}

#[test]
fn unknown_fields_are_warned_of_and_stay_warnings_when_strict() {
    let mut message = message_of(&[edit_order(|order| {
        order["loyalty tier"] = json!("gold");
        order["items"][1]["aisle"] = json!(4);
    })]);
    message["sent_by"] = json!("shop");
    message["returns_portal_order"]["page"] = json!(1);

    let warnings = read_value(&message, true).unwrap().warnings;

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
    let faults = read_value(
        &message_of(&[edit_order(|order| {
            order["status"] = json!("Lost");
            order["items"][0]["quantity"] = json!("two");
        })]),
        false,
    )
    .unwrap_err();

    assert_eq!(
        faults.summary(),
        "2 fields are invalid: $.returns_portal_order.orders[0].status must be one of \
         Created, Shipped, Cancelled; $.returns_portal_order.orders[0].items[0].quantity must be \
         an integer"
    );
}

#[test]
fn an_order_alone_has_its_paths_from_the_root() {
    let text = edit_order(|order| order["items"][0]["sku"] = json!(1)).to_string();
    let document = document::parse(text.as_bytes()).unwrap();

    let faults = read_order(&document, &context(false)).unwrap_err();

    assert_eq!(faults.errors.len(), 1);
    assert_eq!(faults.errors[0].field, "$.items[0].sku");
}
