//! The primary of PostgreSQL is killed under load, and its synchronous standby takes over; or the
//! workers of Citus stop, one after the other, and come back. Nothing that was acknowledged is
//! lost, and lanes stay in order.

use std::{thread, time::Duration};

use serde_json::json;

use super::{
    ledger::judge,
    load::{Worker, drained, form_crew, list_acknowledged, persist},
};
use crate::harness::stage::{ALLOW, Stage, list_calls};
use crate::harness::{
    cluster::{Distributed, Pair},
    home::Home,
};

const LANES: usize = 6;
const WORKERS: usize = 2;

#[test]
fn a_fail_over_of_the_database_loses_nothing_and_keeps_the_order() {
    let Some(pair) = Pair::start() else { return };
    survive(&pair.address(), || {
        thread::sleep(Duration::from_secs(1));
        pair.fail_over();
        thread::sleep(Duration::from_secs(4));
    });
}

#[test]
fn a_worker_of_citus_that_stops_loses_nothing_and_keeps_the_order() {
    let Some(cluster) = Distributed::start() else { return };
    survive(&cluster.address(), || {
        for worker in cluster.workers() {
            thread::sleep(Duration::from_secs(2));
            cluster.stop(worker);
            thread::sleep(Duration::from_secs(2));
            cluster.restart(worker);
            thread::sleep(Duration::from_secs(4));
        }
    });
}

/// Posts messages while `interruption` takes its course, and then looks at what has arrived.
fn survive(store: &str, interruption: impl FnOnce()) {
    let quick = ["--retry-base-ms", "50", "--retry-factor", "1"];
    let server = Home::on(store).serve(&[&ALLOW[..], &quick].concat());
    let (stage, running) = Stage::with_receiver(&server);
    stage.point_to(&running.url(), &json!({ "type": "none" }));
    let mut crew = form_crew(&[&stage], LANES, WORKERS);
    let admin = stage.tenant.admin.clone();

    persist(&mut crew, &server.address, &admin, interruption);

    let acknowledged = list_acknowledged(&crew);
    drained(&[&stage], &running, || ());
    let verdict = judge(&list_calls(&running), &acknowledged);
    eprintln!("{} acknowledged, {}", acknowledged.len(), verdict.words());
    verdict.assert_kept();
    let late = crew.iter().all(Worker::has_succeeded_after_a_failure);
    assert!(late, "the store takes what comes afterwards");
}
