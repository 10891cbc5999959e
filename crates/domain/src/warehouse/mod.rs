//! The warehouse: receiving, shipping, and drop shipping.
//!
//! A merchant announces goods with an inbound [`asn`]. [`receiving`] matches a scanned unit to a
//! line, or asks an operator, and the merchant gets a [`receipt_message`] about the unit. Goods
//! leave with a [`shipment`], announced by an [`outbound_message`]. A [`parcel`] is on the bench,
//! and gives scanned codes their meaning. Everything about one unit is in its [record](mod@unit).
//! Orders that the warehouse ships directly to shoppers are [`drop_ship`] orders. The warehouses
//! themselves are [`settings`] of the platform.
//!
//! This file has the types that several of these share.

pub(crate) mod asin;
pub mod asn;
pub mod asn_number;
pub mod code128;
pub mod disposition;
pub mod drop_ship;
pub mod gs1;
pub mod gtin;
pub mod outbound_message;
pub mod parcel;
pub mod plate_label;
pub mod receipt_message;
pub mod receiving;
pub mod return_routes;
pub mod scanned_code;
pub mod settings;
pub mod shipment;
pub mod stray;
#[cfg(test)]
mod tests;
pub mod unit;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::reader::fields::Fields;

/// What goods belong to: an order, a return, a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Reference)]
pub struct GoodsReference {
    #[serde(rename = "type")]
    pub kind: ReferenceType,
    /// The identifier of the order, return or transfer.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T", min_length = 1, max_length = 255)]
    pub identifier: String,
    /// Another identifier of it.
    #[schema(required, example = "ORD-100472", max_length = 255)]
    pub alternate_identifier: Option<String>,
}

/// The type of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ReferenceType {
    StockTransferOrder,
    #[serde(rename = "RA")]
    Ra,
    #[serde(rename = "RMA")]
    Rma,
    ForwardOrder,
    ReturnsPortalOrder,
}

impl ReferenceType {
    pub const ALL: [Self; 5] = [
        Self::StockTransferOrder,
        Self::Ra,
        Self::Rma,
        Self::ForwardOrder,
        Self::ReturnsPortalOrder,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::StockTransferOrder => "StockTransferOrder",
            Self::Ra => "RA",
            Self::Rma => "RMA",
            Self::ForwardOrder => "ForwardOrder",
            Self::ReturnsPortalOrder => "ReturnsPortalOrder",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

fn reference(at: &Fields<'_>) -> GoodsReference {
    at.refuse_unknown();
    let kind = at.required("type", |value| {
        let refused =
            "must be one of StockTransferOrder, RA, RMA, ForwardOrder, ReturnsPortalOrder";
        value.named(ReferenceType::parse, refused)
    });
    GoodsReference {
        kind: kind.unwrap_or(ReferenceType::Rma),
        identifier: at.identifier("identifier"),
        alternate_identifier: at.optional_identifier("alternate_identifier"),
    }
}
