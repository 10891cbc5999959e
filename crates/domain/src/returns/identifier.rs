//! The identifier of a return: `RMA-7K3Q-9XWD-2M4T`.
//!
//! A shopper reads it out on the phone and a warehouse worker types it from a label, so it is
//! short, grouped, and has no letters that look like digits (Crockford's base 32: no I, L, O, or
//! U). It grants access to its return, so it cannot be guessed: twelve characters are sixty random
//! bits. Parsing is lenient: any case, hyphens and spaces anywhere or nowhere, `O` for `0`, `I` and
//! `L` for `1`, with or without the `RMA`.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::reader::Reader;

/// The 32 characters, five bits each.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const PREFIX: &str = "RMA";

/// Characters after the prefix, without hyphens.
const LENGTH: usize = 12;

/// Characters between two hyphens.
const GROUP: usize = 4;

/// The identifier of a return. Any case, missing hyphens, and the letters O, I, and L in place of
/// the digits 0 and 1 are accepted. It is always written in capitals with hyphens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(example = "RMA-7K3Q-9XWD-2M4T")]
pub struct RmaId(String);

impl RmaId {
    /// Creates an identifier from random bytes, of which it uses sixty bits.
    pub fn from_random(bytes: [u8; 8]) -> Self {
        Self(code_from_random(PREFIX, bytes))
    }

