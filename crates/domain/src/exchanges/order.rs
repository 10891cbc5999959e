//! The exchange order: what a merchant is asked to send instead of the returned goods.
//!
//! One order contains everything that the units of one original order are exchanged for: other
//! variants, and one gift card for the rest. Its value is the value of those units. The merchant
//! computes tax and shipping.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use omit_none::omit_none;
use serde::Serialize;
use utoipa::ToSchema;

use super::record::{ExchangeRecord, ExchangeState};
use super::variants::{VariantLists, choose_variants};
use crate::money::extension::ExchangeExtensions;
use crate::orders::order::{Order, OrderLine, PostalAddress as OrderAddress, Variant};
use crate::returns::money::cents;
use crate::returns::rma::{Rma, RmaUnit};
use crate::returns::{Resolution, UnitAmounts};

/// An order for what a shopper gets in exchange.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExchangeOrder {
    /// ISO 4217 code.
    #[schema(example = "USD")]
    pub currency: String,
    /// The order whose units are returned. It is the key: only one exchange order is placed for it.
    #[schema(example = "ORD-100472")]
    pub original_order_id: String,
    /// The return.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: String,
    /// Whether the goods are returned by a gift recipient.
    pub is_gift: bool,
    /// Replacements first, then the gift card.
    pub items: Vec<ExchangeOrderItem>,
    pub customer: ExchangeCustomer,
    pub shipping_address: ExchangeAddress,
    pub billing_address: ExchangeAddress,
    pub payment: ExchangePayment,
    /// Only with the setting `message_extensions`.
    #[schema(nullable = false)]
    pub extensions: Option<ExchangeExtensions>,
}

/// One position of an exchange order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ExchangeOrderItem {
    Replacement(Replacement),
    GiftCard(ExchangeGiftCard),
}

/// Another variant instead of units of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Replacement {
    /// The variant that the shopper chose.
    #[schema(example = "TEE-NAVY-L")]
    pub sku: String,
    #[schema(example = 1, minimum = 1)]
    pub quantity: i64,
    #[schema(example = "Organic cotton tee, navy")]
    pub title: String,
    /// The price of one unit of the variant, or of the returned unit if that is unknown.
    #[schema(example = 4500, minimum = 0)]
    pub unit_price_amount_cents: i64,
    /// The unit price times the quantity.
    #[schema(example = 4500, minimum = 0)]
    pub product_amount_cents: i64,
    /// The discount that the returned units had, in the proportion of the prices if the variant
    /// costs less, and with the difference if it costs more: you absorb it.
    #[schema(example = 250, minimum = 0)]
    pub discount_amount_cents: i64,
    /// The tax that was paid on the returned units, in the same proportion.
    #[schema(example = 360, minimum = 0)]
    pub tax_amount_cents: i64,
    /// The variant's own, if the list of variants has it. Otherwise the new SKU, if the returned
    /// line has its SKU there, or else what the returned line has.
    #[schema(example = "PRD-7781")]
    pub product_identifier: String,
    #[schema(example = "TEE-NAVY")]
    pub variant_identifier: String,
    /// The returned units.
    #[schema(example = "TEE-NAVY-M")]
    pub original_sku: String,
    /// The line of the original order.
    #[schema(example = "ORD-100472-1")]
    pub original_item_identifier: String,
    #[schema(required, example = "Harbor & Pine")]
    pub concept: Option<String>,
}

/// A gift card instead of units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExchangeGiftCard {
    /// Agreed with the merchant, in its policy.
    #[schema(example = "GIFT-CARD")]
    pub sku: String,
    #[schema(example = 1)]
    pub quantity: i64,
    /// The value of the units, minus the fee.
    #[schema(example = 4015, minimum = 0)]
    pub unit_price_amount_cents: i64,
    /// Credit on top.
    #[schema(example = 400, minimum = 0)]
    pub bonus_credit_amount_cents: i64,
    /// The units that are exchanged for the card.
    pub return_items: Vec<ExchangeReturnItem>,
}

/// Units that are exchanged for a gift card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExchangeReturnItem {
    #[schema(example = "Organic cotton tee, navy")]
    pub title: String,
    #[schema(example = "TEE-NAVY-M")]
    pub original_sku: String,
    #[schema(example = "ORD-100472-1")]
    pub original_item_identifier: String,
    #[schema(example = 1, minimum = 1)]
    pub quantity: i64,
    #[schema(required, example = "Harbor & Pine")]
    pub concept: Option<String>,
}

/// The recipient.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExchangeCustomer {
    #[schema(example = "CUS-5512")]
    pub identifier: String,
    #[schema(required, example = "Dana")]
    pub first_name: Option<String>,
    #[schema(required, example = "Whitfield")]
    pub last_name: Option<String>,
    #[schema(example = "dana.whitfield@example.com")]
    pub email: String,
    #[schema(required)]
    pub phone: Option<String>,
}

