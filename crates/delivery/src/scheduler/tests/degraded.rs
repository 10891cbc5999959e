//! Endpoints that fail: what they still get, and how they recover.

use super::*;

fn settings() -> SchedulerSettings {
    SchedulerSettings { suspend_waiting_min: 5, ..SchedulerSettings::default() }
}

/// Fails whatever is sent until the breaker says `state`, a second per attempt.
fn fail_until(rig: &mut Rig, state: BreakerState) {
    for _ in 0..10_000 {
        if rig.report().breaker == state {
            return;
        }
        match rig.next() {
            Some(Action::Send { delivery, .. }) => {
                rig.now_us += SECOND_US;
                rig.fail(delivery.message, 5 * SECOND_US);
            }
            Some(Action::Refill { .. }) => rig.found(&[], true),
            None => rig.now_us = rig.scheduler.wake_at_us().unwrap(),
        }
    }
    panic!("never {state:?}");
}

#[test]
fn a_degraded_endpoint_gets_one_slot() {
    let mut rig = Rig::new(settings());
    rig.arrive_many(HERE, 1..=20);
    fail_until(&mut rig, BreakerState::Throttled);
    assert_eq!(rig.report().limit, 1);
    rig.send();
    assert_eq!(rig.report().breaker, BreakerState::Throttled);
    assert_eq!(rig.next(), None);
}

#[test]
fn every_message_of_a_throttled_endpoint_still_gets_its_attempts() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive_many(HERE, 1..=30);
    let mut attempts = [0; 31];
    let mut left = 30;
    while left > 0 {
        let Some(action) = rig.next() else {
            rig.now_us = rig.scheduler.wake_at_us().unwrap();
            continue;
        };
        let Action::Send { delivery, .. } = action else { panic!("nothing is on disk") };
        let Delivery { message, attempts: attempts_before, .. } = delivery;
        attempts[usize::try_from(message).unwrap()] += 1;
        let cause = FailureCause::Unreachable;
        if attempts_before == 5 {
            rig.finish(message, AttemptOutcome::Failed { cause });
            left -= 1;
        } else {
            let due_us = rig.now_us + 5 * SECOND_US * 10_i64.pow(attempts_before);
            rig.finish(message, AttemptOutcome::Retry { due_us, cause });
        }
        rig.scheduler.confirm_durable(HERE, message);
    }
    assert_eq!(attempts[1..], [6; 30]);
    assert_eq!(rig.report().breaker, BreakerState::Throttled);
}

#[test]
fn all_degraded_endpoints_share_a_tenth_of_the_slots() {
    let mut rig = Rig::with_queues(SchedulerSettings { slots_max: 20, ..settings() }, 8);
    for id in 1..=8 {
        let queue = QueueId(id);
        let first = i64::from(id) * 100;
        rig.arrive_many(queue, first..=first + 15);
    }
    let again = AttemptOutcome::Retry { due_us: 0, cause: FailureCause::Refused };
    for _ in 0..200 {
        if let Some(Action::Send { queue, delivery }) = rig.next() {
            let message = delivery.message;
            rig.scheduler.finish_attempt(queue, message, again, rig.now_us);
            rig.scheduler.confirm_durable(queue, message);
        }
    }
    let throttled = (1..=8)
        .filter_map(|id| rig.scheduler.report(QueueId(id), 0))
        .all(|report| report.limit == 1);
    assert!(throttled);
    assert_eq!(rig.sent().len(), 2);
}

#[test]
fn a_suspended_endpoint_gets_one_probe_at_a_time() {
    let mut rig = Rig::new(settings());
    rig.arrive_many(HERE, 1..=20);
    fail_until(&mut rig, BreakerState::Suspended);
    assert_eq!(rig.next(), None);

    for gap_s in [30, 60, 120, 240, 300, 300] {
        let probe_us = rig.now_us + gap_s * SECOND_US;
        assert_eq!(rig.scheduler.wake_at_us(), Some(probe_us));
        rig.now_us = probe_us - 1;
        assert_eq!(rig.next(), None);
        rig.now_us = probe_us;
        let (_, message) = rig.send();
        assert_eq!(rig.next(), None);
        rig.fail(message, 5 * SECOND_US);
    }
}

