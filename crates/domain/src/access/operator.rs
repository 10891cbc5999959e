//! An operator: a person who logs in to the console.
//!
//! An operator's name has no dot, while every client's identifier has one, so the audit trail
//! never confuses the two.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest name of an operator.
pub const NAME_MAX: usize = 32;
/// How long a password may be, in characters.
pub const PASSWORD_CHARACTERS: std::ops::RangeInclusive<usize> = 10..=200;

const HOUR_US: i64 = 60 * 60 * 1_000_000;

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

/// What a person may see and do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything.
    Operator,
    /// Goods that arrive: receiving, units, and their exceptions.
    Warehouse,
}

impl Role {
    pub const ALL: [Self; 2] = [Self::Operator, Self::Warehouse];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Warehouse => "warehouse",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// How long an idle session lasts. A scanner lies unused between two deliveries; a screen that
    /// shows every merchant's secrets must not stay open.
    pub const fn idle_us(self) -> i64 {
        match self {
            Self::Operator => HOUR_US / 2,
            Self::Warehouse => 8 * HOUR_US,
        }
    }
}

/// How long a session lasts, active or not.
pub const SESSION_US: i64 = 12 * HOUR_US;

/// A person who logs in, and a hash of the password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    pub name: OperatorName,
    pub role: Role,
    /// A hash that is slow to compute, with its salt and its parameters.
    pub password_hash: String,
    pub created_at: Timestamp,
    pub disabled_at: Option<Timestamp>,
}

impl Operator {
    pub fn is_live(&self) -> bool {
        self.disabled_at.is_none()
    }
}

/// Accepts a text that can be a password, or says why not, as the end of a sentence that begins
/// with its field.
pub fn check_password(password: &str) -> Result<(), String> {
    if PASSWORD_CHARACTERS.contains(&password.chars().count()) {
        return Ok(());
    }
    let (least, most) = (PASSWORD_CHARACTERS.start(), PASSWORD_CHARACTERS.end());
    Err(format!("must have {least} to {most} characters"))
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

    #[test]
    fn a_password_is_long_in_characters_not_in_bytes() {
        for good in ["0123456789", "ääääääääää", &"x".repeat(200)] {
            assert_eq!(check_password(good), Ok(()));
        }
        for bad in ["", "012345678", "äääääääää", &"x".repeat(201)] {
            let refused = Err("must have 10 to 200 characters".to_owned());
            assert_eq!(check_password(bad), refused);
        }
    }

    #[test]
    fn a_role_has_a_name_that_is_read_again() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.name()), Some(role));
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
        }
    }
}
