//! Queues with several endpoints: their messages stay in order among themselves.

use super::*;

const LANE: u64 = 7;
const OTHER_LANE: u64 = 8;

/// A scheduler with one queue of three endpoints.
fn three_endpoints(settings: SchedulerSettings) -> Rig {
    let mut scheduler = Scheduler::new(taken_to_answer(settings));
    scheduler.add_queue(HERE, Owner(1), 3);
    Rig { scheduler, now_us: 0 }
}

fn at_endpoint(message: i64, lane: u64, endpoint: usize) -> Delivery<i64> {
    Delivery { endpoint, ..row(message, lane) }
}

impl Rig {
    fn arrive_at(&mut self, message: i64, lane: u64, endpoint: usize) {
        self.scheduler.enqueue(HERE, at_endpoint(message, lane, endpoint));
    }
}

#[test]
fn a_lane_stays_in_order_over_all_endpoints() {
    let mut rig = three_endpoints(SchedulerSettings::default());
    rig.arrive_at(1, LANE, 0);
    rig.arrive_at(2, LANE, 1);
    rig.arrive_at(3, LANE, 2);

    assert_eq!(rig.sent(), [1]);
    rig.fail(1, SECOND_US);
    assert_eq!(rig.next(), None, "the next endpoint is open, but the lane is not");
    rig.now_us = SECOND_US;
    assert_eq!(rig.sent(), [1]);
    rig.deliver(1);
    assert_eq!(rig.sent(), [2]);
    rig.deliver(2);
    assert_eq!(rig.sent(), [3]);
}

#[test]
fn at_a_paused_endpoint_only_the_lanes_wait_that_lead_to_it() {
    let mut rig = three_endpoints(SchedulerSettings::default());
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
fn a_paused_endpoint_does_not_hide_what_is_on_disk_behind_it() {
    let settings =
        SchedulerSettings { window_max: 2, window_min: 2, ..SchedulerSettings::default() };
    let mut rig = three_endpoints(settings);
    rig.scheduler.pause(HERE, 0);
    for message in 1..=6 {
        rig.arrive_at(message, message.unsigned_abs(), 0);
    }
    rig.arrive_at(7, OTHER_LANE, 1);

    let mut sent = Vec::new();
    for _ in 0..20 {
        match rig.next() {
            Some(Action::Send { delivery, .. }) => sent.push(delivery.message),
            Some(Action::Refill { page: PageRequest { after, most, .. }, .. }) => {
                let all = (1..=6).map(|it| at_endpoint(it, it.unsigned_abs(), 0));
                let all = all.chain([at_endpoint(7, OTHER_LANE, 1)]);
                let rows: Vec<_> = all.filter(|it| it.message > after).take(most).collect();
                let reached_end = rows.len() < most;
                rig.scheduler.complete_refill(HERE, rows, reached_end);
            }
            None => break,
        }
    }

    assert_eq!(sent, [7]);
    assert_eq!(rig.next(), None, "it does not read in circles");
}

#[test]
fn failures_at_one_endpoint_do_not_degrade_another() {
    let mut rig =
        three_endpoints(SchedulerSettings { throttle_failures: 2, ..SchedulerSettings::default() });
    for message in 1..=2 {
        rig.arrive_at(message, message.unsigned_abs(), 0);
    }
    assert_eq!(rig.sent(), [1, 2]);
    rig.fail(1, 60 * SECOND_US);
    rig.fail(2, 60 * SECOND_US);

    assert_eq!(rig.scheduler.report(HERE, 0).unwrap().breaker, BreakerState::Throttled);
    assert_eq!(rig.scheduler.report(HERE, 1).unwrap().breaker, BreakerState::Closed);
    for message in 3..=4 {
        rig.arrive_at(message, 10 + message.unsigned_abs(), 1);
    }
    assert_eq!(rig.sent(), [3, 4], "more than one at a time");
    assert_eq!(rig.scheduler.report(HERE, 0).unwrap().waiting, 2);
    assert_eq!(rig.scheduler.report(HERE, 1).unwrap().in_flight, 2);
}
