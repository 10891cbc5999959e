//! The server is killed without warning while messages are posted and delivered, again and again
//! on the same data.
//!
//! See [`super::ledger`] for what must hold, and for the broken builds that the judge was tried on.
//! `HOMEWARD_CRASH_ROUNDS` says how often on each engine. The long run is
//! `HOMEWARD_CRASH_ROUNDS=200 cargo test -p tests messages::crash -- --nocapture`. A round lasts
//! about a second.

use std::{
    hash::{BuildHasher, RandomState},
    thread,
    time::{Duration, Instant},
};

use sim::{Behavior, Running, Settings};

use super::load::{drained, form_crew, judge_arrivals, list_acknowledged, post};
use crate::harness::stage::{ALLOW, Stage, receiver};
use crate::harness::{
    home::Home,
    postgres::{CITUS, POSTGRES},
    read_number,
};

const WORKERS: usize = 4;
/// Few, so that in each of them messages wait for the one before them.
const LANES: usize = 12;
/// Longer than a dead node's lease.
const ARRIVES_WITHIN: Duration = Duration::from_secs(60);
const KILL_AFTER_MIN_MS: u64 = 5;
const KILL_AFTER_MAX_MS: u64 = 1_200;

#[test]
fn on_sqlite_nothing_is_lost_and_only_heads_are_repeated() {
    survive(&Home::sqlite());
}

#[test]
fn on_postgres_nothing_is_lost_and_only_heads_are_repeated() {
    Home::test_on(&POSTGRES, "delivery_crash", survive);
}

#[test]
fn on_citus_nothing_is_lost_and_only_heads_are_repeated() {
    Home::test_on(&CITUS, "delivery_crash", survive);
}

/// A moment that nobody chose.
fn moment() -> Duration {
    let chance = RandomState::new().hash_one(0);
    Duration::from_millis(KILL_AFTER_MIN_MS + chance % (KILL_AFTER_MAX_MS - KILL_AFTER_MIN_MS))
}

/// A merchant that is slow, so that calls are under way at any moment, and now and then refuses one
/// or hangs up.
fn moods() -> Vec<Behavior> {
    let slow = Behavior { delay_ms: 10, ..Behavior::NORMAL };
    let hang_up = Behavior { close: true, ..Behavior::NORMAL };
    let some = [slow.times(12), Behavior::status(503).times(1), slow.times(12), hang_up.times(1)];
    some.into_iter().cycle().take(400).chain([slow]).collect()
}

/// Waits until something arrives.
fn wait_for_calls(running: &Running, before: u64) {
    let begun = Instant::now();
    while running.merchant().summary().calls == before {
        assert!(begun.elapsed() < ARRIVES_WITHIN, "nothing arrives");
        thread::sleep(Duration::from_millis(2));
    }
}

fn survive(home: &Home) {
    let (begun, rounds) = (Instant::now(), read_number("HOMEWARD_CRASH_ROUNDS", 3));
    let quick = ["--retry-base-ms", "50", "--retry-factor", "1", "--delivery-timeout-ms", "3000"];
    let mut server = home.serve(&[&ALLOW[..], &quick].concat());
    let Stage { tenant, .. } = Stage::set(&server);
    let running = receiver(Settings {
        signing_secrets: vec![tenant.signing_secret.clone()],
        check_order: false,
        keep_calls: 10_000_000,
        keep_bodies: 0,
        ..Settings::default()
    });
    let stage = Stage { server: &server, tenant };
    stage.point_to(&running.url(), &serde_json::json!({ "type": "none" }));
    let mut crew = form_crew(&[&stage], LANES, WORKERS);
    let Stage { tenant, .. } = stage;
    for _ in 0..rounds {
        running.merchant().behave_normally();
        running.merchant().behave(&moods()).unwrap();
        let addresses = [server.address.clone()];
        let before = running.merchant().summary().calls;
        post(&mut crew, &addresses, &tenant.admin, usize::MAX, || {
            wait_for_calls(&running, before);
            thread::sleep(moment());
            server.kill9();
        });
        server.restart();
    }
    let stage = Stage { server: &server, tenant };
    drained(&[&stage], &running, || ());
    let (verdict, given_up) = judge_arrivals(&[&stage], &running, &crew);
    eprintln!(
        "killed {rounds} times in {:.1} s: {} acknowledged, {} not answered, {} given up; {}",
        begun.elapsed().as_secs_f64(),
        list_acknowledged(&crew).len(),
        crew.iter().map(|worker| worker.unanswered).sum::<usize>(),
        given_up.len(),
        verdict.words(),
    );
    assert_eq!(running.merchant().summary().bad_signatures, 0);
    verdict.assert_kept();
}
