//! What a return starts with.

use super::unit::RmaGoods;
use crate::returns::ReturnMethod;
use crate::returns::identifier::RmaId;
use crate::withdrawal::identifier::WithdrawalId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRma {
    pub rma_identifier: RmaId,
    pub return_method: ReturnMethod,
    pub amounts: ReturnAmounts,
    pub giftee_email: Option<String>,
    pub email: Option<String>,
    pub concept: Option<String>,
    pub currency: String,
    pub policy_version: i64,
    pub managed_receiving: bool,
    pub refund_tolerance_cents: i64,
    pub message_extensions: bool,
    pub withdrawal_identifier: Option<WithdrawalId>,
    pub goods: Vec<RmaGoods>,
}

/// The amounts of a new return besides those of its units, as [`Rma`](super::Rma) describes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReturnAmounts {
    pub return_shipping_cost_cents: i64,
    pub fee_cents: i64,
    pub gift_card_fee_cents: i64,
    pub bonus_credit_amount_cents: i64,
    pub shipping_refund_cents: i64,
}
