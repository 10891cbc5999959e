//! The exchange order is published like any other order: shipped, it settles its return; and its
//! goods can come back in turn, for no more than was given for them.

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::Behavior;

use super::{
    expected::{Becomes, Rma, rma, tee, unit},
    stage::{
        ExchangeStage, exchange_for, exchange_order, gift_card, item, refund, sample_order,
        servers, unshipped,
    },
};
use crate::harness::samples::message;

const EVEN: &str = "EVEN_EXCHANGE";

/// A merchant with whom one tee was exchanged for a large one.
fn exchanged(stage: &ExchangeStage<'_>) -> Rma {
    stage.publish(&sample_order("O-1"));
    let started = stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))]);
    stage.told(&started, 2);
    started
}

#[test]
fn an_exchange_order_that_is_shipped_settles_its_return_once() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let started = exchanged(&stage);
        let shipped = exchange_order("EX-100001", 4_500, 360);

        stage.publish(&unshipped(&shipped));
        stage.told(&started, 2);
        stage.publish(&shipped);

        let settled = rma("REFUNDED", &[tee("O-1", &Becomes::Goods(EVEN, Some("EX-100001")))], 0);
        assert_eq!(stage.told(&started, 3)[2], settled);
        let mut later = shipped;
        later["updated_at"] = json!("2026-05-01T08:00:00Z");
        stage.publish(&later);
        stage.told(&started, 3);
        stage.assert_promises_kept();
    }
}

#[test]
fn an_exchange_order_that_is_cancelled_is_paid_in_money() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let started = exchanged(&stage);
        let mut cancelled = unshipped(&exchange_order("EX-100001", 4_500, 360));
        cancelled["status"] = json!("Cancelled");

        stage.publish(&cancelled);

        let money = rma("CREATED", &[tee("O-1", &Becomes::Money)], 0);
        assert_eq!(stage.told(&started, 3)[2], money);
        stage.until(&started, "cancelled");
        stage.publish(&refund_of(&started, 1));
        assert_eq!(stage.told(&started, 4)[3]["status"], "REFUNDED");
        stage.assert_promises_kept();
    }
}

#[test]
fn one_message_may_cancel_an_exchange_order_and_refund_its_units() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let started = exchanged(&stage);
        let mut cancelled = unshipped(&exchange_order("EX-100001", 4_500, 360));
        cancelled["status"] = json!("Cancelled");

        stage.stage.publish(&[refund_of(&started, 1), cancelled]);

        let told = stage.told(&started, 4);
        assert_eq!(
            (&told[2]["status"], &told[3]["status"]),
            (&json!("CREATED"), &json!("REFUNDED"))
        );
        assert_eq!(stage.get("/refund_problems").json()["refunds"], json!([]));
        stage.assert_promises_kept();
    }
}

#[test]
fn a_fee_that_the_gift_card_has_paid_is_not_deducted_when_the_goods_are_cancelled() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.set_policy(&json!({
            "window_days": 3650, "gift_card": { "sku": "GIFT-CARD" },
            "methods": [{ "method": "mail-back", "fee_cents": 595 }],
        }));
        stage.publish(&sample_order("O-1"));
        let started = stage.start(&[
            item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L")),
            item("O-1", "scarf", 1, &gift_card()),
        ]);
        stage.told(&started, 2);
        assert_eq!(stage.asked(&started)[0]["items"][1]["unit_price_amount_cents"], 3_617);
        let mut cancelled = unshipped(&exchange_order("EX-100001", 4_500, 360));
        cancelled["status"] = json!("Cancelled");

        stage.publish(&cancelled);

        let statement = &stage.held(&started)["statement"];
        let promised = &statement["promised"];
        assert_eq!(
            (&promised["refund_cents"], &promised["fee_cents"]),
            (&json!(4_610), &json!(595))
        );
        assert_eq!(statement["paid"][0]["amount_cents"], 3_617);
        assert_eq!(statement["balance_cents"], 4_610);
        stage.publish(&refund_of(&started, 1));
        let settled = &stage.held(&started)["statement"];
        assert_eq!(settled["balance_cents"], 0);
        let problems = stage.get("/refund_problems").json();
        assert_eq!(problems["refunds"], json!([]));
    }
}

