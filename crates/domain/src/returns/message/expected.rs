//! A return as the warehouse sees it that receives its goods: what arrives, but neither amounts nor
//! e-mail addresses.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::returns::ReturnMethod;
use crate::returns::condition::Condition;
use crate::returns::identifier::RmaId;
use crate::returns::rma::{ReceivingStatus, Rma, RmaStatus, RmaUnit, TrackingStatus};

/// A return that the warehouse receives, without amounts and e-mail addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExpectedReturn<'a> {
    pub rma_identifier: &'a RmaId,
    pub status: RmaStatus,
    /// When the shopper confirmed the return.
    #[schema(example = "2026-02-20T10:15:00Z")]
    pub created_at: Timestamp,
    /// When the return last changed.
    #[schema(example = "2026-02-23T07:41:12Z")]
    pub updated_at: Timestamp,
    pub return_method: ReturnMethod,
    /// Whether the warehouse expects no more units of the return: none is `PENDING`.
    pub receiving_complete: bool,
    /// The brand or storefront that sold the goods.
    #[schema(required, example = "Harbor & Pine")]
    pub concept: Option<&'a str>,
    /// One element for each unit.
    pub items: Vec<ExpectedUnit<'a>>,
}

/// A unit that the warehouse receives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ExpectedUnit<'a> {
    /// The order that the unit was bought with.
    #[schema(example = "ORD-100472")]
    pub order_identifier: &'a str,
    /// The `identifier` of the order line.
    #[schema(example = "ORD-100472-1")]
    pub order_line_item_identifier: &'a str,
    #[schema(required, example = "TEE-NAVY-M")]
    pub sku: Option<&'a str>,
    #[schema(required, example = "012345678905")]
    pub upc: Option<&'a str>,
    #[schema(example = "Organic cotton tee, navy, M")]
    pub title: &'a str,
    /// Why it is returned, as the shopper chose.
    #[schema(example = "too_small")]
    pub return_reason: &'a str,
    /// The carrier's tracking number. Null until there is a label.
    #[schema(required, example = "9400111899223197428490")]
    pub tracking_number: Option<&'a str>,
    /// Where the parcel is. Null until there is a label or a scan.
    #[schema(required)]
    pub package_tracking_status: Option<TrackingStatus>,
    /// Whether the warehouse has the unit.
    #[schema(required)]
    pub receiving_status: Option<ReceivingStatus>,
    /// The condition of the unit, as graded by the warehouse. Null until it arrives.
    #[schema(required)]
    pub warehouse_receipt_condition: Option<Condition>,
}

impl<'a> ExpectedReturn<'a> {
    pub fn of(rma: &'a Rma) -> Self {
        Self {
            rma_identifier: &rma.rma_identifier,
            status: rma.status,
            created_at: rma.created_at,
            updated_at: rma.updated_at,
            return_method: rma.return_method,
            receiving_complete: rma.receiving_complete,
            concept: rma.concept.as_deref(),
            items: rma.units.iter().map(expected_unit).collect(),
        }
    }
}

fn expected_unit(unit: &RmaUnit) -> ExpectedUnit<'_> {
    ExpectedUnit {
        order_identifier: &unit.goods.order_identifier,
        order_line_item_identifier: &unit.goods.order_line_item_identifier,
        sku: unit.goods.sku.as_deref(),
        upc: unit.goods.upc.as_deref(),
        title: &unit.goods.title,
        return_reason: &unit.goods.return_reason,
        tracking_number: unit.tracking_number.as_deref(),
        package_tracking_status: unit.tracking,
        receiving_status: unit.receiving,
        warehouse_receipt_condition: unit.receipt.as_ref().map(|receipt| receipt.condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warehouse_sees_neither_amounts_nor_e_mail_addresses() {
        let rma = Rma {
            giftee_email: Some("robin.ames@example.com".to_owned()),
            ..crate::samples::rma()
        };
        let text = serde_json::to_string(&ExpectedReturn::of(&rma)).unwrap();
        assert!(text.contains(rma.rma_identifier.as_str()));
        for secret in ["cents", "@", "amount", "refund", "label"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}
