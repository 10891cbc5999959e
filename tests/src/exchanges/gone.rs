//! The variant that the shopper chose is gone: what was chosen in advance takes its place, exactly
//! once, or the shopper is told.

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::Behavior;

use super::{
    expected::{Becomes, TEE, asked, card, rma, tee, tees_replaced},
    stage::{ExchangeStage, exchange_for, item, sample_order, servers},
};

/// An exchange for the large tee, and something else if there is none.
fn large_or(fallback: Option<&str>) -> Value {
    let mut wants = exchange_for("TEE-NAVY-L");
    if let Some(fallback) = fallback {
        wants["fallback"] = json!(fallback);
    }
    wants
}

/// A merchant of whose large tees the shopper saw some, and then there are none.
fn sold_out(stage: &ExchangeStage<'_>) {
    stage.publish(&sample_order("O-1"));
    let offered = stage.get("/orders/O-1/lines/tees/variants").json();
    let large = offered["variants"].as_array().unwrap().iter().find(|it| it["sku"] == "TEE-NAVY-L");
    assert_eq!(large.unwrap()["in_stock"], true);
    assert!(stage.shop.merchant().set_stock("TEE-NAVY-L", 0));
}

#[test]
fn money_is_paid_where_money_was_chosen_in_advance() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        sold_out(&stage);

        let started = stage.start(&[item("O-1", "tees", 1, &large_or(Some("refund")))]);

        let told = [rma("CREATED", &[tee("O-1", &Becomes::Money)], 0)];
        assert_eq!(stage.told(&started, 1), told);
        assert_eq!(started.answer["quote"]["refund_cents"], 4_610);
        assert_eq!(stage.calls(MessageKind::ExchangeOrder), []);
        assert_eq!(stage.exchange_orders(""), Vec::<Value>::new());
    }
}

#[test]
fn a_gift_card_is_asked_for_where_one_was_chosen_in_advance() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        sold_out(&stage);

        let started = stage.start(&[item("O-1", "tees", 1, &large_or(Some("gift_card")))]);

        let unit = |exchange| [tee("O-1", &Becomes::Goods("UNEVEN_EXCHANGE", exchange))];
        assert_eq!(
            stage.told(&started, 2),
            [
                rma("PENDING_EXCHANGE", &unit(None), 461),
                rma("REFUNDED", &unit(Some("EX-100001")), 461)
            ]
        );
        assert_eq!(stage.asked(&started), [asked("O-1", &[card(4_610, 461, &[TEE])])]);
        stage.assert_promises_kept();
    }
}

/// An exchange for the large tee, or for another variant.
fn large_or_variant(sku: &str) -> Value {
    let mut wants = large_or(Some("variant"));
    wants["fallback_sku"] = json!(sku);
    wants
}

#[test]
fn another_variant_is_asked_for_where_one_was_chosen_in_advance() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        sold_out(&stage);

        let started = stage.start(&[item("O-1", "tees", 1, &large_or_variant("TEE-NAVY-S"))]);

        let unit = |exchange| [tee("O-1", &Becomes::Goods("EVEN_EXCHANGE", exchange))];
        assert_eq!(
            stage.told(&started, 2),
            [rma("PENDING_EXCHANGE", &unit(None), 0), rma("CREATED", &unit(Some("EX-100001")), 0)]
        );
        let small = tees_replaced("TEE-NAVY-S", "Organic cotton tee, navy, S", 1, 4_500);
        assert_eq!(stage.asked(&started), [asked("O-1", &[small])]);
        stage.assert_promises_kept();
    }
}

#[test]
fn another_variant_that_is_gone_or_no_other_is_refused_at_its_own_field() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        sold_out(&stage);
        assert!(stage.shop.merchant().set_stock("TEE-NAVY-S", 0));
        let refused = |wants: &Value| {
            let reply = stage.try_to_start(&[item("O-1", "tees", 1, wants)]);
            assert_eq!(reply.status, 422, "{}", reply.said());
            reply.json()["errors"].clone()
        };

        let gone = json!([{
            "field": "$.items[0].fallback_sku", "code": "invalid", "rule": "variant_available",
            "message": "TEE-NAVY-S is out of stock",
        }]);
        assert_eq!(refused(&large_or_variant("TEE-NAVY-S")), gone);
        let same = refused(&large_or_variant("TEE-NAVY-L"));
        assert_eq!(same[0]["field"], "$.items[0].fallback_sku");
        let missing = refused(&large_or(Some("variant")));
        assert_eq!(missing[0]["code"], "missing_field");
        assert_eq!(stage.messages(""), Vec::<Value>::new());
    }
}

#[test]
fn without_a_choice_in_advance_nothing_begins_and_the_shopper_can_choose_again() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        sold_out(&stage);

        let refused = stage.try_to_start(&[item("O-1", "tees", 1, &large_or(None))]);

        let gone = |sku: &str| {
            json!([{
                "field": "$.items[0].exchange_sku", "code": "invalid", "rule": "variant_available",
                "message": format!("{sku} is out of stock"),
            }])
        };
        assert_eq!((refused.status, &refused.json()["errors"]), (422, &gone("TEE-NAVY-L")));
        let never = stage.try_to_start(&[item("O-1", "tees", 1, &exchange_for("TEE-GREEN"))]);
        assert_eq!((never.status, &never.json()["errors"]), (422, &gone("TEE-GREEN")));
        assert_eq!(stage.messages(""), Vec::<Value>::new());
        let started = stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-S"))]);
        stage.until(&started, "placed");
    }
}

#[test]
fn a_card_that_the_merchant_does_not_offer_is_no_way_out() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.set_policy(&json!({ "window_days": 3650 }));
        sold_out(&stage);

        let refused = stage.try_to_start(&[item("O-1", "tees", 1, &large_or(Some("gift_card")))]);

        assert_eq!(refused.status, 422, "{}", refused.said());
        assert_eq!(refused.json()["errors"][0]["rule"], "gift_card_offered");
    }
}

/// The merchant could not be asked before, so it says so when it gets the order. A second order
/// with another content is never sent under the same key: the shopper gets the money.
#[test]
fn what_is_gone_only_when_the_order_arrives_is_refunded_whatever_was_chosen() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        assert!(stage.shop.merchant().set_stock("TEE-NAVY-L", 0));
        stage.behave(MessageKind::ExchangeVariants, Behavior::status(500));

        let started = stage.start(&[item("O-1", "tees", 1, &large_or(Some("gift_card")))]);

        assert_eq!(
            stage.told(&started, 2),
            [
                rma("PENDING_EXCHANGE", &[tee("O-1", &Becomes::Goods("EVEN_EXCHANGE", None))], 0),
                rma("CREATED", &[tee("O-1", &Becomes::Money)], 0),
            ]
        );
        let calls = stage.calls(MessageKind::ExchangeOrder);
        assert_eq!(calls.len(), 6, "409 is retried like any other answer");
        let answer = &calls[0].content.as_ref().unwrap().answer_body;
        assert_eq!(answer, r#"{"message":"TEE-NAVY-L is out of stock"}"#);
        assert_eq!(stage.until(&started, "failed")["exchange_order_identifier"], Value::Null);
        assert_eq!(stage.shop.merchant().summary().exchange_orders, 0);
    }
}
