//! Who gets a free slot.

use std::collections::BTreeMap;

use super::*;

const THERE: QueueId = QueueId(2);

/// Lets every queue have as much as it likes to send, with each attempt taking what
/// `took_us` says, for a minute, and counts what each of them got to send.
fn share(rig: &mut Rig, queues: u32, took_us: impl Fn(QueueId) -> i64) -> Vec<usize> {
    let mut message = 0;
    let mut counts = vec![0; usize::try_from(queues).unwrap()];
    let mut landings = BTreeMap::new();
    for id in (1..=queues).flat_map(|id| [id; 64]) {
        message += 1;
        rig.arrive(QueueId(id), message, 0);
    }
    while rig.now_us < 60 * SECOND_US {
        while let Some(action) = rig.next() {
            let Action::Send { queue, delivery } = action else { continue };
            let sent = delivery.message;
            landings.insert((rig.now_us + took_us(queue), sent), queue);
            counts[usize::try_from(queue.0 - 1).unwrap()] += 1;
            message += 1;
            rig.arrive(queue, message, 0);
        }
        let Some(((at_us, sent), queue)) = landings.pop_first() else { break };
        rig.now_us = at_us;
        rig.scheduler.finish_attempt(queue, sent, AttemptOutcome::Delivered, at_us);
        rig.scheduler.confirm_durable(queue, sent);
    }
    counts
}

#[test]
fn the_slots_of_all_endpoints_together_are_bounded() {
    let mut rig = Rig::with_queues(
        SchedulerSettings { slots_max: 5, heavy_percent: 100, ..SchedulerSettings::default() },
        3,
    );
    for id in 1..=3 {
        let first = i64::from(id) * 10;
        rig.arrive_many(QueueId(id), first..=first + 4);
    }
    assert_eq!(rig.sent().len(), 5);
    rig.deliver(10);
    assert_eq!(rig.sent().len(), 1);
}

#[test]
fn owners_take_turns() {
    let mut rig = Rig::with_queues(
        SchedulerSettings { slots_max: 1, heavy_percent: 100, ..SchedulerSettings::default() },
        2,
    );
    rig.arrive_many(HERE, 1..=10);
    rig.arrive_many(THERE, 11..=20);
    let mut order = Vec::new();
    for _ in 0..6 {
        let (queue, message) = rig.send();
        rig.scheduler.finish_attempt(queue, message, AttemptOutcome::Delivered, rig.now_us);
        rig.scheduler.confirm_durable(queue, message);
        order.push(queue.0);
    }
    assert_eq!(order, [1, 2, 1, 2, 1, 2]);
}

#[test]
fn an_owner_with_many_queues_gets_no_more_than_one_with_a_single_one() {
    let settings =
        SchedulerSettings { slots_max: 4, heavy_percent: 100, ..SchedulerSettings::default() };
    let mut rig = Rig::new(settings);
    for id in 2..=5 {
        rig.scheduler.add_queue(QueueId(id), Owner(2), 1);
    }
    let counts = share(&mut rig, 5, |_| 100_000);
    let others: usize = counts[1..].iter().sum();
    assert!(counts[0].abs_diff(others) <= others / 10, "{counts:?}");
    let (most, least) = (counts[1..].iter().max().unwrap(), counts[1..].iter().min().unwrap());
    assert!(most - least <= 4, "{counts:?}");
}

#[test]
fn an_endpoint_that_hangs_pays_for_the_time_it_takes() {
    let settings = SchedulerSettings {
        slots_max: 10,
        endpoint_slots_max: 10,
        heavy_percent: 100,
        ..SchedulerSettings::default()
    };
    let mut rig = Rig::with_queues(settings, 2);
    let hangs_us = 15 * SECOND_US;
    let counts = share(&mut rig, 2, |id| if id == HERE { hangs_us } else { 20_000 });
    let mut rig = Rig::with_queues(
        SchedulerSettings { slots_max: 10, heavy_percent: 100, ..SchedulerSettings::default() },
        1,
    );
    let alone = share(&mut rig, 1, |_| 20_000);
    // Both want all ten slots: the quick one keeps at least its half of the slot-time.
    assert!(counts[1] * 2 >= alone[0], "{counts:?} against {alone:?} alone");
    assert!(counts[0] <= 40, "{counts:?}");
}

