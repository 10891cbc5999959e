//! An order as a merchant published it: what was bought, by whom, and what became of it.
//!
//! A shopper sees these orders when starting a return. The comments on the fields are the
//! API reference. A value of these types has passed every rule of
//! [`order_message`](crate::orders::order_message); amounts are integers in minor units of the
//! order's currency.

mod parts;

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

pub use self::parts::{
    Customer, Discount, PaymentDetails, PaymentTransaction, PostalAddress, Variant,
    VariantAttribute,
};

/// A whole order, as it stands at the merchant now. It is always sent complete: what an
/// earlier message said is replaced, not added to.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Order {
    /// The merchant's own identifier of the order. Unique among the merchant's orders.
    #[schema(example = "ORD-100472", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// A second identifier that a shopper may know the order by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secondary_identifier: Option<String>,
    /// The status in the merchant's own words. Informational.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "PARTIALLY_FULFILLED")]
    pub raw_status: Option<String>,
    pub status: OrderStatus,
    /// What the shopper pays: products, tax, shipping and shipping tax, less the discount.
    #[schema(example = 12455, minimum = 0)]
    pub total_amount_cents: i64,
    /// The lines' product amounts together.
    #[schema(example = 11400, minimum = 0)]
    pub product_amount_cents: i64,
    /// The lines' tax together.
    #[schema(example = 912, minimum = 0)]
    pub tax_amount_cents: i64,
    /// The discount on the whole order, including what the lines already show.
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
    /// The brand or shop front that sold the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concept: Option<String>,
    /// Free text. Informational.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When the order was placed at the merchant.
    #[schema(value_type = String, format = DateTime, example = "2026-02-11T09:24:31Z")]
    pub created_at: Timestamp,
    /// When the order last changed at the merchant. A message that is older than what is stored
    /// changes nothing.
    #[schema(value_type = String, format = DateTime, example = "2026-02-14T16:02:10Z")]
    pub updated_at: Timestamp,
    /// The order lines.
    pub items: Vec<OrderLine>,
    pub customer: Customer,
    pub shipping_address: PostalAddress,
    pub billing_address: PostalAddress,
    /// Payments. May be empty; otherwise their amounts add up to the total.
    pub transactions: Vec<PaymentTransaction>,
    /// Every refund made on the order so far. Empty at first.
    pub refunds: Vec<Refund>,
    /// How the discount came about. May be empty.
    pub discounts: Vec<Discount>,
}

/// How far an order has come. An order whose last open unit has shipped is `Shipped`, and
/// stays so when it is refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum OrderStatus {
    Created,
    Shipped,
    /// `Canceled` is read as this, too.
    Cancelled,
}

impl OrderStatus {
    pub const ALL: [Self; 3] = [Self::Created, Self::Shipped, Self::Cancelled];

    /// What the messages call it.
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

/// A product on an order, and how many units of it. It has a `sku` or a `upc`, or both.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Line)]
pub struct OrderLine {
    /// The merchant's identifier of the line, unique in its order. The messages about returns
    /// carry it as `order_line_item_identifier`.
    #[schema(example = "ORD-100472-1", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// The stock keeping unit. Required unless there is a `upc`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "TEE-NAVY-M", max_length = 255)]
    pub sku: Option<String>,
    /// The universal product code. Required unless there is a `sku`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "012345678905", max_length = 255)]
    pub upc: Option<String>,
    /// Units ordered: no fewer than shipped and canceled together.
    #[schema(example = 2, minimum = 0, maximum = 1000)]
    pub quantity: i64,
    /// Units that were shipped. Only these can be returned.
    #[schema(example = 2, minimum = 0, maximum = 1000)]
    pub quantity_shipped: i64,
    /// Units that will never ship.
    #[schema(example = 0, minimum = 0, maximum = 1000)]
    pub quantity_canceled: i64,
    /// Units that were refunded outside of this service: no more than were shipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1000)]
    pub quantity_refunded: Option<i64>,
    /// The number under which the carrier tracks the parcel to the shopper.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "1Z999AA10123456784")]
    pub tracking_number: Option<String>,
    /// The number of a return label that travelled with the parcel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_tracking_number: Option<String>,
    /// When the line was shipped. The time to return it may count from here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub shipped_date: Option<Timestamp>,
    /// Until when the line can be returned, if the merchant decides that by the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub return_policy_end_date: Option<Timestamp>,
    /// The merchant's identifier of the product. Send the SKU if there is no other.
    #[schema(example = "PRD-7781", min_length = 1, max_length = 255)]
    pub product_identifier: String,
    /// What the product's variants have in common, to ask the merchant for them in an exchange.
    /// Empty when the product has no variants.
    #[schema(example = "TEE-NAVY", max_length = 255)]
    pub variant_identifier: String,
    /// The identifier of the line at a supplier who ships it directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropship_identifier: Option<String>,
    /// The name of the product, as the shopper knows it.
    #[schema(example = "Organic cotton tee, navy")]
    pub title: String,
    /// Labels that decide how the line may be returned, such as `final_sale`. May be empty.
    pub tags: Vec<String>,
    /// The brand or shop front that sold the line.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Where a picture of the product is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// The weight of one unit, in the merchant's unit of weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    pub weight: Option<f64>,
    /// Variants that can be offered in an exchange when the merchant cannot be asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub variants: Vec<Variant>,
}

/// Money that the merchant paid back. A refund never changes once it was sent.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Refund {
    /// The merchant's identifier of the refund, unique among all of its refunds.
    #[schema(example = "RF-2201", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// Everything paid back. In a full refund, the total of the order.
    #[schema(example = 4610, minimum = 0)]
    pub total_refund_amount_cents: i64,
    /// The lines and units that are paid back, and no others.
    pub refund_line_items: Vec<RefundLine>,
    /// Free text. Informational.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When the refund takes effect.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The return that is refunded. Needed when an order has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: Option<String>,
    /// Labels. A refund labelled `ignore_refund` is stored and has no effect.
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

/// The label on refunds that are stored and have no effect.
pub const IGNORE_REFUND: &str = "ignore_refund";

impl Refund {
    /// Whether the merchant asks to store the refund and do nothing about it.
    pub fn is_ignored(&self) -> bool {
        self.tags.iter().any(|tag| tag == IGNORE_REFUND)
    }
}