#[test]
fn of_an_exchange_order_that_is_partly_shipped_only_the_rest_is_paid_in_money() {
    for server in servers() {
        for status in ["Shipped", "Cancelled"] {
            let stage = ExchangeStage::with_order(server);
            let started = stage.start(&[item("O-1", "tees", 2, &exchange_for("TEE-NAVY-L"))]);
            stage.told(&started, 2);
            let mut divided = exchange_order("EX-100001", 4_500, 360);
            divided["status"] = json!(status);
            divided["items"][0]["quantity"] = json!(2);
            divided["items"][0]["quantity_canceled"] = json!(1);

            stage.publish(&divided);

            let told = stage.told(&started, 4);
            let kinds = |message: &Value| -> Vec<Value> {
                let items = message["items"].as_array().unwrap().iter();
                let mut kinds: Vec<Value> = items.map(|it| it["refund_type"].clone()).collect();
                kinds.sort_by_key(ToString::to_string);
                kinds
            };
            assert_eq!(kinds(&told[3]), [EVEN, "REFUND"], "{status}");
            assert_eq!(told[3]["status"], "CREATED", "{status}");
            stage.publish(&divided);
            stage.told(&started, 4);
            stage.publish(&refund_of(&started, 1));
            assert_eq!(stage.told(&started, 5)[4]["status"], "REFUNDED", "{status}");
            stage.assert_promises_kept();
        }
    }
}

#[test]
fn a_return_is_settled_when_all_its_parts_are() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let started = stage.start(&[
            item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L")),
            item("O-1", "tees", 1, &refund()),
            item("O-1", "scarf", 1, &gift_card()),
        ]);
        stage.told(&started, 2);

        stage.publish(&exchange_order("EX-100001", 4_500, 360));
        assert_eq!(stage.told(&started, 3)[2]["status"], "CREATED");
        stage.publish(&refund_of(&started, 1));

        assert_eq!(stage.told(&started, 4)[3]["status"], "REFUNDED");
    }
}

/// The order with a refund of so many tees of the return.
fn refund_of(started: &Rma, quantity: i64) -> Value {
    let mut refunded = sample_order("O-1");
    refunded["updated_at"] = json!("2026-03-01T08:00:00Z");
    refunded["refunds"] = json!([{
        "identifier": "RF-1",
        "total_refund_amount_cents": 4_610 * quantity,
        "refund_line_items": [
            { "identifier": "RF-1-1", "quantity": quantity, "order_item_identifier": "tees" },
        ],
        "created_at": "2126-03-01T08:00:00Z",
        "rma_identifier": started.id,
    }]);
    refunded
}

/// The merchant pays for what it has replaced: that is a fact, which a person should look at, and
/// no change.
#[test]
fn money_for_what_was_exchanged_is_doubted() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let started = stage.start(&[item("O-1", "tees", 2, &exchange_for("TEE-NAVY-L"))]);
        stage.told(&started, 2);

        let reply = server.publish(&stage.token, &message(&[refund_of(&started, 1)]));

        assert_eq!(
            reply.json()["warnings"],
            json!([{
                "field": "$.returns_portal_order.orders[0].refunds[0]",
                "message": "pays for units that were already spent: 1 of tees",
            }])
        );
        stage.told(&started, 2);
    }
}

#[test]
fn an_order_that_was_shipped_before_we_knew_of_it_settles_its_return() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let slow = Behavior { delay_ms: 1_000, ..Behavior::NORMAL };
        stage.behave(MessageKind::ExchangeOrder, slow);
        let started = stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))]);
        stage.publish(&exchange_order("EX-100001", 4_500, 360));
        assert_eq!(stage.held(&started)["status"], "PENDING_EXCHANGE");

        let told = stage.told(&started, 3);

        let unit = [tee("O-1", &Becomes::Goods(EVEN, Some("EX-100001")))];
        assert_eq!(told[1..], [rma("CREATED", &unit, 0), rma("REFUNDED", &unit, 0)]);
        stage.assert_promises_kept();
    }
}

