//! Whether the warehouse has a unit, if we receive goods for the merchant.
//!
//! | from         | to                                                               |
//! | ------------ | ---------------------------------------------------------------- |
//! | (none)       | nothing: we do not receive the unit, or it is never sent         |
//! | PENDING      | RECEIVED when it is received; NOT_RECEIVED when it is rejected,  |
//! |              | or when receiving closes without it                              |
//! | RECEIVED     | final, unless its receipt is corrected within a few minutes      |
//! | NOT_RECEIVED | final, unless its receipt is corrected within a few minutes, or  |
//! |              | it arrives late and a person assigns it to the return            |
//!
//! A corrected receipt makes a unit RECEIVED or NOT_RECEIVED, or PENDING again if it was not
//! received at all.
//!
//! A unit that arrives after receiving was closed is refused here, and becomes a question for an
//! operator: the merchant may already have acted on NOT_RECEIVED. If the operator assigns it to the
//! return, it is received like one that arrived in time, unless it was refunded meanwhile.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether the warehouse has a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReceivingStatus {
    /// The unit is expected.
    Pending,
    /// The unit has arrived and is ready for its refund.
    Received,
    /// Receiving was closed without it, or the warehouse rejected it.
    NotReceived,
}

impl ReceivingStatus {
    pub const ALL: [Self; 3] = [Self::Pending, Self::Received, Self::NotReceived];

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Received => "RECEIVED",
            Self::NotReceived => "NOT_RECEIVED",
        }
    }

    /// Whether this can follow `current`.
    pub fn follows(self, current: Option<Self>) -> bool {
        match current {
            Some(Self::Pending) => self != Self::Pending,
            Some(Self::Received | Self::NotReceived) | None => false,
        }
    }
}
