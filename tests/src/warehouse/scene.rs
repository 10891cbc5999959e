//! A merchant with its systems, the warehouse and an operator, on a server of either engine.

use serde_json::{Value, json};
use sim::{Call, Running};

use crate::harness::{
    eventually,
    home::{Merchant, text},
    http::Request,
    server::Server,
    shared::SharedServers,
    stage::{ALLOW, Stage, Tenant, list_calls},
};

/// How numbers begin that the warehouse looks goods up by. No two scenes share one.
const OWN: [&str; 5] = ["ASN-", "LP-", "RTV-", "DS-", "HP-"];

/// What is another one whenever a test runs.
const TIMES: [&str; 7] =
    ["created_at", "updated_at", "timestamp", "at", "since", "raised_at", "received_at"];

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Who {
    Merchant,
    Warehouse,
    Operator,
}

/// What was answered, with the numbers of the samples.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl Answer {
    /// The fields that a refusal names, sorted.
    pub(super) fn refused_fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().unwrap().iter();
        let mut fields: Vec<&str> = errors.map(|it| it["field"].as_str().unwrap()).collect();
        fields.sort_unstable();
        fields
    }
}

pub(super) struct Scene {
    pub(super) server: &'static Server,
    pub(super) merchant: Merchant,
    pub(super) running: Running,
    tokens: [String; 3],
    /// Stands in all numbers of this scene.
    mark: String,
}

/// A scene on each engine.
pub(super) fn scenes() -> impl Iterator<Item = Scene> {
    static SERVERS: SharedServers = SharedServers::new("warehouse", &ALLOW);
    SERVERS.each().map(Scene::set)
}

impl Scene {
    fn set(server: &'static Server) -> Self {
        let (stage, running) = Stage::with_receiver(server);
        let add = ["client", "add", "--name", "dock", "--scope", "warehouse:write"];
        let warehouse = server.token(&Merchant::read("platform", &server.home.json(&add)));
        let Tenant { merchant, token, admin, .. } = stage.tenant;
        let mark = format!("q{}z-", merchant.id.replace("staged-", ""));
        Self { server, merchant, running, tokens: [token, warehouse, admin], mark }
    }

    /// Another merchant, which uses the same numbers.
    pub(super) fn neighbour(&self) -> Self {
        let other = Self::set(self.server);
        Self { mark: self.mark.clone(), ..other }
    }

    /// The same text with numbers that no other scene has.
    pub(super) fn own(&self, text: &str) -> String {
        let mark =
            |text: String, prefix: &str| text.replace(prefix, &format!("{prefix}{}", self.mark));
        OWN.into_iter().fold(text.to_owned(), mark)
    }

    /// The text with the numbers of the samples.
    fn plain(&self, text: &str) -> String {
        text.replace(&self.mark, "").replace(&self.merchant.id, "acme")
    }

    pub(super) fn send(&self, who: Who, request: Request) -> Answer {
        let token = match who {
            Who::Merchant => &self.tokens[0],
            Who::Warehouse => &self.tokens[1],
            Who::Operator => &self.tokens[2],
        };
        let reply = self.server.send(&request.bearer(token));
        let body = serde_json::from_str(&self.plain(reply.text()));
        Answer { status: reply.status, body: body.unwrap_or_default() }
    }

    /// A request with numbers of this scene.
    pub(super) fn request(&self, method: &str, target: &str, body: &str) -> Request {
        Request::new(method, &self.own(target)).json(self.own(body))
    }

    pub(super) fn ask(&self, who: Who, method: &str, target: &str, body: &Value) -> Answer {
        self.send(who, self.request(method, target, &body.to_string()))
    }

    pub(super) fn get(&self, who: Who, target: &str) -> Answer {
        self.send(who, Request::get(&self.own(target)))
    }

    /// The merchant announces goods.
    pub(super) fn announce(&self, asn: &Value) {
        let answer = self.ask(Who::Merchant, "POST", "/asns", asn);
        assert_eq!(answer.status, 202, "{answer:?}");
    }

