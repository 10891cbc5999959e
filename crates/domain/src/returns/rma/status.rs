//! How far a return as a whole has come.
//!
//! The status is not moved by events; it follows from the units, so that it can never disagree
//! with them. The first line that holds is the status:
//!
//! | status           | when                                                      |
//! | ---------------- | --------------------------------------------------------- |
//! | CANCELED         | it was canceled                                           |
//! | REFUNDED         | every unit is settled                                     |
//! | PENDING_EXCHANGE | an exchange or gift card waits for its order to be placed |
//! | PARTIAL_REFUND   | receiving is closed: not every unit was settled by then   |
//! | CREATED          | otherwise                                                 |
//!
//! A unit is settled when its refund was made, when the order of its exchange was placed and
//! fulfilled, or when the order of its gift card was placed. Nothing that is settled is ever
//! unsettled, so the status only goes forward:
//!
//! | from             | to                                                       |
//! | ---------------- | -------------------------------------------------------- |
//! | PENDING_EXCHANGE | CREATED, PARTIAL_REFUND, REFUNDED                        |
//! | CREATED          | PARTIAL_REFUND, REFUNDED, CANCELED                       |
//! | PARTIAL_REFUND   | REFUNDED, CANCELED                                       |
//! | REFUNDED         | final, though its goods may still travel and be received |
//! | CANCELED         | final                                                    |
//!
//! A return whose exchange order is on its way to the merchant cannot be canceled: the merchant
//! may have it already. Once placing it has finally failed, it can.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Rma, RmaUnit};

/// How far a return has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RmaStatus {
    /// The return is under way.
    Created,
    /// An exchange or gift card of the return waits for its order to be placed.
    PendingExchange,
    /// Receiving was closed, and not every unit is refunded or replaced.
    PartialRefund,
    /// Every unit is refunded or replaced. Nothing is owed any more.
    Refunded,
    /// The shopper or an operator took the return back before any goods moved.
    Canceled,
}

impl RmaStatus {
    pub const ALL: [Self; 5] =
        [Self::Created, Self::PendingExchange, Self::PartialRefund, Self::Refunded, Self::Canceled];

    /// What the messages call it.
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

    /// Whether nothing is owed for the return any more, neither money nor goods.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Refunded | Self::Canceled => true,
            Self::Created | Self::PendingExchange | Self::PartialRefund => false,
        }
    }

    /// What follows from the units of `rma`, and from its having been canceled.
    pub(super) fn of(rma: &Rma) -> Self {
        let units = &rma.units;
        if rma.status == Self::Canceled {
            Self::Canceled
        } else if !units.is_empty() && units.iter().all(RmaUnit::is_settled) {
            Self::Refunded
        } else if units.iter().any(RmaUnit::awaits_order) {
            Self::PendingExchange
        } else if rma.receiving_complete {
            Self::PartialRefund
        } else {
            Self::Created
        }
    }
}
