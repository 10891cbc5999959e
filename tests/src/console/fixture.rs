//! A merchant and an operator for the tests of the console, with names that no other test uses.

use serde_json::{Value, json};
use sim::Running;

use crate::harness::{
    console::Visitor,
    home::text,
    http::Reply,
    samples::{self},
    server::Server,
    stage::{Stage, servers},
};

/// A merchant with a server that receives messages, and an operator who is logged in.
pub(crate) struct ConsoleFixture {
    pub(crate) stage: Stage<'static>,
    pub(crate) running: Running,
    pub(crate) visitor: Visitor<'static>,
}

/// A fixture on each engine.
pub(crate) fn console_fixtures() -> impl Iterator<Item = ConsoleFixture> {
    servers().map(ConsoleFixture::new)
}

impl ConsoleFixture {
    pub(crate) fn new(server: &'static Server) -> Self {
        let (stage, running) = Stage::with_receiver(server);
        Self { stage, running, visitor: server.visitor("operator") }
    }

    pub(crate) fn merchant(&self) -> &str {
        &self.stage.merchant.id
    }

    /// A name that only this merchant uses.
    pub(crate) fn unique(&self, name: &str) -> String {
        format!("{name}-of-{}", self.merchant())
    }

    pub(crate) fn email(&self) -> String {
        format!("Lena.{}@example.com", self.merchant())
    }

    /// An order of two shipped units at 39.00 that can be returned for a century.
    pub(crate) fn order(&self, identifier: &str) -> Value {
        let mut order = samples::sample_order(identifier);
        order["status"] = json!("Shipped");
        order["customer"]["email"] = json!(self.email());
        for field in ["quantity", "quantity_shipped"] {
            order["items"][0][field] = json!(2);
        }
        order["items"][0]["return_policy_end_date"] = json!("2126-04-30");
        order["items"][0]["product_amount_cents"] = json!(7_800);
        for field in ["product_amount_cents", "total_amount_cents"] {
            order[field] = json!(7_800);
        }
        order
    }

    pub(crate) fn publish(&self, orders: &[Value]) {
        self.stage.publish(orders);
    }

    /// A call by the merchant's systems.
    pub(crate) fn call(&self, method: &str, target: &str, body: &Value) -> Reply {
        let reply = self.stage.call(method, target, body);
        assert!((200..300).contains(&reply.status), "{target}: {}", reply.said());
        reply
    }

    /// Publishes an order, starts a return of one of its units, and returns the RMA identifier.
    pub(crate) fn start_return(&self, order: &str, resolution: &str) -> String {
        self.publish(&[self.order(order)]);
        let body = json!({
            "email": self.email(), "return_method": "mail-back",
            "items": [{
                "order_identifier": order, "order_line_item_identifier": "1", "quantity": 1,
                "return_reason": "too_small", "resolution": resolution,
            }],
        });
        text(&self.call("POST", "/returns", &body).json()["rma_identifier"])
    }

    /// Publishes a refund of the returned unit that pays a cent less than was promised, and returns
    /// the promise.
    pub(crate) fn pay_a_cent_short(&self, order: &str, rma: &str) -> i64 {
        let shown = self.call("GET", &format!("/returns/{rma}"), &Value::Null).json();
        let promised = shown["statement"]["promised"]["total_cents"].as_i64().unwrap();
        let mut refunded = self.order(order);
        refunded["updated_at"] = json!("2126-03-01T08:00:00Z");
        refunded["refunds"] = json!([{
            "identifier": format!("RF-{order}"), "total_refund_amount_cents": promised - 1,
            "created_at": "2126-03-01T08:00:00Z", "rma_identifier": rma,
            "refund_line_items": [
                { "identifier": "RF-1-1", "quantity": 1, "order_item_identifier": "1" }
            ],
        }]);
        self.publish(&[refunded]);
        promised
    }

    /// Waits for the label of a return, and returns its tracking number.
    pub(crate) fn wait_for_label(&self, rma: &str) -> String {
        self.stage.wait_for_label(rma)
    }

    /// The page that a search with a single result opens.
    pub(crate) fn search_target(&self, query: &str) -> String {
        let form = crate::harness::console::form(&[("q", query)]);
        let reply = self.visitor.get(&format!("/console/search?{form}"));
        assert_eq!(reply.status, 303, "{query}: {}", reply.said());
        reply.header("location").unwrap().to_owned()
    }

    pub(crate) fn order_url(&self, order: &str) -> String {
        format!("/console/orders/{}/{order}", self.merchant())
    }
}
