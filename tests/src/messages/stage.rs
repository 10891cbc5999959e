//! The scene of a test: a server, a merchant of its own, and that merchant's simulated systems.

use std::sync::{
    OnceLock,
    atomic::{AtomicU32, Ordering},
};

use serde_json::{Value, json};
use sim::{Call, CallQuery, Running, Settings, SimulatedMerchant};
use tokio::runtime::Runtime;

use crate::harness::{
    eventually,
    home::{Home, Merchant, text},
    http::{Reply, Request},
    postgres,
    server::Server,
};

/// Loopback is where the simulated merchants are.
pub(crate) const ALLOW: [&str; 2] = ["--allow-network", "127.0.0.0/8"];
/// The pause between two tries on the servers that tests share.
pub(crate) const PAUSE_MS: i64 = 60;
/// What makes a server try again quickly.
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

/// A server on each engine there is, which tries again quickly.
pub(crate) fn servers() -> impl Iterator<Item = &'static Server> {
    static SQLITE: OnceLock<Server> = OnceLock::new();
    static POSTGRES: OnceLock<Option<Server>> = OnceLock::new();
    let postgres = || Some(Home::on(&postgres::schema("delivery")?).serve(&QUICK));
    let sqlite = SQLITE.get_or_init(|| Home::sqlite().serve(&QUICK));
    std::iter::once(sqlite).chain(POSTGRES.get_or_init(postgres))
}

/// The places for servers of one's own, one on each engine.
pub(crate) fn homes(name: &str) -> impl Iterator<Item = Home> {
    let postgres = postgres::schema(name).map(|address| Home::on(&address));
    std::iter::once(Home::sqlite()).chain(postgres)
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().unwrap())
}

/// Opens the door of a simulated merchant.
pub(crate) fn receiver(settings: Settings) -> Running {
    runtime().block_on(SimulatedMerchant::start(settings)).unwrap()
}

/// An operator, a merchant, and the merchant's systems.
pub(crate) struct Stage<'a> {
    pub(crate) server: &'a Server,
    pub(crate) admin: String,
    pub(crate) merchant: Merchant,
    pub(crate) signing_secret: String,
}

impl<'a> Stage<'a> {
    /// A new merchant without an endpoint.
    pub(crate) fn set(server: &'a Server) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let admin = server.admin_token();
        let id = format!("staged-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let body = json!({ "merchant": id, "name": "A merchant" });
        let request = Request::post("/admin/merchants").bearer(&admin).json(body.to_string());
        let reply = server.send(&request);
        assert_eq!(reply.status, 201, "{}", reply.said());
        let added = reply.json();
        let merchant = Merchant {
            id,
            client_id: text(&added["client_id"]),
            client_secret: text(&added["client_secret"]),
        };
        Self { server, admin, merchant, signing_secret: text(&added["signing_secret"]) }
    }

    /// A new merchant whose systems check every signature.
    pub(crate) fn with_receiver(server: &'a Server) -> (Self, Running) {
        let stage = Self::set(server);
        let running = receiver(stage.settings());
        stage.point_to(&running.url(), &json!({ "type": "none" }));
        (stage, running)
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

    pub(crate) fn try_to_point_to(&self, url: &str, auth: &Value) -> Reply {
        let target = format!("/admin/merchants/{}/endpoints", self.merchant.id);
        let body = json!({ "base_url": url, "auth": auth }).to_string();
        self.server.send(&Request::new("PUT", &target).bearer(&self.admin).json(body))
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
pub(crate) fn calls(running: &Running) -> Vec<Call> {
    let mut calls = Vec::new();
    loop {
        let after = Some(calls.last().map_or(0, |call: &Call| call.number));
        let query = CallQuery { after, limit: Some(sim::CALLS_MAX), ..CallQuery::default() };
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
