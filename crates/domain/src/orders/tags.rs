//! Tags on orders, lines and refunds. Merchants spell them in many ways: only letters and digits
//! count, without case, so `FinalSale`, `final-sale` and `final sale` are one tag.

/// Whether two tags are spellings of the same one.
pub fn is_same_tag(left: &str, right: &str) -> bool {
    has_letters(left) && normalize(left).eq(normalize(right))
}

/// Whether a tag has any letter or digit, so that it can be compared.
pub fn has_letters(tag: &str) -> bool {
    normalize(tag).next().is_some()
}

fn normalize(tag: &str) -> impl Iterator<Item = char> {
    tag.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_and_digits_of_a_tag_count_without_case() {
        for same in ["FinalSale", "final-sale", " final sale ", "FINAL_SALE", "final.sale"] {
            assert!(is_same_tag("final_sale", same), "{same}");
        }
        for other in ["sale", "final_sale_2", "finalsales", ""] {
            assert!(!is_same_tag("final_sale", other), "{other}");
        }
        assert!(is_same_tag("Übergröße", "über-größe"));
        assert!(!is_same_tag("--", ""), "nothing to compare");
    }
}
