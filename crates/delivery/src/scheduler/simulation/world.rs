//! Acts out one random history: events at their times, and after each of them
//! everything that the scheduler then asks for.

use std::collections::{BTreeMap, VecDeque};

use domain::random::SeededRandom;
use store::{AttemptOutcome, FailureCause};

use super::{
    super::{Action, Delivery, PageRequest, QueueId, Scheduler, SchedulerSettings},
    model::{Model, QueueModel, StoredDelivery},
};

const MILLISECOND_US: i64 = 1_000;
pub(super) const SECOND_US: i64 = 1_000_000;

/// Attempts after which a message fails for good.
const ATTEMPTS_MAX: u32 = 4;

/// How a merchant's endpoint behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    Healthy,
    Slow,
    /// Fails now and then, in every way.
    Flaky,
    /// Refuses some lanes forever.
    Picky,
    /// Never answers.
    Hanging,
    /// Fails at once, until it is repaired.
    Broken {
        until_us: i64,
    },
}

#[derive(Debug)]
pub(super) enum Event {
    Arrive,
    Announce(QueueId),
    Land(QueueId, i64),
    Commit,
    Report(QueueId, i64),
    Look(QueueId, PageRequest),
    Found(QueueId, Vec<Delivery<i64>>, bool),
    Operate,
    Crash,
}

/// An outcome on its way to the disk.
#[derive(Debug)]
pub(super) struct PendingOutcome {
    queue: QueueId,
    message: i64,
    outcome: AttemptOutcome,
}

pub(super) struct SimulatedWorld {
    pub(super) model: Model,
    pub(super) now_us: i64,
    pub(super) steps: u64,
    pub(super) random: SeededRandom,
    pub(super) scheduler: Scheduler<i64>,
    /// One for each endpoint.
    pub(super) habits: BTreeMap<QueueId, Vec<Habit>>,
    pub(super) events: BTreeMap<(i64, u64), Event>,
    pub(super) outcomes: Vec<PendingOutcome>,
    /// Committed, in order, and not yet announced.
    pub(super) unannounced: BTreeMap<QueueId, VecDeque<Delivery<i64>>>,
    pub(super) arrivals_left: u32,
    pub(super) crash_gap_us: i64,
    message: i64,
    lanes: u64,
    events_ever: u64,
}

impl Habit {
    pub(super) fn is_healthy(self) -> bool {
        self == Self::Healthy
    }
}

fn random_settings(random: &mut SeededRandom) -> SchedulerSettings {
    SchedulerSettings {
        window_max: random.count(1, 24),
        window_min: random.count(1, 6),
        held_max: random.count(60, 200),
        held_bytes_max: random.count(20, 1_000),
        evicted_max: random.count(0, 60),
        evicted_all_max: random.count(10, 200),
        slots_max: random.count(5, 40),
        endpoint_slots_max: random.count(4, 12),
        noisy_slots_min: 5,
        throttle_failures: 4,
        throttle_attempts_min: 8,
        suspend_after_us: 40 * SECOND_US,
        suspend_waiting_min: 10,
        probe_gap_us: 5 * SECOND_US,
        probe_gap_max_us: 20 * SECOND_US,
        ..SchedulerSettings::default()
    }
}

/// Some messages are much larger than others.
fn size_of_payload(message: i64) -> usize {
    if message % 7 == 0 { 20 } else { 1 }
}

fn random_habit(random: &mut SeededRandom) -> Habit {
    match random.count(0, 8) {
        0..=2 => Habit::Healthy,
        3 => Habit::Slow,
        4 => Habit::Flaky,
        5 | 6 => Habit::Picky,
        7 => Habit::Hanging,
        _ => Habit::Broken { until_us: random.between(20, 400) * SECOND_US },
    }
}

