//! The rules of an order as a merchant meets them: each broken alone, with the whole answer.
//!
//! Which fields exist and what each may hold is tested where the reading is; here
//! it is that every rule reaches the caller with its field, its code and its reason.

use serde_json::{Value, json};

use super::{invalid, new_merchants, publish_one};
use crate::harness::samples::{message, refund_of, refunded_order, sample_order, taken_in};

const CENTS: &str = "must be between 0 and 10000000000000";
const QUANTITY: &str = "must be between 0 and 1000";
const INTEGER: &str = "must be an integer";
const MISSING: &str = "is missing";
const TWICE: &str = "must be unique";
const STATUS: &str = "must be one of Created, Shipped, Cancelled";
const TIME: &str = "must be an ISO 8601 time such as 2026-03-01T12:30:00Z";
const TIME_TEXT: &str = "must be a string with an ISO 8601 time";
const TOO_FEW: &str = "must be at least quantity_shipped plus quantity_canceled";
const REFUNDED: &str = "must not exceed quantity_shipped";
const LINE: &str = "must be the identifier of a line of this order";
const EMAIL: &str = "must be an e-mail address";

/// A place in an order, the value that is put there, and what is said of it.
type Rule = (&'static str, Value, &'static str, &'static str);

/// Every rule that concerns one order, for [`two_lines`].
fn order_rules() -> Vec<Rule> {
    let refund = "refunds[0].total_refund_amount_cents";
    let refund_line = "refunds[0].refund_line_items[0].order_item_identifier";
    vec![
        ("status", json!("shipped"), "invalid", STATUS),
        ("total_amount_cents", json!(-1), "invalid", CENTS),
        ("tax_amount_cents", json!(1.5), "invalid_type", INTEGER),
        ("shipping_amount_cents", json!("5"), "invalid_type", INTEGER),
        ("items[0].tax_amount_cents", json!(-1), "invalid", CENTS),
        ("items[0].quantity", json!(1_001), "invalid", QUANTITY),
        ("items[0].quantity", json!(0), "invalid", TOO_FEW),
        ("items[1].quantity_refunded", json!(1), "invalid", REFUNDED),
        ("items[1].identifier", json!("1"), "invalid", TWICE),
        ("created_at", json!("yesterday"), "invalid", TIME),
        ("updated_at", json!(1_771_000_000), "invalid_type", TIME_TEXT),
        ("customer.email", json!("nobody"), "invalid", EMAIL),
        ("customer.identifier", Value::Null, "missing_field", MISSING),
        ("items[0].title", Value::Null, "missing_field", MISSING),
        ("billing_address.city", Value::Null, "missing_field", MISSING),
        ("discounts", Value::Null, "missing_field", MISSING),
        ("tags", json!("web"), "invalid_type", "must be a list"),
        ("shipping_address", json!([]), "invalid_type", "must be an object"),
        (refund, json!(-5), "invalid", CENTS),
        (refund_line, json!("9"), "invalid", LINE),
    ]
}

/// An order of two lines, the first with a refund.
fn two_lines() -> Value {
    let mut order = refunded_order("A", "RF-1");
    let mut second = super::sample_order("A")["items"][0].clone();
    second["identifier"] = json!("2");
    second["quantity_refunded"] = json!(0);
    order["items"].as_array_mut().unwrap().push(second);
    order
}

#[test]
fn every_rule_of_an_order_is_told_with_its_field_code_and_reason() {
    for (server, token) in new_merchants() {
        for (place, value, code, reason) in order_rules() {
            let mut order = two_lines();
            let pointer = format!("/{}", place.replace(['.', '['], "/").replace(']', ""));
            *order.pointer_mut(&pointer).unwrap() = value;
            let field = format!("$.returns_portal_order.orders[0].{place}");
            let reply = publish_one(server, &token, &order);
            assert_eq!(reply.said(), invalid(&[(&field, code, reason)]));
        }
        assert_eq!(server.order(&token, "A").status, 404);
        assert_eq!(publish_one(server, &token, &two_lines()).said(), taken_in(&[("A", "created")]));
    }
}

#[test]
fn identifiers_are_unique_within_a_message() {
    for (server, token) in new_merchants() {
        let orders = [refunded_order("A", "RF-1"), sample_order("A"), refunded_order("B", "RF-1")];

        let reply = server.publish(&token, &message(&orders));

        let at = "$.returns_portal_order.orders";
        let (order, refund) =
            (format!("{at}[1].identifier"), format!("{at}[2].refunds[0].identifier"));
        let expected = invalid(&[(&order, "invalid", TWICE), (&refund, "invalid", TWICE)]);
        assert_eq!(reply.said(), expected);
    }
}

#[test]
fn no_more_units_are_refunded_than_were_shipped() {
    for (server, token) in new_merchants() {
        let mut order = refunded_order("A", "RF-1");
        order["refunds"] = json!([refund_of("RF-1"), refund_of("RF-2")]);

        let reply = publish_one(server, &token, &order);

        let at = "$.returns_portal_order.orders[0].refunds[1].refund_line_items[0].quantity";
        let why = "must not, together with earlier refunds, exceed the units shipped";
        assert_eq!(reply.said(), invalid(&[(at, "invalid", why)]));
    }
}

#[test]
fn a_refund_to_be_ignored_is_held_like_any_other() {
    for (server, token) in new_merchants() {
        let mut order = refunded_order("A", "RF-1");
        order["refunds"][0]["tags"] = json!(["ignore_refund"]);

        let reply = publish_one(server, &token, &order);

        assert_eq!(reply.status, 200, "{}", reply.said());
        let warning = json!({
            "field": "$.returns_portal_order.orders[0].refunds[0]",
            "message": "has no effect, because it has the tag ignore_refund",
        });
        assert_eq!(reply.json()["warnings"], json!([warning]));
        assert_eq!(server.order(&token, "A").json(), order);
    }
}
