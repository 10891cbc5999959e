//! Formats amounts, numbers, times and sentences for pages.

use std::fmt;

use askama::filters::HtmlSafe;
use domain::currency::group_digits;
use jiff::{Timestamp, civil::Date};

pub(crate) use domain::currency::format_amount as format_money;

/// A number in groups of three digits.
pub(crate) fn format_number(number: i64) -> String {
    let sign = if number < 0 { "−" } else { "" };
    format!("{sign}{}", group_digits(number.unsigned_abs()))
}

/// `1 message`, `2,000 messages`.
pub(crate) fn format_count(count: i64, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{} {noun}", format_number(count))
}

/// A span of time, from milliseconds to hours: `12 ms`, `2.3 s`, `52 h`.
pub(crate) fn format_duration(us: i64) -> String {
    match us {
        0 => "–".to_owned(),
        ..=999_999 => format!("{} ms", format_number((us + 999) / 1_000)),
        1_000_000..=59_999_999 => format!("{}.{} s", us / 1_000_000, us / 100_000 % 10),
        10_800_000_000.. => format!("{} h", format_number(us / 3_600_000_000)),
        60_000_000.. => format!("{} min", format_number(us / 60_000_000)),
    }
}

/// A fact in words, with its times and days as pages show them: `until 4 Feb 2026`.
pub(crate) fn format_times(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let value = word.trim_end_matches([',', ';', '.']);
        format_time_or_day(value).map_or_else(|| word.to_owned(), |it| word.replace(value, &it))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Only text with hyphens: `20260102` is rather a number of something.
fn format_time_or_day(text: &str) -> Option<String> {
    if !text.contains('-') {
        return None;
    }
    let at = text.parse().map(|at: Timestamp| format_time(&at));
    at.or_else(|_| text.parse().map(|day: Date| day.strftime("%-d %b %Y").to_string())).ok()
}

/// A time in UTC, to the second: `14 Feb 2026, 16:02:10`.
pub(crate) fn format_time(at: &Timestamp) -> String {
    at.strftime("%-d %b %Y, %H:%M:%S").to_string()
}

/// The text with a capital letter at the beginning and a period at the end. A text that begins with
/// an address or a number, and not with a word, keeps its first letter.
pub(crate) fn to_sentence(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let first_word = first_word.trim_end_matches([',', ';', ':', '.', '!', '?']);
    let is_word = first_word.chars().all(|it| it.is_alphabetic() || matches!(it, '-' | '\'' | '’'));
    let mut letters = text.chars();
    let first = letters.next().filter(|_| is_word).map(char::to_uppercase);
    let text: String = match first {
        Some(first) => first.chain(letters).collect(),
        None => text.to_owned(),
    };
    if text.is_empty() || text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// A `<time>` element: readable for people, exact for the script that shows the local time.
#[derive(Clone, Copy)]
pub(crate) struct TimeElement(pub(crate) Timestamp);

/// It contains only digits, letters and markup of ours.
impl HtmlSafe for TimeElement {}

impl fmt::Display for TimeElement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "<time datetime=\"{}\">{}</time>", self.0, format_time(&self.0))
    }
}

/// The same for templates, which pass references.
pub(crate) const fn time_element(at: &Timestamp) -> TimeElement {
    TimeElement(*at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_currency_has_its_own_minor_units() {
        assert_eq!(format_money(461_010, "USD"), "4,610.10 USD");
        assert_eq!(format_money(5, "EUR"), "0.05 EUR");
        assert_eq!(format_money(-120, "EUR"), "−1.20 EUR");
        assert_eq!(format_money(-5, "EUR"), "−0.05 EUR");
        assert_eq!(format_money(12_345, "JPY"), "12,345 JPY");
        assert_eq!(format_money(12_345, "KWD"), "12.345 KWD");
    }

    #[test]
    fn times_and_numbers_are_easy_to_read() {
        let at: Timestamp = "2026-02-04T16:02:10.45Z".parse().unwrap();
        assert_eq!(format_time(&at), "4 Feb 2026, 16:02:10");
        assert_eq!(format_number(0), "0");
        assert_eq!(format_number(-1_234_567), "−1,234,567");
    }

    #[test]
    fn times_in_a_fact_are_easy_to_read() {
        let cases = [
            ("until 2026-02-04T16:02:10Z", "until 4 Feb 2026, 16:02:10"),
            ("on 2026-01-02; ends on 2026-02-01", "on 2 Jan 2026; ends on 1 Feb 2026"),
            ("2 of 2 units of 20260102", "2 of 2 units of 20260102"),
        ];
        for (fact, shown) in cases {
            assert_eq!(format_times(fact), shown);
        }
    }

    #[test]
    fn a_duration_is_short() {
        let cases = [
            (0, "–"),
            (1, "1 ms"),
            (999_000, "999 ms"),
            (1_500_000, "1.5 s"),
            (59_999_999, "59.9 s"),
            (7_200_000_000, "120 min"),
            (189_780_000_000, "52 h"),
        ];
        for (us, text) in cases {
            assert_eq!(format_duration(us), text, "{us}");
        }
    }

    #[test]
    fn a_message_of_the_api_becomes_a_sentence() {
        assert_eq!(to_sentence("merchant not found"), "Merchant not found.");
        assert_eq!(to_sentence("Über uns."), "Über uns.");
        assert_eq!(
            to_sentence("plain http to a.example is refused"),
            "Plain http to a.example is refused."
        );
        assert_eq!(to_sentence("warning: x"), "Warning: x.");
        assert_eq!(to_sentence(""), "");
    }

    #[test]
    fn a_value_at_the_beginning_of_a_sentence_stays_as_it_is() {
        for text in ["http://a.example is odd.", "a.example has no address.", "msg_acme_1 is new."]
        {
            assert_eq!(to_sentence(text), text);
        }
    }
}
