//! A merchant that is slow, down, forgetful or unwilling: in the end there is one exchange order or
//! a refund.

use std::time::Instant;

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::Behavior;

use super::{
    expected::{Becomes, LARGE, Rma, asked, rma, scarf, tee, tees_replaced},
    scripted::Scripted,
    stage::{ExchangeStage, exchange_for, gift_card, item, refund, sample_order, servers},
};
use crate::{
    harness::{eventually, home::text, http::Request},
    messages::reconciliation::reconcile,
};

const EVEN: &str = "EVEN_EXCHANGE";

/// A merchant of whom a tee is exchanged for a large one, while it does this to exchange orders.
fn exchanged(stage: &ExchangeStage<'_>, behavior: Behavior) -> Rma {
    stage.publish(&sample_order("O-1"));
    stage.behave(MessageKind::ExchangeOrder, behavior);
    stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))])
}

/// The exchange was placed as it was asked for, with so many calls, and told of.
fn assert_placed(stage: &ExchangeStage<'_>, started: &Rma, calls: usize) {
    let unit = |exchange| [tee("O-1", &Becomes::Goods(EVEN, exchange))];
    assert_eq!(
        stage.told(started, 2),
        [rma("PENDING_EXCHANGE", &unit(None), 0), rma("CREATED", &unit(Some("EX-100001")), 0)]
    );
    let items = [tees_replaced("TEE-NAVY-L", LARGE, 1, 4_500)];
    assert_eq!(stage.asked(started), vec![asked("O-1", &items); calls]);
    let mut ids: Vec<_> =
        stage.calls(MessageKind::ExchangeOrder).into_iter().map(|call| call.webhook_id).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "the same message");
    assert_eq!(stage.shop.merchant().summary().exchange_orders, 1);
    assert_eq!(stage.shop.merchant().stock("TEE-NAVY-L"), Some(24), "taken once");
    stage.assert_promises_kept();
}

#[test]
fn a_merchant_that_is_down_for_two_retries_takes_the_order_then() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let started = exchanged(&stage, Behavior::status(503).times(3));
        assert_placed(&stage, &started, 4);
    }
}

#[test]
fn a_merchant_that_takes_its_time_gets_it() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let slow = Behavior { delay_ms: 1_000, ..Behavior::NORMAL };
        let started = exchanged(&stage, slow);
        assert_eq!(stage.exchange_orders("state=pending").len(), 1);
        assert_eq!(stage.held(&started)["status"], "PENDING_EXCHANGE");
        let cancelled = stage.post(&format!("/returns/{}/cancel", started.id), &json!({}));
        assert_eq!(
            cancelled.said(),
            r#"409 {"message":"an exchange order of the return is being placed"}"#
        );
        assert_placed(&stage, &started, 1);
        let cancelled = stage.post(&format!("/returns/{}/cancel", started.id), &json!({}));
        assert_eq!(
            cancelled.said(),
            r#"409 {"message":"exchange order EX-100001 was already placed"}"#
        );
    }
}

/// The merchant placed the order, and its answer came too late: it is asked again and answers the
/// same.
#[test]
fn an_order_that_is_answered_twice_is_one_order() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let late = Behavior { delay_ms: 3_000, ..Behavior::NORMAL };
        let started = exchanged(&stage, late.times(1));
        assert_placed(&stage, &started, 2);
    }
}

/// The shopper waits three seconds, not longer, and is believed about the variant.
#[test]
fn a_merchant_that_cannot_say_in_time_what_it_has_is_asked_for_it_nevertheless() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let hang = Behavior { hang: true, ..Behavior::NORMAL };
        stage.behave(MessageKind::ExchangeVariants, hang);
        let begun = Instant::now();
        let started = exchanged(&stage, Behavior::NORMAL);
        let waited_s = begun.elapsed().as_secs_f64();
        assert!((3.0..9.0).contains(&waited_s), "{waited_s}");
        stage.told(&started, 2);
        let mut item = tees_replaced("TEE-NAVY-L", LARGE, 1, 4_500);
        item["title"] = json!("Organic cotton tee, navy, M");
        assert_eq!(stage.asked(&started), [asked("O-1", &[item])], "nobody told its name");
    }
}

