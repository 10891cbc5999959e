//! The name of an operator. It has no dot, while every client's identifier has one, so the audit
//! trail never confuses the two.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest name of an operator.
const NAME_MAX: usize = 32;

/// The name with which a person logs in: lowercase letters, digits, and hyphens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(example = "lena")]
pub struct OperatorName(String);

impl OperatorName {
    /// Accepts a name, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if !(1..=NAME_MAX).contains(&text.len()) {
            return Err(format!("an operator's name must have 1 to {NAME_MAX} characters"));
        }
        if !text.bytes().all(allowed) || text.starts_with('-') || text.ends_with('-') {
            return Err("an operator's name must consist of the letters a to z, digits, and \
                        hyphens, with no hyphen at either end"
                .to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for OperatorName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl fmt::Display for OperatorName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_a_plain_short_name_without_a_dot() {
        let longest = "a".repeat(NAME_MAX);
        for name in ["lena", "a", "7", "lena-b", &longest] {
            assert_eq!(OperatorName::parse(name).map(|it| it.to_string()), Ok(name.to_owned()));
        }
        let too_long = "a".repeat(NAME_MAX + 1);
        for name in ["", "Lena", "-lena", "lena-", "le na", "le.na", "lenä", &too_long] {
            assert!(OperatorName::parse(name).is_err(), "{name}");
        }
    }
}
