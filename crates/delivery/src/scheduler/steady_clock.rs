//! A time that never goes back, whatever is done to the clock of the machine.

/// If the machine's clock is set back, all times that it gives from then on are moved by as much.
/// So a pause keeps its length: without that, every retry would be due at once until the clock is
/// again where it was.
pub(super) struct SteadyClock {
    machine_us: i64,
    shift_us: i64,
}

impl SteadyClock {
    pub(super) fn new() -> Self {
        Self { machine_us: i64::MIN, shift_us: 0 }
    }

    /// The machine's clock shows this time. Returns what it is here.
    pub(super) fn advance(&mut self, machine_us: i64) -> i64 {
        let back_us = self.machine_us.saturating_sub(machine_us).max(0);
        self.shift_us = self.shift_us.saturating_add(back_us);
        self.machine_us = machine_us;
        self.in_own_time(machine_us)
    }

    /// The time here for a time that follows from what the machine's clock shows now.
    pub(super) fn in_own_time(&self, machine_us: i64) -> i64 {
        machine_us.saturating_add(self.shift_us)
    }

    pub(super) fn in_machine_time(&self, here_us: i64) -> i64 {
        here_us.saturating_sub(self.shift_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_continues_where_it_was_when_the_clock_is_set_back() {
        let mut clock = SteadyClock::new();
        assert_eq!([10, 50, 20, 25, 5].map(|us| clock.advance(us)), [10, 50, 50, 55, 55]);
        assert_eq!((clock.in_own_time(6), clock.in_machine_time(56)), (56, 6));
    }
}
