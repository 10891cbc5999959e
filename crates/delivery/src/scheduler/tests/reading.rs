//! What is read from disk, and what is kept in memory.

use super::*;

pub(super) fn small() -> SchedulerSettings {
    SchedulerSettings {
        window_max: 4,
        window_min: 4,
        endpoint_slots_start: 8,
        ..SchedulerSettings::default()
    }
}

/// A window of four that is full, with twenty more on disk.
fn full() -> Rig {
    let mut rig = Rig::new(SchedulerSettings { endpoint_slots_start: 2, ..small() });
    rig.arrive_many(HERE, 1..=24);
    rig
}

#[test]
fn what_does_not_fit_into_the_window_stays_on_disk() {
    let rig = full();
    let report = rig.report();
    assert_eq!((report.window, report.more_on_disk, report.waiting), (4, true, 24));
}

#[test]
fn a_window_that_runs_low_is_refilled_from_where_it_ends() {
    let mut rig = full();
    assert_eq!(rig.sent(), [1, 2]);
    rig.deliver(1);
    assert_eq!(rig.sent(), [3], "three are left: that is enough");
    rig.deliver(2);
    assert_eq!(rig.refill(), (4, 2));
    assert_eq!(rig.sent(), [4], "one refill at a time");
    rig.found(&[(5, 0), (6, 0)], false);
    assert_eq!(rig.report().window, 4);
}

#[test]
fn a_message_that_arrives_behind_unread_ones_waits_for_its_reading() {
    let mut rig = Rig::new(small());
    rig.scheduler.expect_more(HERE);
    rig.arrive(HERE, 9, 7);
    assert_eq!(rig.refill(), (i64::MIN, 4));
    rig.arrive(HERE, 10, 7);
    assert_eq!(rig.next(), None, "an older one of its lane may be unread");

    rig.found(&[(8, 7), (9, 7)], true);
    assert_eq!(rig.sent(), [8]);
    rig.deliver(8);
    assert_eq!(rig.sent(), [9]);
    rig.deliver(9);
    assert_eq!(rig.sent(), [10], "it followed on what was read, without another reading");
    assert!(!rig.report().more_on_disk);
}

#[test]
fn a_message_that_the_reading_found_too_is_there_once() {
    let mut rig = Rig::new(small());
    rig.scheduler.expect_more(HERE);
    rig.refill();
    rig.arrive(HERE, 2, 0);
    rig.found(&[(1, 0), (2, 0)], true);
    assert_eq!(rig.sent(), [1, 2]);
    assert_eq!(rig.next(), None);
}

#[test]
fn what_arrives_during_a_reading_that_finds_not_all_is_read_later() {
    let mut rig = Rig::new(small());
    rig.scheduler.expect_more(HERE);
    assert_eq!(rig.refill(), (i64::MIN, 4));
    rig.arrive(HERE, 9, 0);
    rig.found(&[(1, 0), (2, 0), (3, 0), (4, 0)], false);
    assert_eq!(rig.sent(), [1, 2, 3, 4]);
    assert_eq!(rig.report().waiting, 5);
    for message in 1..=4 {
        rig.deliver(message);
    }
    assert_eq!(rig.refill(), (4, 4));
    rig.found(&[(5, 0), (9, 0)], true);
    assert_eq!(rig.sent(), [5, 9]);
}

#[test]
fn what_arrives_during_a_reading_behind_a_gap_is_read_later() {
    let mut rig = Rig::new(small());
    rig.scheduler.expect_more(HERE);
    rig.refill();
    rig.arrive(HERE, 2, 0);
    rig.scheduler.expect_more(HERE);
    rig.arrive(HERE, 4, 0);
    rig.found(&[(1, 0)], true);
    assert_eq!(rig.refill(), (1, 3), "3 may be on disk unread");
    rig.found(&[(2, 0), (3, 0), (4, 0)], true);
    assert_eq!(rig.sent(), [1, 2, 3, 4]);
}