/// The shipping or billing address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExchangeAddress {
    #[schema(example = "Dana Whitfield")]
    pub name: String,
    #[schema(example = "418 Juniper Street")]
    pub street1: String,
    #[schema(required)]
    pub street2: Option<String>,
    #[schema(example = "Portland")]
    pub city: String,
    #[schema(example = "OR")]
    pub province: String,
    #[schema(example = "97205")]
    pub postal_code: String,
    #[schema(example = "US")]
    pub country_code: String,
    #[schema(required)]
    pub phone: Option<String>,
}

/// The identifier for reconciling the payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExchangePayment {
    #[schema(example = "PAY-7K3Q-9XWD-2M4T-1")]
    pub transaction_id: String,
}

/// What an exchange order depends on besides the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeTerms<'a> {
    /// The SKU of gift cards, as agreed with the merchant.
    pub gift_card_sku: &'a str,
    /// Subtracted from the gift card.
    pub fee_cents: i64,
    /// Added to the gift card.
    pub bonus_cents: i64,
    pub variants: &'a VariantLists,
}

impl ExchangeTerms<'_> {
    /// What is known of a variant.
    fn variant<'a>(&'a self, line: &'a OrderLine, sku: &str) -> Option<&'a Variant> {
        let listed = choose_variants(self.variants, line);
        listed.iter().find(|it| it.sku.as_deref() == Some(sku))
    }
}

/// The exchange order for the units of `rma` that were bought with `order`, and its record. None if
/// none of them is exchanged. `number` distinguishes the return's exchange orders.
pub fn exchange_order(
    rma: &Rma,
    order: &Order,
    terms: &ExchangeTerms<'_>,
    number: usize,
) -> Option<(ExchangeOrder, ExchangeRecord)> {
    let units = rma.units.iter().filter(|unit| unit.goods.order_identifier == order.identifier);
    let units: Vec<&RmaUnit> = units.filter(|unit| unit.is_replaced()).collect();
    if units.is_empty() {
        return None;
    }
    let of = |resolution: Resolution| {
        units.iter().copied().filter(move |unit| unit.goods.resolution == resolution)
    };
    let mut items = replacements(order, &of(Resolution::Exchange).collect::<Vec<_>>(), terms);
    items.extend(gift_card(order, &of(Resolution::GiftCard).collect::<Vec<_>>(), terms));
    let rma_identifier = rma.rma_identifier.clone();
    let code = rma_identifier.as_str().trim_start_matches("RMA-");
    let transaction_id = format!("PAY-{code}-{number}");
    let record = ExchangeRecord {
        original_order_id: order.identifier.clone(),
        rma_identifier,
        transaction_id: transaction_id.clone(),
        state: ExchangeState::Pending,
        credit_cents: sum_worth(units.iter().copied()),
        goods_credit_cents: sum_worth(of(Resolution::Exchange)),
        currency: order.currency.clone(),
        created_at: rma.created_at,
        decided_at: None,
        exchange_order_identifier: None,
        total_amount_cents: None,
        product_amount_cents: None,
        tax_amount_cents: None,
    };
    let asked = ExchangeOrder {
        currency: order.currency.clone(),
        original_order_id: order.identifier.clone(),
        rma_identifier: rma.rma_identifier.to_string(),
        is_gift: rma.gift_refund_only(),
        items,
        customer: customer(rma, order),
        shipping_address: address(&order.shipping_address),
        billing_address: address(&order.billing_address),
        payment: ExchangePayment { transaction_id },
        extensions: rma.message_extensions.then_some(ExchangeExtensions {
            credit_cents: record.credit_cents,
            goods_credit_cents: record.goods_credit_cents,
        }),
    };
    Some((asked, record))
}

fn sum_worth<'a>(units: impl Iterator<Item = &'a RmaUnit>) -> i64 {
    cents(units.map(|unit| i128::from(unit.goods.replaced_cents())).sum())
}

/// The lines of an order by their identifiers.
fn index_lines(order: &Order) -> HashMap<&str, &OrderLine> {
    let mut lines = HashMap::with_capacity(order.items.len());
    for line in &order.items {
        lines.entry(line.identifier.as_str()).or_insert(line);
    }
    lines
}

/// Units of one line that become the same variant.
struct ReplacedUnits<'a> {
    line: &'a OrderLine,
    sku: &'a str,
    units: Vec<&'a RmaUnit>,
}

