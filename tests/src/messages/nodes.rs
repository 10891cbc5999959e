//! Two servers on one PostgreSQL database share the sending: each message is sent by one of them,
//! and when one is gone the other goes on.
//!
//! The scenes mostly wait for a lease to end (thirty seconds), so they are played at the same time.

use std::{
    thread,
    time::{Duration, Instant},
};

use sim::{Behavior, Running, Settings};

use super::{
    ledger::{Verdict, judge},
    load::{Worker, drained, form_crew, list_acknowledged, post},
};
use crate::harness::stage::{ALLOW, Stage, Tenant, list_calls, receiver};
use crate::harness::{
    eventually,
    home::{Home, SHARED_KEY},
    http::Request,
    postgres::{CITUS, Database, POSTGRES},
    server::{Server, signal},
};

const MERCHANTS: usize = 16;
const LANES: usize = 3;
const WORKERS: usize = 2;
const MESSAGES_OF_A_WORKER: usize = 96;
/// Longer than it takes until a second node has its share of the leases.
const SHARED_WITHIN: Duration = Duration::from_secs(24);
const TAKEN_OVER_MAX: Duration = Duration::from_secs(45);
const HANDED_OVER_MAX: Duration = Duration::from_secs(20);

/// Two nodes with one key and one database. The first is there first, so it sends everything.
fn nodes(database: &Database, name: &str) -> Option<[Server; 2]> {
    let schema = database.schema(name)?;
    let (first, second) = (Home::on(&schema.address), Home::on(&schema.address));
    let key = first.file("shared.key", SHARED_KEY);
    let quick = ["--retry-base-ms", "50", "--retry-factor", "1", "--delivery-timeout-ms", "3000"];
    let shared = ["--secret-key-file", key.to_str().unwrap()];
    Some([&first, &second].map(|home| home.serve(&[&ALLOW[..], &quick, &shared].concat())))
}

/// Some merchants at the first node, whose systems are all the same.
struct Scene {
    tenants: Vec<Tenant>,
    running: Running,
    crew: Vec<Worker>,
}

impl Scene {
    fn set(node: &Server) -> Self {
        let stages: Vec<_> = (0..MERCHANTS).map(|_| Stage::set(node)).collect();
        let running = receiver(Settings {
            signing_secrets: stages.iter().map(|stage| stage.signing_secret.clone()).collect(),
            check_order: false,
            keep_bodies: 0,
            ..Settings::default()
        });
        let slow = Behavior { delay_ms: 5, ..Behavior::NORMAL };
        let some = [slow.times(15), Behavior::status(503).times(1)];
        let moods: Vec<_> = some.into_iter().cycle().take(80).chain([slow]).collect();
        running.merchant().behave(&moods).unwrap();
        for stage in &stages {
            stage.point_to(&running.url(), &serde_json::json!({ "type": "none" }));
        }
        let crew = form_crew(&stages.iter().collect::<Vec<_>>(), LANES, WORKERS);
        let tenants = stages.into_iter().map(|stage| stage.tenant).collect();
        Self { tenants, running, crew }
    }

    /// Posts messages at these nodes, by turns.
    fn post(&mut self, nodes: &[&Server]) {
        let addresses: Vec<_> = nodes.iter().map(|node| node.address.clone()).collect();
        let admin = &self.tenants[0].admin;
        post(&mut self.crew, &addresses, admin, MESSAGES_OF_A_WORKER, || ());
    }

    /// Waits until everything is delivered, as this node sees it.
    fn drained(&self, node: &Server) {
        let tenants = self.tenants.iter().cloned();
        let stages: Vec<_> = tenants.map(|tenant| Stage { server: node, tenant }).collect();
        drained(&stages.iter().collect::<Vec<_>>(), &self.running, || ());
    }

    /// Whether this node is the one that sends the messages of some merchant.
    fn sends_for_some(&self, node: &Server) -> bool {
        self.tenants.iter().any(|Tenant { admin, merchant, .. }| {
            let target = format!("/admin/merchants/{}/endpoints", merchant.id);
            let view = node.send(&Request::get(&target).bearer(admin)).json();
            let endpoints = view["endpoints"].as_array().unwrap();
            endpoints.iter().any(|it| it["kind"] == "rma" && it.get("state").is_some())
        })
    }

    fn verdict(&self, scene: &str) -> Verdict {
        let verdict = judge(&list_calls(&self.running), &list_acknowledged(&self.crew));
        eprintln!("{scene}: {}", verdict.words());
        assert_eq!(self.running.merchant().summary().bad_signatures, 0);
        verdict
    }
}

#[test]
fn two_nodes_are_one_sender_whatever_becomes_of_one_of_them() {
    play_scenes(&POSTGRES);
}

