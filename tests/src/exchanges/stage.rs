//! The scene: a merchant with a shop, a policy and published orders, and a shopper who wants
//! something else.

use std::ops::Deref;

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::{Behavior, Call, Running, Settings};

use super::expected::{Rma, fixed};
use crate::harness::{
    eventually,
    home::text,
    http::{Reply, Request},
    samples::full_order,
    server::Server,
    shared::SharedServers,
    stage::{Stage, calls_of, receiver},
};

/// Repeats attempts quickly, and finds the simulated merchants on loopback.
pub(super) const QUICK: [&str; 8] = [
    "--allow-network",
    "*@127.0.0.0/8:*",
    "--retry-base-ms",
    "60",
    "--retry-factor",
    "1",
    "--delivery-timeout-ms",
    "2000",
];

/// A server on each engine.
pub(super) fn servers() -> impl Iterator<Item = &'static Server> {
    static SERVERS: SharedServers = SharedServers::new("exchanges", &QUICK);
    SERVERS.each()
}

/// A merchant of its own for a test, and its systems, which know variants and take exchange orders.
pub(super) struct ExchangeStage<'a> {
    pub(super) stage: Stage<'a>,
    pub(super) shop: Running,
}

impl<'a> Deref for ExchangeStage<'a> {
    type Target = Stage<'a>;

    fn deref(&self) -> &Stage<'a> {
        &self.stage
    }
}

impl<'a> ExchangeStage<'a> {
    pub(super) fn set(server: &'a Server) -> Self {
        // With an external carrier, nothing happens to a parcel by itself.
        let stage = Stage::with(server, "shop", &json!({ "carrier": "external" }));
        let shop = receiver(Settings { keep_bodies: 100_000, ..stage.settings() });
        let stage = Self { stage, shop };
        stage.point_to(&stage.shop.url());
        stage.set_policy(&json!({
            "window_days": 3650, "gift_card": { "sku": "GIFT-CARD", "bonus_per_mille": 100 }
        }));
        stage
    }

    /// With one order, which is shipped.
    pub(super) fn with_order(server: &'a Server) -> Self {
        let stage = Self::set(server);
        stage.publish(&sample_order("O-1"));
        stage
    }

    /// Says where the merchant's systems are.
    pub(super) fn point_to(&self, url: &str) {
        self.stage.point_to(url, &json!({ "type": "none" }));
    }

    /// From now on the merchant does this to calls of one kind.
    pub(super) fn behave(&self, kind: MessageKind, behavior: Behavior) {
        self.shop.merchant().behave(&[behavior.of(kind)]).unwrap();
    }

    pub(super) fn get(&self, target: &str) -> Reply {
        self.server.send(&Request::get(target).bearer(&self.token))
    }

    pub(super) fn post(&self, target: &str, body: &Value) -> Reply {
        self.call("POST", target, body)
    }

    pub(super) fn publish(&self, order: &Value) {
        self.stage.publish(std::slice::from_ref(order));
    }

    /// Starts a return that must be possible.
    pub(super) fn start(&self, items: &[Value]) -> Rma {
        let reply = self.try_to_start(items);
        assert_eq!(reply.status, 201, "{}", reply.said());
        let answer = reply.json();
        Rma { id: text(&answer["rma_identifier"]), answer }
    }

    pub(super) fn try_to_start(&self, items: &[Value]) -> Reply {
        self.post("/returns", &request(items))
    }

    /// What is held of a return now.
    pub(super) fn held(&self, rma: &Rma) -> Value {
        self.show_return(&rma.id)
    }

    /// The calls of a kind that the merchant got, oldest first.
    pub(super) fn calls(&self, kind: MessageKind) -> Vec<Call> {
        calls_of(&self.shop, Some(kind))
    }

    /// Every state of a return that the merchant was told and took, once there are so many; times
    /// and identifiers are replaced by fixed words. No more of them are on their way.
    pub(super) fn told(&self, rma: &Rma, count: usize) -> Vec<Value> {
        let mut seen = Vec::new();
        let accepted = |seen: &mut Vec<Value>| {
            let calls =
                self.calls(MessageKind::Rma).into_iter().filter(|it| it.answer.is_success());
            seen.clear();
            seen.extend(
                calls.map(|call| parse_body(&call)).filter(|it| it["rma_identifier"] == rma.id),
            );
            seen.len() >= count
        };
        eventually(&format!("{count} messages about {}", rma.id), || {
            accepted(&mut seen).then_some(())
        });
        let owed = self.messages(&format!("kind=rma&ref={}", rma.id));
        assert_eq!((seen.len(), owed.len()), (count, count), "{owed:?}");
        seen.into_iter().map(|message| fixed(message, rma)).collect()
    }

    /// The exchange orders that were asked for, in fixed words.
    pub(super) fn asked(&self, rma: &Rma) -> Vec<Value> {
        let calls = self.calls(MessageKind::ExchangeOrder);
        calls.iter().map(|call| fixed(parse_body(call), rma)).collect()
    }

    /// The messages that a query finds, newest first.
    pub(super) fn messages(&self, query: &str) -> Vec<Value> {
        let reply = self.get(&format!("/messages?limit=500&{query}"));
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()["messages"].as_array().unwrap().clone()
    }

