//! Endpoints with several addresses, whose messages stay in order among themselves.

use super::*;

const LANE: u64 = 7;
const OTHER_LANE: u64 = 8;

/// A scheduler with one endpoint of three doors.
fn three_doors(settings: Settings) -> Rig {
    let mut scheduler = Scheduler::new(settings);
    scheduler.add_endpoint(HERE, Owner(1), 3);
    Rig { scheduler, now_us: 0 }
}

fn at_door(message: i64, lane: u64, door: usize) -> Waiting<i64> {
    Waiting { door, ..row(message, lane) }
}

impl Rig {
    fn arrive_at(&mut self, message: i64, lane: u64, door: usize) {
        self.scheduler.arrived(HERE, at_door(message, lane, door));
    }
}

#[test]
fn a_lane_stays_in_order_through_all_doors() {
    let mut rig = three_doors(Settings::default());
    rig.arrive_at(1, LANE, 0);
    rig.arrive_at(2, LANE, 1);
    rig.arrive_at(3, LANE, 2);

    assert_eq!(rig.sent(), [1]);
    rig.fail(1, SECOND_US);
    assert_eq!(rig.next(), None, "the next door is open, but the lane is not");
    rig.now_us = SECOND_US;
    assert_eq!(rig.sent(), [1]);
    rig.deliver(1);
    assert_eq!(rig.sent(), [2]);
    rig.deliver(2);
    assert_eq!(rig.sent(), [3]);
}

#[test]
fn before_a_paused_door_only_the_lanes_wait_that_lead_to_it() {
    let mut rig = three_doors(Settings::default());
    rig.scheduler.pause(HERE, 0);
    rig.arrive_at(1, LANE, 0);
    rig.arrive_at(2, LANE, 1);
    rig.arrive_at(3, OTHER_LANE, 1);

    assert_eq!(rig.sent(), [3]);
    assert_eq!(rig.scheduler.wake_at_us(), None);
    rig.scheduler.resume(HERE, 0);
    assert_eq!(rig.sent(), [1]);
    rig.deliver(1);
    assert_eq!(rig.sent(), [2]);
}

#[test]
fn a_paused_door_does_not_hide_what_is_on_disk_behind_it() {
    let settings = Settings { window_max: 2, window_min: 2, ..Settings::default() };
    let mut rig = three_doors(settings);
    rig.scheduler.pause(HERE, 0);
    for message in 1..=6 {
        rig.arrive_at(message, message.unsigned_abs(), 0);
    }
    rig.arrive_at(7, OTHER_LANE, 1);

    let mut sent = Vec::new();
    for _ in 0..20 {
        match rig.next() {
            Some(Action::Send { message, .. }) => sent.push(message),
            Some(Action::Refill { after, most, .. }) => {
                let all = (1..=6).map(|it| at_door(it, it.unsigned_abs(), 0));
                let all = all.chain([at_door(7, OTHER_LANE, 1)]);
                let rows: Vec<_> = all.filter(|it| it.message > after).take(most).collect();
                let reached_end = rows.len() < most;
                rig.scheduler.refilled(HERE, rows, reached_end);
            }
            None => break,
        }
    }

    assert_eq!(sent, [7]);
    assert_eq!(rig.next(), None, "it does not read in circles");
}

#[test]
fn trouble_at_one_door_is_no_trouble_at_another() {
    let mut rig = three_doors(Settings { throttle_failures: 2, ..Settings::default() });
    for message in 1..=2 {
        rig.arrive_at(message, message.unsigned_abs(), 0);
    }
    assert_eq!(rig.sent(), [1, 2]);
    rig.fail(1, 60 * SECOND_US);
    rig.fail(2, 60 * SECOND_US);

    assert_eq!(rig.scheduler.state(HERE, 0).unwrap().breaker, BreakerState::Throttled);
    assert_eq!(rig.scheduler.state(HERE, 1).unwrap().breaker, BreakerState::Closed);
    for message in 3..=4 {
        rig.arrive_at(message, 10 + message.unsigned_abs(), 1);
    }
    assert_eq!(rig.sent(), [3, 4], "more than one at a time");
    assert_eq!(rig.scheduler.state(HERE, 0).unwrap().waiting, 2);
    assert_eq!(rig.scheduler.state(HERE, 1).unwrap().in_flight, 2);
}
