//! Codes that are printed on articles. UPC-A, EAN-13, EAN-8 and GTIN-14 are spellings of one
//! number: with leading zeros, each is a GTIN of 14 digits. A GS1 symbol contains one.

use std::borrow::Cow;

use super::gs1::Gs1Symbol;

const GTIN_DIGITS: usize = 14;

/// The code with 14 digits, or as it is if it is none of these codes.
pub fn normalize_code(code: &str) -> Cow<'_, str> {
    if is_gtin(code) {
        Cow::Owned(format!("{code:0>GTIN_DIGITS$}"))
    } else {
        let gtin = Gs1Symbol::parse(code).and_then(|symbol| symbol.gtin);
        gtin.map_or(Cow::Borrowed(code), Cow::Owned)
    }
}

/// Whether a code has the form of a UPC-A, EAN-8, EAN-13 or ITF-14.
pub fn is_gtin(code: &str) -> bool {
    matches!(code.len(), 8 | 12 | 13 | GTIN_DIGITS)
        && code.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether both codes are of the same article.
pub fn is_same_code(one: &str, other: &str) -> bool {
    one == other || normalize_code(one) == normalize_code(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_article_number_are_the_same_code() {
        let upc = "012345678905";
        for same in [upc, "0012345678905", "00012345678905"] {
            assert!(is_same_code(upc, same), "{same}");
        }
        assert!(is_same_code("96385074", "00000096385074"));
        for symbol in [
            "(01)00012345678905(21)A7",
            "010001234567890521A7",
            "https://id.gs1.org/01/00012345678905/21/A7",
        ] {
            assert!(is_same_code(upc, symbol), "{symbol}");
        }
    }

    #[test]
    fn other_codes_are_compared_as_they_are() {
        for other in ["112345678905", "12345678905", "0012345678906", "12345678905X", ""] {
            assert!(!is_same_code("012345678905", other), "{other}");
        }
        assert!(!is_same_code("SKU-1", "0SKU-1"));
        assert!(is_same_code("SKU-1", "SKU-1"));
    }
}
