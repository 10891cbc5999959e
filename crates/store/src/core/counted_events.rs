//! Events that are counted by day: what a transaction notes, before any statement is written.

use domain::{identifier::MerchantId, returns::receipt::Condition};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// An event that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedEvent {
    OrdersTakenIn,
    ReturnsStarted,
    ReturnsClosed,
}

impl CountedEvent {
    pub(crate) const ALL: [Self; 3] =
        [Self::OrdersTakenIn, Self::ReturnsStarted, Self::ReturnsClosed];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OrdersTakenIn => "orders_taken_in",
            Self::ReturnsStarted => "returns_started",
            Self::ReturnsClosed => "returns_closed",
        }
    }
}

/// An event that happened a number of times on one day.
#[derive(Debug)]
pub(crate) struct EventCount {
    pub(crate) merchant: MerchantId,
    pub(crate) day_us: i64,
    pub(crate) event: CountedEvent,
    pub(crate) number: i64,
}

/// Returned units with the same fate that were received on one day. Negative if a receipt was
/// corrected.
#[derive(Debug)]
pub(crate) struct DispositionCount {
    pub(crate) merchant: MerchantId,
    pub(crate) day_us: i64,
    pub(crate) channel: String,
    pub(crate) condition: Condition,
    pub(crate) outcome: &'static str,
    pub(crate) units: i64,
    pub(crate) weighed: i64,
    pub(crate) weight: i64,
}

/// When the day of a moment began.
pub(crate) fn day_start_us(at_us: i64) -> i64 {
    at_us.div_euclid(DAY_US) * DAY_US
}
