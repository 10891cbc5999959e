//! What is accepted with a warning, and refused when the merchant asked for strict reading.

use serde_json::{Value, json};

use super::{invalid, publish_one};
use crate::harness::{
    home::Merchant,
    samples::{full_order, message, refunded_order, sample_order, taken_in},
    server::Server,
    shared,
};

const AT: &str = "$.returns_portal_order.orders[0]";

/// An order in which every sum is wrong that may be wrong, and what is said of it.
fn doubtful_order() -> (Value, Vec<(String, &'static str)>) {
    let mut order = refunded_order("doubtful", "RF-1");
    order["product_amount_cents"] = json!(100);
    order["tax_amount_cents"] = json!(20);
    order["total_amount_cents"] = json!(1);
    order["items"][0]["unit_price_amount_cents"] = json!(50);
    order["items"][0]["product_amount_cents"] = json!(60);
    order["transactions"] = json!([{ "amount_cents": 7 }, { "amount_cents": 8 }]);
    order["refunds"][0]["created_at"] = json!("2026-03-01T08:00:00Z");
    let of_parts = "should be 120 (products, tax, shipping, and shipping tax, less the discount)";
    let doubts = [
        (".items[0].product_amount_cents", "should be 50 (unit price times quantity_shipped)"),
        (".refunds[0].created_at", "should be in the future"),
        (
            ".refunds[0].total_refund_amount_cents",
            "should be 1 (total_amount_cents, for every shipped unit)",
        ),
        (".product_amount_cents", "should be 60 (the sum of the lines)"),
        (".tax_amount_cents", "should be 0 (the sum of the lines)"),
        (".total_amount_cents", of_parts),
        (".transactions", "should add up to total_amount_cents (1)"),
    ];
    (order, doubts.map(|(field, message)| (format!("{AT}{field}"), message)).to_vec())
}

fn strict_merchant(server: &Server) -> Merchant {
    let merchant = server.merchant("strict");
    let changed = server.home.json(&["merchant", "set", &merchant.id, "--strict", "true"]);
    assert_eq!(changed["settings"]["strict"], json!(true));
    merchant
}

#[test]
fn amounts_that_do_not_add_up_are_stored_with_warnings() {
    for server in shared::on_every_engine() {
        let token = server.token(&server.merchant("lenient"));
        let (order, doubts) = doubtful_order();

        let reply = publish_one(server, &token, &order);

        let warnings: Vec<_> = doubts
            .iter()
            .map(|(field, message)| json!({ "field": field, "message": message }))
            .collect();
        let orders = json!([{ "identifier": "doubtful", "result": "created" }]);
        let expected = json!({ "orders": orders, "warnings": warnings });
        assert_eq!(reply.said(), format!("200 {expected}"));
        assert_eq!(server.order(&token, "doubtful").json(), order);
    }
}

#[test]
fn a_strict_merchant_is_refused_the_same_order_until_it_is_lenient_again() {
    for server in shared::on_every_engine() {
        let merchant = strict_merchant(server);
        let token = server.token(&merchant);
        let (order, doubts) = doubtful_order();

        let reply = publish_one(server, &token, &order);

        assert_eq!(reply.status, 422);
        // A fee makes less of a refund that was promised.
        let doubts =
            doubts.iter().filter(|(field, _)| !field.ends_with(".total_refund_amount_cents"));
        let expected: Vec<_> =
            doubts.clone().map(|(field, _)| json!({ "field": field, "code": "invalid" })).collect();
        assert_eq!(reply.json()["errors"], json!(expected));
        let spelled = doubts.take(5).map(|(field, reason)| format!("{field} {reason}"));
        let spelled = spelled.collect::<Vec<_>>().join("; ");
        let summary = format!("6 fields are invalid: {spelled}; and 1 more");
        assert_eq!(reply.json()["message"], json!(summary));
        assert_eq!(server.order(&token, "doubtful").status, 404);

        server.home.json(&["merchant", "set", &merchant.id, "--strict", "false"]);
        assert_eq!(publish_one(server, &token, &order).status, 200, "seen at once");
    }
}

/// A merchant that became strict after it had published an order whose refund has a date in the
/// past: its token, and the order.
fn publish_before_strict(server: &Server) -> (String, Value) {
    let merchant = server.merchant("dated");
    let token = server.token(&merchant);
    let mut order = refunded_order("A", "RF-1");
    order["refunds"][0]["created_at"] = json!("2026-03-01T08:00:00Z");
    assert_eq!(publish_one(server, &token, &order).status, 200);
    server.home.json(&["merchant", "set", &merchant.id, "--strict", "true"]);
    (token, order)
}

#[test]
fn a_strict_merchant_may_repeat_a_recorded_refund_whose_date_has_passed() {
    for server in shared::on_every_engine() {
        let (token, mut order) = publish_before_strict(server);
        order["updated_at"] = json!("2126-01-01T00:00:00Z");

        let repeated = publish_one(server, &token, &order);

        assert_eq!(repeated.said(), taken_in(&[("A", "updated")]));
        let mut other = refunded_order("B", "RF-2");
        other["refunds"][0]["created_at"] = json!("2026-03-01T08:00:00Z");
        let refused = publish_one(server, &token, &other);
        let field = format!("{AT}.refunds[0].created_at");
        assert_eq!(refused.status, 422);
        assert_eq!(refused.json()["errors"], json!([{ "field": field, "code": "invalid" }]));
        let why = format!("1 field is invalid: {field} should be in the future");
        assert_eq!(refused.json()["message"], json!(why));
    }
}

#[test]
fn what_contradicts_the_store_is_listed_with_the_other_faults() {
    for server in shared::on_every_engine() {
        let (token, mut order) = publish_before_strict(server);
        let errors = |order: &Value| publish_one(server, &token, order).json()["errors"].clone();
        let expected = |fields: &[&str]| -> Value {
            let errors = fields
                .iter()
                .map(|field| json!({ "field": format!("{AT}.{field}"), "code": "invalid" }));
            errors.collect()
        };
        order["total_amount_cents"] = json!(1);
        assert_eq!(errors(&order), expected(&["total_amount_cents"]), "its date may have passed");

        order["refunds"][0]["note"] = json!("another");
        let fields = ["total_amount_cents", "refunds[0].identifier"];
        assert_eq!(errors(&order), expected(&fields));

        order["refunds"][0]["identifier"] = json!("RF-2");
        let fields = ["refunds[0].created_at", "total_amount_cents"];
        assert_eq!(errors(&order), expected(&fields), "a new one must have a later date");
    }
}

#[test]
fn a_strict_merchant_may_send_sums_that_close_and_fields_nobody_knows() {
    let server = shared::server();
    let token = server.token(&strict_merchant(server));
    let mut order = sample_order("A");
    order["loyalty_tier"] = json!("gold");

    let reply = publish_one(server, &token, &order);

    let field = format!("{AT}.loyalty_tier");
    let expected = json!({
        "orders": [{ "identifier": "A", "result": "created" }],
        "warnings": [{ "field": field, "message": "unknown field, kept as sent" }],
    });
    assert_eq!(reply.said(), format!("200 {expected}"));
    let sample = publish_one(server, &token, &full_order());
    assert_eq!(sample.said(), taken_in(&[("ORD-100472", "created")]));
}

#[test]
fn one_doubt_of_a_strict_merchant_is_one_error() {
    let server = shared::server();
    let token = server.token(&strict_merchant(server));
    let mut order = sample_order("A");
    order["total_amount_cents"] = json!(1);

    let reply = publish_one(server, &token, &order);

    let at = format!("{AT}.total_amount_cents");
    let why = "should be 0 (products, tax, shipping, and shipping tax, less the discount)";
    assert_eq!(reply.said(), invalid(&[(&at, "invalid", why)]));
}

#[test]
fn unknown_fields_are_named_wherever_they_are() {
    for server in shared::on_every_engine() {
        let token = server.token(&server.merchant("lenient"));
        let mut order = sample_order("A");
        order["items"][0]["x"] = json!(1);
        order["customer"]["y"] = json!({ "deep": true });
        order["billing_address"]["z"] = json!(null);
        let mut sent: Value = serde_json::from_str(&message(&[order.clone()])).unwrap();
        sent["version"] = json!(3);
        sent["returns_portal_order"]["source"] = json!("shop");

        let reply = server.publish(&token, &sent.to_string());

        let (kept, ignored) = ("unknown field, kept as sent", "unknown field, ignored");
        let expected = json!([
            { "field": format!("{AT}.items[0].x"), "message": kept },
            { "field": format!("{AT}.customer.y"), "message": kept },
            { "field": format!("{AT}.billing_address.z"), "message": kept },
            { "field": "$.returns_portal_order.source", "message": ignored },
            { "field": "$.version", "message": ignored },
        ]);
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["warnings"], expected);
        assert_eq!(server.order(&token, "A").json(), order);
    }
}
