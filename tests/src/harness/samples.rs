//! Messages to send, made from the samples of the API's own reference.

use serde_json::{Value, json};

/// An order in which nothing stands but what must, under this identifier.
pub(crate) fn sample_order(identifier: &str) -> Value {
    let mut order = first_order(domain::samples::minimal_order_message());
    order["identifier"] = json!(identifier);
    order
}

/// The order in which every field occurs, but for the return that its refund would name.
pub(crate) fn full_order() -> Value {
    let mut order = first_order(domain::samples::order_message());
    order["refunds"][0].as_object_mut().unwrap().remove("rma_identifier");
    order
}

/// An order with one unit shipped of which a refund of this identifier tells.
pub(crate) fn refunded_order(identifier: &str, refund: &str) -> Value {
    let mut order = sample_order(identifier);
    order["items"][0]["quantity_shipped"] = json!(1);
    order["items"][0]["unit_price_amount_cents"] = json!(0);
    order["refunds"] = json!([refund_of(refund)]);
    order
}

/// A refund of the first line of [`order`].
pub(crate) fn refund_of(refund: &str) -> Value {
    json!({
        "identifier": refund,
        "total_refund_amount_cents": 0,
        "refund_line_items": [
            { "identifier": format!("{refund}-1"), "quantity": 1, "order_item_identifier": "1" }
        ],
        "created_at": "2126-03-01T08:00:00Z"
    })
}

/// The message that publishes these orders.
pub(crate) fn message(orders: &[Value]) -> String {
    json!({ "returns_portal_order": { "orders": orders } }).to_string()
}

fn first_order(message: &str) -> Value {
    let message: Value = serde_json::from_str(message).unwrap();
    message["returns_portal_order"]["orders"][0].clone()
}

/// What is answered when each of these orders had this result, and nothing is warned of.
pub(crate) fn taken_in(results: &[(&str, &str)]) -> String {
    let orders: Vec<Value> = results
        .iter()
        .map(|(identifier, result)| json!({ "identifier": identifier, "result": result }))
        .collect();
    format!("200 {}", json!({ "orders": orders, "warnings": [] }))
}
