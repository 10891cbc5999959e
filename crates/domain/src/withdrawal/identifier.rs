//! The identifier of a withdrawal: `WDR-7K3Q-9XWD-2M4T`. It is built like that of a return.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::returns::identifier::{code_from_random, parse_code};

const PREFIX: &str = "WDR";

/// The identifier of a withdrawal. Any case, missing hyphens, and the letters O, I, and L in place
/// of the digits 0 and 1 are accepted. It is always written in capitals with hyphens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(example = "WDR-4H8N-Q2XK-7RZ1")]
pub struct WithdrawalId(String);

impl WithdrawalId {
    /// Creates an identifier from random bytes, of which it uses sixty bits.
    pub fn from_random(bytes: [u8; 8]) -> Self {
        Self(code_from_random(PREFIX, bytes))
    }

    /// The identifier that `text` spells, if it is one.
    pub fn parse(text: &str) -> Option<Self> {
        parse_code(PREFIX, text).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for WithdrawalId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not the identifier of a withdrawal")
    }
}

impl fmt::Display for WithdrawalId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_read_as_people_type_it() {
        let id = WithdrawalId::from_random([7; 8]);
        assert!(id.as_str().starts_with("WDR-"), "{id}");
        let typed = id.as_str().to_lowercase().replace('-', " ");
        assert_eq!(WithdrawalId::parse(&typed), Some(id));
        assert_eq!(WithdrawalId::parse("WDR-1"), None);
    }
}
