//! An operator: a person who logs in to the console.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use super::operator_name::OperatorName;
use crate::identifier::MerchantId;

/// How long a password may be, in characters.
pub const PASSWORD_CHARACTERS: std::ops::RangeInclusive<usize> = 10..=200;

const HOUR_US: i64 = 60 * 60 * 1_000_000;

/// What a person may see and do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything.
    Operator,
    /// Goods that arrive: receiving, units, and their exceptions.
    Warehouse,
    /// What belongs to one merchant, and its settings.
    Merchant,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Operator, Self::Warehouse, Self::Merchant];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Warehouse => "warehouse",
            Self::Merchant => "merchant",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// How long an idle session lasts. A scanner lies unused between two deliveries; a screen that
    /// shows secrets must not stay open.
    pub const fn idle_us(self) -> i64 {
        match self {
            Self::Operator | Self::Merchant => HOUR_US / 2,
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
    /// Whose pages a person with the role `merchant` sees; None for the other roles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merchant: Option<MerchantId>,
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
