//! What a shopper can have instead: the merchant's word, in whichever shape it comes, or else the
//! order's.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::Behavior;

use super::{
    scripted::Scripted,
    stage::{ExchangeStage, exchange_for, item, sample_order, servers},
};
use crate::harness::http::Reply;

const TARGET: &str = "/orders/O-1/lines/tees/variants";

/// A merchant with an order, whose server says this.
fn saying<'a>(
    server: &'a crate::harness::server::Server,
    status: u16,
    body: &str,
) -> (ExchangeStage<'a>, Scripted) {
    let (stage, body) = (ExchangeStage::set(server), body.to_owned());
    stage.publish(&sample_order("O-1"));
    let shop = Scripted::answering(move |_| (status, body.clone()));
    stage.point_to(&shop.url());
    (stage, shop)
}

fn listed(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()["variants"].as_array().unwrap().clone()
}

/// The order with a variant on its line.
fn order_with_variants() -> Value {
    let mut order = sample_order("O-1");
    order["items"][0]["variants"] = json!([{
        "sku": "TEE-NAVY-XXL", "title": "XXL", "attributes": [{ "name": "Size", "value": "XXL" }],
        "unit_price_amount_cents": 4_900, "quantity_in_stock": 2,
    }]);
    order
}

const OF_THE_ORDER: &str = concat!(
    r#"200 {"source":"order","variants":[{"sku":"TEE-NAVY-XXL","title":"XXL","#,
    r#""attributes":[{"name":"Size","value":"XXL"}],"unit_price_amount_cents":4900,"#,
    r#""in_stock":true,"even":false}],"skipped":0}"#
);

#[test]
fn the_merchants_list_is_offered_without_what_comes_back() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.publish(&order_with_variants());
        let url = stage.shop.url();
        let variant = |size: &str, in_stock: bool| {
            json!({
                "sku": format!("TEE-NAVY-{size}"),
                "title": format!("Organic cotton tee, navy, {size}"),
                "attributes": [
                    { "name": "Size", "value": size }, { "name": "Colour", "value": "Navy" }
                ],
                "unit_price_amount_cents": 4_500,
                "in_stock": in_stock,
                "even": true,
                "image_url": format!("{url}/images/TEE-NAVY-{size}.svg"),
            })
        };

        let reply = stage.get(TARGET);

        assert_eq!(
            reply.json(),
            json!({
                "source": "merchant",
                "variants": [variant("S", true), variant("L", true), variant("XL", false)],
                "skipped": 0,
            })
        );
        let call = stage.calls(MessageKind::ExchangeVariants).remove(0);
        assert_eq!(call.path, "/sku/TEE-NAVY/variants");
        assert_eq!(call.content.unwrap().headers["x-service-api-version"], "1");
        assert_eq!(stage.get(TARGET).json(), reply.json());
        assert_eq!(stage.calls(MessageKind::ExchangeVariants).len(), 1, "remembered for a while");
        stage.assert_promises_kept();
    }
}

#[test]
fn a_list_is_read_in_every_shape_and_what_cannot_be_read_is_counted() {
    let list = r#"[
        {"sku":"TEE-NAVY-L","attributes":{"Size":"L"},"unit_price_amount_cents":4500},
        {"sku":"TEE-NAVY-S","attributes":[{"name":"Size","value":"S"}],"more":{"x":[1]}},
        {"sku":5},{"title":"nameless"},7,null]"#;
    for server in servers() {
        for body in [list.to_owned(), format!(r#"{{"variants":{list},"page":1}}"#)] {
            let (stage, shop) = saying(server, 200, &body);

            let reply = stage.get(TARGET);

            assert_eq!(
                reply.json(),
                json!({
                    "source": "merchant",
                    "variants": [
                        {
                            "sku": "TEE-NAVY-L", "title": "TEE-NAVY-L",
                            "attributes": [{ "name": "Size", "value": "L" }],
                            "unit_price_amount_cents": 4_500, "in_stock": true, "even": true,
                        },
                        {
                            "sku": "TEE-NAVY-S", "title": "TEE-NAVY-S",
                            "attributes": [{ "name": "Size", "value": "S" }],
                            "unit_price_amount_cents": null, "in_stock": true, "even": true,
                        },
                    ],
                    "skipped": 4,
                }),
                "{}",
                reply.said()
            );
            assert_eq!(shop.requests(), ["GET /sku/TEE-NAVY/variants HTTP/1.1"]);
        }
    }
}

