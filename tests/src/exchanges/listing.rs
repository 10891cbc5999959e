//! The exchange orders as finance sees them: found by state and return, read page by page, each
//! merchant its own.

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::Behavior;

use super::expected::{Rma, fixed};
use super::stage::{ExchangeStage, exchange_for, gift_card, item, sample_order, servers};
use crate::harness::{home::text, http::Request};

/// A merchant with one exchange order in each state: failed, placed and pending, in this order.
fn one_of_each(stage: &ExchangeStage<'_>) -> [Rma; 3] {
    for id in ["O-1", "O-2", "O-3"] {
        stage.publish(&sample_order(id));
    }
    let start = |order: &str, wants: &Value| stage.start(&[item(order, "tees", 1, wants)]);
    stage.behave(MessageKind::ExchangeOrder, Behavior::status(409).times(6));
    let failed = start("O-1", &exchange_for("TEE-NAVY-L"));
    stage.until(&failed, "failed");
    let placed = start("O-2", &gift_card());
    stage.until(&placed, "placed");
    let hang = Behavior { hang: true, ..Behavior::NORMAL };
    stage.behave(MessageKind::ExchangeOrder, hang);
    [failed, placed, start("O-3", &gift_card())]
}

fn originals(records: &[Value]) -> Vec<String> {
    records.iter().map(|record| text(&record["original_order_id"])).collect()
}

#[test]
fn exchange_orders_are_found_by_state_and_return_and_read_in_pages() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let [failed, placed, pending] = one_of_each(&stage);
        let found = |query: &str| originals(&stage.exchange_orders(query));
        assert_eq!(found(""), ["O-3", "O-2", "O-1"], "newest first");
        assert_eq!(found("state=failed"), ["O-1"]);
        assert_eq!(found("state=placed"), ["O-2"]);
        assert_eq!(found("state=pending"), ["O-3"]);
        assert_eq!(found(&format!("rma={}", failed.id)), ["O-1"]);
        assert_eq!(found(&format!("rma={}", placed.id.to_lowercase())), ["O-2"]);
        assert_eq!(found(&format!("rma={}&state=placed", pending.id)), Vec::<String>::new());
        assert_eq!(found("rma=nothing"), Vec::<String>::new());

        let (mut pages, mut target) = (Vec::new(), "/exchange_orders?limit=1".to_owned());
        loop {
            let page = stage.get(&target).json();
            pages.push(originals(page["exchange_orders"].as_array().unwrap()));
            assert!(pages.len() < 6, "{pages:?}");
            match page.get("next") {
                Some(next) => target = format!("/exchange_orders?limit=1&before={}", text(next)),
                None => break,
            }
        }
        assert_eq!(pages.concat(), ["O-3", "O-2", "O-1"]);
    }
}

#[test]
fn a_record_tells_what_was_asked_and_what_it_comes_to() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let [failed, placed, pending] = one_of_each(&stage);
        let record = |rma: &Rma| {
            let record = stage.exchange_orders(&format!("rma={}", rma.id)).remove(0);
            fixed(record, rma)
        };
        let expected = |order: &str, state: &str, goods: i64| {
            json!({
                "original_order_id": order,
                "rma_identifier": "RMA",
                "transaction_id": "PAY-1",
                "state": state,
                "credit_cents": 4_610,
                "goods_credit_cents": goods,
                "currency": "USD",
                "created_at": "TIME",
                "decided_at": "TIME",
                "exchange_order_identifier": null,
                "total_amount_cents": null,
                "product_amount_cents": null,
                "tax_amount_cents": null,
            })
        };
        assert_eq!(record(&failed), expected("O-1", "failed", 4_610));
        let mut waiting = expected("O-3", "pending", 0);
        waiting["decided_at"] = Value::Null;
        assert_eq!(record(&pending), waiting);
        let mut taken = expected("O-2", "placed", 0);
        taken["exchange_order_identifier"] = json!("EX-100001");
        taken["total_amount_cents"] = json!(4_610);
        taken["product_amount_cents"] = json!(4_610);
        taken["tax_amount_cents"] = json!(0);
        assert_eq!(record(&placed), taken);
    }
}

#[test]
fn no_merchant_sees_the_exchange_orders_of_another() {
    for server in servers() {
        let (stage, stranger) = (ExchangeStage::set(server), ExchangeStage::set(server));
        let [_, placed, _] = one_of_each(&stage);
        assert_eq!(stranger.exchange_orders(""), Vec::<Value>::new());
        assert_eq!(stranger.exchange_orders(&format!("rma={}", placed.id)), Vec::<Value>::new());
        assert_eq!(stranger.get(&format!("/returns/{}", placed.id)).status, 404);

        // The same numbers mean other things to another merchant: its order is not shipped by this.
        stranger.publish(&super::stage::exchange_order("EX-100001", 4_500, 360));
        stage.told(&placed, 2);
        stranger.publish(&sample_order("O-2"));
        let own = stranger.start(&[item("O-2", "tees", 1, &gift_card())]);
        assert_eq!(stranger.until(&own, "placed")["exchange_order_identifier"], "EX-100001");
        assert_eq!(stage.exchange_orders("state=placed").len(), 1);
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        for query in ["state=lost", "limit=many"] {
            assert_eq!(stage.get(&format!("/exchange_orders?{query}")).status, 400, "{query}");
        }
        let narrow = server.narrow_token(&stage.merchant, "returns:write");
        let request = Request::get("/exchange_orders").bearer(&narrow);
        assert_eq!(server.send(&request).status, 403);
        assert_eq!(server.send(&Request::get("/exchange_orders")).status, 401);
    }
}
