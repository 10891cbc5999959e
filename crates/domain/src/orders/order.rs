//! An order as a merchant published it: what was bought, by whom, and what happened to it.
//!
//! Shoppers start returns from these orders. The comments on the fields are the API reference. A
//! value of these types has passed every rule of [`order_message`](crate::orders::order_message).
//! Amounts are integers in minor units of the order's currency.

mod parts;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::parts::{
    Customer, Discount, PaymentDetails, PaymentTransaction, PostalAddress, Variant,
    VariantAttribute,
};
use super::tags::is_same_tag;

/// A complete order in its current state at the merchant. It is always sent whole: a new message
/// replaces what an earlier one said.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Order {
    /// The merchant's own identifier of the order. Unique among the merchant's orders.
    #[schema(example = "ORD-100472", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// A second identifier that the shopper may know.
    pub secondary_identifier: Option<String>,
    /// The status in the merchant's own words. Informational.
    #[schema(example = "PARTIALLY_FULFILLED")]
    pub raw_status: Option<String>,
    pub status: OrderStatus,
    /// What the shopper pays: products, tax, shipping, and shipping tax, less the discount.
    #[schema(example = 12455, minimum = 0)]
    pub total_amount_cents: i64,
    /// The sum of the lines' product amounts.
    #[schema(example = 11400, minimum = 0)]
    pub product_amount_cents: i64,
    /// The sum of the lines' tax.
    #[schema(example = 912, minimum = 0)]
    pub tax_amount_cents: i64,
    /// The discount on the whole order, including the discounts on its lines.
    #[schema(example = 500, minimum = 0)]
    pub discount_amount_cents: i64,
    /// What shipping costs the shopper.
    #[schema(example = 595, minimum = 0)]
    pub shipping_amount_cents: i64,
    /// The tax on shipping.
    #[schema(example = 48, minimum = 0)]
    pub shipping_tax_amount_cents: i64,
    /// ISO 4217 code, in capitals.
    #[schema(example = "USD", min_length = 3, max_length = 3)]
    pub currency: String,
    /// Labels on the order. May be empty.
    pub tags: Vec<String>,
    /// The brand or storefront that sold the order.
    pub concept: Option<String>,
    /// Free text. Informational.
    pub note: Option<String>,
    /// A code on the gift receipt. Who got the goods as a gift and knows it can return them.
    #[schema(example = "GIFT-7Q2M-K4XD", min_length = 6, max_length = 255)]
    pub gift_code: Option<String>,
    /// When the order was placed at the merchant.
    #[schema(example = "2026-02-11T09:24:31Z")]
    pub created_at: Timestamp,
    /// When the order last changed at the merchant. A message older than the stored order changes
    /// nothing.
    #[schema(example = "2026-02-14T16:02:10Z")]
    pub updated_at: Timestamp,
    /// The order lines: at most 5,000, with at most 20,000 shipped units together.
    #[schema(max_items = 5000)]
    pub items: Vec<OrderLine>,
    pub customer: Customer,
    pub shipping_address: PostalAddress,
    pub billing_address: PostalAddress,
    /// Payments. May be empty; otherwise their amounts add up to the total.
    pub transactions: Vec<PaymentTransaction>,
    /// Every refund made on the order so far. Empty at first.
    #[schema(max_items = 500)]
    pub refunds: Vec<Refund>,
    /// What the discount consists of. May be empty.
    pub discounts: Vec<Discount>,
}

/// The progress of an order. It is `Shipped` once its last open unit has shipped, and stays
/// `Shipped` when it is refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum OrderStatus {
    Created,
    Shipped,
    /// `Canceled` is accepted as another spelling.
    Cancelled,
}