/// What there is to say when an exchange order was given up: its units are refunded, and nobody can
/// place it.
fn assert_given_up(stage: &ExchangeStage<'_>, started: &Rma, attempts: usize) {
    let record = stage.until(started, "failed");
    assert_eq!(record["exchange_order_identifier"], Value::Null);
    let message = stage.messages("kind=exchange_order&ref=O-1").remove(0);
    assert_eq!(message["state"], "discarded", "{message}");
    let id = text(&message["id"]);
    let detail = stage.get(&format!("/messages/{id}")).json();
    assert_eq!(detail["attempts"].as_array().unwrap().len(), attempts);
    for (token, target) in [
        (&stage.token, format!("/messages/{id}/retry")),
        (&stage.admin, format!("/admin/messages/{id}/retry")),
        (&stage.admin, format!("/admin/messages/{id}/retry?force=true")),
    ] {
        let reply = stage.server.send(&Request::post(&target).bearer(token));
        assert_eq!(reply.status, 409, "{}", reply.said());
    }
    let failures = format!("/admin/failures?merchant={}", stage.merchant.id);
    let failures = stage.server.send(&Request::get(&failures).bearer(&stage.admin)).json();
    assert_eq!(failures["failures"], json!([]));
    assert_eq!(stage.calls(MessageKind::ExchangeOrder).len(), attempts);
    stage.assert_promises_kept();
}

#[test]
fn a_merchant_that_refuses_for_ever_is_told_to_refund() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        stage.behave(MessageKind::ExchangeOrder, Behavior::status(500));

        let started = stage.start(&[
            item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L")),
            item("O-1", "scarf", 1, &gift_card()),
        ]);

        let before = [
            tee("O-1", &Becomes::Goods(EVEN, None)),
            scarf("O-1", &Becomes::Goods("UNEVEN_EXCHANGE", None)),
        ];
        let after = [tee("O-1", &Becomes::Money), scarf("O-1", &Becomes::Money)];
        let told = stage.told(&started, 2);
        assert_eq!(
            told,
            [rma("PENDING_EXCHANGE", &before, 421), rma("CREATED", &after, 0)],
            "no card, no bonus on it"
        );
        assert_given_up(&stage, &started, 6);

        stage.shop.merchant().behave_normally();
        let again = [item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))];
        let refused = stage.try_to_start(&again).json();
        assert_eq!(refused["errors"][0]["rule"], "one_exchange_order", "{refused}");
        let offered = stage.get("/orders/O-1/returnability").json();
        let is_refund_only =
            |unit: &Value| unit["exchange"] == json!(false) && unit["gift_card"] == json!(false);
        let lines = offered["lines"].as_array().unwrap().iter();
        let mut units = lines.flat_map(|line| line["units"].as_array().unwrap());
        assert!(units.all(is_refund_only), "what is refused is not offered: {offered}");
        stage.start(&[item("O-1", "tees", 1, &refund())]);

        stage.publish(&refunded(&started));
        let told = stage.told(&started, 3);
        assert_eq!(told[2], rma("REFUNDED", &after, 0));
        assert_eq!(stage.shop.merchant().summary().exchange_orders, 0);
    }
}

/// The order with a refund of what the return brought back.
fn refunded(started: &Rma) -> Value {
    let mut refunded = sample_order("O-1");
    refunded["updated_at"] = json!("2026-03-01T08:00:00Z");
    refunded["refunds"] = json!([{
        "identifier": "RF-1",
        "total_refund_amount_cents": 8_822,
        "refund_line_items": [
            { "identifier": "RF-1-1", "quantity": 1, "order_item_identifier": "tees" },
            { "identifier": "RF-1-2", "quantity": 1, "order_item_identifier": "scarf" },
        ],
        "created_at": "2126-03-01T08:00:00Z",
        "rma_identifier": started.id,
    }]);
    refunded
}

