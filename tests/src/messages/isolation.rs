//! No merchant waits for another.

use std::time::{Duration, Instant};

use sim::{Behavior, Settings};

use super::load::{form_crew, post};
use crate::harness::stage::{ALLOW, Stage, accepted, receiver};
use crate::harness::{
    home::Home,
    postgres::{CITUS, POSTGRES},
    server::Server,
};

const SICK_MESSAGES: usize = 2_000;
const MESSAGES: usize = 200;
const WORKERS: usize = 4;
/// The machine may be busy with other things; a merchant that waits for another would wait for
/// minutes.
const FACTOR: u32 = 5;
const ALLOWANCE: Duration = Duration::from_secs(5);

/// How long it takes to post a new merchant's messages and have them all accepted.
fn served(server: &Server) -> Duration {
    let (stage, running) = Stage::with_receiver(server);
    let mut crew = form_crew(&[&stage], MESSAGES / 4, WORKERS);
    let begun = Instant::now();
    let addresses = [server.address.clone()];
    post(&mut crew, &addresses, &stage.admin, MESSAGES / WORKERS, || ());
    accepted(&running, u64::try_from(MESSAGES).unwrap());
    assert_eq!(running.merchant().summary().calls, u64::try_from(MESSAGES).unwrap());
    begun.elapsed()
}

#[test]
fn on_sqlite_a_merchant_whose_systems_hang_holds_nobody_else_up() {
    hold_nobody_up(&Home::sqlite());
}

#[test]
fn on_postgres_a_merchant_whose_systems_hang_holds_nobody_else_up() {
    Home::test_on(&POSTGRES, "delivery_isolation", hold_nobody_up);
}

#[test]
fn on_citus_a_merchant_whose_systems_hang_holds_nobody_else_up() {
    Home::test_on(&CITUS, "delivery_isolation", hold_nobody_up);
}

fn hold_nobody_up(home: &Home) {
    let server = home.serve(&ALLOW);
    let alone = served(&server);
    let sick = Stage::set(&server);
    let hanging = receiver(Settings { keep_bodies: 0, ..sick.settings() });
    hanging.merchant().behave(&[Behavior { hang: true, ..Behavior::NORMAL }]).unwrap();
    sick.point_to(&hanging.url(), &serde_json::json!({ "type": "none" }));
    let mut crew = form_crew(&[&sick], SICK_MESSAGES, WORKERS);
    let addresses = [server.address.clone()];
    post(&mut crew, &addresses, &sick.admin, SICK_MESSAGES / WORKERS, || ());
    assert!(hanging.merchant().summary().calls > 0, "it is tried");

    let beside = served(&server);

    eprintln!("alone {alone:?}, beside a merchant that hangs {beside:?}");
    assert!(beside < alone * FACTOR + ALLOWANCE, "{beside:?} rather than {alone:?}");
    assert_eq!(hanging.merchant().summary().accepted_ids, 0);
}
