//! The currencies of ISO 4217, and how many digits each has after the decimal point.
//!
//! The list has the active codes, including funds and metals. Two withdrawn codes, ANG and BGN,
//! are included while order histories still contain them. XTS and XXX are not: they are reserved
//! for tests and for "no currency", and no order is paid in them.

/// Sorted, for the binary search.
const CODES: &[&str] = &[
    "AED", "AFN", "ALL", "AMD", "ANG", "AOA", "ARS", "AUD", "AWG", "AZN", "BAM", "BBD", "BDT",
    "BGN", "BHD", "BIF", "BMD", "BND", "BOB", "BOV", "BRL", "BSD", "BTN", "BWP", "BYN", "BZD",
    "CAD", "CDF", "CHE", "CHF", "CHW", "CLF", "CLP", "CNY", "COP", "COU", "CRC", "CUP", "CVE",
    "CZK", "DJF", "DKK", "DOP", "DZD", "EGP", "ERN", "ETB", "EUR", "FJD", "FKP", "GBP", "GEL",
    "GHS", "GIP", "GMD", "GNF", "GTQ", "GYD", "HKD", "HNL", "HTG", "HUF", "IDR", "ILS", "INR",
    "IQD", "IRR", "ISK", "JMD", "JOD", "JPY", "KES", "KGS", "KHR", "KMF", "KPW", "KRW", "KWD",
    "KYD", "KZT", "LAK", "LBP", "LKR", "LRD", "LSL", "LYD", "MAD", "MDL", "MGA", "MKD", "MMK",
    "MNT", "MOP", "MRU", "MUR", "MVR", "MWK", "MXN", "MXV", "MYR", "MZN", "NAD", "NGN", "NIO",
    "NOK", "NPR", "NZD", "OMR", "PAB", "PEN", "PGK", "PHP", "PKR", "PLN", "PYG", "QAR", "RON",
    "RSD", "RUB", "RWF", "SAR", "SBD", "SCR", "SDG", "SEK", "SGD", "SHP", "SLE", "SOS", "SRD",
    "SSP", "STN", "SVC", "SYP", "SZL", "THB", "TJS", "TMT", "TND", "TOP", "TRY", "TTD", "TWD",
    "TZS", "UAH", "UGX", "USD", "USN", "UYI", "UYU", "UYW", "UZS", "VED", "VES", "VND", "VUV",
    "WST", "XAD", "XAF", "XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XCD", "XCG", "XDR", "XOF",
    "XPD", "XPF", "XPT", "XSU", "XUA", "YER", "ZAR", "ZMW", "ZWG",
];

/// Whether `code` is a currency, spelled in capitals as in the standard.
pub fn is_known(code: &str) -> bool {
    CODES.binary_search(&code).is_ok()
}

/// How many digits of an amount in minor units come after the decimal point: 2 for USD, so 1999 is
/// 19.99. Metals and the like have no minor unit and no digits.
pub fn minor_digits(code: &str) -> Option<u8> {
    is_known(code).then_some(match code {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX"
        | "UYI" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC"
        | "XBD" | "XDR" | "XPD" | "XPT" | "XSU" | "XUA" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        "CLF" | "UYW" => 4,
        _ => 2,
    })
}

/// An amount in minor units with its currency, for operators: `1,046.10 USD`.
pub fn format_amount(cents: i64, currency: &str) -> String {
    let digits = u32::from(minor_digits(currency).unwrap_or(2));
    let (divisor, width) = (10_i64.pow(digits), usize::try_from(digits).unwrap_or_default());
    let sign = if cents < 0 { "−" } else { "" };
    let whole = group_digits((cents / divisor).unsigned_abs());
    let part = (cents % divisor).abs();
    if width == 0 {
        return format!("{sign}{whole} {currency}");
    }
    format!("{sign}{whole}.{part:0width$} {currency}")
}

/// A number in groups of three digits.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
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
    fn the_codes_are_sorted_and_unique() {
        assert!(CODES.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_code_counts_only_in_the_spelling_of_the_standard() {
        for code in ["USD", "EUR", "JPY", "CHE", "XCG", "ZWG", "AED"] {
            assert!(is_known(code), "{code}");
        }
        for code in ["", "usd", "US", "USDX", "U D", "ZZZ", "XXX", "XTS", "HRK", "BTC", "$"] {
            assert!(!is_known(code), "{code}");
        }
    }

    #[test]
    fn amounts_have_the_digits_of_their_currency() {
        let digits = [("USD", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4), ("XAU", 0), ("MGA", 2)];
        for (code, expected) in digits {
            assert_eq!(minor_digits(code), Some(expected), "{code}");
        }
        assert_eq!(minor_digits("ZZZ"), None);
    }

    #[test]
    fn every_exception_among_the_digits_is_a_currency() {
        let exceptions = CODES.iter().filter(|code| minor_digits(code) != Some(2)).count();

        assert_eq!(exceptions, 28 + 7 + 2);
    }
}
