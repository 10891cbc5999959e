//! What interrupts a simulated history: operators who pause and retry, and
//! crashes that leave nothing but the disk.

use super::{
    super::{Owner, QueueId, Scheduler},
    world::{Event, SECOND_US, SimulatedWorld},
};

impl SimulatedWorld {
    pub(super) fn operate(&mut self) {
        if self.arrivals_left == 0 {
            let queues: Vec<_> = self.habits.keys().copied().collect();
            for queue in queues {
                for endpoint in 0..self.endpoints(queue) {
                    self.resume(queue, endpoint);
                }
            }
            return;
        }
        let queue = self.any_queue();
        let endpoint = self.any_endpoint(queue);
        match self.random.count(0, 9) {
            0 => self.pause(queue, endpoint),
            1..=3 => self.resume(queue, endpoint),
            4 => self.retry_failed(queue),
            _ => (),
        }
        self.check(queue);
        self.soon(4 * SECOND_US, Event::Operate);
    }

    fn pause(&mut self, queue: QueueId, endpoint: usize) {
        self.model.queue(queue).paused.insert(endpoint);
        self.scheduler.pause(queue, endpoint);
    }

    fn resume(&mut self, queue: QueueId, endpoint: usize) {
        let now_us = self.now_us;
        let model = self.model.queue(queue);
        if model.paused.remove(&endpoint) {
            model.able_us = now_us;
        }
        self.scheduler.resume(queue, endpoint);
    }

    /// Also happens before the scheduler is notified that they failed.
    pub(super) fn retry_failed(&mut self, queue: QueueId) {
        let now_us = self.now_us;
        let failed = self.model.queue(queue).put_back(now_us);
        if self.random.one_in(2) {
            for delivery in failed {
                self.scheduler.put_back(queue, delivery);
            }
        } else if let Some(lowest) = failed.first() {
            self.scheduler.rewind(queue, lowest.message);
        }
    }

    /// The process dies and comes back: every event that only it knew of is lost.
    ///
    /// Not towards the end: a start reads the whole disk, and would find what had been
    /// forgotten.
    pub(super) fn crash(&mut self) {
        if self.arrivals_left == 0 {
            return;
        }
        self.events.retain(|_, event| matches!(event, Event::Arrive | Event::Operate));
        self.outcomes.clear();
        self.unannounced.clear();
        self.model.crash(self.now_us);
        self.scheduler = Scheduler::new(self.model.settings.clone());
        self.start_up();
        self.after(self.crash_gap_us, Event::Crash);
    }

    pub(super) fn start_up(&mut self) {
        for (id, habits) in &self.habits {
            let model = self.model.queues.entry(*id).or_default();
            // What waits for one endpoint may take the room of what could go to another.
            model.healthy = habits.len() == 1 && habits.iter().all(|habit| habit.is_healthy());
            // Two merchants own all: turns are taken within an owner, too.
            self.scheduler.add_queue(*id, Owner(id.0 % 2), habits.len());
            self.scheduler.expect_more(*id);
            for endpoint in &model.paused {
                self.scheduler.pause(*id, *endpoint);
            }
        }
    }
}
