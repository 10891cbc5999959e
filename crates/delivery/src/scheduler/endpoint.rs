//! One endpoint: its messages, what was read for it, and its doors.
//!
//! Here the parts are weighed against each other: which message goes next, what an
//! attempt teaches, and what the endpoint waits for. Its readings are in `reading`. It
//! knows nothing of the other endpoints.

use store::AttemptOutcome;

use super::{
    EndpointState, Owner, Waiting,
    breaker::BreakerState,
    cursor::Cursor,
    desk::{Allowance, Filed, Totals},
    door::Door,
    settings::Settings,
    turns::{Account, Class, Toll},
    window::{Conclusion, Flight, Heads, Landed, Started, Window},
};

pub(super) struct Endpoint<P> {
    pub(super) owner: Owner,
    pub(super) cursor: Cursor,
    pub(super) account: Account,
    /// Where the desk has put this endpoint.
    pub(super) filed: Filed,
    pub(super) window: Window<P>,
    /// Committed while the disk is read: they follow on what the reading brings. Without them, a
    /// busy endpoint that once has to read would never cease to.
    pub(super) late: Vec<Waiting<P>>,
    doors: Vec<Door>,
    in_flight: usize,
    throttled_in_flight: usize,
    heavy_in_flight: usize,
}

/// What an endpoint waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// It has something to send this moment.
    pub(super) line: Option<Class>,
    /// The time will tell.
    pub(super) wake_us: Option<i64>,
    /// It wants to read.
    pub(super) reader: bool,
}

impl<P> Endpoint<P> {
    pub(super) fn new(owner: Owner, doors: usize, settings: &Settings) -> Self {
        Self {
            owner,
            cursor: Cursor::new(),
            account: Account::new(),
            filed: Filed::default(),
            window: Window::new(doors),
            late: Vec::new(),
            doors: (0..doors).map(|_| Door::new(settings)).collect(),
            in_flight: 0,
            throttled_in_flight: 0,
            heavy_in_flight: 0,
        }
    }

    pub(super) fn totals(&self) -> Totals {
        Totals {
            held: self.held(),
            shelved: self.window.shelved(),
            in_flight: self.in_flight,
            throttled_in_flight: self.throttled_in_flight,
            heavy_in_flight: self.heavy_in_flight,
        }
    }

    /// Messages that are in memory, payload and all.
    pub(super) fn held(&self) -> usize {
        self.window.held() + self.late.len()
    }

    pub(super) fn pause(&mut self, door: usize, paused: bool) {
        if let Some(door) = self.doors.get_mut(door) {
            door.paused = paused;
        }
    }

    /// The message to send now and its door, if there is one and it may be sent. A door that is
    /// well goes first, so that one in trouble, which waits for a slot of its line, is in nobody's way.
    pub(super) fn choose(&self, now_us: i64) -> Option<(usize, i64)> {
        let chosen = |(number, door, heads): (usize, &Door, Heads)| {
            let (due_us, message) = door.choose(&heads, now_us)?;
            Some((!door.is_well(), due_us, message, number))
        };
        let (_, _, message, number) = self.with_heads().filter_map(chosen).min()?;
        Some((number, message))
    }

    /// Every door with its number and what stands before it.
    pub(super) fn with_heads(&self) -> impl Iterator<Item = (usize, &Door, Heads)> {
        let numbered = self.doors.iter().enumerate();
        numbered.map(|(number, door)| (number, door, self.window.heads(number)))
    }

    pub(super) fn start(&mut self, message: i64, flight: Flight) -> Option<Started<P>> {
        let retry = self.window.heads(flight.door).retry;
        let retry_waits = retry.is_some_and(|(due_us, _)| due_us <= flight.started_us);
        let started = self.window.start(message, flight)?;
        self.in_flight += 1;
        self.throttled_in_flight += usize::from(flight.toll == Toll::Throttled);
        self.heavy_in_flight += usize::from(flight.toll == Toll::Heavy);
        if let Some(door) = self.doors.get_mut(flight.door) {
            door.start(started.attempt, retry_waits);
        }
        Some(started)
    }

