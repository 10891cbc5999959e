//! Amounts as people read them.

/// Currencies without minor units, and those with thousandths; all others have hundredths.
const WHOLE: [&str; 16] = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
    "VUV", "XAF", "XPF",
];
const THOUSANDTHS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];

/// An amount in minor units with its currency: `46.10 USD`.
pub(super) fn amount(cents: i64, currency: &str) -> String {
    let digits = match currency {
        code if WHOLE.contains(&code) => 0,
        code if THOUSANDTHS.contains(&code) => 3,
        _ => 2,
    };
    let sign = if cents < 0 { "−" } else { "" };
    let divisor = 10_u64.pow(digits);
    let whole = cents.unsigned_abs() / divisor;
    let part = cents.unsigned_abs() % divisor;
    let width = usize::try_from(digits).unwrap_or_default();
    let grouped = grouped(whole);
    if width == 0 {
        return format!("{sign}{grouped} {currency}");
    }
    format!("{sign}{grouped}.{part:0width$} {currency}")
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
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
    fn every_currency_has_its_own_minor_units() {
        assert_eq!(amount(461_010, "USD"), "4,610.10 USD");
        assert_eq!(amount(5, "EUR"), "0.05 EUR");
        assert_eq!(amount(-120, "EUR"), "−1.20 EUR");
        assert_eq!(amount(12_345, "JPY"), "12,345 JPY");
        assert_eq!(amount(12_345, "KWD"), "12.345 KWD");
    }
}
