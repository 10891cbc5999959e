//! The status of a return as a whole.
//!
//! Events do not change the status; it follows from the units, so it can never contradict them.
//! The first line that applies is the status:
//!
//! | status           | when                                                      |
//! | ---------------- | --------------------------------------------------------- |
//! | CANCELED         | it was canceled                                           |
//! | REFUNDED         | every unit is settled                                     |
//! | PENDING_EXCHANGE | an exchange or gift card waits for its order to be placed |
//! | PARTIAL_REFUND   | receiving ended without some units, and not every unit is |
//! |                  | settled                                                   |
//! | CREATED          | otherwise                                                 |
//!
//! A unit is settled when it was refunded, when the order of its exchange was placed and
//! fulfilled, or when the order of its gift card was placed. A settled unit remains settled, so the
//! status only moves forward, except that a unit can arrive late:
//!
//! | from             | to                                                       |
//! | ---------------- | -------------------------------------------------------- |
//! | PENDING_EXCHANGE | CREATED, PARTIAL_REFUND, REFUNDED                        |
//! | CREATED          | PARTIAL_REFUND, REFUNDED, CANCELED                       |
//! | PARTIAL_REFUND   | REFUNDED, CANCELED; CREATED if its missing units arrive  |
//! |                  | late, or a rejection is corrected                        |
//! | REFUNDED         | final; its goods may still be in transit and be received |
//! | CANCELED         | final                                                    |
//!
//! A return cannot be canceled while its exchange order is being placed: the merchant may already
//! have it. Once placing it has failed for good, it can.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::receiving::ReceivingStatus;
use super::unit::RmaUnit;

/// The status of a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RmaStatus {
    /// The return is in progress.
    Created,
    /// An exchange or gift card waits for its order to be placed.
    PendingExchange,
    /// Units were rejected or did not arrive, no more are expected, and not every unit is refunded
    /// or replaced.
    PartialRefund,
    /// Every unit is refunded or replaced.
    Refunded,
    /// The shopper or an operator canceled the return before any goods were shipped.
    Canceled,
}

impl RmaStatus {
    pub const ALL: [Self; 5] =
        [Self::Created, Self::PendingExchange, Self::PartialRefund, Self::Refunded, Self::Canceled];

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::PendingExchange => "PENDING_EXCHANGE",
            Self::PartialRefund => "PARTIAL_REFUND",
            Self::Refunded => "REFUNDED",
            Self::Canceled => "CANCELED",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether the return is finished: no money and no goods are outstanding.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Refunded | Self::Canceled => true,
            Self::Created | Self::PendingExchange | Self::PartialRefund => false,
        }
    }

    /// The status that follows from the units of a return that was not canceled.
    pub(super) fn of(units: &[RmaUnit]) -> Self {
        let any = |status| units.iter().any(|unit| unit.receiving == Some(status));
        if !units.is_empty() && units.iter().all(RmaUnit::is_settled) {
            Self::Refunded
        } else if units.iter().any(RmaUnit::awaits_order) {
            Self::PendingExchange
        } else if any(ReceivingStatus::NotReceived) && !any(ReceivingStatus::Pending) {
            Self::PartialRefund
        } else {
            Self::Created
        }
    }
}
