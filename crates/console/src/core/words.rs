//! Amounts, moments, numbers and addresses, as pages show them.

use domain::currency::minor_digits;
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stays as it is in a query or in a part of a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A path with a query; values may hold anything, and empty ones are left out.
pub(crate) fn address(path: &str, query: &[(&str, &str)]) -> String {
    let mut text = path.to_owned();
    for (name, value) in query.iter().filter(|(_, value)| !value.is_empty()) {
        text.push(if text.contains('?') { '&' } else { '?' });
        text.push_str(name);
        text.push('=');
        text.extend(utf8_percent_encode(value, PLAIN));
    }
    text
}

/// A path of these parts, which may hold anything.
pub(crate) fn path(parts: &[&str]) -> String {
    let mut text = String::new();
    for part in parts {
        text.push('/');
        text.extend(utf8_percent_encode(part, PLAIN));
    }
    text
}

/// An amount in minor units with its currency: `46.10 USD`.
pub(crate) fn money(cents: i64, currency: &str) -> String {
    let digits = u32::from(minor_digits(currency).unwrap_or(2));
    let (divisor, width) = (10_i64.pow(digits), usize::try_from(digits).unwrap_or_default());
    let sign = if cents < 0 { "−" } else { "" };
    let whole = number((cents / divisor).saturating_abs());
    let part = (cents % divisor).abs();
    if width == 0 {
        return format!("{sign}{whole} {currency}");
    }
    format!("{sign}{whole}.{part:0width$} {currency}")
}

/// A time as people read it, to the second: `14 Feb 2026, 16:02:10`. It is always UTC.
pub(crate) fn moment(at: &Timestamp) -> String {
    at.strftime("%-d %b %Y, %H:%M:%S").to_string()
}

/// A number in groups of three digits.
pub(crate) fn number(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "−" } else { "" });
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_any_value() {
        let query = [("q", "x&y=1 #ü"), ("empty", ""), ("next", "/console?a=b")];
        let expected = "/console?q=x%26y%3D1%20%23%C3%BC&next=%2Fconsole%3Fa%3Db";
        assert_eq!(address("/console", &query), expected);
    }

    #[test]
    fn a_part_of_a_path_holds_any_value() {
        assert_eq!(path(&["console", "a/b?c#ü"]), "/console/a%2Fb%3Fc%23%C3%BC");
    }

    #[test]
    fn every_currency_has_its_own_minor_units() {
        assert_eq!(money(461_010, "USD"), "4,610.10 USD");
        assert_eq!(money(5, "EUR"), "0.05 EUR");
        assert_eq!(money(-120, "EUR"), "−1.20 EUR");
        assert_eq!(money(-5, "EUR"), "−0.05 EUR");
        assert_eq!(money(12_345, "JPY"), "12,345 JPY");
        assert_eq!(money(12_345, "KWD"), "12.345 KWD");
    }

    #[test]
    fn times_and_numbers_are_easy_to_read() {
        let at: Timestamp = "2026-02-04T16:02:10.45Z".parse().unwrap();
        assert_eq!(moment(&at), "4 Feb 2026, 16:02:10");
        assert_eq!(number(0), "0");
        assert_eq!(number(-1_234_567), "−1,234,567");
    }
}
