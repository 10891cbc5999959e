//! Order within a lane, and freedom between lanes.

use super::*;

#[test]
fn a_lane_opens_when_the_outcome_is_durable_and_not_before() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive(HERE, 1, 7);
    rig.arrive(HERE, 2, 7);
    assert_eq!(rig.sent(), [1]);

    rig.finish(1, AttemptOutcome::Delivered);
    assert_eq!(rig.sent(), [0; 0], "delivered, but a crash would forget it");
    assert_eq!(rig.report().in_flight, 0, "the slot is free all the same");

    rig.scheduler.confirm_durable(HERE, 1);
    assert_eq!(rig.sent(), [2]);
}

#[test]
fn a_failed_message_opens_its_lane_too() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive(HERE, 1, 7);
    rig.arrive(HERE, 2, 7);
    rig.send();
    rig.finish(1, AttemptOutcome::Failed { cause: FailureCause::Refused });
    rig.scheduler.confirm_durable(HERE, 1);
    assert_eq!(rig.sent(), [2]);
}

#[test]
fn unordered_messages_do_not_wait_for_each_other() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive_many(HERE, 1..=3);
    assert_eq!(rig.sent(), [1, 2, 3]);
}

#[test]
fn a_failed_head_parks_its_lane_and_no_other() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive(HERE, 1, 7);
    rig.arrive(HERE, 2, 7);
    rig.arrive(HERE, 3, 8);
    rig.arrive(HERE, 4, 8);
    assert_eq!(rig.sent(), [1, 3]);

    rig.fail(1, 5 * SECOND_US);
    rig.deliver(3);
    assert_eq!(rig.sent(), [4]);
    assert_eq!(rig.report().parked_lanes, 1);
    assert_eq!(rig.scheduler.wake_at_us(), Some(5 * SECOND_US));

    rig.now_us = 5 * SECOND_US;
    assert_eq!(rig.sent(), [1], "the head again, not the message behind it");
}

#[test]
fn a_retry_says_how_many_attempts_went_before() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive(HERE, 1, 7);
    rig.send();
    rig.fail(1, 0);
    let Some(Action::Send { delivery, .. }) = rig.next() else { panic!("a retry") };
    assert_eq!(delivery.attempts, 1);
}

#[test]
fn reports_of_durability_may_come_in_any_order() {
    let mut rig = Rig::new(SchedulerSettings::default());
    for (message, lane) in [(1, 7), (2, 8), (3, 7), (4, 8)] {
        rig.arrive(HERE, message, lane);
    }
    assert_eq!(rig.sent(), [1, 2]);
    rig.finish(1, AttemptOutcome::Delivered);
    rig.finish(2, AttemptOutcome::Delivered);
    rig.scheduler.confirm_durable(HERE, 2);
    assert_eq!(rig.sent(), [4]);
    rig.scheduler.confirm_durable(HERE, 1);
    assert_eq!(rig.sent(), [3]);
}

#[test]
fn a_message_that_an_operator_put_back_goes_before_a_newer_one_that_waits() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive(HERE, 5, 7);
    rig.send();
    rig.fail(5, SECOND_US);

    rig.scheduler.rewind(HERE, 3);
    rig.refill();
    rig.found(&[(3, 7), (5, 7)], true);
    assert_eq!(rig.sent(), [3]);

    rig.now_us = SECOND_US;
    assert_eq!(rig.sent(), [0; 0], "the lane is closed again");
    rig.deliver(3);
    assert_eq!(rig.sent(), [5]);
}

#[test]
fn a_replay_waits_for_its_lane_and_only_its_payload_is_read() {
    let mut rig = Rig::new(SchedulerSettings::default());
    for message in 1..=3 {
        rig.arrive(HERE, message, 7);
        rig.send();
        rig.deliver(message);
    }
    rig.arrive(HERE, 4, 7);
    rig.send();

    for message in [1, 2] {
        let Delivery { message, lane, endpoint, attempts, due_us, bytes, .. } = row(message, 7);
        let replayed = Delivery { message, lane, endpoint, attempts, due_us, bytes, payload: () };
        rig.scheduler.put_back(HERE, replayed);
    }

    assert_eq!(rig.sent(), [0; 0], "the lane is closed");
    rig.deliver(4);
    assert_eq!(rig.refill().0, 0);
    rig.arrive(HERE, 5, 8);
    assert_eq!(rig.sent(), [5], "a new message does not wait for the reading");
    rig.found(&[(1, 7), (2, 7)], false);
    assert_eq!(rig.sent(), [1]);
    rig.deliver(1);
    assert_eq!(rig.sent(), [2]);
}

#[test]
fn first_tries_go_before_retries_but_do_not_starve_them() {
    let settings = SchedulerSettings {
        endpoint_slots_start: 1,
        endpoint_slots_max: 1,
        ..SchedulerSettings::default()
    };
    let mut rig = Rig::new(settings);
    rig.arrive(HERE, 1, 0);
    rig.send();
    rig.fail(1, 0);
    rig.arrive_many(HERE, 2..=8);

    let mut order = Vec::new();
    for _ in 0..8 {
        let (_, message) = rig.send();
        rig.deliver(message);
        order.push(message);
    }
    assert_eq!(order, [2, 3, 4, 1, 5, 6, 7, 8]);
}

#[test]
fn retries_hold_at_most_half_of_the_slots() {
    let mut rig = Rig::new(SchedulerSettings::default());
    for message in 1..=4 {
        rig.scheduler.enqueue(HERE, Delivery { attempts: 1, ..row(message, 0) });
    }
    assert_eq!(rig.report().limit, 4);
    assert_eq!(rig.sent(), [1, 2]);

    rig.arrive_many(HERE, 5..=6);
    assert_eq!(rig.sent(), [5, 6], "a first try finds a slot");
}

#[test]
fn a_retry_keeps_its_pause_when_the_clock_is_set_back() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.now_us = 9_000 * SECOND_US;
    rig.arrive(HERE, 1, 7);
    rig.arrive(HERE, 2, 8);
    assert_eq!(rig.sent(), [1, 2]);

    rig.now_us = 0;
    rig.fail(1, 60 * SECOND_US);
    rig.deliver(2);
    assert_eq!((rig.sent(), rig.scheduler.wake_at_us()), (Vec::new(), Some(60 * SECOND_US)));
    rig.now_us = 59 * SECOND_US;
    assert_eq!(rig.sent(), Vec::<i64>::new());
    rig.now_us = 60 * SECOND_US;
    assert_eq!(rig.sent(), [1]);
}

#[test]
fn a_message_that_was_not_sent_waits_as_before_at_the_head_of_its_lane() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive(HERE, 1, 7);
    rig.arrive(HERE, 2, 7);
    rig.arrive(HERE, 3, UNORDERED);
    assert_eq!(rig.sent(), [1, 3]);

    rig.scheduler.take_back(HERE, 1);
    rig.scheduler.take_back(HERE, 3);
    rig.scheduler.take_back(HERE, 2);

    assert_eq!(rig.scheduler.in_flight(), 0);
    assert_eq!(rig.sent(), [1, 3]);
    rig.deliver(1);
    rig.scheduler.take_back(HERE, 1);
    assert_eq!(rig.sent(), [2], "what is finished is not taken back");
}
