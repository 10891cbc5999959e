//! How long the merchant has for the refund after a withdrawal.
//!
//! It must refund within 14 days of the statement, but may wait until it has the goods back or a
//! proof that they were sent, unless it offered to pick them up (Directive 2011/83/EU, Article 13).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::record::WithdrawalRecord;
use crate::money::books::{Account, Balances};
use crate::returns::ReturnMethod;
use crate::returns::rma::{Rma, RmaStatus, RmaUnit, TrackingStatus};

/// Where the refund of a withdrawal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefundState {
    /// The withdrawal started no return. The merchant cancels goods that were not shipped and
    /// refunds them until `refund_due_at`; whether it did is not known here.
    NoReturn,
    /// The merchant may wait until it has the goods, or a proof that they were sent.
    AwaitsGoods,
    /// The merchant must refund by the day that the law sets.
    Due,
    /// That day is over.
    Overdue,
    /// Nothing is owed any more.
    Refunded,
    /// The return was canceled.
    Canceled,
}

impl RefundState {
    pub const ALL: [Self; 6] = [
        Self::NoReturn,
        Self::AwaitsGoods,
        Self::Due,
        Self::Overdue,
        Self::Refunded,
        Self::Canceled,
    ];
}

/// Where the refund is now. `rma` is the return that the withdrawal started.
pub fn find_refund_state(
    record: &WithdrawalRecord,
    rma: Option<&Rma>,
    now: Timestamp,
) -> RefundState {
    let Some(rma) = rma else { return RefundState::NoReturn };
    if rma.status == RmaStatus::Canceled {
        RefundState::Canceled
    } else if Balances::of(rma).get(Account::Promised) >= 0 {
        RefundState::Refunded
    } else if may_wait(rma) {
        RefundState::AwaitsGoods
    } else if record.refund_due_at.is_some_and(|due| now >= due) {
        RefundState::Overdue
    } else {
        RefundState::Due
    }
}

/// Whether the merchant has neither goods nor a proof that they were sent.
fn may_wait(rma: &Rma) -> bool {
    let is_sent = |unit: &RmaUnit| {
        unit.receipt.is_some() || unit.tracking.is_some_and(TrackingStatus::is_handed_over)
    };
    let sends_goods = match rma.return_method {
        ReturnMethod::MailBack | ReturnMethod::ExpressReturns => true,
        ReturnMethod::HomePickup | ReturnMethod::CustomerKeep => false,
    };
    sends_goods && !rma.units.iter().any(is_sent)
}
