//! What a return costs the shopper, and what the shopper gets for it.
//!
//! A fee is charged once for a return, because a return is one parcel. It is deducted from what the
//! return pays out and never exceeds it. The amounts of the units are not reduced, so their sums
//! hold whatever the fee is. Bonus credit is a gift on top of a gift card, not a refund. The quote
//! before the shopper confirms and the return that follows both come from here, so they cannot
//! differ.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ledger::{self, Ledger, UnitState};
use super::money::cents;
use super::policy::{MethodOffer, Policy, ShippingRefunded, includes_country};
use super::rma::{Rma, RmaUnit};
use super::{Resolution, ReturnMethod, UnitAmounts};
use crate::orders::order::{Order, OrderLine};

/// A unit that the shopper wants to return.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChosenUnit<'a> {
    pub line: &'a OrderLine,
    pub amounts: UnitAmounts,
    /// The code of a reason.
    pub reason: &'a str,
    pub resolution: Resolution,
    /// For an exchange: what one unit of the new variant costs, if it is known.
    pub exchange_price_cents: Option<i64>,
}

impl ChosenUnit<'_> {
    /// The part of the refund that pays for another variant.
    fn exchange_cents(&self) -> i64 {
        match self.resolution {
            Resolution::Exchange => {
                self.amounts.exchanged_for(self.exchange_price_cents).refund_cents()
            }
            Resolution::Refund | Resolution::GiftCard => 0,
        }
    }
}

/// What a return pays and costs, in minor units of the order's currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quote {
    /// What is refunded to the original payment method, before the fee. With the difference to
    /// cheaper variants.
    #[schema(example = 4610, minimum = 0)]
    pub refund_cents: i64,
    /// What is paid as a gift card, before the fee and without the bonus.
    #[schema(example = 0, minimum = 0)]
    pub gift_card_cents: i64,
    /// What the new variants of exchanged units are worth. None of it is paid out.
    #[schema(example = 0, minimum = 0)]
    pub exchange_cents: i64,
    /// The shipping charge that is refunded with this return.
    #[schema(example = 0, minimum = 0)]
    pub shipping_refund_cents: i64,
    /// The part of the fee that is deducted from the refund of the units.
    #[schema(example = 595, minimum = 0)]
    pub fee_from_refund_cents: i64,
    /// The part of the fee that is deducted from the gift card if the refund is not enough.
    #[schema(example = 0, minimum = 0)]
    pub fee_from_gift_card_cents: i64,
    /// Credit on top of the gift card.
    #[schema(example = 0, minimum = 0)]
    pub bonus_credit_cents: i64,
    /// What the shopper gets in money and as a gift card: with shipping and bonus, less the fee.
    #[schema(example = 4015, minimum = 0)]
    pub total_cents: i64,
}

impl Quote {
    /// What a return that was started pays and costs. It is what was quoted, until an exchange
    /// fails and becomes a refund.
    pub fn of_return(rma: &Rma) -> Self {
        Self::of_units(rma, &rma.units.iter().collect::<Vec<_>>())
    }

    /// The same without units for which nothing is due any more. Nothing is due for a canceled
    /// return, and no shipping charge if it is due for no unit. A gift card may have been issued,
    /// so its part of the fee stays what it was.
    pub fn due(rma: &Rma) -> Self {
        let units: Vec<&RmaUnit> = rma.units.iter().filter(|unit| rma.owes_for(unit)).collect();
        if units.is_empty() {
            return Self::default();
        }
        let (all, due) = (Self::of_return(rma), Self::of_units(rma, &units));
        let fee_from_refund_cents = all.fee_from_refund_cents.min(due.refund_cents);
        let fee_from_gift_card_cents = all.fee_from_gift_card_cents;
        let total_cents = due.total_cents + due.fee_cents();
        Self {
            fee_from_refund_cents,
            fee_from_gift_card_cents,
            total_cents: total_cents - fee_from_refund_cents - fee_from_gift_card_cents,
            ..due
        }
    }

