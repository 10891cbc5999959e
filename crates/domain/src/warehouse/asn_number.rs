//! The number of an ASN: 1 to 255 letters, digits, hyphens and underscores.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::reader::Reader;

/// The maximum length, in characters.
pub const ASN_NUMBER_MAX: usize = 255;

/// The number of an ASN, inbound or outbound.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(example = "ASN-20260301-7", pattern = "^[A-Za-z0-9_-]{1,255}$")]
pub struct AsnNumber(String);

impl AsnNumber {
    pub fn parse(text: &str) -> Option<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let fits = (1..=ASN_NUMBER_MAX).contains(&text.len());
        (fits && text.bytes().all(allowed)).then(|| Self(text.to_owned()))
    }

    /// The number of one part of a shipment that was split, counted from 1: `A-7_2`. None if it
    /// would be too long.
    pub fn part(&self, part: usize) -> Option<Self> {
        Self::parse(&format!("{}_{part}", self.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AsnNumber {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not the number of an ASN")
    }
}

impl fmt::Display for AsnNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Reads the number of an ASN.
pub(super) fn asn_number(value: &Reader<'_>) -> Option<AsnNumber> {
    let refused =
        "must have 1 to 255 characters, each a letter, a digit, a hyphen or an underscore";
    value.named(AsnNumber::parse, refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_1_to_255_plain_characters() {
        for text in ["7", "-", "_", "ASN-20260301_7", &"a".repeat(ASN_NUMBER_MAX)] {
            assert_eq!(AsnNumber::parse(text).unwrap().as_str(), text);
        }
        let too_long = "a".repeat(ASN_NUMBER_MAX + 1);
        for text in ["", " ", "A 7", "A/7", "A.7", "Ä7", "A7\n", "A\0", &too_long] {
            assert_eq!(AsnNumber::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_part_carries_its_place_behind_the_number_as_long_as_it_fits() {
        let number = |length| AsnNumber::parse(&"a".repeat(length)).unwrap();

        assert_eq!(AsnNumber::parse("A-7").unwrap().part(2).unwrap().as_str(), "A-7_2");
        assert_eq!(number(253).part(9).unwrap().as_str().len(), ASN_NUMBER_MAX);
        assert_eq!(number(253).part(10), None);
        assert_eq!(number(254).part(1), None);
    }

    #[test]
    fn a_number_is_text_on_the_wire_and_checked_when_read() {
        let number = AsnNumber::parse("A-7").unwrap();

        assert_eq!(serde_json::to_string(&number).unwrap(), r#""A-7""#);
        assert_eq!(serde_json::from_str::<AsnNumber>(r#""A-7""#).unwrap(), number);
        assert!(serde_json::from_str::<AsnNumber>(r#""A 7""#).is_err());
    }
}