#[test]
fn a_server_that_says_nothing_useful_is_a_bad_gateway() {
    for server in servers() {
        for (status, body, why) in [
            (500, "{}", "it responded with 500"),
            (404, "{}", "it responded with 404"),
            (302, "{}", "it responded with 302"),
            (200, r#"{"items":[]}"#, "its response is not a list of variants"),
            (200, "7", "its response is not a list of variants"),
        ] {
            let (stage, _shop) = saying(server, status, body);
            let reply = stage.get(TARGET);
            let said =
                json!({ "message": format!("the request to the merchant's server failed: {why}") });
            assert_eq!(reply.said(), format!("502 {said}"));
        }
        for (status, body) in [(200, "{"), (0, "")] {
            let (stage, _shop) = saying(server, status, body);
            assert_eq!(stage.get(TARGET).status, 502);
        }
        let stage = ExchangeStage::with_order(server);
        stage.point_to("http://127.0.0.1:1");
        assert_eq!(stage.get(TARGET).status, 502);
    }
}

#[test]
fn a_server_without_some_lists_is_asked_for_the_others() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let mut order = sample_order("O-1");
        let line = order["items"][0].clone();
        let lines = ["tees", "none-1", "none-2", "none-3"].into_iter().map(|name| {
            let mut line = line.clone();
            line["identifier"] = json!(name);
            line["variant_identifier"] = json!(name);
            line
        });
        order["items"] = lines.collect();
        stage.publish(&order);
        let shop = Scripted::answering(|request| {
            let status = if request.contains("/none-") { 404 } else { 200 };
            (status, r#"[{"sku":"TEE-NAVY-L"}]"#.to_owned())
        });
        stage.point_to(&shop.url());
        for name in ["none-1", "none-2", "none-3", "none-1"] {
            assert_eq!(stage.get(&format!("/orders/O-1/lines/{name}/variants")).status, 502);
        }

        assert_eq!(listed(&stage.get(TARGET))[0]["sku"], "TEE-NAVY-L");
        assert_eq!(shop.requests().len(), 4, "that there is no list is known for a while");
    }
}

/// The rule that refuses an exchange for a variant that no list has.
fn refused_by(stage: &ExchangeStage<'_>) -> Value {
    let refused = stage.try_to_start(&[item("O-1", "tees", 1, &exchange_for("TEE-GREEN"))]);
    assert_eq!(refused.status, 422, "{}", refused.said());
    refused.json()["errors"][0]["rule"].clone()
}

#[test]
fn without_a_list_there_is_nothing_to_exchange_for() {
    for server in servers() {
        let (stage, _shop) = saying(server, 404, "{}");
        assert_eq!(refused_by(&stage), "variant_available");
    }
}

#[test]
fn a_confirmation_is_checked_also_while_a_server_that_failed_is_left_alone() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        let calls = AtomicUsize::new(0);
        let recovered = Scripted::answering(move |_| match calls.fetch_add(1, Ordering::Relaxed) {
            0..3 => (500, "{}".to_owned()),
            _ => (200, r#"[{"sku":"TEE-NAVY-L"}]"#.to_owned()),
        });
        stage.point_to(&recovered.url());
        for _ in 0..4 {
            assert_eq!(stage.get(TARGET).status, 502);
        }
        assert_eq!(recovered.requests().len(), 3);

        assert_eq!(refused_by(&stage), "variant_available");
    }
}

