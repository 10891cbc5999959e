//! The scene of a return: a merchant whose systems listen, with an order to return, and the
//! carrier and the warehouse that have a hand in it.

use serde_json::{Value, json};
use sim::Running;

use super::expected::redacted;
use crate::harness::{
    eventually,
    home::text,
    http::{Reply, Request},
    samples::{self},
    stage::{Stage, accepted, list_calls, servers},
};

pub(crate) const SHOPPER: &str = "lena.brandt@example.com";

/// A merchant in the sandbox: its labels are made by the simulated carrier.
pub(crate) struct Scene<'a> {
    pub(crate) stage: Stage<'a>,
    pub(crate) running: Running,
}

/// A new merchant with an order on each engine there is.
pub(crate) fn scenes() -> impl Iterator<Item = Scene<'static>> {
    servers().map(|server| {
        let (stage, running) = Stage::with_receiver(server);
        let scene = Scene { stage, running };
        scene.publish(&sample_order("A"));
        scene
    })
}

/// Two tees at 45.00 with 5.00 off and a mug at 24.00, all shipped, to be returned for a century.
pub(crate) fn sample_order(identifier: &str) -> Value {
    let mut order = samples::sample_order(identifier);
    order["status"] = json!("Shipped");
    order["total_amount_cents"] = json!(11_812);
    order["product_amount_cents"] = json!(11_400);
    order["tax_amount_cents"] = json!(912);
    order["discount_amount_cents"] = json!(500);
    order["items"] = json!([line("tee", 2, [4_500, 720, 500]), line("mug", 1, [2_400, 192, 0]),]);
    order
}

/// A line with the price of one unit, its tax and its discount.
pub(crate) fn line(identifier: &str, quantity: i64, [price, tax, discount]: [i64; 3]) -> Value {
    let mut line = samples::sample_order("any")["items"][0].clone();
    line["identifier"] = json!(identifier);
    line["sku"] = json!(format!("SKU-{identifier}"));
    line["title"] = json!(format!("A {identifier}"));
    line["quantity"] = json!(quantity);
    line["quantity_shipped"] = json!(quantity);
    line["unit_price_amount_cents"] = json!(price);
    line["product_amount_cents"] = json!(price * quantity);
    line["tax_amount_cents"] = json!(tax);
    line["discount_amount_cents"] = json!(discount);
    line["return_policy_end_date"] = json!("2126-04-30");
    line
}

/// A refund of units of lines.
pub(crate) fn refund(identifier: &str, rma: Option<&str>, lines: &[(&str, i64)]) -> Value {
    let worth = |line: &str| if line == "mug" { 2_592 } else { 4_610 };
    let amount: i64 = lines.iter().map(|(line, quantity)| worth(line) * quantity).sum();
    let lines = lines.iter().enumerate().map(|(position, (line, quantity))| {
        json!({
            "identifier": format!("{identifier}-{position}"), "quantity": quantity,
            "order_item_identifier": line,
        })
    });
    let mut refund = json!({
        "identifier": identifier, "total_refund_amount_cents": amount,
        "refund_line_items": lines.collect::<Vec<_>>(), "created_at": "2126-03-01T08:00:00Z",
    });
    if let Some(rma) = rma {
        refund["rma_identifier"] = json!(rma);
    }
    refund
}

/// What a shopper asks for: `(order, line, units)` each, to be refunded.
pub(crate) fn request(method: &str, items: &[(&str, &str, i64)]) -> Value {
    let items = items.iter().map(|(order, line, quantity)| {
        json!({
            "order_identifier": order, "order_line_item_identifier": line,
            "quantity": quantity, "return_reason": "too_small", "resolution": "refund",
        })
    });
    let items: Vec<Value> = items.collect();
    json!({ "email": SHOPPER, "return_method": method, "items": items })
}

