//! What interrupts a simulated history: operators who pause and retry, and
//! crashes that leave nothing but the disk.

use super::{
    super::{Owner, QueueId, Scheduler},
    world::{Event, SECOND_US, World},
};

impl World {
    pub(super) fn operate(&mut self) {
        if self.arrivals_left == 0 {
            let endpoints: Vec<_> = self.habits.keys().copied().collect();
            for endpoint in endpoints {
                for door in 0..self.doors(endpoint) {
                    self.resume(endpoint, door);
                }
            }
            return;
        }
        let endpoint = self.any_endpoint();
        let door = self.any_door(endpoint);
        match self.random.count(0, 9) {
            0 => self.pause(endpoint, door),
            1..=3 => self.resume(endpoint, door),
            4 => self.retry_failed(endpoint),
            _ => (),
        }
        self.check(endpoint);
        self.soon(4 * SECOND_US, Event::Operate);
    }

    fn pause(&mut self, endpoint: QueueId, door: usize) {
        self.model.place(endpoint).paused.insert(door);
        self.scheduler.pause(endpoint, door);
    }

    fn resume(&mut self, endpoint: QueueId, door: usize) {
        let now_us = self.now_us;
        let place = self.model.place(endpoint);
        if place.paused.remove(&door) {
            place.able_us = now_us;
        }
        self.scheduler.resume(endpoint, door);
    }

    /// Also happens before the scheduler has heard that they failed.
    pub(super) fn retry_failed(&mut self, endpoint: QueueId) {
        let now_us = self.now_us;
        if let Some(lowest) = self.model.place(endpoint).put_back(now_us) {
            self.scheduler.rewind(endpoint, lowest);
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
            let place = self.model.places.entry(*id).or_default();
            // What waits before one door may take the room of what could go through another.
            place.healthy = habits.len() == 1 && habits.iter().all(|habit| habit.is_healthy());
            // Two merchants own all: turns are taken within an owner, too.
            self.scheduler.add_endpoint(*id, Owner(id.0 % 2), habits.len());
            self.scheduler.expect_more(*id);
            for door in &place.paused {
                self.scheduler.pause(*id, *door);
            }
        }
    }
}
