//! What an order refers to: the shopper, addresses, payments, discounts and variants.

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The shopper.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Customer {
    /// The merchant's identifier of the shopper. Send the e-mail address if there is no other.
    #[schema(example = "CUS-5512", min_length = 1, max_length = 255)]
    pub identifier: String,
    #[schema(example = "Dana")]
    pub first_name: Option<String>,
    #[schema(example = "Whitfield")]
    pub last_name: Option<String>,
    /// Where the shopper gets e-mail about a return. With the order's identifier, it opens the
    /// returns portal.
    #[schema(example = "dana.whitfield@example.com")]
    pub email: String,
    pub phone: Option<String>,
    /// Labels on the shopper.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub tags: Vec<String>,
}

/// A shipping or billing address. A part that the country does not have, such as a state, is sent
/// as empty text.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Address)]
pub struct PostalAddress {
    /// The recipient.
    #[schema(example = "Dana Whitfield")]
    pub name: String,
    /// Street and number.
    #[schema(example = "418 Juniper Street")]
    pub street1: String,
    /// Apartment, floor, or similar.
    pub street2: Option<String>,
    #[schema(example = "Portland")]
    pub city: String,
    /// State or province.
    #[schema(example = "OR")]
    pub state: String,
    /// Postal code.
    #[schema(example = "97205")]
    pub zip_code: String,
    /// Country, usually in two letters.
    #[schema(example = "US")]
    pub country_code: String,
    pub phone: Option<String>,
}

/// A payment on an order.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Transaction)]
pub struct PaymentTransaction {
    #[schema(example = "TX-9001")]
    pub identifier: Option<String>,
    /// The transaction that this one is based on, such as the authorization of a capture.
    pub parent_identifier: Option<String>,
    #[schema(example = 12455, minimum = 0)]
    pub amount_cents: Option<i64>,
    /// The result, in the payment provider's words.
    #[schema(example = "success")]
    pub status: Option<String>,
    /// What was done, in the payment provider's words.
    #[serde(rename = "type")]
    #[schema(example = "capture")]
    pub kind: Option<String>,
    /// The payment provider.
    pub gateway: Option<String>,
    /// Whether it was made online rather than in a store.
    pub is_online: Option<bool>,
    /// Whether it was a test, in which no money moved.
    pub is_test: Option<bool>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub payment_details: Option<PaymentDetails>,
}

/// How a payment was made.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PaymentDetails {
    /// The result of the address verification.
    pub avs_result_code: Option<String>,
    /// The result of the card verification.
    pub cvv_result_code: Option<String>,
    #[schema(example = "Visa")]
    pub credit_card_company: Option<String>,
    pub gift_card_id: Option<String>,
    pub gift_card_code: Option<String>,
}

/// A reason why an order costs less.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Discount {
    pub identifier: Option<String>,
    /// The code that the shopper entered.
    #[schema(example = "SPRING5")]
    pub code: Option<String>,
    #[schema(example = 500, minimum = 0)]
    pub amount_cents: Option<i64>,
    /// How it is calculated, in the merchant's words.
    #[serde(rename = "type")]
    #[schema(example = "fixed_amount")]
    pub kind: Option<String>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
}

/// One version of a product, such as a size or a color.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Variant {
    #[schema(example = "TEE-NAVY-L")]
    pub sku: Option<String>,
    #[schema(example = "Organic cotton tee, navy, L")]
    pub title: Option<String>,
    /// Your identifier of its product, for an exchange order.
    #[schema(example = "PRD-7782")]
    pub product_identifier: Option<String>,
    /// What distinguishes it from the others: a list of names and values. An object of names and
    /// values is accepted, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub attributes: Vec<VariantAttribute>,
    #[schema(example = 4500, minimum = 0)]
    pub unit_price_amount_cents: Option<i64>,
    /// Units in stock. Zero or less means that it is out of stock.
    #[schema(example = 14)]
    pub quantity_in_stock: Option<i64>,
    pub image_url: Option<String>,
    pub product_url: Option<String>,
}

/// One property of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Attribute)]
pub struct VariantAttribute {
    #[schema(example = "Size")]
    pub name: String,
    #[schema(example = "L")]
    pub value: String,
}