impl SimulatedWorld {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let settings = random_settings(&mut random);
        let mut habits = BTreeMap::new();
        for id in 0..u32::try_from(random.count(1, 10)).unwrap() {
            let endpoints = if random.percent(35) { random.count(2, 3) } else { 1 };
            let each = (0..endpoints).map(|_| random_habit(&mut random)).collect();
            habits.insert(QueueId(id), each);
        }
        let mut world = Self {
            model: Model::new(settings.clone()),
            now_us: 0,
            steps: 0,
            scheduler: Scheduler::new(settings),
            habits,
            events: BTreeMap::new(),
            outcomes: Vec::new(),
            unannounced: BTreeMap::new(),
            arrivals_left: 400,
            // Some histories crash often, some hardly ever.
            crash_gap_us: random.between(2, 300) * SECOND_US,
            message: 0,
            lanes: u64::try_from(random.between(1, 60)).unwrap(),
            events_ever: 0,
            random,
        };
        world.start_up();
        world.after(0, Event::Arrive);
        world.after(SECOND_US, Event::Operate);
        world.after(world.crash_gap_us, Event::Crash);
        world
    }

    /// Plays until nothing is pending.
    pub(super) fn act(&mut self) {
        loop {
            while let Some(action) = self.scheduler.next(self.now_us) {
                self.carry_out(action);
                self.count();
            }
            let wake_us = self.scheduler.wake_at_us();
            assert!(wake_us.is_none_or(|wake_us| wake_us > self.now_us), "would spin");
            let event_us = self.events.first_key_value().map(|((at_us, _), _)| *at_us);
            let Some(at_us) = wake_us.into_iter().chain(event_us).min() else { break };
            self.now_us = at_us;
            if event_us == Some(at_us)
                && let Some((_, event)) = self.events.pop_first()
            {
                self.happen(event);
            }
            self.count();
        }
        let finished: usize = self.model.queues.values().map(QueueModel::finished).sum();
        assert_eq!(i64::try_from(finished).unwrap(), self.message, "all finished, nothing stuck");
    }

    fn count(&mut self) {
        self.steps += 1;
        assert!(self.steps < 1_000_000, "never ends");
    }

    pub(super) fn after(&mut self, delay_us: i64, event: Event) {
        self.events_ever += 1;
        self.events.insert((self.now_us + delay_us, self.events_ever), event);
    }

    pub(super) fn soon(&mut self, most_us: i64, event: Event) {
        let delay_us = self.random.between(0, most_us);
        self.after(delay_us, event);
    }

    fn carry_out(&mut self, action: Action<i64>) {
        match action {
            Action::Refill { queue, page } => {
                assert!(page.most > 0 && page.bytes > 0, "a reading of nothing");
                self.soon(20 * MILLISECOND_US, Event::Look(queue, page));
            }
            Action::Send { queue, delivery } => {
                let Delivery { message, endpoint, .. } = delivery;
                assert_eq!(*delivery.payload, message * 3, "not the payload of {message}");
                let report = self.scheduler.report(queue, endpoint).unwrap();
                self.model.start(queue, &delivery, &report, self.now_us);
                let took_us = self.time_to_answer(queue, endpoint);
                self.after(took_us, Event::Land(queue, message));
                self.check(queue);
            }
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrive => self.arrive(),
            Event::Announce(queue) => self.announce(queue),
            Event::Land(queue, message) => self.land(queue, message),
            Event::Commit => self.commit(),
            Event::Report(queue, message) => self.report(queue, message),
            Event::Look(queue, page) => {
                let failed = self.random.percent(5);
                let (rows, reached_end) =
                    if failed { (Vec::new(), false) } else { self.look(queue, page) };
                self.soon(50 * MILLISECOND_US, Event::Found(queue, rows, reached_end));
            }
            Event::Found(queue, rows, reached_end) => {
                self.scheduler.complete_refill(queue, rows, reached_end);
                self.check(queue);
            }
            Event::Operate => self.operate(),
            Event::Crash => self.crash(),
        }
    }

    pub(super) fn check(&self, queue: QueueId) {
        for endpoint in 0..self.endpoints(queue) {
            let report = self.scheduler.report(queue, endpoint).unwrap();
            self.model.check(queue, endpoint, &report, self.scheduler.in_flight());
        }
    }

    pub(super) fn endpoints(&self, queue: QueueId) -> usize {
        self.habits[&queue].len()
    }

    pub(super) fn any_endpoint(&mut self, queue: QueueId) -> usize {
        let last = self.endpoints(queue) - 1;
        self.random.count(0, last)
    }

    pub(super) fn any_queue(&mut self) -> QueueId {
        let nth = self.random.count(0, self.habits.len() - 1);
        *self.habits.keys().nth(nth).unwrap()
    }

    /// A burst for one queue is committed, and announced now or a little later.
    fn arrive(&mut self) {
        let queue = self.any_queue();
        for _ in 0..self.random.count(1, 12) {
            self.message += 1;
            let lane = self.random.number() % (self.lanes + 1);
            let endpoint = self.any_endpoint(queue);
            let delivery = Delivery {
                message: self.message,
                lane,
                endpoint,
                attempts: 0,
                due_us: self.now_us,
                bytes: size_of_payload(self.message),
                payload: self.message * 3,
            };
            self.model.commit(queue, &delivery);
            self.unannounced.entry(queue).or_default().push_back(delivery);
        }
        self.soon(30 * MILLISECOND_US, Event::Announce(queue));
        self.arrivals_left -= 1;
        if self.arrivals_left > 0 {
            self.soon(SECOND_US, Event::Arrive);
        }
    }

    fn announce(&mut self, queue: QueueId) {
        let deliveries = self.unannounced.remove(&queue).unwrap_or_default();
        if self.random.percent(10) {
            self.scheduler.expect_more(queue);
        } else {
            for delivery in deliveries {
                self.scheduler.enqueue(queue, delivery);
            }
        }
        self.check(queue);
    }

    fn time_to_answer(&mut self, queue: QueueId, endpoint: usize) -> i64 {
        match self.habit(queue, endpoint) {
            Habit::Healthy | Habit::Flaky | Habit::Picky | Habit::Broken { .. } => {
                self.random.between(MILLISECOND_US, 80 * MILLISECOND_US)
            }
            Habit::Slow => self.random.between(SECOND_US, 8 * SECOND_US),
            Habit::Hanging => 10 * SECOND_US,
        }
    }

    fn habit(&self, queue: QueueId, endpoint: usize) -> Habit {
        let habit = self.habits[&queue][endpoint];
        let repaired = matches!(habit, Habit::Broken { until_us } if self.now_us >= until_us);
        if repaired { Habit::Healthy } else { habit }
    }

    fn failure(&mut self, queue: QueueId, endpoint: usize, lane: u64) -> Option<FailureCause> {
        let any = [FailureCause::Refused, FailureCause::Overloaded, FailureCause::Unreachable];
        match self.habit(queue, endpoint) {
            Habit::Healthy | Habit::Slow => None,
            Habit::Flaky => self.random.percent(30).then(|| any[self.random.count(0, 2)]),
            Habit::Picky => (lane % 3 == 1).then_some(FailureCause::Refused),
            Habit::Hanging => Some(FailureCause::Unreachable),
            Habit::Broken { .. } => Some(any[self.random.count(0, 2)]),
        }
    }

    /// Some attempts end before anything was sent.
    fn land(&mut self, queue: QueueId, message: i64) {
        self.model.land(queue, message);
        if self.random.percent(2) {
            self.scheduler.take_back(queue, message);
            self.model.queue(queue).take_back(message, self.now_us);
            return self.check(queue);
        }
        let row = self.model.queue(queue).rows.get(&message).unwrap();
        let (attempts, lane, endpoint) = (row.attempts, row.lane, row.endpoint);
        let outcome = match self.failure(queue, endpoint, lane) {
            None => AttemptOutcome::Delivered,
            Some(cause) if attempts + 1 >= ATTEMPTS_MAX => AttemptOutcome::Failed { cause },
            Some(cause) => {
                let due_us = self.now_us + SECOND_US * 6_i64.pow(attempts);
                AttemptOutcome::Retry { due_us, cause }
            }
        };
        self.scheduler.finish_attempt(queue, message, outcome, self.now_us);
        self.outcomes.push(PendingOutcome { queue, message, outcome });
        self.soon(30 * MILLISECOND_US, Event::Commit);
        self.check(queue);
    }

    /// Commits what was collected, and reports it in any order. A store that fails is asked
    /// again, and until then nothing is reported.
    fn commit(&mut self) {
        if self.random.percent(3) {
            return self.soon(SECOND_US, Event::Commit);
        }
        for PendingOutcome { queue, message, outcome } in std::mem::take(&mut self.outcomes) {
            self.model.queue(queue).store_outcome(message, outcome);
            if self.arrivals_left > 0 && self.random.percent(3) {
                self.retry_failed(queue);
            }
            self.soon(60 * MILLISECOND_US, Event::Report(queue, message));
        }
    }

    fn report(&mut self, queue: QueueId, message: i64) {
        self.scheduler.confirm_durable(queue, message);
        self.model.queue(queue).confirm_durable(message, self.now_us);
        self.check(queue);
    }

    fn look(&mut self, queue: QueueId, page: PageRequest) -> (Vec<Delivery<i64>>, bool) {
        if self.random.percent(2) {
            return (Vec::new(), false);
        }
        let PageRequest { after, most, bytes } = page;
        let rows = self.model.queue(queue).rows.range(after.saturating_add(1)..);
        let (waiting, mut left) = (rows.clone().count(), bytes);
        let fits = |(message, _): &(&i64, &StoredDelivery)| {
            let has_room = left > 0;
            left = left.saturating_sub(size_of_payload(**message));
            has_room
        };
        let found: Vec<_> = rows
            .take(most)
            .take_while(fits)
            .map(|(message, row)| Delivery {
                message: *message,
                lane: row.lane,
                endpoint: row.endpoint,
                attempts: row.attempts,
                due_us: row.due_us,
                bytes: size_of_payload(*message),
                payload: message * 3,
            })
            .collect();
        let reached_end = found.len() == waiting && waiting < most;
        (found, reached_end)
    }
}
