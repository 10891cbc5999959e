//! The inbound ASN: a merchant announces goods that will arrive at the warehouse.
//!
//! Goods are announced by unit (`unit`: every line is one unit with its own identifier) or by
//! quantity (`sku`). What has arrived is recorded in [`receiving`](super::receiving). The comments
//! on the fields are the API reference.

mod read;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub(super) use self::read::eligibility_flags;
pub use self::read::read_asn;
use super::GoodsReference;
use super::asn_number::AsnNumber;

/// An ASN has at most this many cartons.
pub const CARTONS_MAX: usize = 10_000;

/// An ASN has at most this many lines, in all of its cartons together.
pub const LINES_MAX: usize = 100_000;

/// A line announces at most this many units.
pub const LINE_UNITS_MAX: i64 = 100_000;

/// Goods on their way to the warehouse.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InboundAsn {
    /// The program that the goods are received into.
    #[schema(example = "returns-west", min_length = 1, max_length = 255)]
    pub program_identifier: String,
    /// The number of the ASN, unique within the program.
    pub asn_number: AsnNumber,
    pub status: AsnStatus,
    pub details_type: DetailsType,
    /// What kind of ASN it is, in the merchant's words. Informational.
    #[schema(example = "return", max_length = 255)]
    pub asn_type: Option<String>,
    /// When the merchant's system sent the message, as it wrote it. Informational: two messages
    /// that differ only in it have the same content.
    #[serde(rename = "messagetimestamp")]
    #[schema(example = "2026-03-01T08:00:00Z", max_length = 255)]
    pub message_timestamp: Option<String>,
    /// Joins the ASNs of one order or return.
    #[schema(example = "SHP-7781", max_length = 255)]
    pub shipment_identifier: Option<String>,
    pub from: AsnOrigin,
    pub to: AsnDestination,
    /// The number that the carrier tracks the goods by.
    #[schema(example = "9400111899223197428490", max_length = 255)]
    pub tracking_number: Option<String>,
    #[schema(example = "usps", max_length = 255)]
    pub carrier: Option<String>,
    /// When the goods were sent, or will be.
    #[schema(example = "2026-03-01T08:00:00Z")]
    pub ship_date: Option<Timestamp>,
    /// Who owns the goods. A line may name another.
    #[schema(example = "Harbor & Pine Trading", max_length = 255)]
    pub merchant: Option<String>,
    /// The brand of the goods. A line may name another.
    #[schema(example = "Harbor & Pine", max_length = 255)]
    pub concept: Option<String>,
    /// The boxes and pallets: at least one.
    #[schema(min_items = 1, max_items = 10_000)]
    pub cartons: Vec<AsnCarton>,
}

/// The state of the announced goods, as the merchant reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AsnStatus {
    Pending,
    Shipped,
    Delivered,
    /// The goods will not arrive. `canceled` is accepted, too.
    Cancelled,
}

/// Whether lines announce single units or quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DetailsType {
    /// Each line is one unit with a `unit_identifier`.
    Unit,
    /// Each line is a quantity of one SKU.
    Sku,
}

/// Where goods come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Origin)]
pub struct AsnOrigin {
    /// Text, or an integer, which is kept as text.
    #[schema(example = "STORE-12", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// What kind of place it is.
    #[serde(rename = "type")]
    #[schema(example = "store", min_length = 1, max_length = 255)]
    pub kind: String,
}

/// The warehouse that goods come to.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Destination)]
pub struct AsnDestination {
    /// The warehouse. Text, or an integer, which is kept as text.
    #[schema(example = "31", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// What kind of place it is.
    #[serde(rename = "type")]
    #[schema(example = "warehouse", min_length = 1, max_length = 255)]
    pub kind: String,
    /// Where the goods were originally sent, if that was another place.
    #[schema(example = "12", max_length = 255)]
    pub original_identifier: Option<String>,
}

