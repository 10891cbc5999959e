//! Whether the warehouse has a unit. Only for merchants whose goods we receive.
//!
//! | from         | to                                                               |
//! | ------------ | ---------------------------------------------------------------- |
//! | (none)       | nothing: the unit is not received by us, or never comes          |
//! | PENDING      | RECEIVED when it is received, NOT_RECEIVED when receiving closes |
//! | RECEIVED     | final                                                            |
//! | NOT_RECEIVED | final                                                            |
//!
//! A unit that turns up after receiving was closed is refused here, and becomes a question
//! for an operator: the merchant may have acted on NOT_RECEIVED already.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether the warehouse has a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReceivingStatus {
    /// The unit is awaited.
    Pending,
    /// The unit is there.
    Received,
    /// Receiving was closed without it.
    NotReceived,
}

impl ReceivingStatus {
    pub const ALL: [Self; 3] = [Self::Pending, Self::Received, Self::NotReceived];

    /// What the messages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Received => "RECEIVED",
            Self::NotReceived => "NOT_RECEIVED",
        }
    }

    /// Whether this can come after `current`.
    pub fn follows(self, current: Option<Self>) -> bool {
        match current {
            Some(Self::Pending) => self != Self::Pending,
            Some(Self::Received | Self::NotReceived) | None => false,
        }
    }
}
