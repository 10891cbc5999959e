//! Times that people enter in filters.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// A field for a time has whole minutes. This is the distance to the last microsecond of a minute.
const REST_OF_MINUTE_US: i64 = 60_000_000 - 1;

/// The last microsecond of a minute.
pub(super) fn end_of_minute_us(minute: Timestamp) -> i64 {
    minute.as_microsecond().saturating_add(REST_OF_MINUTE_US)
}

/// A time as browsers send it, without a time zone. It is UTC.
pub(super) fn parse_minute(text: &str) -> Result<Option<Timestamp>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let civil = text.parse::<DateTime>().ok();
    let zoned = civil.and_then(|civil| civil.to_zoned(TimeZone::UTC).ok());
    let at = zoned.map(|zoned| zoned.timestamp());
    at.map(Some).ok_or_else(|| "Enter a time such as 2026-02-14T16:00.".to_owned())
}
