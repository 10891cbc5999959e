//! What interrupts a simulated history: operators who pause and retry, and
//! crashes that leave nothing but the disk.

use super::{
    super::{EndpointId, Owner, Scheduler},
    world::{Event, SECOND_US, World},
};

impl World {
    pub(super) fn operate(&mut self) {
        if self.arrivals_left == 0 {
            let endpoints: Vec<_> = self.habits.keys().copied().collect();
            for endpoint in endpoints {
                self.resume(endpoint);
            }
            return;
        }
        let endpoint = self.any_endpoint();
        match self.random.count(0, 9) {
            0 => self.pause(endpoint),
            1..=3 => self.resume(endpoint),
            4 => self.retry_failed(endpoint),
            _ => (),
        }
        self.check(endpoint);
        self.soon(4 * SECOND_US, Event::Operate);
    }

    fn pause(&mut self, endpoint: EndpointId) {
        self.model.place(endpoint).paused = true;
        self.scheduler.pause(endpoint);
    }

    fn resume(&mut self, endpoint: EndpointId) {
        let now_us = self.now_us;
        let place = self.model.place(endpoint);
        if std::mem::take(&mut place.paused) {
            place.able_us = now_us;
        }
        self.scheduler.resume(endpoint);
    }

    /// Also happens before the scheduler has heard that they failed.
    pub(super) fn retry_failed(&mut self, endpoint: EndpointId) {
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
        for (id, habit) in &self.habits {
            let place = self.model.places.entry(*id).or_default();
            place.healthy = habit.is_healthy();
            // Two merchants own all: turns are taken within an owner, too.
            self.scheduler.add_endpoint(*id, Owner(id.0 % 2));
            self.scheduler.expect_more(*id);
            if place.paused {
                self.scheduler.pause(*id);
            }
        }
    }
}
