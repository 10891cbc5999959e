//! Times as merchants write them: ISO 8601, in the extended form.
//!
//! `2026-03-01T12:30:00Z`, `2026-03-01T12:30:00.250+01:00`, `2026-03-01T12:30-0500`. A time
//! without an offset is UTC, and a date alone is midnight UTC. Times are truncated to
//! microseconds, the precision of the store. Many systems write 9999-12-31 for "never", which is
//! after the last time that we can represent, and counts as that one.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

/// The time that `text` denotes, if it is a time.
pub fn parse(text: &str) -> Option<Timestamp> {
    let mut clock = Characters { rest: text.as_bytes() };
    let year = i16::try_from(clock.digits(4)?).ok()?;
    clock.expect(b'-')?;
    let month = clock.digits_i8()?;
    clock.expect(b'-')?;
    let date = Date::new(year, month, clock.digits_i8()?).ok()?;
    if clock.rest.is_empty() {
        return Some(to_timestamp(date.at(0, 0, 0, 0), Offset::UTC));
    }

    clock.expect(b'T').or_else(|| clock.expect(b't'))?;
    let hour = clock.digits_i8().filter(|hour| *hour < 24)?;
    clock.expect(b':')?;
    let minute = clock.digits_i8().filter(|minute| *minute < 60)?;
    let mut second = 0;
    let mut microsecond = 0;
    if clock.expect(b':').is_some() {
        // A leap second counts as the last second of its minute.
        second = clock.digits_i8().filter(|second| *second <= 60)?.min(59);
        if clock.expect(b'.').or_else(|| clock.expect(b',')).is_some() {
            microsecond = clock.fraction()?;
        }
    }
    let offset = clock.offset()?;
    Some(to_timestamp(date.at(hour, minute, second, microsecond * 1_000), offset))
}

/// A year has four digits, so only the last hours of 9999 are out of range.
fn to_timestamp(time: DateTime, offset: Offset) -> Timestamp {
    let last = Timestamp::from_second(Timestamp::MAX.as_second()).unwrap_or(Timestamp::MAX);
    offset.to_timestamp(time).unwrap_or(last)
}

/// Microseconds since 1970-01-01T00:00:00Z.
pub fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

/// The time `micros` microseconds after 1970-01-01T00:00:00Z, if the calendar reaches that far.
pub fn from_micros(micros: i64) -> Option<Timestamp> {
    Timestamp::from_microsecond(micros).ok()
}

/// The part of a time that is not read yet.
struct Characters<'a> {
    rest: &'a [u8],
}

impl Characters<'_> {
    fn expect(&mut self, character: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[character])?;
        Some(())
    }

    /// A number of exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<i32> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        let number = digits.iter().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i32::from(digit - b'0'))
        })?;
        self.rest = rest;
        Some(number)
    }

    fn digits_i8(&mut self) -> Option<i8> {
        i8::try_from(self.digits(2)?).ok()
    }

    /// The microseconds in one or more digits after the decimal point.
    fn fraction(&mut self) -> Option<i32> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at_checked(count)?;
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(6);
        self.rest = rest;
        (count > 0).then(|| padded.fold(0, |micros, digit| micros * 10 + i32::from(digit - b'0')))
    }

    /// What follows the time of day, up to the end: nothing, `Z`, `+01:00`, `+0100` or `+01`.
    fn offset(&mut self) -> Option<Offset> {
        let sign = match self.rest {
            [] | [b'Z' | b'z'] => return Some(Offset::UTC),
            [b'+', ..] => 1,
            [b'-', ..] => -1,
            _ => return None,
        };
        self.rest = self.rest.get(1..)?;
        let hours = self.digits(2).filter(|hours| *hours < 24)?;
        let mut minutes = 0;
        if !self.rest.is_empty() {
            let _colon = self.expect(b':');
            minutes = self.digits(2).filter(|minutes| *minutes < 60)?;
        }
        if !self.rest.is_empty() {
            return None;
        }
        Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_spelling_denotes_the_right_moment() {
        let spellings = [
            ("2026-03-01T12:30:00Z", "2026-03-01T12:30:00Z"),
            ("2026-03-01t12:30:00z", "2026-03-01T12:30:00Z"),
            ("2026-03-01T12:30:00", "2026-03-01T12:30:00Z"),
            ("2026-03-01T12:30", "2026-03-01T12:30:00Z"),
            ("2026-03-01", "2026-03-01T00:00:00Z"),
            ("2026-03-01T12:30:00+00:00", "2026-03-01T12:30:00Z"),
            ("2026-03-01T12:30:00+0000", "2026-03-01T12:30:00Z"),
            ("2026-03-01T12:30:00-05:30", "2026-03-01T18:00:00Z"),
            ("2026-03-01T00:30:00+01", "2026-02-28T23:30:00Z"),
            ("2026-03-01T12:30:00.25Z", "2026-03-01T12:30:00.25Z"),
            ("2026-03-01T12:30:00,25", "2026-03-01T12:30:00.25Z"),
            ("2026-03-01T12:30:00.123456789+00:00", "2026-03-01T12:30:00.123456Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
            ("2024-02-29", "2024-02-29T00:00:00Z"),
            ("0000-01-01", "0000-01-01T00:00:00Z"),
            ("9999-12-30T21:59:59Z", "9999-12-30T21:59:59Z"),
            ("9999-12-31", "9999-12-30T22:00:00Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-30T22:00:00Z"),
            ("9999-12-31T23:59:59-12:00", "9999-12-30T22:00:00Z"),
        ];
        for (text, moment) in spellings {
            assert_eq!(parse(text), Some(moment.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_time_is_refused() {
        let refused = [
            "",
            "yesterday",
            "2026",
            "2026-03",
            "2026-3-1",
            "01/03/2026",
            "2026-13-01",
            "2026-02-29",
            "2026-00-10",
            "2026-03-01 12:30:00",
            "2026-03-01T",
            "2026-03-01T12",
            "2026-03-01T24:00:00",
            "2026-03-01T12:60:00",
            "2026-03-01T12:30:61Z",
            "2026-03-01T12:30:00.Z",
            "2026-03-01T12:30:00ZZ",
            "2026-03-01T12:30:00+24:00",
            "2026-03-01T12:30:00+01:00:00",
            "2026-03-01T12:30:00 UTC",
            "2026-03-01Z",
            " 2026-03-01",
            "1772368200",
            "２０２６-03-01",
        ];
        for text in refused {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn microseconds_convert_both_ways() {
        let time = parse("2026-03-01T12:30:00.123456Z").unwrap();

        assert_eq!(micros(time), 1_772_368_200_123_456);
        assert_eq!(from_micros(micros(time)), Some(time));
        assert_eq!(from_micros(i64::MAX), None);
    }
}
