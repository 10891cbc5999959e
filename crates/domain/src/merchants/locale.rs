//! Amounts, dates and percentages as readers of a language write them.

use jiff::{SignedDuration, Timestamp, civil::Date, tz::Offset};

use super::language::Language;
use crate::currency::minor_digits;

const NO_BREAK: char = '\u{a0}';
const NARROW_NO_BREAK: char = '\u{202f}';
const MINUS: &str = "−";

/// How a language separates the parts of a number.
struct Separators {
    group: char,
    decimal: char,
}

const fn separators(language: Language) -> Separators {
    match language {
        Language::English => Separators { group: ',', decimal: '.' },
        Language::German | Language::Spanish => Separators { group: '.', decimal: ',' },
        Language::French => Separators { group: NARROW_NO_BREAK, decimal: ',' },
    }
}

/// An amount in minor units of its currency: `$1,234.50`, `1.234,50 €`.
pub fn format_money(language: Language, cents: i64, currency: &str) -> String {
    let digits = minor_digits(currency).unwrap_or(2);
    let divisor = 10_u64.pow(u32::from(digits));
    let whole = cents.unsigned_abs() / divisor;
    let part = cents.unsigned_abs() % divisor;
    let Separators { group, decimal } = separators(language);
    let mut number = group_digits(whole, group);
    if digits > 0 {
        let width = usize::from(digits);
        number = format!("{number}{decimal}{part:0width$}");
    }
    let sign = if cents < 0 { MINUS } else { "" };
    match (language, currency_symbol(language, currency)) {
        (Language::English, Some(symbol)) => format!("{sign}{symbol}{number}"),
        (Language::English, None) => format!("{sign}{currency}{NO_BREAK}{number}"),
        (Language::German | Language::French | Language::Spanish, symbol) => {
            format!("{sign}{number}{NO_BREAK}{}", symbol.unwrap_or(currency))
        }
    }
}

/// The symbol of a currency, if readers of the language know it.
fn currency_symbol(language: Language, currency: &str) -> Option<&'static str> {
    match (currency, language) {
        ("EUR", _) => Some("€"),
        ("GBP", _) => Some("£"),
        ("JPY", _) => Some("¥"),
        ("USD", Language::English | Language::German) => Some("$"),
        ("USD", Language::French) => Some("$US"),
        ("USD", Language::Spanish) => Some("US$"),
        _ => None,
    }
}

