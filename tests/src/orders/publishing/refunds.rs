//! Refund entries are recorded once: they never change, and they never go away.

use serde_json::json;

use super::{invalid, new_merchants, publish_one};
use crate::harness::samples::{message, refund_of, refunded_order, taken_in};

const CHANGED: &str = "refers to a refund that was already recorded with different content";

#[test]
fn a_refund_with_another_body_is_refused_and_nothing_is_stored() {
    for (server, token) in new_merchants() {
        let first = refunded_order("A", "RF-1");
        publish_one(server, &token, &first);
        let mut second = first.clone();
        second["updated_at"] = json!("2026-03-02T08:00:00Z");
        second["refunds"][0]["note"] = json!("an afterthought");

        let other = refunded_order("B", "RF-2");
        let reply = server.publish(&token, &message(&[other, second]));

        let at = "$.returns_portal_order.orders[1].refunds[0].identifier";
        assert_eq!(reply.said(), invalid(&[(at, "invalid", CHANGED)]));
        assert_eq!(server.order(&token, "A").json(), first);
        assert_eq!(server.order(&token, "B").status, 404);
    }
}

#[test]
fn a_refund_written_in_another_layout_is_the_same_refund() {
    for (server, token) in new_merchants() {
        publish_one(server, &token, &refunded_order("A", "RF-1"));
        let mut second = refunded_order("A", "RF-1");
        second["updated_at"] = json!("2026-03-02T08:00:00Z");
        let turned = json!({
            "created_at": "2126-03-01T08:00:00Z",
            "refund_line_items": [
                { "order_item_identifier": "1", "quantity": 1, "identifier": "RF-1-1" }
            ],
            "total_refund_amount_cents": 0,
            "identifier": "RF-1",
        });
        second["refunds"] = json!([turned]);

        let reply = publish_one(server, &token, &second);

        assert_eq!(reply.said(), taken_in(&[("A", "updated")]));
        assert_eq!(server.order(&token, "A").json(), second);
    }
}

#[test]
fn refunds_that_a_newer_snapshot_omits_stay_recorded() {
    for (server, token) in new_merchants() {
        publish_one(server, &token, &refunded_order("A", "RF-1"));
        let mut second = refunded_order("A", "RF-1");
        second["updated_at"] = json!("2026-03-02T08:00:00Z");
        second["refunds"] = json!([]);

        let reply = publish_one(server, &token, &second);

        assert_eq!(reply.said(), taken_in(&[("A", "updated")]));
        second["refunds"] = json!([refund_of("RF-1")]);
        assert_eq!(server.order(&token, "A").json(), second);

        let mut third = second.clone();
        third["updated_at"] = json!("2026-03-03T08:00:00Z");
        third["items"][0]["quantity"] = json!(2);
        third["items"][0]["quantity_shipped"] = json!(2);
        third["refunds"] = json!([refund_of("RF-2")]);
        publish_one(server, &token, &third);

        third["refunds"] = json!([refund_of("RF-2"), refund_of("RF-1")]);
        assert_eq!(server.order(&token, "A").json(), third, "its own first, then the omitted");
    }
}

#[test]
fn a_recorded_refund_may_be_sent_again_when_its_line_is_gone_but_a_new_one_must_fit() {
    for (server, token) in new_merchants() {
        let first = refunded_order("A", "RF-1");
        publish_one(server, &token, &first);
        let mut second = first.clone();
        second["updated_at"] = json!("2026-03-02T08:00:00Z");
        second["items"][0]["identifier"] = json!("2");

        let reply = publish_one(server, &token, &second);

        assert_eq!(reply.json()["orders"], json!([{ "identifier": "A", "result": "updated" }]));
        let at = "$.returns_portal_order.orders[0].refunds[0]";
        let warning = json!({
            "field": at,
            "message": "was recorded before and does not fit the newest snapshot: \
                        the order no longer has line 1",
        });
        assert_eq!(reply.json()["warnings"], json!([warning]));
        assert_eq!(server.order(&token, "A").json(), second);

        let mut third = second.clone();
        third["updated_at"] = json!("2026-03-03T08:00:00Z");
        third["refunds"] = json!([refund_of("RF-1"), refund_of("RF-2")]);
        let line = "$.returns_portal_order.orders[0].refunds[1].refund_line_items[0]";
        let field = format!("{line}.order_item_identifier");
        let no_line = (field.as_str(), "invalid", "must be the identifier of a line of this order");
        assert_eq!(publish_one(server, &token, &third).said(), invalid(&[no_line]));

        third["total_amount_cents"] = json!(-1);
        let errors = publish_one(server, &token, &third).json()["errors"].clone();
        let total = "$.returns_portal_order.orders[0].total_amount_cents";
        let fields: Vec<&str> =
            errors.as_array().unwrap().iter().map(|it| it["field"].as_str().unwrap()).collect();
        assert_eq!(fields, [total, &field], "not the line of the recorded refund");
    }
}

#[test]
fn a_stale_snapshot_still_records_its_new_refunds() {
    for (server, token) in new_merchants() {
        let mut newer = refunded_order("A", "RF-1");
        newer["refunds"] = json!([]);
        publish_one(server, &token, &newer);
        let mut older = refunded_order("A", "RF-1");
        older["updated_at"] = json!("2026-02-01T08:00:00Z");

        let reply = publish_one(server, &token, &older);

        assert_eq!(reply.said(), taken_in(&[("A", "stale")]));
        newer["refunds"] = older["refunds"].clone();
        assert_eq!(server.order(&token, "A").json(), newer);
    }
}

#[test]
fn a_refund_belongs_to_one_order_of_one_merchant() {
    for (server, token) in new_merchants() {
        publish_one(server, &token, &refunded_order("A", "RF-1"));

        let reply = publish_one(server, &token, &refunded_order("B", "RF-1"));

        let at = "$.returns_portal_order.orders[0].refunds[0].identifier";
        assert_eq!(reply.said(), invalid(&[(at, "invalid", CHANGED)]));
        let other = server.token(&server.merchant("other"));
        let reply = publish_one(server, &other, &refunded_order("B", "RF-1"));
        assert_eq!(reply.said(), taken_in(&[("B", "created")]));
    }
}

#[test]
fn refunds_of_one_snapshot_are_given_back_in_its_order() {
    for (server, token) in new_merchants() {
        let mut order = refunded_order("A", "RF-2");
        order["items"][0]["quantity"] = json!(2);
        order["items"][0]["quantity_shipped"] = json!(2);
        order["refunds"] = json!([refund_of("RF-2"), refund_of("RF-1")]);

        publish_one(server, &token, &order);

        assert_eq!(server.order(&token, "A").json(), order);
    }
}
