//! The simulated carrier as a process of its own, and a merchant that buys labels from it.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use crate::{
    harness::{
        eventually,
        home::{Home, text},
        http::{Connection, Reply, Request},
        server::{Server, start_guardian},
        stage::Stage,
    },
    returns::scene::sample_order,
};

pub(crate) const KEY: &str = "EZTK-simulated-key";
pub(crate) const WEBHOOK_SECRET: &str = "webhook-secret-of-acme";

/// `homeward sim carrier`. It is killed when the test is done with it.
pub(crate) struct SimulatedCarrier {
    child: Child,
    guardian: Child,
    _home: Home,
    /// Host and port.
    address: String,
}

impl SimulatedCarrier {
    pub(crate) fn start() -> Self {
        let home = Home::new();
        for (name, secret) in [("key", KEY), ("secret", WEBHOOK_SECRET)] {
            std::fs::write(home.root().join(name), secret).unwrap();
        }
        let arguments = ["--json", "--listen", "127.0.0.1:0", "sim", "carrier"];
        let files = ["--key-file", "key", "--webhook-secret-file", "secret"];
        let mut command = home.command(&[&arguments[..], &files[..]].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let guardian = start_guardian(&child.id().to_string(), home.root());
        let mut shown = String::new();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        while !shown.ends_with('}') {
            shown.push_str(&lines.next().unwrap().unwrap());
        }
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let address = text(&shown["url"]).replace("http://", "");
        Self { child, guardian, _home: home, address }
    }

    pub(crate) fn send(&self, request: &Request) -> Reply {
        Connection::open(&self.address).unwrap().send(request).unwrap()
    }

    pub(crate) fn api_url(&self) -> String {
        format!("http://{}/v2", self.address)
    }

    /// The labels that were bought.
    pub(crate) fn purchases(&self) -> Vec<Value> {
        let shown = self.send(&Request::get("/sim/purchases")).json();
        shown["purchases"].as_array().unwrap().clone()
    }

    /// The labels that were bought for a return.
    pub(crate) fn purchases_of(&self, rma: &str) -> Vec<Value> {
        let is_its = |it: &Value| text(&it["reference"]).starts_with(rma);
        self.purchases().into_iter().filter(is_its).collect()
    }

    pub(crate) fn order_faults(&self, faults: &Value) {
        let request = Request::new("PUT", "/sim/faults").json(faults.to_string());
        assert_eq!(self.send(&request).status, 200);
    }

    pub(crate) fn forget_faults(&self) {
        assert_eq!(self.send(&Request::new("DELETE", "/sim/faults")).status, 200);
    }

    pub(crate) fn move_parcel(&self, code: &str, statuses: &[&str]) {
        let body = json!({ "statuses": statuses }).to_string();
        let request = Request::post(&format!("/sim/parcels/{code}/move")).json(body);
        let reply = self.send(&request);
        assert_eq!(reply.status, 200, "{}", reply.said());
    }

    /// The statuses of the answers to its webhooks.
    pub(crate) fn answers(&self) -> Vec<i64> {
        let sent = self.send(&Request::get("/sim/webhooks")).json();
        sent.as_array().unwrap().iter().map(|it| it["answer"].as_i64().unwrap_or(0)).collect()
    }

    /// Sends webhooks to this merchant on this server.
    pub(crate) fn report_to(&self, server: &Server, merchant: &str) {
        let url = format!("http://{}/carriers/easypost/{merchant}/webhooks", server.address);
        let request = Request::new("PUT", "/sim/webhooks").json(json!({ "url": url }).to_string());
        assert_eq!(self.send(&request).status, 200);
    }
}

impl Drop for SimulatedCarrier {
    fn drop(&mut self) {
        self.guardian.kill().unwrap();
        self.guardian.wait().unwrap();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The account at the simulated carrier.
pub(crate) fn account(carrier: &SimulatedCarrier) -> Value {
    json!({ "api_key": KEY, "webhook_secret": WEBHOOK_SECRET, "url": carrier.api_url() })
}

/// A new merchant that buys its labels there, with an order of two tees and a mug.
pub(crate) fn stage_with<'a>(server: &'a Server, carrier: &SimulatedCarrier) -> Stage<'a> {
    let stage = Stage::with(server, "easypost", &json!({}));
    let address = json!({ "return_address": {
        "name": "Returns", "street1": "2 Dock Road", "city": "Reno", "state": "NV",
        "zip_code": "89502", "country_code": "US",
    } });
    let target = format!("/admin/merchants/{}", stage.merchant.id);
    let patch = Request::new("PATCH", &target).bearer(&stage.admin).json(address.to_string());
    assert_eq!(server.send(&patch).status, 200);
    let reply = stage.try_to_put("carrier", &account(carrier));
    assert_eq!(reply.status, 200, "{}", reply.said());
    carrier.report_to(server, &stage.merchant.id);
    let offer = |method: &str| json!({ "method": method, "fee_cents": 0 });
    let methods = [offer("mail-back"), offer("express-returns")];
    stage.set_policy(&json!({ "methods": methods }));
    stage.publish(&[sample_order("A")]);
    stage
}

/// Starts a return and gives its identifier.
pub(crate) fn start(stage: &Stage<'_>, request: &Value) -> String {
    let reply = stage.call("POST", "/returns", request);
    assert_eq!(reply.status, 201, "{}", reply.said());
    text(&reply.json()["rma_identifier"])
}

/// Where the parcel of a return is.
pub(crate) fn tracking(stage: &Stage<'_>, rma: &str) -> Value {
    stage.show_return(rma)["items"][0]["package_tracking_status"].clone()
}

/// Waits until the parcel of a return is there.
pub(crate) fn until_tracked(stage: &Stage<'_>, rma: &str, status: &str) {
    eventually(&format!("{rma} is {status}"), || (tracking(stage, rma) == status).then_some(()));
}