#[test]
fn a_noisy_endpoint_is_served_only_when_no_quieter_one_waits() {
    let settings = SchedulerSettings {
        slots_max: 40,
        noisy_slots_min: 3,
        noisy_percent: 5,
        endpoint_slots_start: 30,
        heavy_percent: 100,
        ..SchedulerSettings::default()
    };
    let mut rig = Rig::with_queues(settings, 2);
    rig.arrive_many(HERE, 1..=30);
    assert_eq!(rig.sent().len(), 30, "no other queue waits");

    rig.arrive_many(HERE, 31..=60);
    rig.arrive_many(THERE, 61..=80);
    for message in 1..=5 {
        rig.deliver(message);
    }
    let order: Vec<_> = (0..5).map(|_| rig.send().0).collect();
    assert_eq!(order[..4], [THERE; 4]);
    assert_eq!(order[4], HERE, "both are noisy now, and take turns");
}

#[test]
fn an_endpoint_with_nothing_to_send_saves_up_no_turns() {
    let mut rig = Rig::with_queues(
        SchedulerSettings { slots_max: 1, heavy_percent: 100, ..SchedulerSettings::default() },
        2,
    );
    rig.arrive_many(HERE, 1..=200);
    for _ in 0..100 {
        let (_, message) = rig.send();
        rig.now_us += 10_000;
        rig.deliver(message);
    }
    rig.arrive_many(THERE, 201..=300);
    let mut there = 0;
    for _ in 0..20 {
        let (queue, message) = rig.send();
        rig.now_us += 10_000;
        rig.scheduler.finish_attempt(queue, message, AttemptOutcome::Delivered, rig.now_us);
        rig.scheduler.confirm_durable(queue, message);
        there += usize::from(queue == THERE);
    }
    assert!((8..=12).contains(&there), "{there} of 20");
}

#[test]
fn after_a_start_endpoints_that_hang_leave_a_slot_for_one_that_answers() {
    let settings = SchedulerSettings { slots_max: 6, ..SchedulerSettings::default() };
    let mut rig = Rig::with_unproven_queues(settings, 5);
    for hanging in 1..=4 {
        rig.arrive_many(QueueId(hanging), i64::from(hanging) * 100..=i64::from(hanging) * 100 + 9);
    }
    assert_eq!(rig.sent(), [100, 200, 300, 400], "one to each");

    let answers = QueueId(5);
    rig.arrive_many(answers, 500..=509);
    assert_eq!(rig.sent(), [500]);
    rig.scheduler.finish_attempt(answers, 500, AttemptOutcome::Delivered, rig.now_us);
    rig.scheduler.confirm_durable(answers, 500);
    assert_eq!(rig.sent(), [501, 502], "as many as there are slots");
}

#[test]
fn slow_endpoints_leave_slots_for_quick_ones() {
    let settings = SchedulerSettings {
        slots_max: 20,
        endpoint_slots_start: 12,
        ..SchedulerSettings::default()
    };
    let mut rig = Rig::with_queues(settings, 3);
    rig.arrive_many(HERE, 1..=20);
    rig.arrive_many(THERE, 21..=40);
    assert_eq!(rig.sent().len(), 16, "four fifths of the slots");

    let third = QueueId(3);
    rig.arrive_many(third, 41..=60);
    assert_eq!(rig.send(), (third, 41), "the first attempt of all is free");
    assert_eq!(rig.next(), None);
    rig.scheduler.finish_attempt(third, 41, AttemptOutcome::Delivered, rig.now_us);
    rig.scheduler.confirm_durable(third, 41);
    assert_eq!(rig.sent(), [42, 43, 44, 45], "it has proved to be quick");
}