    /// Frees the slot of `message`, if it was in flight.
    pub(super) fn finished(&mut self, message: i64, conclusion: Conclusion) -> Option<Flight> {
        let Landed { flight, attempt } = self.window.finish(message, conclusion)?;
        self.in_flight -= 1;
        self.throttled_in_flight -= usize::from(flight.toll == Toll::Throttled);
        self.heavy_in_flight -= usize::from(flight.toll == Toll::Heavy);
        if let Some(door) = self.doors.get_mut(flight.door) {
            door.finished(attempt);
        }
        Some(flight)
    }

    /// Draws the lesson of one attempt, for the endpoint's share and for its door.
    pub(super) fn learn(
        &mut self,
        flight: &Flight,
        verdict: AttemptOutcome,
        now_us: i64,
        settings: &Settings,
    ) {
        self.account.settle(flight.price_us, now_us.saturating_sub(flight.started_us));
        let waiting = self.waiting();
        if let Some(door) = self.doors.get_mut(flight.door) {
            door.learn((flight, verdict), waiting, now_us, settings);
        }
    }

    pub(super) fn durable(&mut self, message: i64) {
        if self.window.durable(message) {
            self.cursor.lose(message);
        }
    }

    /// The line in which this endpoint waits for its turn, to send through a door.
    fn class(&self, door: usize, settings: &Settings) -> Class {
        match self.toll(door, settings) {
            Toll::Throttled => Class::Throttled,
            Toll::Heavy if self.in_flight > settings.noisy_above() => Class::Noisy,
            // The first attempt of all is not held back, or no endpoint could show that it
            // is quick while the slow ones have their full share.
            Toll::Heavy if self.account.is_proven() || self.in_flight > 0 => Class::Slow,
            Toll::None | Toll::Heavy => Class::Quiet,
        }
    }

    /// The share of slots that attempts through a door count against.
    pub(super) fn toll(&self, door: usize, settings: &Settings) -> Toll {
        let slow = !self.account.is_proven() || self.account.usual_us() >= settings.slow_us;
        let breaker = self.doors.get(door).map(|door| door.breaker.state());
        match breaker.unwrap_or(BreakerState::Closed) {
            BreakerState::Closed if slow || self.in_flight > settings.noisy_above() => Toll::Heavy,
            BreakerState::Closed => Toll::None,
            BreakerState::Throttled | BreakerState::Suspended => Toll::Throttled,
        }
    }

    pub(super) fn standing(
        &self,
        now_us: i64,
        allowance: &Allowance,
        settings: &Settings,
    ) -> Standing {
        let more = self.cursor.more();
        let wakes = self.with_heads().map(|(_, door, heads)| door.wake_us(&heads, more, now_us));
        Standing {
            line: self.choose(now_us).map(|(door, _)| self.class(door, settings)),
            wake_us: wakes.flatten().min(),
            reader: self.wanted_reading(now_us, allowance).is_some(),
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        self.doors.iter().all(|door| door.paused)
    }

    pub(super) fn is_well(&self) -> bool {
        self.doors.iter().any(Door::is_well)
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.doors.iter().all(Door::is_suspended)
    }

    fn waiting(&self) -> u64 {
        let known = self.held() + self.window.shelved();
        self.cursor.unread().saturating_add(u64::try_from(known).unwrap_or(u64::MAX))
    }

    pub(super) fn state(&self, number: usize, now_us: i64) -> Option<EndpointState> {
        let door = self.doors.get(number)?;
        let Heads { fresh, retry, wanted } = self.window.heads(number);
        let waiting = if self.doors.len() == 1 {
            self.waiting()
        } else {
            u64::try_from(self.window.known(number)).unwrap_or(u64::MAX)
        };
        Some(EndpointState {
            window: self.window.held(),
            shelved: self.window.shelved(),
            in_flight: door.in_flight,
            limit: door.limit(),
            breaker: door.breaker.state(),
            paused: door.paused,
            parked_lanes: self.window.parked(now_us),
            more_on_disk: self.cursor.more(),
            waiting,
            oldest_due_us: [fresh, retry, wanted].into_iter().flatten().map(|it| it.0).min(),
        })
    }
}
