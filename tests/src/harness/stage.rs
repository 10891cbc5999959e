//! What most tests start from: a server, a merchant of its own, and that merchant's simulated
//! systems. The fixtures of the areas add to it what only they need.

use std::{
    ops::Deref,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use domain::messages::kind::MessageKind;
use serde_json::{Value, json};
use sim::{Behavior, Call, CallQuery, Running, Settings, SimulatedMerchant};
use tokio::runtime::Runtime;

use crate::harness::{
    eventually,
    home::{Home, Merchant, text},
    http::{Reply, Request},
    postgres,
    samples::message,
    server::Server,
    shared::SharedServers,
};

/// Loopback is where the simulated merchants are.
pub(crate) const ALLOW: [&str; 2] = ["--allow-network", "*@127.0.0.0/8:*"];
/// The pause between two attempts on the servers that tests share.
pub(crate) const PAUSE_MS: i64 = 60;
/// What makes a server repeat attempts quickly.
pub(crate) const QUICK: [&str; 8] = [
    ALLOW[0],
    ALLOW[1],
    "--retry-base-ms",
    "60",
    "--retry-factor",
    "1",
    "--delivery-timeout-ms",
    "3000",
];

/// A server on each engine that repeats attempts quickly.
pub(crate) fn servers() -> impl Iterator<Item = &'static Server> {
    static SERVERS: SharedServers = SharedServers::new("delivery", &QUICK);
    SERVERS.each()
}

/// The places for servers of one's own, one on each engine, or only on the one that was chosen.
pub(crate) fn homes(name: &str) -> impl Iterator<Item = Home> {
    let schemas = postgres::chosen().is_none().then(|| postgres::schemas(name));
    let others = schemas.into_iter().flatten().map(|schema| Home::on(&schema.address));
    std::iter::once(Home::new()).chain(others)
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

/// Opens the door of a simulated merchant.
pub(crate) fn receiver(settings: Settings) -> Running {
    runtime().block_on(SimulatedMerchant::start(settings)).unwrap()
}

/// A merchant and what it takes to act for it. It outlives a server that is restarted.
#[derive(Clone)]
pub(crate) struct Tenant {
    /// An operator's token.
    pub(crate) admin: String,
    pub(crate) merchant: Merchant,
    /// The merchant's own token.
    pub(crate) token: String,
    pub(crate) signing_secret: String,
}

/// A merchant on a server.
pub(crate) struct Stage<'a> {
    pub(crate) server: &'a Server,
    pub(crate) tenant: Tenant,
}

impl Deref for Stage<'_> {
    type Target = Tenant;

    fn deref(&self) -> &Tenant {
        &self.tenant
    }
}

impl<'a> Stage<'a> {
    /// A new merchant without an endpoint.
    pub(crate) fn set(server: &'a Server) -> Self {
        Self::with(server, "staged", &json!({}))
    }

