//! The numbers that the scheduler works with, and their defaults.

const SECOND_US: i64 = 1_000_000;

/// Limits and thresholds. Operators may change each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchedulerSettings {
    /// Messages of one queue held in memory with their payload. A degraded or paused queue
    /// gets an eighth of that.
    pub(crate) window_max: usize,
    /// What a queue may hold in any case, however many others hold something.
    pub(crate) window_min: usize,
    /// Payloads over all queues. When many queues hold some, each may hold an equal share.
    pub(crate) held_max: usize,
    /// The bytes of all payloads, those included that are being read. A queue may hold a quarter of
    /// it, no more than an equal share once half of it is in use, and an eighth of that once all of
    /// it is, but always one payload.
    pub(crate) held_bytes_max: usize,
    /// Messages of one queue without their payload in memory, because their lane waits and
    /// others behind it were looked for.
    pub(crate) evicted_max: usize,
    /// The same over all queues; beyond it a queue may evict four windows.
    pub(crate) evicted_all_max: usize,
    /// In flight over all queues.
    pub(crate) slots_max: usize,
    /// In flight to one endpoint until it has answered, then at first, and at most.
    pub(crate) endpoint_slots_unproven: usize,
    pub(crate) endpoint_slots_start: usize,
    pub(crate) endpoint_slots_max: usize,
    /// A queue with more in flight than this, and than its share of the slots, is served
    /// only when no quieter one waits.
    pub(crate) noisy_slots_min: usize,
    pub(crate) noisy_percent: usize,
    /// A queue is slow when its attempts take this long, or when it has not finished any.
    pub(crate) slow_us: i64,
    /// Share of the slots that all slow and noisy queues have together: the rest is left
    /// for those that return a slot at once. The very first attempt of a queue is not held
    /// back by it.
    pub(crate) heavy_percent: usize,
    /// Share of the slots that all degraded endpoints have together.
    pub(crate) throttled_percent: usize,
    /// Failures in a row that throttle an endpoint.
    pub(crate) throttle_failures: u32,
    /// Failed share of the attempts in `throttle_window_us` that throttles it too,
    /// given so many attempts.
    pub(crate) throttle_failed_percent: u32,
    pub(crate) throttle_attempts_min: u32,
    pub(crate) throttle_window_us: i64,
    /// A throttled endpoint is suspended after so long without a success, when more
    /// than so many messages wait. A window holds more than that, so that what is in
    /// memory answers the question and what is on disk need not be counted.
    pub(crate) suspend_after_us: i64,
    pub(crate) suspend_waiting_min: u64,
    /// Pause between two probes of a suspended endpoint; it doubles up to the most.
    pub(crate) probe_gap_us: i64,
    pub(crate) probe_gap_max_us: i64,
}

impl Default for SchedulerSettings {
    fn default() -> Self {
        Self {
            window_max: 1_024,
            window_min: 8,
            held_max: 50_000,
            held_bytes_max: 64 * 1_024 * 1_024,
            evicted_max: 100_000,
            evicted_all_max: 1_000_000,
            slots_max: 2_000,
            endpoint_slots_unproven: 1,
            endpoint_slots_start: 4,
            endpoint_slots_max: 64,
            noisy_slots_min: 30,
            noisy_percent: 10,
            slow_us: SECOND_US,
            heavy_percent: 80,
            throttled_percent: 10,
            throttle_failures: 10,
            throttle_failed_percent: 50,
            throttle_attempts_min: 20,
            throttle_window_us: 30 * SECOND_US,
            suspend_after_us: 3_600 * SECOND_US,
            suspend_waiting_min: 1_000,
            probe_gap_us: 30 * SECOND_US,
            probe_gap_max_us: 300 * SECOND_US,
        }
    }
}

impl SchedulerSettings {
    /// In flight above which a queue counts as noisy.
    pub(super) fn noisy_above(&self) -> usize {
        self.noisy_slots_min.max(self.slots_max * self.noisy_percent / 100)
    }

    /// Slots for all slow and noisy queues together.
    pub(super) fn heavy_slots(&self) -> usize {
        (self.slots_max * self.heavy_percent / 100).max(1)
    }

    /// Slots for all degraded endpoints together: at least one, or none of them would ever
    /// recover.
    pub(super) fn throttled_slots(&self) -> usize {
        (self.slots_max * self.throttled_percent / 100).max(1)
    }
}