#[test]
fn the_probe_is_the_message_that_has_waited_longest() {
    let mut rig = Rig::new(settings());
    rig.arrive_many(HERE, 1..=20);
    fail_until(&mut rig, BreakerState::Suspended);
    rig.scheduler.enqueue(HERE, Delivery { due_us: rig.now_us, ..row(21, 0) });
    rig.now_us = rig.scheduler.wake_at_us().unwrap();
    let (_, message) = rig.send();
    assert!(message <= 20, "a first attempt has no privilege here");
    rig.fail(message, 5 * SECOND_US);

    rig.scheduler.enqueue(HERE, Delivery { due_us: 0, ..row(22, 0) });
    rig.now_us = rig.scheduler.wake_at_us().unwrap();
    assert_eq!(rig.send(), (HERE, 22));
}

#[test]
fn a_probe_that_succeeds_brings_everything_back_slowly() {
    let mut rig = Rig::new(settings());
    rig.arrive_many(HERE, 1..=20);
    fail_until(&mut rig, BreakerState::Suspended);
    rig.now_us = rig.scheduler.wake_at_us().unwrap();
    let (_, message) = rig.send();
    rig.deliver(message);
    let report = rig.report();
    assert_eq!((report.breaker, report.limit), (BreakerState::Closed, 1));
}

#[test]
fn one_success_ends_the_throttling() {
    let mut rig = Rig::new(settings());
    rig.arrive_many(HERE, 1..=20);
    fail_until(&mut rig, BreakerState::Throttled);
    let (_, message) = rig.send();
    rig.deliver(message);
    let report = rig.report();
    assert_eq!((report.breaker, report.limit), (BreakerState::Closed, 4));
}

#[test]
fn a_timeout_halves_the_limit_and_a_refusal_does_not() {
    for (cause, limit) in
        [(FailureCause::Refused, 4), (FailureCause::Overloaded, 2), (FailureCause::Unreachable, 2)]
    {
        let mut rig = Rig::new(settings());
        rig.arrive(HERE, 1, 0);
        rig.send();
        rig.finish(1, AttemptOutcome::Retry { due_us: SECOND_US, cause });
        assert_eq!(rig.report().limit, limit, "{cause:?}");
    }
}

#[test]
fn the_limit_learns_before_the_outcome_is_durable() {
    let mut rig = Rig::new(settings());
    rig.arrive_many(HERE, 1..=4);
    for message in rig.sent() {
        rig.finish(message, AttemptOutcome::Delivered);
    }
    assert_eq!(rig.report().limit, 5);
}

#[test]
fn a_dead_endpoint_with_a_million_waiting_asks_for_nothing_between_probes() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.scheduler.expect_more(HERE);
    let mut message = 0;
    let mut sends_late = 0;
    while rig.now_us < 2 * 3_600 * SECOND_US {
        match rig.next() {
            Some(Action::Send { delivery, .. }) => {
                sends_late += usize::from(rig.report().breaker == BreakerState::Suspended);
                rig.now_us += 10 * SECOND_US;
                rig.fail(delivery.message, 5 * SECOND_US);
            }
            Some(Action::Refill { page: PageRequest { most, .. }, .. }) => {
                let rows: Vec<_> = (message + 1..).take(most).map(|id| (id, 0)).collect();
                message += i64::try_from(most).unwrap();
                rig.found(&rows, false);
            }
            None => rig.now_us = rig.scheduler.wake_at_us().unwrap(),
        }
    }
    assert_eq!(rig.report().breaker, BreakerState::Suspended);
    assert!(sends_late <= 15, "{sends_late} probes in an hour");
    assert!(message < 2_000, "{message} read");
}
