//! The server is killed without warning while labels are bought, again and again: often just after
//! the purchase, before anything of that is stored. Every return ends with one label, which was
//! bought once, and webhooks bring it to its end.
//!
//! `HOMEWARD_CRASH_ROUNDS` says how often on each engine.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::simulated::{SimulatedCarrier, stage_with, tracking};
use crate::{
    harness::{
        home::{Home, text},
        http::{Connection, Request},
        postgres::{CITUS, POSTGRES},
        samples::message,
        server::publication,
        stage::{QUICK, Stage},
        within,
    },
    returns::scene::{request, sample_order},
};

const WORKERS: usize = 3;
/// Longer than a dead node's lease.
const ENDS_WITHIN: Duration = Duration::from_secs(90);

#[test]
fn on_sqlite_no_label_is_bought_twice() {
    survive(&Home::sqlite(), rounds(50));
}

#[test]
fn on_postgres_no_label_is_bought_twice() {
    Home::test_on(&POSTGRES, "carriers_crash", |home| survive(home, rounds(25)));
}

#[test]
fn on_citus_no_label_is_bought_twice() {
    Home::test_on(&CITUS, "carriers_crash", |home| survive(home, rounds(5)));
}

fn rounds(usual: usize) -> usize {
    let rounds = std::env::var("HOMEWARD_CRASH_ROUNDS");
    rounds.ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Returns one order after the other until the server is gone.
fn return_on(address: &str, token: &str, next: &AtomicUsize) {
    loop {
        let id = format!("O-{}", next.fetch_add(1, Ordering::Relaxed));
        let once = || {
            let mut connection = Connection::open(address).ok()?;
            let order = message(&[sample_order(&id)]);
            let published = connection.send(&publication(token, order)).ok()?;
            assert_eq!(published.status, 200, "{}", published.said());
            let body = request("mail-back", &[(&id, "tee", 1)]).to_string();
            let start = Request::post("/returns").bearer(token).header("Idempotency-Key", &id);
            connection.send(&start.json(body)).ok()
        };
        let Some(reply) = once() else { return };
        assert_eq!(reply.status, 201, "{}", reply.said());
    }
}

/// Waits until another label was bought, and then no longer than it takes to kill.
fn wait_for_a_purchase(carrier: &SimulatedCarrier, before: usize) {
    let begun = Instant::now();
    while carrier.purchases().len() <= before {
        assert!(begun.elapsed() < ENDS_WITHIN, "nothing is bought");
    }
}

fn survive(home: &Home, rounds: usize) {
    let carrier = SimulatedCarrier::start();
    let mut server = home.serve(&QUICK);
    let Stage { tenant, .. } = stage_with(&server, &carrier);
    carrier.order_faults(&json!([
        { "at": "any", "fault": "lost_answer", "percent": 4 },
        { "at": "any", "fault": "error500", "percent": 4 },
    ]));
    let next = AtomicUsize::new(0);
    for _ in 0..rounds {
        let address = server.address.clone();
        let before = carrier.purchases().len();
        thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| return_on(&address, &tenant.token, &next));
            }
            wait_for_a_purchase(&carrier, before);
            server.kill9();
        });
        server.restart();
    }
    carrier.forget_faults();
    let stage = Stage { server: &server, tenant };
    carrier.report_to(&server, &stage.merchant.id);
    judge(&stage, &carrier, rounds);
}

/// Each return has the label that was bought for it, and there is no other.
fn judge(stage: &Stage<'_>, carrier: &SimulatedCarrier, rounds: usize) {
    let all = within(ENDS_WITHIN, "every return has its label", || {
        retry_failures(stage);
        let returns = list_returns(stage);
        let is_labeled = |it: &Value| it["items"][0]["tracking_number"].is_string();
        (!returns.is_empty() && returns.iter().all(is_labeled)).then_some(returns)
    });
    let bought = carrier.purchases();
    let mut references: Vec<String> = bought.iter().map(|it| text(&it["reference"])).collect();
    references.sort();
    let count = references.len();
    references.dedup();
    assert_eq!(references.len(), count, "a label was bought twice: {bought:?}");
    assert_eq!(count, all.len(), "one label for each return");
    for (position, rma) in all.iter().enumerate() {
        let (id, number) =
            (text(&rma["rma_identifier"]), text(&rma["items"][0]["tracking_number"]));
        let its = bought.iter().find(|it| text(&it["reference"]) == format!("{id}-1")).unwrap();
        assert_eq!(text(&its["tracking_code"]), number, "{id}");
        // All of them would take long, and are not different.
        if position % 10 == 0 {
            carrier.move_parcel(&number, &["in_transit", "delivered"]);
            assert_eq!(tracking(stage, &id), "DELIVERED");
        }
    }
    eprintln!("{rounds} kills: {} returns, {count} labels", all.len());
}

/// With so many faults, some jobs fail in all of their attempts.
fn retry_failures(stage: &Stage<'_>) {
    let merchant = &stage.merchant.id;
    let failures = stage.get(&format!("/admin/failures?merchant={merchant}")).json();
    if failures["failures"] != json!([]) {
        stage.post(&format!("/admin/failures/retry?merchant={merchant}"));
    }
}

/// Every return of the merchant, by its label requests to the carrier.
fn list_returns(stage: &Stage<'_>) -> Vec<Value> {
    let mut ids = std::collections::BTreeSet::new();
    let merchant = &stage.merchant.id;
    let mut target = format!("/admin/messages?merchant={merchant}&kind=carrier_request&limit=500");
    loop {
        let page = stage.get(&target).json();
        for message in page["messages"].as_array().unwrap() {
            ids.insert(text(&message["ref"]));
        }
        let Some(next) = page["next"].as_str() else { break };
        target = format!(
            "/admin/messages?merchant={merchant}&kind=carrier_request&limit=500&before={next}"
        );
    }
    ids.iter().map(|id| stage.show_return(id)).collect()
}