    /// The identifier that `text` spells, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        parse_code(PREFIX, text).map(Self)
    }

    /// The identifier that `text` is, exactly as it is written. The number of an ASN may spell one.
    pub fn parse_exact(text: &str) -> Option<Self> {
        Self::parse(text).filter(|it| it.0 == text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A prefix and sixty random bits.
pub(crate) fn code_from_random(prefix: &str, bytes: [u8; 8]) -> String {
    let mut bits = u64::from_be_bytes(bytes);
    let mut code = String::with_capacity(LENGTH);
    for _ in 0..LENGTH {
        let place = usize::try_from(bits & 31).unwrap_or_default();
        code.extend(ALPHABET.get(place).copied().map(char::from));
        bits >>= 5;
    }
    in_groups(prefix, &code)
}

/// The prefix and the code that `text` spells, if it does.
pub(crate) fn parse_code(prefix: &str, text: &str) -> Option<String> {
    // Text longer than a prefix and a code is not an identifier; the rest is not read.
    let longest = prefix.len() + LENGTH;
    let characters = text.chars().filter(|character| !is_separator(*character));
    let plain: String =
        characters.take(longest + 1).map(|character| character.to_ascii_uppercase()).collect();
    // The letters of the prefix are in the alphabet, too, so only the length decides.
    let code = match plain.strip_prefix(prefix) {
        Some(code) if plain.len() == longest => code,
        Some(_) | None => plain.as_str(),
    };
    let code = code.chars().map(canonical).collect::<Option<String>>()?;
    (code.len() == LENGTH).then(|| in_groups(prefix, &code))
}

fn in_groups(prefix: &str, code: &str) -> String {
    let mut text = prefix.to_owned();
    for (position, character) in code.chars().enumerate() {
        if position % GROUP == 0 {
            text.push('-');
        }
        text.push(character);
    }
    text
}

/// Spaces, and hyphens of all kinds, because some programs replace the plain one.
fn is_separator(character: char) -> bool {
    matches!(character, '-' | '\u{2010}'..='\u{2015}') || character.is_whitespace()
}

/// The character of the alphabet that a capital letter or digit represents.
fn canonical(character: char) -> Option<char> {
    let meant = match character {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    ALPHABET.iter().any(|known| char::from(*known) == meant).then_some(meant)
}

/// Reads the identifier of a return.
pub(crate) fn read_rma_identifier(value: &Reader<'_>) -> Option<RmaId> {
    value.named(RmaId::parse, "must be the identifier of a return, such as RMA-7K3Q-9XWD-2M4T")
}

impl TryFrom<String> for RmaId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not the identifier of a return")
    }
}

impl fmt::Display for RmaId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_identifier_is_parsed_however_a_person_writes_it() {
        let canonical = RmaId::parse("RMA-7K3Q-9XWD-2M41").unwrap();
        assert_eq!(canonical.as_str(), "RMA-7K3Q-9XWD-2M41");

        for spelling in [
            "rma-7k3q-9xwd-2m41",
            "RMA7K3Q9XWD2M41",
            "7K3Q-9XWD-2M41",
            "7k3q9xwd2m4l",
            " Rma 7K3Q 9XWD 2M4I ",
            "RMA\u{2011}7K3Q\u{2013}9XWD\u{2014}2M41",
        ] {
            assert_eq!(RmaId::parse(spelling), Some(canonical.clone()), "{spelling}");
        }
        assert_eq!(
            RmaId::parse("OOOO-IIII-LLLL").unwrap().to_string(),
            "RMA-0000-1111-1111",
            "letters that look like digits are digits"
        );
    }

    #[test]
    fn a_code_may_begin_like_the_prefix() {
        assert_eq!(RmaId::parse("RMA123456789").unwrap().as_str(), "RMA-RMA1-2345-6789");
        assert_eq!(RmaId::parse("RMARMA123456789").unwrap().as_str(), "RMA-RMA1-2345-6789");
    }

    #[test]
    fn text_that_is_not_an_identifier_is_refused() {
        for text in [
            "",
            "RMA",
            "RMA-",
            "RMA-7K3Q-9XWD-2M4",
            "RMA-7K3Q-9XWD-2M4TT",
            "RMA-7K3Q-9XWD-2M4U",
            "RMB-7K3Q-9XWD-2M4T",
            "RMA_7K3Q_9XWD_2M4T",
            "RMA-7K3Q-9XWD-2M4é",
            "rma_8f3kq2w7",
        ] {
            assert_eq!(RmaId::parse(text), None, "{text}");
        }
        assert_eq!(RmaId::parse(&"7".repeat(1_000_000)), None);
    }

    #[test]
    fn every_used_bit_gives_a_different_identifier() {
        let identifiers: BTreeSet<RmaId> =
            (0..60).map(|bit| RmaId::from_random((1_u64 << bit).to_be_bytes())).collect();

        assert_eq!(identifiers.len(), 60);
        assert_eq!(RmaId::from_random([0; 8]).as_str(), "RMA-0000-0000-0000");
        assert_eq!(RmaId::from_random([255; 8]).as_str(), "RMA-ZZZZ-ZZZZ-ZZZZ");
    }

    #[test]
    fn an_identifier_is_serialized_as_text_and_checked_when_read() {
        let identifier = RmaId::parse("RMA-7K3Q-9XWD-2M4T").unwrap();

        assert_eq!(serde_json::to_string(&identifier).unwrap(), r#""RMA-7K3Q-9XWD-2M4T""#);
        assert_eq!(serde_json::from_str::<RmaId>(r#""rma7k3q9xwd2m4t""#).unwrap(), identifier);
        assert!(serde_json::from_str::<RmaId>(r#""RMA-1""#).is_err());
    }

    proptest! {
        #[test]
        fn a_created_identifier_is_parsed(bytes in any::<[u8; 8]>()) {
            let created = RmaId::from_random(bytes);

            prop_assert_eq!(RmaId::parse(created.as_str()), Some(created.clone()));
            let plain = created.as_str().to_lowercase().replace('-', "");
            prop_assert_eq!(RmaId::parse(&plain), Some(created));
        }

        #[test]
        fn any_text_is_parsed_or_refused_and_the_result_is_canonical(
            text in "\\PC{0,20}|[rma0-9oilA-Z -]{10,20}",
        ) {
            if let Some(parsed) = RmaId::parse(&text) {
                prop_assert_eq!(RmaId::parse(parsed.as_str()), Some(parsed.clone()));
                prop_assert_eq!(parsed.as_str().len(), 18);
            }
        }
    }
}
