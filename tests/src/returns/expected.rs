//! What messages should say, with fixed words in the place of what differs from run to run.

use serde_json::{Value, json};

/// A body with fixed words in it: `RMA` for the return, `NUMBER` for parcels' numbers, `TIME`.
pub(super) fn redacted(body: &str, rma: &str) -> String {
    let mut message: Value = serde_json::from_str(body).unwrap();
    assert_eq!(message["rma_identifier"], rma);
    message["rma_identifier"] = json!("RMA");
    for time in ["created_at", "updated_at"] {
        let text = message[time].as_str().unwrap();
        assert!(domain::time::parse(text).is_some(), "{text}");
        message[time] = json!("TIME");
    }
    for item in message["items"].as_array_mut().unwrap() {
        if item["tracking_number"].as_str().is_some_and(|it| it.starts_with("SIM00")) {
            item["tracking_number"] = json!("NUMBER");
        }
    }
    message.to_string()
}

/// One unit of the order A: its line, and what is paid back for it.
pub(super) fn unit(line: &str, cents: i64) -> Value {
    json!({
        "order_line_item_identifier": line,
        "order_identifier": "A",
        "exchange_order_identifier": null,
        "original_order_identifier": null,
        "return_reason": "too_small",
        "is_exchange": false,
        "sku": format!("SKU-{line}"),
        "tracking_number": null,
        "package_tracking_status": null,
        "receiving_status": null,
        "refund_financials": {
            "estimated_refund_amount_cents": cents,
            "service_refund_amount_cents": 0,
            "shopper_refund_amount_cents": cents,
        },
        "refund_type": "REFUND",
        "upc": null,
        "warehouse_receipt_condition": null,
    })
}

/// The first message about a return of these units.
pub(super) fn created(method: &str, units: &[Value]) -> Value {
    json!({
        "rma_identifier": "RMA",
        "status": "CREATED",
        "created_at": "TIME",
        "updated_at": "TIME",
        "items": units,
        "return_method": method,
        "return_shipping_cost_cents": 0,
        "gift_refund_only": false,
        "bonus_credit_amount_cents": 0,
        "receiving_complete": !units.iter().any(|it| it["receiving_status"] == "PENDING"),
        "concept": null,
    })
}

/// The message with another status.
pub(super) fn with_status(message: &Value, status: &str) -> Value {
    let mut message = message.clone();
    message["status"] = json!(status);
    message
}

/// The message with other values in every unit.
pub(super) fn with_units(message: &Value, fields: &[(&str, Value)]) -> Value {
    let count = message["items"].as_array().unwrap().len();
    (0..count).fold(message.clone(), |message, position| with_unit(&message, position, fields))
}

/// The message with other values in one unit.
pub(super) fn with_unit(message: &Value, position: usize, fields: &[(&str, Value)]) -> Value {
    let mut message = message.clone();
    for (name, value) in fields {
        let field = message["items"][position].get_mut(*name);
        *field.unwrap_or_else(|| panic!("units have no {name}")) = value.clone();
    }
    message
}

/// The message once there is a label.
pub(super) fn labelled(message: &Value) -> Value {
    let label =
        [("tracking_number", json!("NUMBER")), ("package_tracking_status", json!("PRE_TRANSIT"))];
    with_units(message, &label)
}

/// The message with the parcel elsewhere.
pub(super) fn tracked(message: &Value, status: &str) -> Value {
    with_units(message, &[("package_tracking_status", json!(status))])
}
