//! What is asked of the merchant, and what it is told of the return, when all goes well.

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};

use super::{
    expected::{
        Becomes, LARGE, Rma, SCARF, TEE, asked, card, fixed, rma, scarf, tee, tees_replaced,
    },
    stage::{ExchangeStage, exchange_for, gift_card, item, refund, request, sample_order, servers},
};
use crate::harness::{binary::workspace, samples::full_order};

const EVEN: &str = "EVEN_EXCHANGE";
const UNEVEN: &str = "UNEVEN_EXCHANGE";

#[test]
fn an_exchange_is_asked_for_once_and_the_return_names_its_order() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);

        let started = stage.start(&[item("O-1", "tees", 2, &exchange_for("TEE-NAVY-L"))]);

        let units = |exchange| vec![tee("O-1", &Becomes::Goods(EVEN, exchange)); 2];
        assert_eq!(
            stage.told(&started, 2),
            [
                rma("PENDING_EXCHANGE", &units(None), 0),
                rma("CREATED", &units(Some("EX-100001")), 0)
            ]
        );
        let items = [tees_replaced("TEE-NAVY-L", LARGE, 2, 4_500)];
        assert_eq!(stage.asked(&started), [asked("O-1", &items)]);
        assert_eq!(stage.shop.merchant().stock("TEE-NAVY-L"), Some(23));
        assert_eq!(started.answer["quote"]["exchange_cents"], 9_220);
        assert_eq!(started.answer["quote"]["total_cents"], 0);
        let call = &stage.calls(MessageKind::ExchangeOrder)[0];
        let headers = &call.content.as_ref().unwrap().headers;
        assert_eq!(headers["x-service-api-version"], "2");
        assert_eq!(headers["x-service-event"], "exchange_order");
        stage.assert_promises_kept();
    }
}

#[test]
fn a_gift_card_is_what_the_units_are_worth_with_the_bonus_apart() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);

        let started = stage.start(&[item("O-1", "tees", 1, &gift_card())]);

        let unit = |exchange| [tee("O-1", &Becomes::Goods(UNEVEN, exchange))];
        assert_eq!(
            stage.told(&started, 2),
            [
                rma("PENDING_EXCHANGE", &unit(None), 461),
                rma("REFUNDED", &unit(Some("EX-100001")), 461)
            ],
            "a card is settled when its order is placed"
        );
        assert_eq!(stage.asked(&started), [asked("O-1", &[card(4_610, 461, &[TEE])])]);
        stage.assert_promises_kept();
    }
}

#[test]
fn a_fee_is_taken_from_the_card() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.set_policy(&json!({
            "window_days": 3650,
            "gift_card": { "sku": "GIFT-CARD" },
            "methods": [{ "method": "mail-back", "fee_cents": 595 }],
        }));
        stage.publish(&sample_order("O-1"));

        let started = stage.start(&[item("O-1", "scarf", 1, &gift_card())]);

        stage.told(&started, 2);
        assert_eq!(stage.asked(&started), [asked("O-1", &[card(3_617, 0, &[SCARF])])]);
    }
}

#[test]
fn an_exchange_and_a_gift_card_travel_in_one_order_beside_a_refund() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);

        let started = stage.start(&[
            item("O-1", "scarf", 1, &gift_card()),
            item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L")),
            item("O-1", "tees", 1, &refund()),
        ]);

        let units = |exchange| {
            [
                scarf("O-1", &Becomes::Goods(UNEVEN, exchange)),
                tee("O-1", &Becomes::Goods(EVEN, exchange)),
                tee("O-1", &Becomes::Money),
            ]
        };
        assert_eq!(
            stage.told(&started, 2),
            [
                rma("PENDING_EXCHANGE", &units(None), 421),
                rma("CREATED", &units(Some("EX-100001")), 421)
            ]
        );
        let items = [tees_replaced("TEE-NAVY-L", LARGE, 1, 4_500), card(4_212, 421, &[SCARF])];
        assert_eq!(stage.asked(&started), [asked("O-1", &items)]);
        assert_eq!(stage.shop.merchant().summary().exchange_orders, 1);
        stage.assert_promises_kept();
    }
}

#[test]
fn a_dearer_variant_is_uneven_and_the_merchant_absorbs_the_difference() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.set_policy(&json!({ "window_days": 3650, "dearer_exchanges": true }));
        let mut bought_cheaper = sample_order("O-1");
        let line = &mut bought_cheaper["items"][0];
        line["unit_price_amount_cents"] = json!(4_000);
        line["product_amount_cents"] = json!(8_000);
        stage.publish(&bought_cheaper);

        let started = stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))]);

        let told = stage.told(&started, 2);
        for message in &told {
            assert_eq!(message["items"][0]["refund_type"], UNEVEN);
            let financials = &message["items"][0]["refund_financials"];
            assert_eq!(financials["service_refund_amount_cents"], 4_110, "4,000 - 250 + 360");
        }
        let mut items = [tees_replaced("TEE-NAVY-L", LARGE, 1, 4_500)];
        items[0]["discount_amount_cents"] = json!(250 + 500);
        assert_eq!(stage.asked(&started), [asked("O-1", &items)]);
        let record = stage.until(&started, "placed");
        assert_eq!(
            fixed(record, &started),
            json!({
                "original_order_id": "O-1",
                "rma_identifier": "RMA",
                "transaction_id": "PAY-1",
                "state": "placed",
                "credit_cents": 4_110,
                "goods_credit_cents": 4_110,
                "currency": "USD",
                "created_at": "TIME",
                "decided_at": "TIME",
                "exchange_order_identifier": "EX-100001",
                "total_amount_cents": 4_050,
                "product_amount_cents": 4_500,
                "tax_amount_cents": 300,
            })
        );
    }
}

