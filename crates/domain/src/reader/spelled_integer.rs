//! Integers that are spelled with a point or an exponent, such as `3.0`, `3e2` and `1.5e1`. They
//! are read digit by digit, because a float would round what is not an integer to one.

/// What a JSON number with a point or an exponent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpelledInteger {
    Exact(i64),
    /// It is not an integer.
    Fraction,
    /// It is an integer, but larger than an i64.
    TooLarge,
}

/// Digits of the largest i64.
const DIGITS_MAX: i64 = 19;

/// Reads a number that is known to be valid JSON.
pub(super) fn read_spelled_integer(text: &str) -> SpelledInteger {
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    let leading = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return SpelledInteger::Exact(0);
    }
    // An exponent that is too long for a number is as good as the largest one.
    let extreme = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent).parse().unwrap_or(extreme);
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    // How many digits are before the point.
    let before_point = exponent.saturating_add(count(whole.len()) - count(leading));
    let zeros = before_point.saturating_sub(count(significant.len()));
    if zeros < 0 {
        return SpelledInteger::Fraction;
    }
    if before_point > DIGITS_MAX {
        return SpelledInteger::TooLarge;
    }
    let zeros = "0".repeat(usize::try_from(zeros).unwrap_or(0));
    let integer = format!("{sign}{significant}{zeros}").parse();
    integer.map_or(SpelledInteger::TooLarge, SpelledInteger::Exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_integer_is_exact_and_no_fraction_is_rounded_to_one() {
        let exact = [
            ("3.0", 3),
            ("3e0", 3),
            ("3e2", 300),
            ("1.5e1", 15),
            ("-1.50E+1", -15),
            ("300e-2", 3),
            ("0.03e2", 3),
            ("0.0", 0),
            ("-0e999999999999999999999", 0),
            ("9.223372036854775807e18", i64::MAX),
            ("9007199254740993.0", 9_007_199_254_740_993),
        ];
        for (text, integer) in exact {
            assert_eq!(read_spelled_integer(text), SpelledInteger::Exact(integer), "{text}");
        }
        let fractions = [
            "0.5",
            "1e-400",
            "12455.000000000000000000001",
            "1.25e1",
            "3e-1",
            "1e-99999999999999999999",
        ];
        for text in fractions {
            assert_eq!(read_spelled_integer(text), SpelledInteger::Fraction, "{text}");
        }
        for text in ["1e19", "9223372036854775808", "9.3e18", "1e99999999999999999999"] {
            assert_eq!(read_spelled_integer(text), SpelledInteger::TooLarge, "{text}");
        }
    }
}
