//! A label request: everything that a carrier needs to make a label for a return.
//!
//! An external gateway reads these documents, and the adapters for carriers work from them. They
//! are built from the return and its orders whenever they are needed, so they never contradict
//! either.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::identifier::MerchantId;
use crate::merchants::merchant::WeightUnit;
use crate::orders::order::{Order, OrderLine, PostalAddress};
use crate::returns::ReturnMethod;
use crate::returns::identifier::RmaId;
use crate::returns::rma::{Rma, RmaUnit, VoidReason};

/// A return that needs a label.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WantedLabel)]
pub struct LabelRequest {
    pub rma_identifier: RmaId,
    pub merchant: MerchantId,
    /// Counts the labels of the return: 1 for the first, one more each time that the label is
    /// wanted again.
    #[schema(example = 1, minimum = 1)]
    pub generation: i64,
    /// Why the label is wanted again. Absent for the first one.
    pub reason: Option<VoidReason>,
    pub return_method: ReturnMethod,
    /// How many parcels the return is sent in. Each needs a label. The units are spread evenly over
    /// the parcels, in the order of `items`.
    #[schema(example = 1, minimum = 1)]
    pub parcel_count: i64,
    /// What the shopper can use, best first. One of them is enough.
    pub formats: Vec<LabelFormat>,
    /// Where the parcel is sent from.
    pub sender: LabelParty,
    /// Where the parcel is sent to.
    pub recipient: LabelParty,
    /// What is in the parcels, by order line.
    pub items: Vec<LabelItem>,
    /// ISO 4217 code of all amounts.
    #[schema(example = "USD")]
    pub currency: String,
    /// When the label was first wanted.
    #[schema(example = "2026-02-20T10:15:00Z")]
    pub requested_at: Timestamp,
}

/// The form of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LabelFormat {
    Pdf,
    Png,
    /// For label printers.
    Zpl,
    /// A code that the shopper shows at the drop-off point, so that nothing is printed at home.
    Qr,
}

/// One end of the parcel's way.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelParty {
    #[serde(flatten)]
    pub address: PostalAddress,
    /// For questions about the parcel.
    #[schema(example = "dana.whitfield@example.com")]
    pub email: Option<String>,
}

/// Units of one order line. Amounts and weights are those of all its units together.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LabelItem {
    /// The SKU, or the UPC if there is none.
    #[schema(example = "TEE-NAVY-M")]
    pub sku: String,
    #[schema(example = "Organic cotton tee, navy, M")]
    pub title: String,
    #[schema(example = 2, minimum = 1)]
    pub quantity: i64,
    /// What the units cost, less discounts and without tax, in minor units of the currency.
    #[schema(example = 8500, minimum = 0)]
    pub value_cents: i64,
    /// Absent if the order line has no weight.
    #[schema(example = 360, minimum = 0)]
    pub weight_grams: Option<i64>,
}

/// What a label request is built from.
#[derive(Clone, Copy, Debug)]
pub struct LabelRequestContext<'a> {
    pub merchant: &'a MerchantId,
    pub rma: &'a Rma,
    /// The orders that the units of the return belong to, as far as they exist.
    pub orders: &'a [&'a Order],
    pub return_address: &'a PostalAddress,
    /// The unit of the weights in the merchant's orders.
    pub weight_unit: WeightUnit,
    pub requested_at: Timestamp,
}

impl LabelRequest {
    pub fn new(context: &LabelRequestContext<'_>) -> Self {
        let rma = context.rma;
        Self {
            rma_identifier: rma.rma_identifier.clone(),
            merchant: context.merchant.clone(),
            generation: rma.label_generation,
            reason: find_reason(rma),
            return_method: rma.return_method,
            parcel_count: rma.parcel_count,
            formats: wanted_formats(rma.return_method),
            sender: sender(context),
            recipient: LabelParty { address: context.return_address.clone(), email: None },
            items: items(context),
            currency: rma.currency.clone(),
            requested_at: context.requested_at,
        }
    }
}

/// Why the shopper does not use the labels of the last generation.
fn find_reason(rma: &Rma) -> Option<VoidReason> {
    let last_generation = rma.label_generation.saturating_sub(1);
    let last = rma.labels.iter().filter(|label| label.generation == last_generation);
    let mut reasons = last.filter_map(|label| Some(label.void.as_ref()?.reason));
    reasons.rfind(|reason| VoidReason::OF_SHOPPERS.contains(reason))
}

/// Shoppers print PDF best. At a drop-off point there is a printer, and the shopper needs a code.
fn wanted_formats(method: ReturnMethod) -> Vec<LabelFormat> {
    match method {
        ReturnMethod::ExpressReturns => vec![LabelFormat::Qr, LabelFormat::Pdf, LabelFormat::Png],
        ReturnMethod::MailBack | ReturnMethod::HomePickup => {
            vec![LabelFormat::Pdf, LabelFormat::Png, LabelFormat::Zpl]
        }
        ReturnMethod::CustomerKeep => Vec::new(),
    }
}

/// The shopper, at the address that the goods were sent to. The recipient of a gift is asked
/// instead of the buyer, who may not know of the return.
fn sender(context: &LabelRequestContext<'_>) -> LabelParty {
    let rma = context.rma;
    let order = context.orders.iter().find(|order| order.identifier == rma.sender_order());
    let mut address = order.map(|order| order.shipping_address.clone()).unwrap_or_default();
    let is_gift = rma.giftee_email.is_some();
    if address.phone.is_none() && !is_gift {
        address.phone = order.and_then(|order| order.customer.phone.clone());
    }
    LabelParty { address, email: rma.giftee_email.clone().or_else(|| rma.email.clone()) }
}

/// The units of the return by order line, in the order of the return.
fn items(context: &LabelRequestContext<'_>) -> Vec<LabelItem> {
    let lines: HashMap<[&str; 2], &OrderLine> = context
        .orders
        .iter()
        .flat_map(|order| order.items.iter().map(|line| (order.identifier.as_str(), line)))
        .map(|(order, line)| ([order, line.identifier.as_str()], line))
        .collect();
    let mut positions: HashMap<[&str; 2], usize> = HashMap::new();
    let mut items: Vec<LabelItem> = Vec::new();
    for unit in &context.rma.units {
        let goods = &unit.goods;
        let key = [goods.order_identifier.as_str(), goods.order_line_item_identifier.as_str()];
        let weight = lines.get(&key).and_then(|line| line.weight);
        let weight = weight.and_then(|weight| context.weight_unit.grams(weight));
        let position = *positions.entry(key).or_insert(items.len());
        match items.get_mut(position) {
            Some(item) => item.add(unit, weight),
            None => items.push(LabelItem::of(unit, weight)),
        }
    }
    items
}

impl LabelItem {
    fn of(unit: &RmaUnit, weight_grams: Option<i64>) -> Self {
        Self {
            sku: unit.code().to_owned(),
            title: unit.goods.title.clone(),
            quantity: 1,
            value_cents: value_cents(unit),
            weight_grams,
        }
    }

    fn add(&mut self, unit: &RmaUnit, weight_grams: Option<i64>) {
        self.quantity += 1;
        self.value_cents = self.value_cents.saturating_add(value_cents(unit));
        let both = self.weight_grams.zip(weight_grams);
        self.weight_grams = both.map(|(sum, weight)| sum.saturating_add(weight));
    }
}

fn value_cents(unit: &RmaUnit) -> i64 {
    let amounts = &unit.goods.amounts;
    amounts.price_cents.saturating_sub(amounts.discount_cents)
}