#[test]
fn an_exchange_order_whose_snapshots_contradict_each_other_settles_its_return() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let slow = Behavior { delay_ms: 1_500, ..Behavior::NORMAL };
        stage.behave(MessageKind::ExchangeOrder, slow);
        let started = stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))]);
        let mut shipped = exchange_order("EX-100001", 4_500, 360);
        for (refund, updated_at) in
            [("RF-1", "2026-05-01T08:00:00Z"), ("RF-2", "2026-05-01T08:00:01Z")]
        {
            shipped["updated_at"] = json!(updated_at);
            shipped["refunds"] = json!([{
                "identifier": refund,
                "total_refund_amount_cents": 4_860,
                "refund_line_items": [{
                    "identifier": format!("{refund}-1"), "quantity": 1,
                    "order_item_identifier": shipped["items"][0]["identifier"],
                }],
                "created_at": "2126-03-01T08:00:00Z",
            }]);
            stage.publish(&shipped);
        }
        assert_eq!(stage.held(&started)["status"], "PENDING_EXCHANGE");

        assert_eq!(stage.told(&started, 3)[2]["status"], "REFUNDED");
    }
}

/// A unit of an exchange order that was exchanged for `origin`.
fn again(order: &str, origin: &str, cents: i64, becomes: &Becomes<'_>) -> Value {
    let what = json!({
        "order_line_item_identifier": format!("{order}-1"),
        "original_order_identifier": origin,
        "sku": "TEE-NAVY-L",
        "upc": "012345678905",
    });
    unit(order, cents, becomes, &what)
}

/// The first order's tee cost 46.10. Twice the merchant sends something dearer in its place, and in
/// the end it is 46.10 that comes back.
#[test]
fn a_chain_of_exchanges_never_pays_more_than_was_paid_at_its_root() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        exchanged(&stage);
        let mut dearer = exchange_order("EX-100001", 9_000, 720);
        dearer["items"][0]["unit_price_amount_cents"] = json!(4_500);
        stage.publish(&dearer);

        let wants = exchange_for("TEE-NAVY-S");
        let second = stage.start(&[item("EX-100001", "EX-100001-1", 1, &wants)]);

        let becomes = Becomes::Goods(EVEN, Some("EX-100002"));
        let told = [again("EX-100001", "O-1", 4_610, &becomes)];
        assert_eq!(stage.told(&second, 2)[1], rma("CREATED", &told, 0));
        assert_eq!(stage.until(&second, "placed")["goods_credit_cents"], 4_610);
        stage.publish(&exchange_order("EX-100002", 20_000, 1_600));
        stage.told(&second, 3);

        let third = stage.start(&[item("EX-100002", "EX-100002-1", 1, &refund())]);

        let told = [again("EX-100002", "EX-100001", 4_610, &Becomes::Money)];
        assert_eq!(stage.told(&third, 1), [rma("CREATED", &told, 0)]);
        assert_eq!(third.answer["quote"]["total_cents"], 4_610);
        stage.assert_promises_kept();
    }
}

#[test]
fn what_was_paid_on_top_comes_back_and_what_was_not_charged_does_not() {
    for server in servers() {
        for (price, tax, on_top, worth) in
            [(9_000, 720, 5_000, 9_610), (9_000, 720, 9_999, 9_720), (1_000, 80, 0, 1_080)]
        {
            let stage = ExchangeStage::set(server);
            let started = exchanged(&stage);
            let paid = stage.until(&started, "placed")["transaction_id"].clone();
            let mut published = exchange_order("EX-100001", price, tax);
            published["transactions"] = json!([
                { "identifier": paid, "amount_cents": 4_610 },
                { "identifier": "TX-1", "amount_cents": on_top },
                { "identifier": "TX-2", "amount_cents": 7_777, "is_test": true },
            ]);
            stage.publish(&published);

            let back = stage.start(&[item("EX-100001", "EX-100001-1", 1, &refund())]);

            assert_eq!(back.answer["quote"]["total_cents"], worth);
            let shown = stage.get("/orders/EX-100001/returnability").json();
            let shown = shown["lines"][0]["units"][0].to_string();
            assert!(shown.contains("EX-100001") || shown.contains("already"), "{shown}");
        }
    }
}

/// The card took its part of the credit with it.
#[test]
fn goods_that_came_beside_a_card_are_worth_what_was_given_for_the_goods() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let started = stage.start(&[
            item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L")),
            item("O-1", "scarf", 1, &gift_card()),
        ]);
        let record = stage.until(&started, "placed");
        assert_eq!(
            (&record["credit_cents"], &record["goods_credit_cents"]),
            (&json!(8_822), &json!(4_610))
        );
        stage.publish(&exchange_order("EX-100001", 9_000, 720));

        let back = stage.start(&[item("EX-100001", "EX-100001-1", 1, &refund())]);

        assert_eq!(back.answer["quote"]["total_cents"], 4_610);
    }
}