/// A box or pallet.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = InboundAsnCarton)]
pub struct AsnCarton {
    /// What can be scanned on the outside.
    #[schema(example = "CTN-1", max_length = 255)]
    pub identifier: Option<String>,
    /// What the goods belong to. Units that belong to an RMA are received for that return.
    pub reference: Option<GoodsReference>,
    /// What is inside: at least one line.
    #[schema(min_items = 1, max_items = 100_000)]
    pub details: Vec<AsnDetail>,
}

/// A line of an ASN.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = InboundAsnDetail)]
pub struct AsnDetail {
    /// The line, unique within the ASN.
    #[schema(example = "1", min_length = 1, max_length = 255)]
    pub line_identifier: String,
    /// The line within what the carton refers to, such as the order line of a returned unit.
    #[schema(example = "ORD-100472-1", max_length = 255)]
    pub reference_line_identifier: Option<String>,
    /// The unit. Required if `details_type` is `unit`. Unique among the merchant's units.
    #[schema(example = "LP-0093321", max_length = 255)]
    pub unit_identifier: Option<String>,
    /// The merchant's own identifier of the unit.
    #[schema(example = "HP-55012", max_length = 255)]
    pub client_unit_identifier: Option<String>,
    #[schema(example = "TEE-NAVY-M", min_length = 1, max_length = 255)]
    pub sku: String,
    #[schema(example = "012345678905", max_length = 255)]
    pub upc: Option<String>,
    /// A product identifier of ten letters and digits. A unit can be received by it.
    #[schema(example = "B07XYZ1234", min_length = 10, max_length = 10)]
    pub asin: Option<String>,
    /// How many units: 1 if `details_type` is `unit`.
    #[schema(example = 1, minimum = 1, maximum = 100_000)]
    pub quantity: i64,
    #[schema(example = "SN-20114", max_length = 255)]
    pub serial_number: Option<String>,
    /// The state of the goods, in the merchant's words. Informational: the warehouse grades each
    /// unit itself.
    #[schema(example = "used", max_length = 255)]
    pub condition: Option<String>,
    /// Who supplied the goods.
    #[schema(example = "V-88", max_length = 255)]
    pub vendor_identifier: Option<String>,
    /// What may be done with the goods, in words agreed with the warehouse.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 100)]
    pub eligibility_flags: Vec<String>,
    /// Why the goods come back.
    #[schema(example = "too_small")]
    pub return_reason: Option<String>,
    /// Who owns the goods, if it is not the ASN's `merchant`.
    #[schema(max_length = 255)]
    pub merchant: Option<String>,
    /// The brand of the goods, if it is not the ASN's `concept`.
    #[schema(max_length = 255)]
    pub concept: Option<String>,
}

impl AsnStatus {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Shipped, Self::Delivered, Self::Cancelled];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        if name == "canceled" {
            return Some(Self::Cancelled);
        }
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl DetailsType {
    pub const ALL: [Self; 2] = [Self::Unit, Self::Sku];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Sku => "sku",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|details_type| details_type.name() == name)
    }
}

/// A line with its carton.
#[derive(Clone, Copy, Debug)]
pub struct AsnLine<'a> {
    pub asn: &'a InboundAsn,
    pub carton: &'a AsnCarton,
    pub detail: &'a AsnDetail,
}

impl InboundAsn {
    /// All lines, in the order of the ASN.
    pub fn lines(&self) -> impl Iterator<Item = AsnLine<'_>> {
        self.cartons.iter().flat_map(move |carton| {
            carton.details.iter().map(move |detail| AsnLine { asn: self, carton, detail })
        })
    }

    /// The line with this identifier.
    pub fn line(&self, line_identifier: &str) -> Option<AsnLine<'_>> {
        self.lines().find(|line| line.detail.line_identifier == line_identifier)
    }
}

impl<'a> AsnLine<'a> {
    pub fn merchant(&self) -> Option<&'a str> {
        self.detail.merchant.as_deref().or(self.asn.merchant.as_deref())
    }

    pub fn concept(&self) -> Option<&'a str> {
        self.detail.concept.as_deref().or(self.asn.concept.as_deref())
    }
}