    /// What is known of the exchange orders that a query finds, newest first.
    pub(super) fn exchange_orders(&self, query: &str) -> Vec<Value> {
        let reply = self.get(&format!("/exchange_orders?limit=500&{query}"));
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()["exchange_orders"].as_array().unwrap().clone()
    }

    /// Waits until the exchange order of a return is in this state.
    pub(super) fn until(&self, rma: &Rma, state: &str) -> Value {
        eventually(&format!("the exchange order of {} is {state}", rma.id), || {
            let found = self.exchange_orders(&format!("rma={}&state={state}", rma.id));
            found.into_iter().next()
        })
    }

    /// Nothing that the merchant was promised was broken.
    pub(super) fn assert_promises_kept(&self) {
        let summary = self.shop.merchant().summary();
        assert_eq!(summary.violations, []);
        assert_eq!((summary.bad_signatures, summary.unknown_paths), (0, 0));
    }
}

pub(super) fn parse_body(call: &Call) -> Value {
    serde_json::from_str(&call.content.as_ref().unwrap().body).unwrap()
}

/// An order of two tees of 46.10 each and one scarf of 42.12, of which everything was shipped.
pub(super) fn sample_order(identifier: &str) -> Value {
    let mut order = full_order();
    let mut line = order["items"][0].clone();
    for key in ["quantity_refunded", "return_policy_end_date", "dropship_identifier", "variants"] {
        line.as_object_mut().unwrap().remove(key);
    }
    order["identifier"] = json!(identifier);
    order["items"] = json!([line, scarf(&line)]);
    order["items"][0]["identifier"] = json!("tees");
    for (key, cents) in [
        ("product_amount_cents", 12_900),
        ("tax_amount_cents", 1_032),
        ("discount_amount_cents", 500),
        ("shipping_amount_cents", 0),
        ("shipping_tax_amount_cents", 0),
        ("total_amount_cents", 13_432),
    ] {
        order[key] = json!(cents);
    }
    for key in ["refunds", "transactions", "discounts"] {
        order[key] = json!([]);
    }
    order
}

fn scarf(line: &Value) -> Value {
    let mut scarf = line.clone();
    for (key, value) in [
        ("identifier", json!("scarf")),
        ("sku", json!("SCARF-RED")),
        ("upc", json!(null)),
        ("quantity", json!(1)),
        ("quantity_shipped", json!(1)),
        ("product_identifier", json!("PRD-3100")),
        ("variant_identifier", json!("SCARF")),
        ("title", json!("Lambswool scarf, red")),
        ("product_amount_cents", json!(3_900)),
        ("tax_amount_cents", json!(312)),
        ("discount_amount_cents", json!(0)),
        ("unit_price_amount_cents", json!(3_900)),
    ] {
        scarf[key] = value;
    }
    scarf
}

/// The order that the merchant publishes when it has placed an exchange order: one line, paid with
/// the credit.
pub(super) fn exchange_order(identifier: &str, price_cents: i64, tax_cents: i64) -> Value {
    let mut order = sample_order(identifier);
    let mut line = order["items"][0].clone();
    line["identifier"] = json!(format!("{identifier}-1"));
    line["sku"] = json!("TEE-NAVY-L");
    line["quantity"] = json!(1);
    line["quantity_shipped"] = json!(1);
    line["product_amount_cents"] = json!(price_cents);
    line["unit_price_amount_cents"] = json!(price_cents);
    line["tax_amount_cents"] = json!(tax_cents);
    line["discount_amount_cents"] = json!(0);
    order["items"] = json!([line]);
    order["product_amount_cents"] = json!(price_cents);
    order["tax_amount_cents"] = json!(tax_cents);
    order["discount_amount_cents"] = json!(0);
    order["total_amount_cents"] = json!(price_cents + tax_cents);
    order
}

/// The same order as it is before anything left the house.
pub(super) fn unshipped(order: &Value) -> Value {
    let mut order = order.clone();
    order["status"] = json!("Created");
    order["updated_at"] = json!("2026-02-13T16:02:10Z");
    for line in order["items"].as_array_mut().unwrap() {
        line["quantity_shipped"] = json!(0);
        line.as_object_mut().unwrap().remove("shipped_date");
    }
    order
}

/// Units of one line of an order, and what the shopper wants for them.
pub(super) fn item(order: &str, line: &str, quantity: i64, wants: &Value) -> Value {
    let mut item = json!({
        "order_identifier": order,
        "order_line_item_identifier": line,
        "quantity": quantity,
        "return_reason": "too_small",
    });
    for (key, value) in wants.as_object().unwrap() {
        item[key] = value.clone();
    }
    item
}

pub(super) fn exchange_for(sku: &str) -> Value {
    json!({ "resolution": "exchange", "exchange_sku": sku })
}

pub(super) fn gift_card() -> Value {
    json!({ "resolution": "gift_card" })
}

pub(super) fn refund() -> Value {
    json!({ "resolution": "refund" })
}

pub(super) fn request(items: &[Value]) -> Value {
    json!({
        "email": "dana.whitfield@example.com", "return_method": "mail-back", "items": items
    })
}
