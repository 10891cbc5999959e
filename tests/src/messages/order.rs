//! Order within a lane, at a merchant whose systems fail, hang and hang up as chance has it.
//!
//! The long run is `HOMEWARD_ORDER_MESSAGES=100000 cargo test --release -p tests messages::order --
//! --nocapture`; it has a thousand lanes.

use std::time::Instant;

use domain::random::SeededRandom;
use sim::{Behavior, Running, Settings};

use super::load::{drained, form_crew, judge_arrivals, post};
use crate::harness::stage::{ALLOW, Stage, receiver};
use crate::harness::{
    home::Home,
    postgres::{CITUS, POSTGRES},
    read_number,
};

const WORKERS: usize = 4;
const MESSAGES: usize = 5_000;
/// The merchant's moods last longer than so many messages.
const PORTION: usize = 1_000;
const MESSAGES_OF_A_LANE_MIN: usize = 25;
const LANES_MAX: usize = 1_000;
/// Long enough that a call which ends for lack of time was read long ago, on a slow machine too.
const TIMEOUT_MS: &str = "2000";
const SEED: u64 = 7;

/// Keeps the merchant moody: of about a hundred calls twelve are refused, five cut off, and now and
/// then one hangs.
fn vex(running: &Running, random: &mut SeededRandom) {
    while running.merchant().behaviors().len() < 500 {
        let mood = match random.below(100) {
            0..70 => Behavior::status(503),
            70..99 => Behavior { close: true, ..Behavior::NORMAL },
            _ => Behavior { hang: true, ..Behavior::NORMAL },
        };
        let well = Behavior::NORMAL.times(1 + u32::try_from(random.below(9)).unwrap());
        running.merchant().behave(&[well, mood.times(1)]).unwrap();
    }
}

#[test]
fn on_sqlite_messages_of_a_lane_arrive_in_order_whatever_the_merchant_does() {
    arrive_in_order(&Home::sqlite());
}

#[test]
fn on_postgres_messages_of_a_lane_arrive_in_order_whatever_the_merchant_does() {
    Home::test_on(&POSTGRES, "delivery_order", arrive_in_order);
}

#[test]
fn on_citus_messages_of_a_lane_arrive_in_order_whatever_the_merchant_does() {
    Home::test_on(&CITUS, "delivery_order", arrive_in_order);
}

fn arrive_in_order(home: &Home) {
    let messages = read_number("HOMEWARD_ORDER_MESSAGES", MESSAGES);
    let lanes = (messages / MESSAGES_OF_A_LANE_MIN).min(LANES_MAX);
    let patience = ["--retry-base-ms", "20", "--retry-factor", "2"];
    let flags = [&ALLOW[..], &patience, &["--delivery-timeout-ms", TIMEOUT_MS]].concat();
    let server = home.serve(&flags);
    let stage = Stage::set(&server);
    let running = receiver(Settings {
        check_order: false,
        keep_calls: messages * 4,
        keep_bodies: 0,
        ..stage.settings()
    });
    let mut random = SeededRandom::new(SEED);
    vex(&running, &mut random);
    stage.point_to(&running.url(), &serde_json::json!({ "type": "none" }));

    let begun = Instant::now();
    let mut crew = form_crew(&[&stage], lanes, WORKERS);
    let addresses = [server.address.clone()];
    for _ in 0..messages / PORTION {
        post(&mut crew, &addresses, &stage.admin, PORTION / WORKERS, || ());
        vex(&running, &mut random);
    }
    let posted_s = begun.elapsed().as_secs_f64();
    drained(&[&stage], &running, || vex(&running, &mut random));

    let (verdict, given_up) = judge_arrivals(&[&stage], &running, &crew);
    let summary = running.merchant().summary();
    eprintln!(
        "{messages} messages in {lanes} lanes, posted in {posted_s:.1} s, all there after {:.1} s: \
         {}; given up {given_up:?}; {:?}",
        begun.elapsed().as_secs_f64(),
        verdict.words(),
        summary.kinds,
    );
    assert_eq!(verdict.arrived, messages / PORTION * PORTION, "{}", verdict.words());
    assert_eq!(summary.bad_signatures, 0);
    verdict.assert_kept();
}