#[test]
fn a_server_that_is_silent_for_three_seconds_is_too_slow() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        stage.behave(
            MessageKind::ExchangeVariants,
            Behavior { delay_ms: 20_000, ..Behavior::NORMAL },
        );
        let begun = Instant::now();

        let reply = stage.get(TARGET);

        let said = json!({ "message": "the merchant's server did not respond in time" });
        assert_eq!(reply.said(), format!("503 {said}"));
        let waited = begun.elapsed();
        let limit = Duration::from_secs(3);
        assert!(waited >= limit && waited < limit * 3, "{waited:?}");
        stage.publish(&{
            let mut order = order_with_variants();
            order["updated_at"] = json!("2026-05-01T08:00:00Z");
            order
        });
        assert_eq!(stage.get(TARGET).said(), OF_THE_ORDER);
    }
}

#[test]
fn the_orders_variants_stand_in_for_a_server_that_cannot_be_asked() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        stage.publish(&order_with_variants());
        stage.behave(MessageKind::ExchangeVariants, Behavior::status(500));
        for _ in 0..5 {
            assert_eq!(stage.get(TARGET).said(), OF_THE_ORDER);
        }
        assert_eq!(
            stage.calls(MessageKind::ExchangeVariants).len(),
            3,
            "then it is left alone a while"
        );
    }
}

#[test]
fn a_line_without_variants_asks_nobody() {
    for server in servers() {
        let stage = ExchangeStage::set(server);
        let mut plain = sample_order("O-1");
        plain["items"][0]["variant_identifier"] = json!("");
        stage.publish(&plain);
        assert_eq!(listed(&stage.get(TARGET)), Vec::<Value>::new());
        assert_eq!(stage.calls(MessageKind::ExchangeVariants), []);
    }
}

#[test]
fn an_odd_identifier_stays_one_step_of_the_path() {
    for server in servers() {
        let (stage, shop) = saying(server, 200, "[]");
        let mut odd = sample_order("O-1");
        odd["updated_at"] = json!("2026-05-01T08:00:00Z");
        odd["items"][0]["variant_identifier"] = json!("../a?b#c/ü");
        stage.publish(&odd);
        assert_eq!(listed(&stage.get(TARGET)), Vec::<Value>::new());
        let path = "GET /sku/..%2Fa%3Fb%23c%2F%C3%BC/variants HTTP/1.1";
        assert_eq!(shop.requests(), [path]);
    }
}

#[test]
fn unreserved_characters_of_a_variant_identifier_are_sent_as_they_are() {
    for server in servers() {
        for (identifier, sent) in [("a-b.c_d~E9", "a-b.c_d~E9"), ("..", "%2E%2E")] {
            let (stage, shop) = saying(server, 200, "[]");
            let mut order = sample_order("O-1");
            order["updated_at"] = json!("2026-05-01T08:00:00Z");
            order["items"][0]["variant_identifier"] = json!(identifier);
            stage.publish(&order);
            assert_eq!(listed(&stage.get(TARGET)), Vec::<Value>::new());
            assert_eq!(shop.requests(), [format!("GET /sku/{sent}/variants HTTP/1.1")]);
        }
    }
}

#[test]
fn variants_on_a_line_are_offered_without_a_variant_identifier() {
    for server in servers() {
        let (stage, shop) = saying(server, 200, "[]");
        let mut order = order_with_variants();
        order["updated_at"] = json!("2026-05-01T08:00:00Z");
        order["items"][0]["variant_identifier"] = json!("");
        stage.publish(&order);

        assert_eq!(stage.get(TARGET).said(), OF_THE_ORDER);
        assert_eq!(shop.requests(), Vec::<String>::new());
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    for server in servers() {
        let stage = ExchangeStage::with_order(server);
        for (target, what) in [
            ("/orders/O-2/lines/tees/variants", "order"),
            ("/orders/O-1/lines/socks/variants", "order line"),
        ] {
            let said = json!({ "message": format!("{what} not found") });
            assert_eq!(stage.get(target).said(), format!("404 {said}"));
        }
        let stranger = ExchangeStage::set(server);
        assert_eq!(stranger.get(TARGET).status, 404);
        assert_eq!(stranger.calls(MessageKind::ExchangeVariants), []);
        let narrow = server.narrow_token(&stage.merchant, "orders:write");
        let request = crate::harness::http::Request::get(TARGET).bearer(&narrow);
        assert_eq!(server.send(&request).status, 403);
    }
}
