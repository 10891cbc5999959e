//! The statement of a return: what was promised, by component, what was paid, and what is left.
//!
//! The portal, the console, the API and messages all show this statement, so their numbers cannot
//! differ. The promise is frozen when the return starts. It changes only by events: an exchange
//! that fails becomes a refund, and nothing is due for units that never arrive or are rejected.

#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::books::{Account, Balances};
use super::comparison::exchange_difference;
use crate::returns::Resolution;
use crate::returns::quote::Quote;
use crate::returns::rma::{Rma, RmaGoods, RmaUnit};

/// What a return pays and has paid, in minor units of its currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Statement {
    /// ISO 4217 code of all amounts.
    #[schema(example = "USD")]
    pub currency: String,
    /// What was promised, by component.
    pub promised: Promise,
    /// What was paid or given, in the order in which it was reported.
    pub paid: Vec<PaidAmount>,
    /// Of the promise: what is no longer due, because units never arrived or were rejected, or
    /// because the return was canceled.
    #[schema(example = 0, minimum = 0)]
    pub withdrawn_cents: i64,
    /// Differences between the promise and what was paid that were accepted. Negative if more was
    /// paid.
    #[schema(example = 0)]
    pub accepted_cents: i64,
    /// What the shopper still gets: the promise, less what was withdrawn, paid and accepted.
    /// Negative if more was paid than is due.
    #[schema(example = 4015)]
    pub balance_cents: i64,
}

/// What was promised for a return, by component. `total_cents` is `price_cents` -
/// `discount_cents` + `tax_cents` + `shipping_cents` - `fee_cents` + `bonus_cents`, and also
/// `refund_cents` + `gift_card_cents` + `exchange_cents`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Promise {
    /// The price of the units.
    #[schema(example = 4500, minimum = 0)]
    pub price_cents: i64,
    /// Their share of discounts.
    #[schema(example = 250, minimum = 0)]
    pub discount_cents: i64,
    /// Their share of the tax.
    #[schema(example = 360, minimum = 0)]
    pub tax_cents: i64,
    /// The shipping charge of the order that is paid back.
    #[schema(example = 0, minimum = 0)]
    pub shipping_cents: i64,
    /// What is deducted for handling the return.
    #[schema(example = 595, minimum = 0)]
    pub fee_cents: i64,
    /// Credit on top of a gift card.
    #[schema(example = 0, minimum = 0)]
    pub bonus_cents: i64,
    /// The sum of the components.
    #[schema(example = 4015, minimum = 0)]
    pub total_cents: i64,
    /// What is refunded to the original payment method: with shipping, less its part of the fee.
    #[schema(example = 4015, minimum = 0)]
    pub refund_cents: i64,
    /// What is paid as a gift card: with the bonus, less its part of the fee.
    #[schema(example = 0, minimum = 0)]
    pub gift_card_cents: i64,
    /// The credit for other variants.
    #[schema(example = 0, minimum = 0)]
    pub exchange_cents: i64,
    /// Of `refund_cents`: what exchanged units were worth more than their variants.
    #[schema(example = 0, minimum = 0)]
    pub difference_cents: i64,
    /// What the variants cost more than the exchanged units. The merchant pays it; it is in no
    /// other amount.
    #[schema(example = 0, minimum = 0)]
    pub absorbed_cents: i64,
}

/// Something that was paid or given for a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaidAmount {
    /// How it was paid.
    pub kind: PaidKind,
    /// The merchant's identifier of the refund or the order.
    #[schema(example = "RF-2201")]
    pub identifier: String,
    /// What was paid or given.
    #[schema(example = 4015)]
    pub amount_cents: i64,
    /// When it was reported.
    pub at: Timestamp,
}

/// How something was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaidKind {
    Refund,
    GiftCard,
    ExchangeOrder,
}

impl Statement {
    pub fn of(rma: &Rma) -> Self {
        let balances = Balances::of(rma);
        let promised = Promise::of(rma);
        let due: i64 =
            [Account::Goods, Account::Tax, Account::Shipping, Account::Fees, Account::Bonus]
                .map(|account| balances.get(account))
                .iter()
                .sum();
        Self {
            currency: rma.currency.clone(),
            withdrawn_cents: promised.total_cents - due,
            promised,
            paid: list_paid(rma),
            accepted_cents: -balances.get(Account::WrittenOff),
            balance_cents: -balances.get(Account::Promised),
        }
    }

