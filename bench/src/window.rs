//! When a measurement starts and stops.

use std::time::{Duration, Instant};

use crate::options::Options;

/// The time that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
}

impl Window {
    /// Starts after the warm-up.
    pub(crate) fn from_now(options: &Options) -> Self {
        let begin = Instant::now() + Duration::from_secs(options.warm_up_seconds.into());
        Self { begin, end: begin + Duration::from_secs(options.seconds.into()) }
    }

    pub(crate) fn contains(self, moment: Instant) -> bool {
        (self.begin..self.end).contains(&moment)
    }
}

/// When a load stops.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// At the end of the measured time.
    EndOf(Window),
    /// When rows up to this number are stored.
    Number(u64),
}