impl Scene<'_> {
    pub(crate) fn send(&self, method: &str, target: &str, token: &str, body: &Value) -> Reply {
        let request = Request::new(method, target).bearer(token).json(body.to_string());
        self.stage.server.send(&request)
    }

    /// The merchant's own call.
    pub(crate) fn ask(&self, target: &str, body: &Value) -> Reply {
        self.stage.call("POST", target, body)
    }

    pub(crate) fn publish(&self, order: &Value) -> Value {
        self.stage.publish(std::slice::from_ref(order))
    }

    /// Publishes the order anew, with these refunds in it.
    pub(crate) fn publish_refunds(&self, order: &Value, refunds: &[Value]) -> Value {
        let mut order = order.clone();
        order["refunds"] = json!(refunds);
        order["updated_at"] = json!(format!("2026-04-01T08:00:{:02}Z", refunds.len()));
        self.publish(&order)
    }

    /// Starts a return and gives its identifier.
    pub(crate) fn start(&self, request: &Value) -> String {
        let reply = self.ask("/returns", request);
        assert_eq!(reply.status, 201, "{}", reply.said());
        text(&reply.json()["rma_identifier"])
    }

    /// Starts a return of the first tee of the order A by mail.
    pub(crate) fn start_tee(&self) -> String {
        self.start(&request("mail-back", &[("A", "tee", 1)]))
    }

    pub(crate) fn show(&self, rma: &str) -> Value {
        self.stage.show_return(rma)
    }

    /// Waits for the label and gives the number on it.
    pub(crate) fn label(&self, rma: &str) -> String {
        self.stage.wait_for_label(rma)
    }

    pub(crate) fn cancel(&self, rma: &str) -> Reply {
        self.ask(&format!("/returns/{rma}/cancel"), &json!({}))
    }

    /// What the carrier is answered to events.
    pub(crate) fn carry(&self, events: &Value) -> Value {
        let body = json!({ "events": events });
        let reply = self.send("POST", "/carrier_events", &self.stage.admin, &body);
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()["results"].clone()
    }

    /// The carrier tells something of a return, and it must be news.
    pub(crate) fn happens(&self, rma: &str, kind: &str) {
        let results = self.carry(&json!([{ "type": kind, "rma_identifier": rma }]));
        assert_eq!(results, json!([{ "result": "applied", "rma_identifier": rma }]), "{kind}");
    }

    /// What the warehouse is answered to receipts.
    pub(crate) fn receive(&self, receipts: &Value) -> Value {
        let body = json!({ "receipts": receipts });
        let reply = self.send("POST", "/receipts", &self.stage.admin, &body);
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()["results"].clone()
    }

    /// An operator decides about a unit that the return `rma` did not expect.
    pub(crate) fn answer_question(&self, plate: &str, rma: &str, answer: &Value) -> Reply {
        let merchant = &self.stage.tenant.merchant.id;
        let target = format!("/admin/merchants/{merchant}/units/{plate}/questions/{rma}/answer");
        self.send("POST", &target, &self.stage.admin, answer)
    }

    pub(crate) fn close_receiving(&self, rma: &str) -> Reply {
        let target = format!("/returns/{rma}/receiving/close");
        self.send("POST", &target, &self.stage.admin, &json!({}))
    }

    pub(crate) fn set_policy(&self, policy: &Value) -> Value {
        self.stage.set_policy(policy)
    }

    /// Changes settings of the merchant.
    pub(crate) fn set(&self, change: &Value) {
        let target = format!("/admin/merchants/{}", self.stage.merchant.id);
        let reply = self.send("PATCH", &target, &self.stage.admin, change);
        assert_eq!(reply.status, 200, "{}", reply.said());
    }

    /// The refunds of this merchant that an operator should look at, as `(refund, detail)`.
    pub(crate) fn problems(&self, state: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut target = format!("/admin/refunds?state={state}&limit=500");
        loop {
            let reply = self.stage.get(&target);
            assert_eq!(reply.status, 200, "{}", reply.said());
            let page = reply.json();
            found.extend(page["refunds"].as_array().unwrap().clone());
            let Some(next) = page["next"].as_str() else { break };
            target = format!("/admin/refunds?state={state}&limit=500&after={next}");
        }
        found.retain(|it| it["merchant"] == json!(self.stage.merchant.id));
        found.iter().map(|it| (text(&it["refund_identifier"]), text(&it["detail"]))).collect()
    }

    /// How many messages about a return there are, sent or not.
    pub(crate) fn owed(&self, rma: &str) -> usize {
        let target = format!("/messages?ref={rma}");
        let reply = self.stage.server.send(&Request::get(&target).bearer(&self.stage.token));
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()["messages"].as_array().unwrap().len()
    }

    /// The bodies that the merchant's systems got about a return, as they came. They are all that
    /// there are, in order.
    pub(crate) fn bodies(&self, rma: &str) -> Vec<String> {
        let owed = self.owed(rma);
        let mut found = Vec::new();
        eventually(&format!("{owed} messages about {rma}"), || {
            found =
                list_calls(&self.running).into_iter().filter(|call| tells_of(call, rma)).collect();
            (found.len() == owed).then_some(())
        });
        let sequences: Vec<_> = found.iter().map(|call| call.sequence).collect();
        let expected: Vec<_> = (1..).map(Some).take(owed).collect();
        assert_eq!(sequences, expected, "numbered from one, without a gap");
        found.into_iter().map(|call| redacted(&call.content.unwrap().body, rma)).collect()
    }

    /// The messages that the merchant's systems got about a return.
    pub(crate) fn messages(&self, rma: &str) -> Vec<Value> {
        self.bodies(rma).iter().map(|body| serde_json::from_str(body).unwrap()).collect()
    }

    /// Waits until everything so far has arrived, and nothing came wrong.
    pub(crate) fn settle(&self, messages: u64) {
        accepted(&self.running, messages);
        assert_eq!(self.running.merchant().summary().violation_count, 0);
    }
}

fn tells_of(call: &sim::Call, rma: &str) -> bool {
    call.content.as_ref().is_some_and(|content| content.body.contains(rma))
}