    /// The warehouse tells of units, each against the sample's ASN unless it names another. What
    /// became of each.
    pub(super) fn scan(&self, units: &[Value]) -> Vec<Value> {
        let receipts: Vec<Value> = units.iter().map(receipt).collect();
        let body = json!({ "receipts": receipts });
        let answer = self.ask(Who::Warehouse, "POST", "/receipts", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["results"].as_array().unwrap().clone()
    }

    /// An operator decides about a unit that was scanned for an ASN.
    pub(super) fn decide(&self, unit: &str, asn: &str, answer: &Value) -> Answer {
        self.decide_for(&self.merchant.id, unit, asn, answer)
    }

    pub(super) fn decide_for(
        &self,
        merchant: &str,
        unit: &str,
        asn: &str,
        answer: &Value,
    ) -> Answer {
        let target = format!("/admin/merchants/{merchant}/units/{unit}/questions/{asn}/answer");
        self.ask(Who::Operator, "POST", &target, answer)
    }

    /// The units of this scene that operators are asked about: whose, which, and why.
    pub(super) fn doubts(&self) -> Vec<(String, String, String)> {
        let mut doubts = Vec::new();
        let mut target = "/admin/exceptions?limit=500".to_owned();
        loop {
            let reply = self.server.send(&Request::get(&target).bearer(&self.tokens[2]));
            let page = reply.json();
            for doubt in page["exceptions"].as_array().unwrap() {
                let unit = &doubt["unit"];
                let name = text(&unit["unit_identifier"]);
                let open = unit["questions"].as_array().unwrap().iter();
                let open = open.filter(|it| it["answer"].is_null()).map(|it| text(&it["kind"]));
                if name.contains(&self.mark) {
                    let whose = self.plain(&text(&doubt["merchant"]));
                    doubts.push((whose, self.plain(&name), open.collect::<Vec<_>>().join(" ")));
                }
            }
            let Some(next) = page["next"].as_str() else { return doubts };
            target = format!("/admin/exceptions?limit=500&after={next}");
        }
    }

    /// Everything that the merchant is owed of this kind, once all of it was told, in the order in
    /// which it was decided.
    pub(super) fn told(&self, kind: &str) -> Vec<Value> {
        let mut calls = eventually(&format!("all messages {kind}"), || {
            let owed = self.get(Who::Merchant, &format!("/messages?limit=500&kind={kind}"));
            let calls = self.calls(kind);
            (calls.len() == owed.body["messages"].as_array().unwrap().len()).then_some(calls)
        });
        assert_eq!(self.running.merchant().summary().violation_count, 0);
        calls.sort_by_key(message_number);
        let body = |call: &Call| self.plain(&call.content.as_ref().unwrap().body);
        calls.iter().map(|call| serde_json::from_str(&body(call)).unwrap()).collect()
    }

    /// The sequence numbers of what was told of this kind.
    pub(super) fn sequences(&self, kind: &str) -> Vec<u64> {
        self.calls(kind).iter().map(|call| call.sequence.unwrap()).collect()
    }

    pub(super) fn calls(&self, kind: &str) -> Vec<Call> {
        // The kind of an RMA is named by one, its address by many.
        let path = if kind == "rma" { "/rmas".to_owned() } else { format!("/{kind}") };
        list_calls(&self.running).into_iter().filter(|call| call.path == path).collect()
    }
}

/// The number at the end of a message's identifier.
fn message_number(call: &Call) -> u64 {
    let id = call.webhook_id.as_deref().unwrap();
    id.rsplit_once('_').unwrap().1.parse().unwrap()
}

pub(super) fn receipt(fields: &Value) -> Value {
    let mut receipt = json!({
        "asn_number": "ASN-20260301-7", "condition": "A", "channel": "RTS",
        "user_login": "mkowalski",
    });
    receipt.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    receipt
}

pub(super) fn parsed(sample: &str) -> Value {
    serde_json::from_str(sample).unwrap()
}

/// The value with fixed words for what is another one whenever a test runs.
pub(super) fn fixed(mut value: Value) -> Value {
    fix(&mut value);
    value
}

fn fix(value: &mut Value) {
    match value {
        Value::Array(list) => {
            for element in list {
                fix(element);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                if TIMES.contains(&key.as_str()) && value.is_string() {
                    *value = json!("TIME");
                } else if key == "id" && value.is_number() {
                    *value = json!("ID");
                } else {
                    fix(value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
    }
}

/// Both are the same, to the order of their fields.
#[track_caller]
pub(super) fn assert_same(told: &Value, expected: &Value) {
    assert_eq!(fixed(told.clone()).to_string(), fixed(expected.clone()).to_string());
}

/// The sample's ASN, which announces two pieces: LP-0093321 (TEE-NAVY-M) and LP-0093322 (CAP-SAND).
pub(super) fn sample_asn() -> Value {
    parsed(domain::samples::inbound_asn_request())
}

/// An ASN of quantities: of each line so many of its SKU.
pub(super) fn quantities(number: &str, lines: &[(&str, &str, i64)]) -> Value {
    let details = lines.iter().map(|(line, sku, quantity)| {
        json!({ "line_identifier": line, "sku": sku, "quantity": quantity })
    });
    let details: Vec<Value> = details.collect();
    json!({
        "program_identifier": "returns-west", "asn_number": number, "status": "shipped",
        "details_type": "sku", "from": { "identifier": 12, "type": "store" },
        "to": { "identifier": "EAST", "type": "warehouse" }, "cartons": [{ "details": details }],
    })
}

/// What became of a receipt that was taken in.
pub(super) fn applied() -> Value {
    json!({ "result": "applied" })
}

/// What became of a receipt that was known.
pub(super) fn unchanged() -> Value {
    json!({ "result": "unchanged" })
}

/// What became of a receipt that did not fit.
pub(super) fn exception(kind: &str) -> Value {
    json!({ "result": "exception", "message": kind })
}