#[test]
fn on_citus_two_nodes_are_one_sender_whatever_becomes_of_one_of_them() {
    play_scenes(&CITUS);
}

fn play_scenes(database: &'static Database) {
    let scenes =
        [shared, killed, stopped_for_a_while, told_to_stop, retried_anywhere, moved_anywhere];
    thread::scope(|scope| {
        for scene in scenes {
            scope.spawn(move || scene(database));
        }
    });
}

/// Messages posted at either node arrive once and in order, also while the second node takes over
/// its share.
fn shared(database: &Database) {
    let Some([first, second]) = nodes(database, "delivery_nodes_shared") else { return };
    let mut scene = Scene::set(&first);
    let begun = Instant::now();
    while begun.elapsed() < SHARED_WITHIN {
        scene.post(&[&first, &second]);
    }
    scene.drained(&second);
    for node in [&first, &second] {
        assert!(scene.sends_for_some(node), "each has its share");
    }
    let verdict = scene.verdict("two nodes share the work");
    verdict.assert_kept();
    assert_eq!(scene.running.merchant().summary().accepted_again, 0, "each arrives once");
}

/// A node that dies loses its leases when they end.
fn killed(database: &Database) {
    let Some([mut first, second]) = nodes(database, "delivery_nodes_killed") else { return };
    let mut scene = Scene::set(&first);
    scene.post(&[&first, &second]);
    let begun = Instant::now();
    first.kill9();
    scene.post(&[&second]);
    scene.drained(&second);
    let took = begun.elapsed();
    scene.verdict(&format!("one node was killed, {took:?} until all was there")).assert_kept();
    assert!(took < TAKEN_OVER_MAX, "{took:?}");
}

/// A node that slept longer than its leases finds them gone when it wakes up. A call that it had
/// already decided on may still go out then, so only first arrivals are judged.
fn stopped_for_a_while(database: &Database) {
    let Some([first, second]) = nodes(database, "delivery_nodes_stopped") else { return };
    let mut scene = Scene::set(&first);
    scene.post(&[&first, &second]);
    signal("-STOP", first.pid());
    let begun = Instant::now();
    scene.post(&[&second]);
    scene.drained(&second);
    let took = begun.elapsed();
    signal("-CONT", first.pid());
    scene.post(&[&first, &second]);
    scene.drained(&second);
    let words = format!("one node was stopped, {took:?} until all was there, and continued");
    scene.verdict(&words).assert_first_arrivals();
    assert!(took < TAKEN_OVER_MAX, "{took:?}");
}

/// A node that is told to stop gives its leases back at once.
fn told_to_stop(database: &Database) {
    let Some([mut first, second]) = nodes(database, "delivery_nodes_told") else { return };
    let mut scene = Scene::set(&first);
    scene.post(&[&first, &second]);
    first.stop();
    let begun = Instant::now();
    scene.post(&[&second]);
    scene.drained(&second);
    let took = begun.elapsed();
    scene.verdict(&format!("one node stopped, {took:?} until all was there")).assert_kept();
    assert_eq!(scene.running.merchant().summary().accepted_again, 0, "each arrives once");
    assert!(took < HANDED_OVER_MAX, "{took:?}");
}

/// A failed message is retried by the node that sends for it, whichever node is asked. That node
/// has long read past the message.
fn retried_anywhere(database: &Database) {
    let Some([first, second]) = nodes(database, "delivery_nodes_retried") else { return };
    let (stage, _running, ids) = Stage::with_failures(&first, 2);
    stage.until(&stage.test("later", 1), "delivered");
    for (node, id) in [&first, &second].into_iter().zip(&ids) {
        let asked = Stage { server: node, tenant: stage.tenant.clone() };
        let reply = asked.post(&format!("/admin/messages/{id}/retry"));
        assert_eq!(reply.status, 200, "{}", reply.said());
        asked.until(id, "delivered");
    }
}

/// Messages go to an endpoint's new address, whichever node was told of it.
fn moved_anywhere(database: &Database) {
    let Some([first, second]) = nodes(database, "delivery_nodes_moved") else { return };
    let stage = Stage::set(&first);
    let [old, new] = [(), ()].map(|()| receiver(Settings::default()));
    let none = serde_json::json!({ "type": "none" });
    stage.point_to(&old.url(), &none);
    stage.until(&stage.test("before", 1), "delivered");
    let seen_before = list_calls(&old).len();

    Stage { server: &second, tenant: stage.tenant.clone() }.point_to(&new.url(), &none);

    eventually("messages go to the new address", || {
        stage.until(&stage.test("after", 1), "delivered");
        (!list_calls(&new).is_empty()).then_some(())
    });
    let late = list_calls(&old).len() - seen_before;
    stage.until(&stage.test("later", 1), "delivered");
    assert_eq!(list_calls(&old).len() - seen_before, late, "none go to the old one any more");
}
