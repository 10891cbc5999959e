//! The scheduler's rules, one small test each.

mod degraded;
mod endpoints;
mod lanes;
mod memory;
mod reading;
mod turns;

use store::FailureCause;

use super::{window::UNORDERED, *};

const HERE: QueueId = QueueId(1);
const SECOND_US: i64 = 1_000_000;

/// A scheduler, and a clock that the test moves.
struct Rig {
    scheduler: Scheduler<i64>,
    now_us: i64,
}

/// Endpoints have as many slots as if they had answered before.
fn taken_to_answer(mut settings: SchedulerSettings) -> SchedulerSettings {
    settings.endpoint_slots_unproven = settings.endpoint_slots_start;
    settings
}

impl Rig {
    fn new(settings: SchedulerSettings) -> Self {
        Self::with_queues(settings, 1)
    }

    /// Queues 1 to `count`, each of an owner of its own, whose endpoints are taken to answer.
    fn with_queues(settings: SchedulerSettings, count: u32) -> Self {
        Self::with_unproven_queues(taken_to_answer(settings), count)
    }

    /// The same as after a start of the service, when nothing is known of them.
    fn with_unproven_queues(settings: SchedulerSettings, count: u32) -> Self {
        let mut scheduler = Scheduler::new(settings);
        scheduler.add_queue(HERE, Owner(1), 1);
        let mut rig = Self { scheduler, now_us: 0 };
        for id in 2..=count {
            rig.scheduler.add_queue(QueueId(id), Owner(id), 1);
        }
        rig
    }

    fn arrive(&mut self, queue: QueueId, message: i64, lane: u64) {
        self.scheduler.enqueue(queue, row(message, lane));
    }

    fn arrive_many(&mut self, queue: QueueId, messages: std::ops::RangeInclusive<i64>) {
        for message in messages {
            self.arrive(queue, message, UNORDERED);
        }
    }

    fn next(&mut self) -> Option<Action<i64>> {
        self.scheduler.next(self.now_us)
    }

    /// The next send, which must be one.
    fn send(&mut self) -> (QueueId, i64) {
        match self.next() {
            Some(Action::Send { queue, delivery }) => (queue, delivery.message),
            other => panic!("not a send: {other:?}"),
        }
    }

    /// All messages that are sent now.
    fn sent(&mut self) -> Vec<i64> {
        let mut sent = Vec::new();
        while let Some(action) = self.next() {
            match action {
                Action::Send { delivery, .. } => sent.push(delivery.message),
                Action::Refill { .. } => panic!("not a send: {action:?}"),
            }
        }
        sent
    }

    /// The next refill, which must be one, as what to read after and how many at most.
    fn refill(&mut self) -> (i64, usize) {
        match self.next() {
            Some(Action::Refill { page, .. }) => (page.after, page.most),
            other => panic!("not a refill: {other:?}"),
        }
    }

    fn found(&mut self, rows: &[(i64, u64)], reached_end: bool) {
        let rows = rows.iter().map(|(message, lane)| row(*message, *lane)).collect();
        self.scheduler.complete_refill(HERE, rows, reached_end);
    }

    fn finish(&mut self, message: i64, outcome: AttemptOutcome) {
        self.scheduler.finish_attempt(HERE, message, outcome, self.now_us);
    }

    fn deliver(&mut self, message: i64) {
        self.finish(message, AttemptOutcome::Delivered);
        self.scheduler.confirm_durable(HERE, message);
    }

    /// Fails `message`, durably, with the next attempt after `delay_us`.
    fn fail(&mut self, message: i64, delay_us: i64) {
        let due_us = self.now_us + delay_us;
        self.finish(message, AttemptOutcome::Retry { due_us, cause: FailureCause::Refused });
        self.scheduler.confirm_durable(HERE, message);
    }

    fn report(&self) -> EndpointReport {
        self.scheduler.report(HERE, 0).unwrap()
    }
}

fn row(message: i64, lane: u64) -> Delivery<i64> {
    let payload = message * 10;
    Delivery { message, lane, endpoint: 0, attempts: 0, due_us: 0, bytes: 0, payload }
}

#[test]
fn a_message_is_sent_with_its_payload_and_all_that_is_known_of_it() {
    let mut rig = Rig::new(SchedulerSettings::default());
    let delivery = Delivery { attempts: 2, ..row(5, 7) };
    rig.scheduler.enqueue(HERE, delivery);

    let action = rig.next();

    let payload = Arc::new(50);
    let (message, lane, attempts) = (5, 7, 2);
    let delivery = Delivery { message, lane, endpoint: 0, attempts, due_us: 0, bytes: 0, payload };
    assert_eq!(action, Some(Action::Send { queue: HERE, delivery }));
    assert_eq!(rig.next(), None);
}

#[test]
fn a_message_is_not_sent_before_its_time() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.scheduler.enqueue(HERE, Delivery { due_us: 500, ..row(1, 0) });

    assert_eq!(rig.next(), None);
    assert_eq!(rig.scheduler.wake_at_us(), Some(500));

    rig.now_us = 500;
    assert_eq!(rig.send(), (HERE, 1));
    assert_eq!(rig.scheduler.wake_at_us(), None);
}

#[test]
fn a_paused_endpoint_sends_nothing_and_loses_nothing() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.scheduler.pause(HERE, 0);
    rig.arrive_many(HERE, 1..=3);
    assert_eq!(rig.next(), None);
    assert_eq!(rig.scheduler.wake_at_us(), None);

    rig.scheduler.resume(HERE, 0);
    assert_eq!(rig.sent(), [1, 2, 3]);
}

#[test]
fn an_attempt_that_was_in_flight_at_a_pause_still_counts() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.arrive(HERE, 1, 7);
    rig.send();
    rig.scheduler.pause(HERE, 0);
    rig.deliver(1);
    rig.scheduler.resume(HERE, 0);
    assert_eq!(rig.next(), None);
    assert_eq!(rig.report().waiting, 0);
}

#[test]
fn a_removed_queue_gives_its_slots_back() {
    let settings =
        SchedulerSettings { slots_max: 2, heavy_percent: 100, ..SchedulerSettings::default() };
    let mut rig = Rig::with_queues(settings, 2);
    rig.arrive_many(HERE, 1..=2);
    rig.arrive(QueueId(2), 3, 0);
    assert_eq!(rig.sent().len(), 2);

    rig.scheduler.remove_queue(HERE);
    rig.finish(1, AttemptOutcome::Delivered);

    rig.sent();
    assert_eq!(rig.scheduler.in_flight(), 1, "only what queue 2 sends");
    assert_eq!(rig.scheduler.report(HERE, 0), None);
}

#[test]
fn reports_for_what_is_not_known_are_ignored() {
    let mut rig = Rig::new(SchedulerSettings::default());
    rig.deliver(9);
    rig.found(&[(9, 0)], true);
    rig.scheduler.resume(QueueId(77), 0);
    assert_eq!(rig.next(), None);
    assert_eq!(rig.scheduler.in_flight(), 0);
}