#[test]
fn a_message_is_not_taken_in_twice() {
    let mut rig = Rig::new(small());
    rig.scheduler.expect_more(HERE);
    rig.refill();
    rig.found(&[(1, 0)], true);
    rig.arrive(HERE, 1, 0);
    assert_eq!(rig.sent(), [1]);
    rig.arrive(HERE, 1, 0);
    assert_eq!(rig.sent(), [0; 0]);
}

#[test]
fn a_late_announcement_does_not_bring_a_delivered_message_back() {
    let mut rig = Rig::new(small());
    rig.scheduler.expect_more(HERE);
    rig.refill();
    rig.found(&[(1, 0), (5, 0)], true);
    assert_eq!(rig.sent(), [1, 5]);
    rig.deliver(5);
    rig.scheduler.rewind(HERE, 1);
    rig.refill();
    rig.found(&[(1, 0)], true);
    rig.arrive(HERE, 5, 0);
    assert_eq!(rig.sent(), [0; 0]);
}

#[test]
fn lanes_behind_a_window_of_parked_ones_are_found() {
    let mut rig = Rig::new(small());
    for message in 1..=4 {
        rig.arrive(HERE, message, 7);
    }
    rig.scheduler.expect_more(HERE);
    rig.send();
    rig.fail(1, 100 * SECOND_US);

    assert_eq!(rig.refill(), (4, 2), "two made room");
    rig.found(&[(5, 7), (6, 8)], true);
    assert_eq!(rig.sent(), [6]);
    let report = rig.report();
    assert_eq!((report.window, report.evicted), (4, 2));
}

#[test]
fn an_evicted_message_is_read_again_when_its_lane_gets_there() {
    let mut rig = Rig::new(small());
    for message in 1..=4 {
        rig.arrive(HERE, message, 7);
    }
    rig.scheduler.expect_more(HERE);
    rig.send();
    rig.refill();
    rig.found(&[(5, 8), (6, 8)], true);
    assert_eq!(rig.sent(), [5]);
    rig.deliver(1);
    assert_eq!(rig.sent(), [2]);
    rig.deliver(2);

    assert_eq!(rig.refill(), (2, 2), "3 and 4, side by side");
    rig.found(&[(3, 7), (4, 7)], false);
    assert_eq!(rig.sent(), [3]);
    rig.deliver(3);
    assert_eq!(rig.sent(), [4]);
    assert_eq!(rig.report().evicted, 0);
}

#[test]
fn an_evicted_head_is_read_again_when_it_is_due() {
    let settings =
        SchedulerSettings { window_max: 1, window_min: 1, ..SchedulerSettings::default() };
    let mut rig = Rig::new(settings);
    rig.arrive_many(HERE, 1..=2);
    rig.send();
    rig.fail(1, SECOND_US);
    assert_eq!(rig.refill(), (1, 1));
    rig.found(&[(2, 0)], false);
    assert_eq!(rig.send(), (HERE, 2));
    rig.deliver(2);
    assert_eq!(rig.refill(), (2, 1));
    rig.found(&[], true);
    assert_eq!((rig.next(), rig.scheduler.wake_at_us()), (None, Some(SECOND_US)));

    rig.now_us = SECOND_US;
    assert_eq!(rig.refill(), (0, 1));
    rig.found(&[(1, 0)], true);
    let Some(Action::Send { delivery, .. }) = rig.next() else { panic!("a retry") };
    let seen = (delivery.message, delivery.attempts);
    assert_eq!(seen, (1, 1), "what memory knows is right, the row may be older");
}

#[test]
fn an_evicted_message_that_left_the_disk_does_not_hold_its_lane() {
    let mut rig = Rig::new(SchedulerSettings {
        window_max: 1,
        window_min: 1,
        ..SchedulerSettings::default()
    });
    rig.arrive_many(HERE, 1..=2);
    rig.send();
    rig.fail(1, SECOND_US);
    rig.refill();
    rig.found(&[(2, 0)], true);
    rig.send();
    rig.deliver(2);
    rig.now_us = SECOND_US;
    rig.refill();
    rig.found(&[], true);
    assert_eq!((rig.next(), rig.report().waiting), (None, 0));
}