    fn of_units(rma: &Rma, units: &[&RmaUnit]) -> Self {
        let worth = |unit: &&RmaUnit| unit.goods.amounts.refund_cents();
        let is_card = |unit: &&&RmaUnit| unit.goods.resolution == Resolution::GiftCard;
        let gift_card_cents = sum_cents(units.iter().filter(is_card).map(worth));
        let replaced_cents = sum_cents(units.iter().map(|unit| unit.goods.replaced_cents()));
        let refund_cents = sum_cents(units.iter().map(worth)).saturating_sub(replaced_cents);
        let fee_from_refund_cents =
            rma.fee_cents.saturating_sub(rma.gift_card_fee_cents).min(refund_cents);
        let fee_from_gift_card_cents =
            rma.fee_cents.saturating_sub(fee_from_refund_cents).min(gift_card_cents);
        let paid = [
            refund_cents,
            gift_card_cents,
            rma.shipping_refund_cents,
            rma.bonus_credit_amount_cents,
            -fee_from_refund_cents,
            -fee_from_gift_card_cents,
        ];
        Self {
            refund_cents,
            gift_card_cents,
            exchange_cents: replaced_cents.saturating_sub(gift_card_cents),
            shipping_refund_cents: rma.shipping_refund_cents,
            fee_from_refund_cents,
            fee_from_gift_card_cents,
            bonus_credit_cents: rma.bonus_credit_amount_cents,
            total_cents: sum_cents(paid.into_iter()),
        }
    }

    /// The whole fee.
    pub const fn fee_cents(&self) -> i64 {
        self.fee_from_refund_cents.saturating_add(self.fee_from_gift_card_cents)
    }
}

/// Why something is not offered to the shopper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotOffered {
    pub rule: OfferRule,
    /// The reason, as a sentence for people.
    #[schema(example = "express-returns accepts units that weigh at most 5, but one weighs 7.5")]
    pub why: String,
}

/// The rule that prevents an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferRule {
    /// The merchant does not offer the method at all.
    MethodOffered,
    /// The method is not offered in the shopper's country.
    MethodCountry,
    /// A unit is too heavy for the method, or its weight is not known.
    MethodWeight,
    /// The units are worth too much for the method.
    MethodAmount,
    /// The method is not offered for the reason.
    MethodReason,
    /// The merchant has no such reason.
    ReasonKnown,
    /// The unit cannot be exchanged.
    ExchangeOffered,
    /// The merchant does not offer gift cards.
    GiftCardOffered,
}

impl OfferRule {
    pub const ALL: [Self; 8] = [
        Self::MethodOffered,
        Self::MethodCountry,
        Self::MethodWeight,
        Self::MethodAmount,
        Self::MethodReason,
        Self::ReasonKnown,
        Self::ExchangeOffered,
        Self::GiftCardOffered,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::MethodOffered => "method_offered",
            Self::MethodCountry => "method_country",
            Self::MethodWeight => "method_weight",
            Self::MethodAmount => "method_amount",
            Self::MethodReason => "method_reason",
            Self::ReasonKnown => "reason_known",
            Self::ExchangeOffered => "exchange_offered",
            Self::GiftCardOffered => "gift_card_offered",
        }
    }
}