    /// All that was paid or given.
    pub fn paid_cents(&self) -> i64 {
        self.paid.iter().map(|it| it.amount_cents).sum()
    }
}

impl Promise {
    pub fn of(rma: &Rma) -> Self {
        let quote = Quote::of_return(rma);
        let units = || rma.units.iter().map(|unit| &unit.goods);
        let price_cents = units().map(|it| it.amounts.price_cents).sum::<i64>();
        let discount_cents = units().map(|it| it.amounts.discount_cents).sum::<i64>();
        let tax_cents = units().map(|it| it.amounts.tax_cents).sum::<i64>();
        let fee_cents = quote.fee_cents();
        Self {
            price_cents,
            discount_cents,
            tax_cents,
            shipping_cents: quote.shipping_refund_cents,
            fee_cents,
            bonus_cents: quote.bonus_credit_cents,
            total_cents: quote.total_cents.saturating_add(quote.exchange_cents),
            refund_cents: quote.refund_cents + quote.shipping_refund_cents
                - quote.fee_from_refund_cents,
            gift_card_cents: quote.gift_card_cents + quote.bonus_credit_cents
                - quote.fee_from_gift_card_cents,
            exchange_cents: quote.exchange_cents,
            difference_cents: exchange_difference(rma),
            absorbed_cents: units().map(RmaGoods::absorbed_cents).sum(),
        }
    }
}

/// Refunds, and orders that were placed instead, each with what it gave.
fn list_paid(rma: &Rma) -> Vec<PaidAmount> {
    let mut paid: Vec<PaidAmount> = Vec::new();
    let mut add = |kind: PaidKind, identifier: &str, at: Timestamp, amount_cents: i64| {
        let same = |it: &&mut PaidAmount| it.kind == kind && it.identifier == identifier;
        if let Some(known) = paid.iter_mut().find(same) {
            known.amount_cents += amount_cents;
        } else {
            let identifier = identifier.to_owned();
            paid.push(PaidAmount { kind, identifier, amount_cents, at });
        }
    };
    for refund in &rma.refunds {
        add(PaidKind::Refund, &refund.refund_identifier, refund.refunded_at, refund.amount_cents);
    }
    let quote = Quote::due(rma);
    let mut on_first = quote.bonus_credit_cents - quote.fee_from_gift_card_cents;
    for unit in &rma.units {
        let worth = unit.goods.amounts.refund_cents();
        if let Some(made) = &unit.refund
            && !rma.refunds.iter().any(|it| it.refund_identifier == made.refund_identifier)
        {
            add(PaidKind::Refund, &made.refund_identifier, made.refunded_at, worth);
        }
        let Some(order) = &unit.exchange else { continue };
        let identifier = order.exchange_order_identifier.as_str();
        match unit.goods.resolution {
            Resolution::Exchange => {
                let credit = unit.goods.replaced_cents();
                add(PaidKind::ExchangeOrder, identifier, order.placed_at, credit);
            }
            Resolution::GiftCard => {
                let first = rma.first_gift_card() == Some(unit.goods.order_identifier.as_str());
                let extra = if first { std::mem::take(&mut on_first) } else { 0 };
                add(PaidKind::GiftCard, identifier, order.placed_at, worth + extra);
            }
            Resolution::Refund => (),
        }
    }
    paid.sort_by_key(|it| it.at);
    paid
}

/// Whether a unit was paid for, as merchants see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaidState {
    /// The shopper has what was promised for the unit.
    Paid,
    Open,
    /// Nothing is due for the unit any more.
    Withdrawn,
}

impl PaidState {
    pub fn of(rma: &Rma, unit: &RmaUnit) -> Self {
        if unit.is_settled() {
            Self::Paid
        } else if rma.owes_for(unit) {
            Self::Open
        } else {
            Self::Withdrawn
        }
    }
}