#[test]
fn a_return_of_two_orders_asks_for_an_exchange_order_of_each() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        for id in ["O-1", "O-2"] {
            stage.publish(&sample_order(id));
        }

        let started = stage.start(&[
            item("O-1", "tees", 1, &gift_card()),
            item("O-2", "tees", 1, &exchange_for("TEE-NAVY-L")),
            item("O-2", "scarf", 1, &gift_card()),
        ]);

        stage.told(&started, 3);
        let mut all = stage.asked(&started);
        all.sort_by_key(|order| order["original_order_id"].to_string());
        let mut second =
            asked("O-2", &[tees_replaced("TEE-NAVY-L", LARGE, 1, 4_500), card(4_212, 0, &[SCARF])]);
        second["payment"]["transaction_id"] = json!("PAY-2");
        assert_eq!(all, [asked("O-1", &[card(4_610, 882, &[TEE])]), second]);
        let mut named: Vec<_> = stage.held(&started)["items"].as_array().unwrap().clone();
        named.dedup_by_key(|unit| unit["exchange_order_identifier"].clone());
        assert_eq!(named.len(), 2, "each order's units name their own");
        stage.assert_promises_kept();
    }
}

/// The example of the documentation is the real thing.
#[test]
fn the_documented_exchange_order_is_what_is_sent() {
    let sample = domain::samples::exchange_order_message().trim_end();
    let contract = std::fs::read_to_string(workspace().join("docs/contract.md")).unwrap();
    assert!(contract.contains(&format!("```json\n{sample}\n```")), "the contract has another");
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let mut bought = full_order();
        bought["refunds"] = json!([]);
        let line = bought["items"][0].as_object_mut().unwrap();
        line.retain(|key, _| key != "quantity_refunded" && key != "return_policy_end_date");
        stage.publish(&bought);

        let started = stage.start(&[
            item("ORD-100472", "ORD-100472-1", 1, &exchange_for("TEE-NAVY-L")),
            item("ORD-100472", "ORD-100472-1", 1, &gift_card()),
        ]);

        stage.told(&started, 2);
        let documented = Rma { id: "RMA-7K3Q-9XWD-2M4T".to_owned(), answer: json!(null) };
        let mut sample = fixed(serde_json::from_str(sample).unwrap(), &documented);
        // The simulated shop does not name the products of variants, so that of the line counts.
        sample["items"][0]["product_identifier"] = json!("PRD-7781");
        assert_eq!(stage.asked(&started), [sample]);
    }
}

#[test]
fn a_quote_asks_nothing_of_the_merchant() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let wanted = request(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))]);

        let quoted = stage.post("/returns/quote", &wanted);

        assert_eq!(quoted.status, 201, "{}", quoted.said());
        assert_eq!(quoted.json()["status"], "PENDING_EXCHANGE");
        assert_eq!(stage.messages(""), Vec::<Value>::new());
        assert_eq!(stage.exchange_orders(""), Vec::<Value>::new());
    }
}

#[test]
fn the_difference_to_a_cheaper_variant_is_the_shoppers() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.set_policy(&json!({ "window_days": 3650, "cheaper_exchanges": true }));
        let mut bought_dearer = sample_order("O-1");
        let line = &mut bought_dearer["items"][0];
        line["unit_price_amount_cents"] = json!(5_000);
        line["product_amount_cents"] = json!(10_000);
        stage.publish(&bought_dearer);

        let started = stage.start(&[item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))]);

        for message in &stage.told(&started, 2) {
            assert_eq!(message["items"][0]["refund_type"], UNEVEN);
            let financials = &message["items"][0]["refund_financials"];
            assert_eq!(financials["estimated_refund_amount_cents"], 5_110, "5,000 - 250 + 360");
            assert_eq!(financials["service_refund_amount_cents"], 4_599, "90 %");
            assert_eq!(financials["shopper_refund_amount_cents"], 511);
        }
        let items = &stage.asked(&started)[0]["items"];
        assert_eq!(items[0]["product_amount_cents"], 4_500);
        assert_eq!(items[0]["tax_amount_cents"], 324);
        assert_eq!(items[0]["discount_amount_cents"], 4_500 + 324 - 4_599);
        assert_eq!(stage.until(&started, "placed")["credit_cents"], 4_599);
    }
}

#[test]
fn a_variant_at_another_price_is_refused_unless_the_policy_offers_it() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let mut order = sample_order("O-1");
        order["items"][0]["unit_price_amount_cents"] = json!(5_000);
        order["items"][0]["product_amount_cents"] = json!(10_000);
        stage.publish(&order);

        let wants = [item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L"))];
        let refused = stage.try_to_start(&wants);

        assert_eq!(refused.status, 422, "{}", refused.said());
        assert_eq!(refused.json()["errors"][0]["rule"], "variant_price");
    }
}
