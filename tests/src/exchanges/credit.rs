//! What goods of an exchange order are worth: what was given for them, and never more.

use serde_json::{Value, json};

use super::{
    expected::Rma,
    scripted::Scripted,
    stage::{
        ExchangeStage, exchange_for, exchange_order, gift_card, item, refund, sample_order, servers,
    },
};

/// What each unit of the first lines of an order is worth, if it can be returned.
fn worth(stage: &ExchangeStage<'_>, order: &str) -> Vec<Option<i64>> {
    let shown = stage.get(&format!("/orders/{order}/returnability")).json();
    let lines = shown["lines"].as_array().unwrap().iter();
    let units = lines.flat_map(|line| line["units"].as_array().unwrap());
    let worth = units
        .map(|unit| unit["refund"]["refund_cents"].as_i64().filter(|_| unit["returnable"] == true));
    worth.collect()
}

/// A merchant with whom two tees were exchanged for large ones.
fn exchanged_two(stage: &ExchangeStage<'_>) -> Rma {
    stage.publish(&sample_order("O-1"));
    let started = stage.start(&[item("O-1", "tees", 2, &exchange_for("TEE-NAVY-L"))]);
    stage.until(&started, "placed");
    started
}

/// An exchange order of so many units, each at 60.00 and without tax.
fn dearer(quantity: i64, shipped: i64) -> Value {
    let mut order = exchange_order("EX-100001", 6_000 * shipped, 0);
    order["items"][0]["quantity"] = json!(quantity);
    order["items"][0]["quantity_shipped"] = json!(shipped);
    order["items"][0]["unit_price_amount_cents"] = json!(6_000);
    order
}

#[test]
fn a_published_gift_card_takes_nothing_from_the_goods_and_cannot_be_returned() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let started = stage.start(&[
            item("O-1", "tees", 1, &exchange_for("TEE-NAVY-L")),
            item("O-1", "scarf", 1, &gift_card()),
        ]);
        stage.until(&started, "placed");
        let mut published = exchange_order("EX-100001", 4_610, 0);
        let mut card = published["items"][0].clone();
        card["identifier"] = json!("EX-100001-2");
        card["sku"] = json!("GIFT-CARD");
        card["product_amount_cents"] = json!(4_212);
        published["items"].as_array_mut().unwrap().push(card);

        stage.publish(&published);

        assert_eq!(worth(&stage, "EX-100001"), [Some(4_610), None]);
    }
}

#[test]
fn what_became_a_refund_is_no_credit_for_the_goods_that_were_shipped() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let started = exchanged_two(&stage);
        let mut divided = dearer(2, 1);
        divided["items"][0]["quantity_canceled"] = json!(1);
        divided["status"] = json!("Created");
        stage.publish(&divided);
        assert_eq!(worth(&stage, "EX-100001"), [Some(4_610), None], "the other may be canceled");

        divided["status"] = json!("Shipped");
        divided["updated_at"] = json!("2026-05-01T08:00:00Z");
        stage.publish(&divided);

        stage.told(&started, 4);
        assert_eq!(worth(&stage, "EX-100001"), [Some(4_610), None]);
    }
}

#[test]
fn a_refund_of_an_exchange_order_uses_no_more_than_its_part_of_the_credit() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        exchanged_two(&stage);
        let mut refunded = dearer(2, 2);
        refunded["refunds"] = json!([{
            "identifier": "RF-1",
            "total_refund_amount_cents": 4_610,
            "refund_line_items": [
                { "identifier": "RF-1-1", "quantity": 1, "order_item_identifier": "EX-100001-1" },
            ],
            "created_at": "2126-03-01T08:00:00Z",
        }]);

        stage.publish(&refunded);

        assert_eq!(worth(&stage, "EX-100001"), [None, Some(4_610)]);
    }
}

#[test]
fn shipping_of_an_exchange_order_that_was_not_paid_is_not_refunded() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.set_policy(&json!({
            "window_days": 3650, "shipping_refunded": "when_everything_returns",
        }));
        exchanged_two(&stage);
        let mut published = dearer(2, 2);
        published["shipping_amount_cents"] = json!(500);
        stage.publish(&published);

        let back = stage.start(&[item("EX-100001", "EX-100001-1", 2, &refund())]);

        assert_eq!(back.answer["quote"]["total_cents"], 9_220);
        assert_eq!(back.answer["quote"]["shipping_refund_cents"], 0);
    }
}

#[test]
fn an_identifier_that_another_exchange_order_has_is_not_used() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let shop = Scripted::answering(|request| {
            let variants = r#"[{"sku":"TEE-NAVY-L"}]"#;
            let placed = r#"{"order_identifier":"EX-1","total_amount_cents":4860}"#;
            (200, if request.starts_with("POST") { placed } else { variants }.to_owned())
        });
        stage.point_to(&shop.url());
        let name_of = |order: &str| {
            stage.publish(&sample_order(order));
            let started = stage.start(&[item(order, "tees", 1, &exchange_for("TEE-NAVY-L"))]);
            let placed = stage.until(&started, "placed");
            assert_eq!(placed["total_amount_cents"], 4_860);
            placed["exchange_order_identifier"].clone()
        };

        assert_eq!(["O-2", "O-1"].map(name_of), ["EX-1", "EXC-O-1"]);
    }
}