/// What a return of these units by this method pays and costs. `shipping_refund_cents` is the
/// result of [`shipping_due`].
pub fn quote_return(
    policy: &Policy,
    method: ReturnMethod,
    units: &[ChosenUnit<'_>],
    shipping_refund_cents: i64,
) -> Quote {
    let exchange_cents = sum_cents(units.iter().map(ChosenUnit::exchange_cents));
    let returned_cents = total_worth(units, Resolution::Exchange);
    let difference_cents = returned_cents.saturating_sub(exchange_cents);
    let refund_cents = total_worth(units, Resolution::Refund).saturating_add(difference_cents);
    let gift_card_cents = total_worth(units, Resolution::GiftCard);
    let reasons = units.iter().map(|unit| unit.reason);
    let offer = policy.method(method);
    let fee_cents = offer.map(|offer| fee_for(policy, offer, reasons)).unwrap_or_default();
    let fee_from_refund_cents = fee_cents.min(refund_cents);
    let fee_from_gift_card_cents = (fee_cents - fee_from_refund_cents).min(gift_card_cents);
    let bonus_credit_cents = bonus_for(policy, gift_card_cents);
    let shipping_refund_cents = shipping_refund_cents.max(0);
    let refund = i128::from(refund_cents) - i128::from(fee_from_refund_cents);
    let gift_card = i128::from(gift_card_cents) - i128::from(fee_from_gift_card_cents);
    let on_top = i128::from(shipping_refund_cents) + i128::from(bonus_credit_cents);
    Quote {
        refund_cents,
        gift_card_cents,
        exchange_cents,
        shipping_refund_cents,
        fee_from_refund_cents,
        fee_from_gift_card_cents,
        bonus_credit_cents,
        total_cents: cents(refund + gift_card + on_top),
    }
}

/// Checks whether a return of these units by this method is offered in the shopper's country.
pub fn check_method(
    policy: &Policy,
    method: ReturnMethod,
    country: &str,
    units: &[ChosenUnit<'_>],
) -> Result<(), NotOffered> {
    let Some(offer) = policy.method(method) else {
        return not_offered(OfferRule::MethodOffered, format!("{} is not offered", method.name()));
    };
    let goods: Vec<ValuedLine<'_>> =
        units.iter().map(|unit| ValuedLine { line: unit.line, amounts: unit.amounts }).collect();
    check_goods(offer, country, &goods)?;
    let accepted = |reason: &str| offer.reasons.iter().any(|accepted| accepted == reason);
    let mut reasons = units.iter().map(|unit| unit.reason);
    match reasons.find(|reason| !offer.reasons.is_empty() && !accepted(reason)) {
        Some(reason) => not_offered(
            OfferRule::MethodReason,
            format!("{} is not offered for the reason {reason}", method.name()),
        ),
        None => Ok(()),
    }
}

/// Checks whether what the shopper wants for a unit is offered for the reason.
pub fn check_resolution(policy: &Policy, unit: &ChosenUnit<'_>) -> Result<(), NotOffered> {
    let Some(reason) = policy.reason(unit.reason) else {
        let why = format!("{} is not one of the merchant's return reasons", unit.reason);
        return not_offered(OfferRule::ReasonKnown, why);
    };
    match unit.resolution {
        Resolution::GiftCard if policy.gift_card.is_none() => {
            not_offered(OfferRule::GiftCardOffered, "gift cards are not offered".to_owned())
        }
        Resolution::Exchange if !policy.exchanges => {
            not_offered(OfferRule::ExchangeOffered, "exchanges are not offered".to_owned())
        }
        Resolution::Exchange if !has_variants(unit.line) => {
            let why = format!("line {} has no other variants", unit.line.identifier);
            not_offered(OfferRule::ExchangeOffered, why)
        }
        Resolution::Exchange if !reason.offers_exchange => {
            let why = format!("an exchange is not offered for the reason {}", reason.code);
            not_offered(OfferRule::ExchangeOffered, why)
        }
        Resolution::Refund | Resolution::Exchange | Resolution::GiftCard => Ok(()),
    }
}

/// The shipping charge to refund with a return of these units, which are already in `ledger`. An
/// exchange is another purchase of the same goods: it refunds no shipping.
pub fn shipping_due(
    policy: &Policy,
    order: &Order,
    ledger: &Ledger,
    units: &[ChosenUnit<'_>],
) -> i64 {
    let exchanged = units.iter().any(|unit| unit.resolution == Resolution::Exchange);
    if units.is_empty() || exchanged || ledger.shipping().is_some() {
        return 0;
    }
    let due = match policy.shipping_refunded {
        ShippingRefunded::Never => false,
        ShippingRefunded::MerchantFault => {
            units.iter().all(|unit| is_merchant_fault(policy, unit.reason))
        }
        ShippingRefunded::WhenEverythingReturns => is_fully_returned(order, ledger),
    };
    if due { ledger::shipping_cents(order) } else { 0 }
}

/// Whether every unit has shipped or never will, and all shipped units are spent.
fn is_fully_returned(order: &Order, ledger: &Ledger) -> bool {
    let settled = |line: &OrderLine| {
        line.quantity_shipped.saturating_add(line.quantity_canceled) >= line.quantity
    };
    let lines = ledger.units(order);
    let mut units = lines.iter().flat_map(|line| &line.units);
    order.items.iter().all(settled) && units.all(|unit| unit.state != UnitState::Open)
}

/// The fee for a return with these reasons, before it is limited to what is paid out.
pub(super) fn fee_for<'a>(
    policy: &Policy,
    offer: &MethodOffer,
    reasons: impl Iterator<Item = &'a str>,
) -> i64 {
    let charged = reasons.filter(|reason| !is_merchant_fault(policy, reason));
    let fees = charged.map(|reason| {
        let special = offer.fees_by_reason.iter().find(|fee| fee.reason == reason);
        special.map_or(offer.fee_cents, |fee| fee.fee_cents)
    });
    fees.min().unwrap_or_default().max(0)
}

/// A unit of a line, and what it is worth.
#[derive(Clone, Copy)]
pub(super) struct ValuedLine<'a> {
    pub(super) line: &'a OrderLine,
    pub(super) amounts: UnitAmounts,
}

/// Checks whether these goods can be returned from this country by this method, for any reason.
pub(super) fn check_goods(
    offer: &MethodOffer,
    country: &str,
    goods: &[ValuedLine<'_>],
) -> Result<(), NotOffered> {
    let method = offer.method.name();
    if !includes_country(&offer.countries, country) {
        let why = format!("{method} is not offered in the country {country}");
        return not_offered(OfferRule::MethodCountry, why);
    }
    if let Some(most) = offer.unit_weight_max {
        let fits = |line: &OrderLine| line.weight.is_some_and(|weight| weight <= most);
        if let Some(unit) = goods.iter().find(|unit| !fits(unit.line)) {
            let weight = match unit.line.weight {
                Some(weight) => format!("one weighs {weight}"),
                None => "the weight of one is not known".to_owned(),
            };
            let why = format!("{method} accepts units that weigh at most {most}, but {weight}");
            return not_offered(OfferRule::MethodWeight, why);
        }
    }
    let refunds = goods.iter().map(|unit| i128::from(unit.amounts.refund_cents()));
    let amount: i128 = refunds.sum();
    match offer.amount_max_cents {
        Some(most) if amount > i128::from(most) => not_offered(
            OfferRule::MethodAmount,
            format!("{method} accepts returns of at most {most} cents, but this is {amount}"),
        ),
        Some(_) | None => Ok(()),
    }
}

/// Whether the units of a line may have variants to be exchanged for.
pub(super) fn has_variants(line: &OrderLine) -> bool {
    !line.variant_identifier.is_empty() || !line.variants.is_empty()
}

/// Whether the merchant is at fault. For a reason that the policy does not have, it is not.
fn is_merchant_fault(policy: &Policy, reason: &str) -> bool {
    policy.reason(reason).is_some_and(|reason| reason.merchant_fault)
}

fn total_worth(units: &[ChosenUnit<'_>], resolution: Resolution) -> i64 {
    let units = units.iter().filter(|unit| unit.resolution == resolution);
    sum_cents(units.map(|unit| unit.amounts.refund_cents()))
}

fn sum_cents(amounts: impl Iterator<Item = i64>) -> i64 {
    cents(amounts.map(i128::from).sum())
}

fn bonus_for(policy: &Policy, gift_card_cents: i64) -> i64 {
    let Some(offer) = &policy.gift_card else {
        return 0;
    };
    let bonus = i128::from(gift_card_cents) * i128::from(offer.bonus_per_mille) / 1_000;
    cents(bonus).min(offer.bonus_max_cents.unwrap_or(i64::MAX).max(0))
}

fn not_offered(rule: OfferRule, why: String) -> Result<(), NotOffered> {
    Err(NotOffered { rule, why })
}