    /// A new merchant with these settings. Its identifier begins with `prefix`.
    pub(crate) fn with(server: &'a Server, prefix: &str, settings: &Value) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let admin = server.admin_token();
        let id = format!("{prefix}-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let mut body = json!({ "merchant": id, "name": "A merchant" });
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let request = Request::post("/admin/merchants").bearer(&admin).json(body.to_string());
        let reply = server.send(&request);
        assert_eq!(reply.status, 201, "{}", reply.said());
        let added = reply.json();
        let merchant = Merchant::read(&id, &added);
        let token = server.token(&merchant);
        let signing_secret = text(&added["signing_secret"]);
        Self { server, tenant: Tenant { admin, merchant, token, signing_secret } }
    }

    /// A new merchant whose systems check every signature.
    pub(crate) fn with_receiver(server: &'a Server) -> (Self, Running) {
        let stage = Self::set(server);
        let running = receiver(stage.settings());
        stage.point_to(&running.url(), &json!({ "type": "none" }));
        (stage, running)
    }

    /// A new merchant with one failed message in each of `lanes` lanes, whose systems work again.
    pub(crate) fn with_failures(server: &'a Server, lanes: usize) -> (Self, Running, Vec<String>) {
        let (stage, running) = Self::with_receiver(server);
        running.merchant().behave(&[Behavior::status(503)]).unwrap();
        let ids = (0..lanes).map(|lane| stage.test(&format!("lane-{lane}"), 1)).collect();
        stage.until_failed(lanes);
        running.merchant().behave_normally();
        (stage, running, ids)
    }

    /// The settings of a simulated merchant that knows this one's signing secret.
    pub(crate) fn settings(&self) -> Settings {
        Settings { signing_secrets: vec![self.signing_secret.clone()], ..Settings::default() }
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.server.send(&Request::get(target).bearer(&self.admin))
    }

    pub(crate) fn post(&self, target: &str) -> Reply {
        self.server.send(&Request::post(target).bearer(&self.admin))
    }

    /// Changes something of the merchant as an operator: its `policy`, its `endpoints` ...
    pub(crate) fn try_to_put(&self, what: &str, body: &Value) -> Reply {
        let target = format!("/admin/merchants/{}/{what}", self.merchant.id);
        let request = Request::new("PUT", &target).bearer(&self.admin).json(body.to_string());
        self.server.send(&request)
    }

    /// Sets the merchant's policy, and returns the response.
    pub(crate) fn set_policy(&self, policy: &Value) -> Value {
        let reply = self.try_to_put("policy", policy);
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()
    }

    /// A call of the merchant's systems.
    pub(crate) fn call(&self, method: &str, target: &str, body: &Value) -> Reply {
        let request = Request::new(method, target).bearer(&self.token).json(body.to_string());
        self.server.send(&request)
    }

    /// Publishes orders, and returns the response.
    pub(crate) fn publish(&self, orders: &[Value]) -> Value {
        let reply = self.server.publish(&self.token, &message(orders));
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()
    }

    /// A return as the merchant reads it.
    pub(crate) fn show_return(&self, rma: &str) -> Value {
        let request = Request::get(&format!("/returns/{rma}")).bearer(&self.token);
        let reply = self.server.send(&request);
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()
    }

    /// Waits for the label of a return, and returns the tracking number on it.
    pub(crate) fn wait_for_label(&self, rma: &str) -> String {
        eventually("there is a label", || {
            self.show_return(rma)["label"]["tracking_number"].as_str().map(str::to_owned)
        })
    }

    pub(crate) fn try_to_point_to(&self, url: &str, auth: &Value) -> Reply {
        self.try_to_put("endpoints", &json!({ "base_url": url, "auth": auth }))
    }

    /// Says where the merchant's systems are.
    pub(crate) fn point_to(&self, url: &str, auth: &Value) {
        let reply = self.try_to_point_to(url, auth);
        assert_eq!(reply.status, 200, "{}", reply.said());
    }

    /// Pauses or resumes the endpoint for RMAs.
    pub(crate) fn turn(&self, verb: &str) {
        let target = format!("/admin/merchants/{}/endpoints/rma/{verb}", self.merchant.id);
        let reply = self.post(&target);
        assert_eq!(reply.status, 200, "{}", reply.said());
    }

    /// Sends a test message of `kind` and gives back its identifier.
    pub(crate) fn test_of(&self, kind: &str, lane: &str, sequence: usize) -> String {
        let merchant = &self.merchant.id;
        let query = format!("ref={lane}&sequence={sequence}");
        let reply =
            self.post(&format!("/admin/merchants/{merchant}/endpoints/{kind}/test?{query}"));
        assert_eq!(reply.status, 202, "{}", reply.said());
        text(&reply.json()["id"])
    }

    pub(crate) fn test(&self, lane: &str, sequence: usize) -> String {
        self.test_of("rma", lane, sequence)
    }

    /// The message as operators see it.
    pub(crate) fn message(&self, id: &str) -> Value {
        let reply = self.get(&format!("/admin/messages/{id}"));
        assert_eq!(reply.status, 200, "{}", reply.said());
        reply.json()
    }

    /// Waits until the message is in this state.
    pub(crate) fn until(&self, id: &str, state: &str) -> Value {
        eventually(&format!("{id} is {state}"), || {
            Some(self.message(id)).filter(|message| message["state"] == state)
        })
    }

    /// Waits until there are so many failures of this merchant.
    pub(crate) fn until_failed(&self, count: usize) -> Vec<Value> {
        let target = format!("/admin/failures?limit=500&merchant={}", self.merchant.id);
        eventually(&format!("{count} failures"), || {
            let failures = self.get(&target).json()["failures"].as_array().unwrap().clone();
            (failures.len() == count).then_some(failures)
        })
    }
}

/// Waits until so many different messages were accepted.
pub(crate) fn accepted(running: &Running, count: u64) {
    eventually(&format!("{count} messages are accepted"), || {
        (running.merchant().summary().accepted_ids >= count).then_some(())
    });
}

/// The calls so far, oldest first.
pub(crate) fn list_calls(running: &Running) -> Vec<Call> {
    calls_of(running, None)
}

/// The calls of one kind so far, or of all kinds, oldest first.
pub(crate) fn calls_of(running: &Running, kind: Option<MessageKind>) -> Vec<Call> {
    let mut calls = Vec::new();
    loop {
        let after = Some(calls.last().map_or(0, |call: &Call| call.number));
        let query = CallQuery { kind, after, limit: Some(sim::CALLS_MAX), id: None };
        let page = running.merchant().calls(&query);
        calls.extend(page.calls);
        if !page.more {
            return calls;
        }
    }
}

/// The statuses of a message's attempts, 0 where no answer came.
pub(crate) fn statuses(message: &Value) -> Vec<i64> {
    let attempts = message["attempts"].as_array().unwrap();
    attempts.iter().map(|attempt| attempt["status"].as_i64().unwrap_or(0)).collect()
}