/// Digits in groups of three.
fn group_digits(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Thousandths as a percentage, without the sign: `10`, `12.5`.
pub fn format_percent(language: Language, per_mille: u32) -> String {
    match per_mille % 10 {
        0 => (per_mille / 10).to_string(),
        tenths => format!("{}{}{tenths}", per_mille / 10, separators(language).decimal),
    }
}

/// The names of the months within a date.
const fn months(language: Language) -> [&'static str; 12] {
    match language {
        Language::English => [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
        Language::German => [
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ],
        Language::French => [
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
        Language::Spanish => [
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
    }
}

/// The day of a moment, in UTC: `5 March 2026`, `5. März 2026`.
pub fn format_date(language: Language, moment: Timestamp) -> String {
    format_day(language, Offset::UTC.to_datetime(moment).date())
}

/// A moment to the second: `5 March 2026, 18:04:11 UTC`.
pub fn format_moment(language: Language, moment: Timestamp) -> String {
    let time = Offset::UTC.to_datetime(moment);
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    format!("{}, {hour:02}:{minute:02}:{second:02} UTC", format_date(language, moment))
}

/// A day: `5 March 2026`, `5. März 2026`.
pub fn format_day(language: Language, date: Date) -> String {
    let month = usize::try_from(date.month()).unwrap_or_default().saturating_sub(1);
    let month = months(language).get(month).copied().unwrap_or_default();
    let (day, year) = (date.day(), date.year());
    match language {
        Language::German => format!("{day}. {month} {year}"),
        Language::French if day == 1 => format!("1er {month} {year}"),
        Language::English | Language::French => format!("{day} {month} {year}"),
        Language::Spanish => format!("{day} de {month} de {year}"),
    }
}

/// The last whole day before `end`: a period that ends at midnight still includes the day before.
pub fn format_last_day(language: Language, end: Timestamp) -> String {
    let before = Timestamp::from_microsecond(end.as_microsecond() - 1).unwrap_or(end);
    format_date(language, before)
}

/// The day that ends at `midnight`, which is that of a place in the EU. It is the day of the noon
/// before in UTC as well, also where midnight is later than in UTC.
pub fn format_local_day(language: Language, midnight: Timestamp) -> String {
    let noon = midnight.checked_sub(SignedDuration::from_hours(12)).unwrap_or(midnight);
    format_date(language, noon)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_writes_amounts_in_its_own_way() {
        let written = |cents, currency| Language::ALL.map(|it| format_money(it, cents, currency));
        assert_eq!(
            written(123_450, "EUR"),
            ["€1,234.50", "1.234,50\u{a0}€", "1\u{202f}234,50\u{a0}€", "1.234,50\u{a0}€"]
        );
        assert_eq!(
            written(123_450, "USD"),
            ["$1,234.50", "1.234,50\u{a0}$", "1\u{202f}234,50\u{a0}$US", "1.234,50\u{a0}US$"]
        );
        assert_eq!(written(-5, "CHF")[..2], ["−CHF\u{a0}0.05", "−0,05\u{a0}CHF"]);
    }

    #[test]
    fn every_currency_has_its_own_minor_units() {
        let english = |cents, currency| format_money(Language::English, cents, currency);
        assert_eq!(english(12_345, "JPY"), "¥12,345");
        assert_eq!(english(12_345, "KWD"), "KWD\u{a0}12.345");
        assert_eq!(english(i64::MIN, "USD"), "−$92,233,720,368,547,758.08");
        assert_eq!(english(100, "???"), "???\u{a0}1.00");
    }

    #[test]
    fn currencies_without_and_with_three_decimals_are_right_in_every_language() {
        let written = |cents, currency| {
            Language::ALL.map(|it| format_money(it, cents, currency).replace(NO_BREAK, " "))
        };
        let thousand = "1\u{202f}234";
        assert_eq!(
            written(1_234, "JPY"),
            ["¥1,234", "1.234 ¥", &format!("{thousand} ¥"), "1.234 ¥"]
        );
        assert_eq!(
            written(-1_234, "KRW"),
            ["−KRW 1,234", "−1.234 KRW", &format!("−{thousand} KRW"), "−1.234 KRW"]
        );
        for currency in ["KWD", "BHD"] {
            let expected = ["{} 1,234.050", "1.234,050 {}", "1\u{202f}234,050 {}", "1.234,050 {}"];
            let expected = expected.map(|text| text.replace("{}", currency));
            assert_eq!(written(1_234_050, currency), expected);
            assert_eq!(written(5, currency)[1], format!("0,005 {currency}"));
        }
    }

    #[test]
    fn every_language_writes_dates_in_its_own_way() {
        let moment: Timestamp = "2026-03-01T23:59:59Z".parse().unwrap();
        assert_eq!(
            Language::ALL.map(|language| format_date(language, moment)),
            ["1 March 2026", "1. März 2026", "1er mars 2026", "1 de marzo de 2026"]
        );
        let midnight: Timestamp = "2026-03-02T00:00:00Z".parse().unwrap();
        assert_eq!(format_last_day(Language::English, midnight), "1 March 2026");
        assert_eq!(format_last_day(Language::English, moment), "1 March 2026");
    }

    #[test]
    fn a_day_is_the_same_wherever_in_the_union_it_ends() {
        for midnight in ["2026-03-01T22:00:00Z", "2026-03-02T00:00:00Z", "2026-03-02T04:00:00Z"] {
            let midnight: Timestamp = midnight.parse().unwrap();
            assert_eq!(format_local_day(Language::English, midnight), "1 March 2026");
        }
    }

    #[test]
    fn a_percentage_has_no_needless_digits() {
        assert_eq!(format_percent(Language::English, 100), "10");
        assert_eq!(format_percent(Language::English, 125), "12.5");
        assert_eq!(format_percent(Language::German, 5), "0,5");
    }
}
