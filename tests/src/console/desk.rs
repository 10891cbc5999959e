//! What an operator looks at: a merchant with an order under names that no other test uses.

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

/// A merchant whose systems listen, and an operator who is logged in.
pub(crate) struct Desk {
    pub(crate) stage: Stage<'static>,
    pub(crate) running: Running,
    pub(crate) visitor: Visitor<'static>,
}

/// A desk on each engine there is.
pub(crate) fn desks() -> impl Iterator<Item = Desk> {
    servers().map(Desk::at)
}

impl Desk {
    pub(crate) fn at(server: &'static Server) -> Self {
        let (stage, running) = Stage::with_receiver(server);
        Self { stage, running, visitor: server.visitor("operator") }
    }

    pub(crate) fn merchant(&self) -> &str {
        &self.stage.merchant.id
    }

    /// A name that only this merchant uses.
    pub(crate) fn own(&self, name: &str) -> String {
        format!("{name}-of-{}", self.merchant())
    }

    pub(crate) fn email(&self) -> String {
        format!("Lena.{}@example.com", self.merchant())
    }

    /// An order of two shipped units, to be returned for a century.
    pub(crate) fn order(&self, identifier: &str) -> Value {
        let mut order = samples::sample_order(identifier);
        order["status"] = json!("Shipped");
        order["customer"]["email"] = json!(self.email());
        for field in ["quantity", "quantity_shipped"] {
            order["items"][0][field] = json!(2);
        }
        order["items"][0]["return_policy_end_date"] = json!("2126-04-30");
        order
    }

    pub(crate) fn publish(&self, orders: &[Value]) {
        self.stage.publish(orders);
    }

    /// The merchant's own call.
    pub(crate) fn ask(&self, method: &str, target: &str, body: &Value) -> Reply {
        let reply = self.stage.call(method, target, body);
        assert!((200..300).contains(&reply.status), "{target}: {}", reply.said());
        reply
    }

    /// Publishes an order, starts a return of one unit of it, and gives the identifier of the
    /// return.
    pub(crate) fn returned(&self, order: &str, resolution: &str) -> String {
        self.publish(&[self.order(order)]);
        let body = json!({
            "email": self.email(), "return_method": "mail-back",
            "items": [{
                "order_identifier": order, "order_line_item_identifier": "1", "quantity": 1,
                "return_reason": "too_small", "resolution": resolution,
            }],
        });
        text(&self.ask("POST", "/returns", &body).json()["rma_identifier"])
    }

    /// Waits for the label of a return and gives the number on it.
    pub(crate) fn label(&self, rma: &str) -> String {
        self.stage.wait_for_label(rma)
    }

    /// Where a search leads when it finds one thing.
    pub(crate) fn found(&self, asked: &str) -> String {
        let query = crate::harness::console::form(&[("q", asked)]);
        let reply = self.visitor.get(&format!("/console/search?{query}"));
        assert_eq!(reply.status, 303, "{asked}: {}", reply.said());
        reply.header("location").unwrap().to_owned()
    }

    pub(crate) fn order_address(&self, order: &str) -> String {
        format!("/console/orders/{}/{order}", self.merchant())
    }
}
