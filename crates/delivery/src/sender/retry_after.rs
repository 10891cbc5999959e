//! How long a merchant asks us to wait: `Retry-After`, in seconds or as a date.

use http::{StatusCode, header::HeaderValue};
use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};

const DATES: DateTimeParser = DateTimeParser::new();

/// The pause that an answer asks for. Only 429 and 503 can ask; a date that has passed asks for
/// none, and what does not read as either is as good as absent.
pub(crate) fn retry_after_ms(
    status: Option<StatusCode>,
    value: &HeaderValue,
    now: Timestamp,
) -> Option<u64> {
    let asks = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];
    if !status.is_some_and(|status| asks.contains(&status)) {
        return None;
    }
    let text = value.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(u64::MAX).saturating_mul(1000));
    }
    let then = DATES.parse_timestamp(text).ok()?;
    let pause_ms = then.as_millisecond().saturating_sub(now.as_millisecond());
    Some(u64::try_from(pause_ms).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(status: u16, value: &str) -> Option<u64> {
        let now = "1994-11-06T08:49:07Z".parse().unwrap();
        let value = HeaderValue::from_str(value).unwrap();
        retry_after_ms(StatusCode::from_u16(status).ok(), &value, now)
    }

    #[test]
    fn seconds_and_dates_are_understood() {
        assert_eq!(asked(429, "120"), Some(120_000));
        assert_eq!(asked(503, " 0 "), Some(0));
        assert_eq!(asked(503, "Sun, 06 Nov 1994 08:49:37 GMT"), Some(30_000));
        assert_eq!(asked(429, "Sun, 06 Nov 1994 08:00:00 GMT"), Some(0), "it has passed");
        assert_eq!(asked(429, "99999999999999999999999"), Some(u64::MAX));
    }

    #[test]
    fn nonsense_and_other_statuses_ask_for_nothing() {
        for value in ["", "-5", "1.5", "soon", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            assert_eq!(asked(429, value), None, "{value:?}");
        }
        for status in [200, 301, 400, 500, 502] {
            assert_eq!(asked(status, "120"), None, "{status}");
        }
    }
}
