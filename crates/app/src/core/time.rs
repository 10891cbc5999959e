//! Times of the store as views show them.

use domain::time::from_micros;
use jiff::Timestamp;

/// The time that a row stores in microseconds.
pub(crate) fn time_from_us(us: i64) -> Timestamp {
    from_micros(us).unwrap_or_default()
}