#[test]
fn a_failed_reading_is_asked_for_again() {
    let mut rig = Rig::new(small());
    rig.scheduler.expect_more(HERE);
    assert_eq!(rig.refill(), (i64::MIN, 4));
    rig.found(&[], false);
    assert_eq!(rig.refill(), (i64::MIN, 4));
}

#[test]
fn a_message_finished_while_it_was_read_does_not_come_back_to_life() {
    let mut rig = Rig::new(small());
    rig.arrive(HERE, 1, 7);
    rig.arrive(HERE, 2, 7);
    rig.send();
    rig.scheduler.rewind(HERE, 1);
    rig.refill();
    rig.deliver(1);
    rig.found(&[(1, 7), (2, 7)], true);
    assert_eq!(rig.refill().0, 0, "it may have been put back: the disk knows");
    rig.found(&[(2, 7)], true);
    assert_eq!(rig.sent(), [2]);
    assert_eq!(rig.report().waiting, 1);
}

#[test]
fn a_message_put_back_before_its_failure_was_reported_is_not_missed() {
    let mut rig = Rig::new(small());
    rig.arrive(HERE, 1, 7);
    rig.send();
    rig.finish(1, AttemptOutcome::Failed { cause: FailureCause::Refused });
    rig.scheduler.rewind(HERE, 1);
    rig.refill();
    rig.found(&[(1, 7)], true);
    rig.scheduler.confirm_durable(HERE, 1);

    assert_eq!(rig.refill(), (0, 4));
    rig.found(&[(1, 7)], true);
    assert_eq!(rig.sent(), [1]);
}

#[test]
fn a_rewind_overtakes_the_reading_under_way() {
    let mut rig = Rig::new(small());
    rig.arrive(HERE, 5, 0);
    rig.scheduler.expect_more(HERE);
    assert_eq!(rig.refill(), (5, 3));
    rig.scheduler.rewind(HERE, 3);
    rig.found(&[(6, 0)], true);
    assert_eq!(rig.refill(), (2, 3));
    rig.found(&[(3, 0), (5, 0), (6, 0)], true);
    assert_eq!(rig.sent(), [3, 5, 6]);
}

#[test]
fn evictions_have_a_limit() {
    let mut rig = Rig::new(SchedulerSettings { evicted_max: 2, ..small() });
    rig.arrive(HERE, 1, 7);
    rig.scheduler.expect_more(HERE);
    rig.refill();
    let mut message = 1;
    rig.found(&[(2, 7), (3, 7), (4, 7)], false);
    rig.send();
    while let Some(Action::Refill { page: PageRequest { most, .. }, .. }) = rig.next() {
        let rows: Vec<_> = (message..).skip(4).take(most).map(|message| (message, 7)).collect();
        message += i64::try_from(most).unwrap();
        rig.found(&rows, false);
    }
    let report = rig.report();
    assert_eq!((report.window, report.evicted, report.more_on_disk), (4, 2, true));
}

#[test]
fn a_search_reads_only_queues_with_messages_that_were_never_read() {
    let mut rig = Rig::new(small());
    rig.arrive_many(HERE, 1..=2);
    assert_eq!(rig.sent(), [1, 2]);
    rig.scheduler.expect_up_to(HERE, 2);
    assert_eq!(rig.next(), None, "both are in memory");
    rig.scheduler.expect_up_to(HERE, 3);
    assert_eq!(rig.refill().0, 2, "another node has committed one");
}

#[test]
fn a_recheck_finds_messages_that_were_put_back_unannounced() {
    let mut rig = Rig::new(small());
    rig.arrive_many(HERE, 1..=2);
    assert_eq!(rig.sent(), [1, 2]);
    rig.deliver(1);

    rig.scheduler.recheck(HERE);

    assert_eq!(rig.refill(), (-1, 3));
    rig.found(&[(1, 0), (2, 0)], true);
    assert_eq!(rig.sent(), [1], "the other one is in flight");
}

#[test]
fn a_recheck_reads_nothing_while_more_waits_than_a_window_holds() {
    let mut rig = full();
    assert_eq!(rig.sent(), [1, 2]);
    rig.scheduler.recheck(HERE);
    rig.deliver(1);
    rig.deliver(2);
    assert_eq!(rig.refill().0, 4, "it continues where it was");
}