#[test]
fn every_refusal_is_retried_unless_the_merchant_says_that_it_is_final() {
    for server in servers() {
        for (is_final, status, attempts) in
            [(false, 409, 6), (false, 422, 6), (true, 409, 1), (true, 422, 1), (true, 404, 6)]
        {
            let stage = ExchangeStage::set(server);
            let target = format!("/admin/merchants/{}", stage.merchant.id);
            let change = json!({ "exchange_refusal_is_final": is_final });
            let request = Request::new("PATCH", &target).bearer(&stage.admin);
            let reply = server.send(&request.json(change.to_string()));
            assert_eq!(reply.json()["settings"]["exchange_refusal_is_final"], is_final);
            let started = exchanged(&stage, Behavior::status(status));
            assert_given_up(&stage, &started, attempts);
            let told = stage.told(&started, 2);
            assert_eq!(told[1], rma("CREATED", &[tee("O-1", &Becomes::Money)], 0), "{status}");
            let (missing, summary) = reconcile(&stage, "", "");
            assert_eq!(summary["missing"], 1, "only the return: {missing:?}");
            assert_eq!(missing[0]["kind"], "rma");
        }
    }
}

#[test]
fn what_was_given_up_can_be_cancelled_and_returned_for_money() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let started = exchanged(&stage, Behavior::status(409));
        stage.until(&started, "failed");

        let cancelled = stage.post(&format!("/returns/{}/cancel", started.id), &json!({}));

        assert_eq!(cancelled.status, 200, "{}", cancelled.said());
        assert_eq!(cancelled.json()["status"], "CANCELED");
        let again = stage.try_to_start(&[item("O-1", "tees", 2, &gift_card())]).json();
        assert_eq!(again["errors"][0]["rule"], "one_exchange_order", "{again}");
        stage.start(&[item("O-1", "tees", 2, &refund())]);
    }
}

#[test]
fn an_order_that_the_merchant_did_not_name_has_a_name_of_ours() {
    for server in servers() {
        for (answer, total) in [
            ("{}", Value::Null),
            ("", Value::Null),
            ("placed!", Value::Null),
            (r#"{"order_identifier":null,"total_amount_cents":4860}"#, json!(4_860)),
            (r#"{"order_identifier":"O-1","total_amount_cents":"x"}"#, Value::Null),
        ] {
            let stage = ExchangeStage::with_order(server);
            let shop = Scripted::answering(move |request| {
                let variants = r#"[{"sku":"TEE-NAVY-L"}]"#;
                let answer = if request.starts_with("POST") { answer } else { variants };
                (200, answer.to_owned())
            });
            stage.point_to(&shop.url());

            let started = stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))]);

            let placed = stage.until(&started, "placed");
            assert_eq!(placed["exchange_order_identifier"], "EXC-O-1", "{answer}");
            assert_eq!(placed["total_amount_cents"], total, "{answer}");
            let named = eventually("the return names it", || {
                let held = stage.held(&started);
                held["items"][0]["exchange_order_identifier"].as_str().map(str::to_owned)
            });
            assert_eq!(named, "EXC-O-1");
        }
    }
}

/// Some merchants answer with all of the order that they placed.
#[test]
fn a_long_answer_is_read_to_its_end() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let answer =
            json!({ "lines": "x".repeat(100_000), "order_identifier": "SO-7" }).to_string();
        let shop = Scripted::answering(move |_| (201, answer.clone()));
        stage.point_to(&shop.url());

        let started = stage.start(&[item("O-1", "tees", 1, &gift_card())]);

        assert_eq!(stage.until(&started, "placed")["exchange_order_identifier"], "SO-7");
    }
}

/// A test message with the same reference is not mistaken for the order.
#[test]
fn an_operators_test_is_no_exchange_order() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let slow = Behavior { delay_ms: 500, status: Some(422), ..Behavior::NORMAL };
        let started = exchanged(&stage, slow);

        let target = format!(
            "/admin/merchants/{}/endpoints/exchange_order/test?ref=O-1&sequence=2",
            stage.merchant.id
        );
        let reply = server.send(&Request::post(&target).bearer(&stage.admin));

        assert_eq!(reply.status, 409, "{}", reply.said());
        stage.until(&started, "failed");
    }
}

#[test]
fn a_shopper_reads_that_the_order_could_not_be_placed_and_what_comes_instead() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let started = exchanged(&stage, Behavior::status(409));
        let page = format!("/portal/{}/returns/{}", stage.merchant.id, started.id);
        let read = || server.send(&Request::get(&page)).text().to_owned();
        eventually("the refund takes its place", || {
            read().contains("you will receive a refund instead").then_some(())
        });
        assert!(!read().contains("is being placed"), "{}", read());
    }
}
