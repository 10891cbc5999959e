//! Time and randomness, from one value, so that tests, simulations and the demo control both.
//!
//! There are two times. Goods and messages use the world's time, which can run faster in a demo.
//! Tokens and sessions use the machine's time: an hour to fill in a form stays an hour. Outside of
//! a demo they are the same.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use ring::rand::{SecureRandom, SystemRandom};

use crate::{Pace, machine::read_machine_us};

#[derive(Clone, Debug)]
pub struct World {
    clock: Clock,
    random: SystemRandom,
}

#[derive(Clone, Debug)]
enum Clock {
    System,
    /// Microseconds since the epoch. Its owner moves it.
    Manual(Arc<AtomicI64>),
    Paced(Pace),
}

/// The longest sleep with a paced clock, because its speed may change meanwhile.
const PACED_WAIT_MAX: Duration = Duration::from_millis(200);

/// Lowercase letters and digits, without those that are easily confused.
const READABLE: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl World {
    pub fn system() -> Self {
        Self { clock: Clock::System, random: SystemRandom::new() }
    }

    /// A world with a clock that changes only when it is moved.
    pub fn manual(clock: Arc<AtomicI64>) -> Self {
        Self { clock: Clock::Manual(clock), random: SystemRandom::new() }
    }

    /// A world with the time of `pace`.
    pub fn paced(pace: Pace) -> Self {
        Self { clock: Clock::Paced(pace), random: SystemRandom::new() }
    }

    /// To the microsecond, which is the precision of the store.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.now_us()).unwrap_or_default()
    }

    pub fn now_us(&self) -> i64 {
        match &self.clock {
            Clock::System => read_machine_us(),
            Clock::Manual(clock) => clock.load(Ordering::Relaxed),
            Clock::Paced(pace) => pace.now_us(),
        }
    }

    /// The time of tokens and sessions, which a demo does not speed up.
    pub fn wall_clock_us(&self) -> i64 {
        match &self.clock {
            Clock::System | Clock::Paced(_) => read_machine_us(),
            Clock::Manual(clock) => clock.load(Ordering::Relaxed),
        }
    }

    /// How long to sleep until it is worth looking whether `wait_us` of this world's time have
    /// passed.
    pub fn sleep_for(&self, wait_us: i64) -> Duration {
        let wait_us = u64::try_from(wait_us).unwrap_or(0);
        match &self.clock {
            Clock::System | Clock::Manual(_) => Duration::from_micros(wait_us),
            Clock::Paced(pace) => {
                let sleep = Duration::from_micros(wait_us / u64::from(pace.speed()));
                sleep.min(PACED_WAIT_MAX)
            }
        }
    }

    /// Bytes that cannot be guessed.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes).expect("the system's random generator works");
        bytes
    }

    /// `N` readable characters of five random bits each.
    pub fn readable<const N: usize>(&self) -> String {
        self.random::<N>()
            .iter()
            .filter_map(|byte| READABLE.get(usize::from(byte & 31)))
            .map(|&letter| char::from(letter))
            .collect()
    }
}