/// In the order of their first units. Orders can have thousands of lines, so nothing is searched.
fn group_replaced<'a>(order: &'a Order, units: &[&'a RmaUnit]) -> Vec<ReplacedUnits<'a>> {
    let lines = index_lines(order);
    let mut groups: Vec<ReplacedUnits<'a>> = Vec::new();
    let mut positions: HashMap<(&str, &str), usize> = HashMap::new();
    for unit in units {
        let sku = unit.goods.exchange_sku.as_deref().unwrap_or_default();
        let Some(line) = lines.get(unit.goods.order_line_item_identifier.as_str()) else {
            continue;
        };
        let position = *positions.entry((&line.identifier, sku)).or_insert(groups.len());
        match groups.get_mut(position) {
            Some(group) => group.units.push(unit),
            None => groups.push(ReplacedUnits { line, sku, units: vec![unit] }),
        }
    }
    groups
}

/// One position for the units of one line that become the same variant.
fn replacements(
    order: &Order,
    units: &[&RmaUnit],
    terms: &ExchangeTerms<'_>,
) -> Vec<ExchangeOrderItem> {
    let item = |ReplacedUnits { line, sku, units }: ReplacedUnits<'_>| {
        let quantity = i64::try_from(units.len()).unwrap_or(i64::MAX);
        let known = units.iter().find_map(|unit| unit.goods.exchange_price_cents);
        let price = known.unwrap_or(line.unit_price_amount_cents);
        let new =
            |unit: &&RmaUnit| unit.goods.amounts.exchanged_for(unit.goods.exchange_price_cents);
        let sum = |of: fn(&UnitAmounts) -> i64| {
            cents(units.iter().map(|unit| i128::from(of(&new(unit)))).sum())
        };
        let variant = terms.variant(line, sku);
        let title = variant.and_then(|variant| variant.title.clone());
        ExchangeOrderItem::Replacement(Replacement {
            sku: sku.to_owned(),
            quantity,
            title: title.unwrap_or_else(|| line.title.clone()),
            unit_price_amount_cents: price,
            product_amount_cents: price.saturating_mul(quantity),
            discount_amount_cents: sum(|amounts| amounts.discount_cents),
            tax_amount_cents: sum(|amounts| amounts.tax_cents),
            product_identifier: product_identifier(line, sku, variant),
            variant_identifier: line.variant_identifier.clone(),
            original_sku: code(line),
            original_item_identifier: line.identifier.clone(),
            concept: line.concept.clone().or_else(|| order.concept.clone()),
        })
    };
    group_replaced(order, units).into_iter().map(item).collect()
}

/// A merchant without product identifiers sends SKUs instead, and gets the new SKU.
fn product_identifier(line: &OrderLine, sku: &str, variant: Option<&Variant>) -> String {
    let own = variant.and_then(|variant| variant.product_identifier.clone());
    own.unwrap_or_else(|| {
        let is_sku = line.sku.as_ref() == Some(&line.product_identifier);
        if is_sku { sku.to_owned() } else { line.product_identifier.clone() }
    })
}

fn gift_card(
    order: &Order,
    units: &[&RmaUnit],
    terms: &ExchangeTerms<'_>,
) -> Option<ExchangeOrderItem> {
    let worth = sum_worth(units.iter().copied());
    let lines = index_lines(order);
    let mut return_items: Vec<ExchangeReturnItem> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for unit in units {
        let line = *lines.get(unit.goods.order_line_item_identifier.as_str())?;
        let position = *positions.entry(&line.identifier).or_insert(return_items.len());
        match return_items.get_mut(position) {
            Some(known) => known.quantity += 1,
            None => return_items.push(ExchangeReturnItem {
                title: line.title.clone(),
                original_sku: code(line),
                original_item_identifier: line.identifier.clone(),
                quantity: 1,
                concept: line.concept.clone().or_else(|| order.concept.clone()),
            }),
        }
    }
    (!return_items.is_empty()).then(|| {
        ExchangeOrderItem::GiftCard(ExchangeGiftCard {
            sku: terms.gift_card_sku.to_owned(),
            quantity: 1,
            unit_price_amount_cents: worth.saturating_sub(terms.fee_cents).max(0),
            bonus_credit_amount_cents: terms.bonus_cents,
            return_items,
        })
    })
}

fn code(line: &OrderLine) -> String {
    line.sku.clone().or_else(|| line.upc.clone()).unwrap_or_default()
}

/// The person who returns the goods. For a gift, that is the recipient, whose name is unknown.
fn customer(rma: &Rma, order: &Order) -> ExchangeCustomer {
    let buyer = &order.customer;
    match &rma.giftee_email {
        Some(email) => ExchangeCustomer {
            identifier: email.clone(),
            first_name: None,
            last_name: None,
            email: email.clone(),
            phone: None,
        },
        None => ExchangeCustomer {
            identifier: buyer.identifier.clone(),
            first_name: buyer.first_name.clone(),
            last_name: buyer.last_name.clone(),
            email: buyer.email.clone(),
            phone: buyer.phone.clone(),
        },
    }
}

fn address(address: &OrderAddress) -> ExchangeAddress {
    ExchangeAddress {
        name: address.name.clone(),
        street1: address.street1.clone(),
        street2: address.street2.clone(),
        city: address.city.clone(),
        province: address.state.clone(),
        postal_code: address.zip_code.clone(),
        country_code: address.country_code.clone(),
        phone: address.phone.clone(),
    }
}
