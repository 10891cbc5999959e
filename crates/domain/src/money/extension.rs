//! What messages say about money, for merchants who want it: `extensions` of RMA messages and of
//! exchange orders.

use omit_none::omit_none;
use serde::Serialize;
use utoipa::ToSchema;

use super::statement::{PaidState, Statement};
use crate::returns::rma::Rma;

/// What an RMA message says besides its contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RmaExtensions {
    /// What was promised, what was paid, and what is left.
    pub statement: Statement,
    /// One element for each element of `items`, in the same order.
    pub items: Vec<ItemExtension>,
}

/// What an RMA message says about a unit besides its contract.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ItemExtension {
    /// Whether the shopper has what was promised for the unit.
    pub paid_state: PaidState,
    /// The refund that paid for the unit.
    #[schema(example = "RF-2201")]
    pub refund_identifier: Option<String>,
    /// Why the warehouse rejected the unit.
    #[schema(example = "stained")]
    pub reject_reason: Option<String>,
}

impl RmaExtensions {
    /// What the message about `rma` says, if its merchant wants it.
    pub fn of(rma: &Rma) -> Option<Self> {
        let items = rma.units.iter().map(|unit| ItemExtension {
            paid_state: PaidState::of(rma, unit),
            refund_identifier: unit.refund.as_ref().map(|made| made.refund_identifier.clone()),
            reject_reason: unit.receipt.as_ref().and_then(|receipt| receipt.reject_reason.clone()),
        });
        rma.message_extensions
            .then(|| Self { statement: Statement::of(rma), items: items.collect() })
    }
}

/// What an exchange order says besides its contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExchangeExtensions {
    /// The credit behind `payment.transaction_id`: what the returned units pay, in minor units.
    #[schema(example = 4610, minimum = 0)]
    pub credit_cents: i64,
    /// Of the credit: what pays for other variants. The rest is the gift card, before its bonus and
    /// fee.
    #[schema(example = 4610, minimum = 0)]
    pub goods_credit_cents: i64,
}