impl OrderStatus {
    pub const ALL: [Self; 3] = [Self::Created, Self::Shipped, Self::Cancelled];

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "Created",
            Self::Shipped => "Shipped",
            Self::Cancelled => "Cancelled",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// A product on an order, and how many units of it. It has a `sku`, a `upc`, or both.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Line)]
pub struct OrderLine {
    /// The merchant's identifier of the line, unique in its order. Messages about returns call it
    /// `order_line_item_identifier`.
    #[schema(example = "ORD-100472-1", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// The stock keeping unit. Required unless there is a `upc`.
    #[schema(example = "TEE-NAVY-M", max_length = 255)]
    pub sku: Option<String>,
    /// The universal product code. Required unless there is a `sku`.
    #[schema(example = "012345678905", max_length = 255)]
    pub upc: Option<String>,
    /// Units ordered: at least as many as were shipped and canceled.
    #[schema(example = 2, minimum = 0, maximum = 1000)]
    pub quantity: i64,
    /// Units shipped. Only these can be returned.
    #[schema(example = 2, minimum = 0, maximum = 1000)]
    pub quantity_shipped: i64,
    /// Units that will not ship.
    #[schema(example = 0, minimum = 0, maximum = 1000)]
    pub quantity_canceled: i64,
    /// Units refunded outside of this service: no more than were shipped.
    #[schema(minimum = 0, maximum = 1000)]
    pub quantity_refunded: Option<i64>,
    /// The carrier's tracking number of the parcel to the shopper.
    #[schema(example = "1Z999AA10123456784")]
    pub tracking_number: Option<String>,
    /// The tracking number of a return label that was in the parcel.
    pub reverse_tracking_number: Option<String>,
    /// When the line was shipped. The return window may start here.
    pub shipped_date: Option<Timestamp>,
    /// When the line was delivered to the shopper. The period of withdrawal starts here.
    pub delivered_date: Option<Timestamp>,
    /// Until when the line can be returned, if the merchant sets this for each line: a date, or a
    /// date and time.
    #[schema(value_type = Option<String>, example = "2026-04-30")]
    pub return_policy_end_date: Option<Timestamp>,
    /// The merchant's identifier of the product. Send the SKU if there is no other.
    #[schema(example = "PRD-7781", min_length = 1, max_length = 255)]
    pub product_identifier: String,
    /// What the product's variants have in common. An exchange requests the variants with it. Empty
    /// if the product has no variants.
    #[schema(example = "TEE-NAVY", max_length = 255)]
    pub variant_identifier: String,
    /// The line's identifier at a supplier who ships it directly.
    pub dropship_identifier: Option<String>,
    /// The name of the product that the shopper sees.
    #[schema(example = "Organic cotton tee, navy")]
    pub title: String,
    /// Labels that decide how the line may be returned, such as `final_sale`. May be empty.
    pub tags: Vec<String>,
    /// The brand or storefront that sold the line.
    pub concept: Option<String>,
    /// The unit price times the units shipped.
    #[schema(example = 9000, minimum = 0)]
    pub product_amount_cents: i64,
    /// The tax on all shipped units.
    #[schema(example = 720, minimum = 0)]
    pub tax_amount_cents: i64,
    /// The discount on the line.
    #[schema(example = 500, minimum = 0)]
    pub discount_amount_cents: i64,
    /// The price of one unit, before discount and tax.
    #[schema(example = 4500, minimum = 0)]
    pub unit_price_amount_cents: i64,
    /// The address of a picture of the product.
    pub image_url: Option<String>,
    /// The weight of one unit, in the merchant's unit of weight.
    #[schema(minimum = 0)]
    pub weight: Option<f64>,
    /// Variants to offer in an exchange if the merchant's server does not answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub variants: Vec<Variant>,
}

/// Money that the merchant paid back. A refund never changes once it has been sent.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Refund {
    /// The merchant's identifier of the refund, unique among all of its refunds.
    #[schema(example = "RF-2201", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// The whole amount paid back. For a full refund, the total of the order.
    #[schema(example = 4610, minimum = 0)]
    pub total_refund_amount_cents: i64,
    /// The lines and units that are paid back.
    pub refund_line_items: Vec<RefundLine>,
    /// Free text. Informational.
    pub note: Option<String>,
    /// When the refund takes effect.
    pub created_at: Timestamp,
    /// The return that is refunded. Required if an order has several.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: Option<String>,
    /// Labels. A refund labeled `ignore_refund` is stored but has no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub tags: Vec<String>,
}

/// Units of one order line within a refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefundLine {
    /// The merchant's identifier of this part of the refund.
    #[schema(example = "RF-2201-1", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// How many units.
    #[schema(example = 1, minimum = 0, maximum = 1000)]
    pub quantity: i64,
    /// The `identifier` of the order line.
    #[schema(example = "ORD-100472-1")]
    pub order_item_identifier: String,
}

/// The label of refunds that are stored but have no effect.
pub const IGNORE_REFUND: &str = "ignore_refund";

impl Refund {
    /// Whether the merchant wants the refund stored without any effect.
    pub fn is_ignored(&self) -> bool {
        self.tags.iter().any(|tag| is_same_tag(tag, IGNORE_REFUND))
    }
}
