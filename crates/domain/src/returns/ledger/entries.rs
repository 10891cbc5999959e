//! The entries of a ledger, and the units of an order as the ledger sees them.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::returns::UnitAmounts;

/// A unit that is spent, and what it was worth at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpentUnit {
    /// Which unit of its line, counted from 0.
    #[schema(example = 0)]
    pub unit: u32,
    #[serde(flatten)]
    pub amounts: UnitAmounts,
    #[serde(flatten)]
    pub by: SpentBy,
}

/// What spent a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum SpentBy {
    /// A return, and the merchant's refund that paid for the unit, once there is one.
    Return {
        #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
        rma_identifier: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(example = "RF-2201")]
        refund_identifier: Option<String>,
    },
    /// A refund of the merchant that belongs to no return.
    Refund {
        #[schema(example = "RF-2201")]
        refund_identifier: String,
    },
}

impl SpentBy {
    /// The return that has the unit.
    pub fn rma(&self) -> Option<&str> {
        match self {
            Self::Return { rma_identifier, .. } => Some(rma_identifier),
            Self::Refund { .. } => None,
        }
    }

    /// The merchant's refund that paid for the unit.
    pub fn refund(&self) -> Option<&str> {
        match self {
            Self::Return { refund_identifier, .. } => refund_identifier.as_deref(),
            Self::Refund { refund_identifier } => Some(refund_identifier),
        }
    }
}

impl SpentBy {
    /// A return's unit that `refund` paid for is unpaid again.
    pub(super) fn forget_refund(&mut self, refund: &str) {
        if let Self::Return { refund_identifier, .. } = self {
            refund_identifier.take_if(|made| made == refund);
        }
    }
}

/// A merchant's refund that names more units than are left. It is kept until a person has
/// resolved it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Conflict {
    /// The merchant's identifier of the refund.
    #[schema(example = "RF-2201")]
    pub refund_identifier: String,
    /// The `identifier` of the order line.
    #[schema(example = "ORD-100472-1")]
    pub line_identifier: String,
    /// How many units of the refund could not be assigned to a unit of the order.
    #[schema(example = 1, minimum = 1)]
    pub quantity: i64,
    pub detected_at: Timestamp,
}

/// The shipping charge that was refunded.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShippingRefund {
    /// The return with which it was refunded. Absent if the shopper withdrew from the contract
    /// before anything was shipped.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: Option<String>,
    /// Shipping and the tax on it.
    #[schema(example = 643, minimum = 0)]
    pub amount_cents: i64,
}

/// One line of a merchant's refund, to be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerchantRefund<'a> {
    /// The merchant's identifier of the refund.
    pub identifier: &'a str,
    /// The identifier of the order line.
    pub line: &'a str,
    pub quantity: i64,
    pub now: Timestamp,
}

/// The shipped units of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineUnits {
    pub line_identifier: String,
    /// In the order of their numbers.
    pub units: Vec<LedgerUnit>,
}

impl LineUnits {
    /// The units that can still be spent by a return.
    pub fn open(&self) -> impl Iterator<Item = &LedgerUnit> {
        self.units.iter().filter(|unit| unit.state == UnitState::Open)
    }

    /// The units that nothing in the ledger has spent: first those that the order itself reports as
    /// refunded, then the open ones.
    pub(super) fn unspent(&self) -> impl Iterator<Item = &LedgerUnit> {
        let reported = self.units.iter().filter(|unit| unit.state == UnitState::RefundedOutside);
        reported.chain(self.open())
    }
}

/// One shipped unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerUnit {
    /// Which unit of its line, counted from 0.
    pub unit: u32,
    /// What it is worth now, or was when it was spent.
    pub amounts: UnitAmounts,
    pub state: UnitState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnitState {
    Open,
    /// The order's `quantity_refunded` is more than the refunds that are known. It does not say
    /// which units are meant, so the last ones count as refunded.
    RefundedOutside,
    Spent(SpentBy),
}
