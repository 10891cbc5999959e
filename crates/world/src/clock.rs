//! Time and randomness, from one value, so that tests and simulations own both.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use jiff::Timestamp;
use ring::rand::{SecureRandom, SystemRandom};

#[derive(Clone, Debug)]
pub struct World {
    clock: Clock,
    random: SystemRandom,
}

#[derive(Clone, Debug)]
enum Clock {
    System,
    /// Microseconds since the epoch, moved by whoever made it.
    Manual(Arc<AtomicI64>),
}

/// Lower-case letters and digits without those that are easily mistaken for each other.
const READABLE: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl World {
    pub fn system() -> Self {
        Self { clock: Clock::System, random: SystemRandom::new() }
    }

    /// A world that stands still until `clock` is moved.
    pub fn standing(clock: Arc<AtomicI64>) -> Self {
        Self { clock: Clock::Manual(clock), random: SystemRandom::new() }
    }

    /// To the microsecond, because that is what the store keeps.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.now_us()).unwrap_or_default()
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that may ask the machine")]
    pub fn now_us(&self) -> i64 {
        match &self.clock {
            Clock::System => Timestamp::now().as_microsecond(),
            Clock::Manual(clock) => clock.load(Ordering::Relaxed),
        }
    }

    /// Bytes nobody can guess.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes).expect("the system's randomness does not fail once it works");
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
