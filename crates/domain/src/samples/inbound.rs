//! Goods that come to the warehouse: announced, and the first of them received.

use super::{document, time};
use crate::returns::receipt::{Receipt, read_receipts};
use crate::warehouse::asn::{InboundAsn, read_asn};
use crate::warehouse::receiving::{
    AsnState, ReceivingContext, ReceivingDecision, UnitScan, receive,
};
use crate::warehouse::unit::UnitRecord;

/// An inbound ASN in which every field occurs.
pub fn inbound_asn_request() -> &'static str {
    include_str!("inbound_asn.json")
}

/// A receipt of a unit that the ASN announces, with every field that can stand beside an ASN.
pub fn receipts_request() -> &'static str {
    include_str!("receipts.json")
}

/// A change of a unit, in which every field occurs.
pub fn unit_change_request() -> &'static str {
    include_str!("unit_change.json")
}

/// The message about [`received_unit`], in which every field occurs.
pub fn inventory_receipt_message() -> &'static str {
    include_str!("inventory_receipt.json")
}

/// The ASN of the sample, with nothing received.
pub fn inbound_asn() -> AsnState {
    let asn: InboundAsn =
        read_asn(&document(inbound_asn_request())).expect("the sample's ASN is acceptable");
    AsnState::announced(asn, "sample".to_owned(), time("2026-02-28T16:00:00Z"))
}

/// The receipt of the sample.
pub fn asn_receipt() -> Receipt {
    let receipts = read_receipts(&document(receipts_request()));
    receipts.expect("the sample's receipts are acceptable").remove(0)
}

/// The first unit of the ASN, received.
pub fn received_unit() -> UnitRecord {
    let receipt = asn_receipt();
    let scan = UnitScan { unit_identifier: "LP-0093321", receipt: &receipt };
    let scene = ReceivingContext { asn: Some(&inbound_asn()), others: &[], unit: None };
    let accepted = match receive(&scene, &scan, time("2026-03-04T10:12:00Z")) {
        ReceivingDecision::Accepted(acceptance) => Some(acceptance.unit),
        ReceivingDecision::Repeat | ReceivingDecision::Exception(_) => None,
    };
    accepted.expect("the sample's unit is awaited")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::tests::{assert_all_present, assert_all_sent, assert_written, fields};
    use super::*;
    use crate::warehouse::GoodsReference;
    use crate::warehouse::asn::{AsnCarton, AsnDestination, AsnDetail, AsnOrigin};
    use crate::warehouse::receipt_message::{InventoryReceipt, ReceivedAt, received};

    fn value(sample: &str) -> Value {
        serde_json::from_str(sample).unwrap()
    }

    #[test]
    fn the_sample_asn_has_every_field_and_is_read_as_it_is_written() {
        let asn = value(inbound_asn_request());

        assert_all_present::<InboundAsn>(&asn);
        assert_all_present::<AsnOrigin>(&asn["from"]);
        assert_all_present::<AsnDestination>(&asn["to"]);
        assert_all_present::<AsnCarton>(&asn["cartons"][0]);
        assert_all_present::<GoodsReference>(&asn["cartons"][0]["reference"]);
        assert_all_present::<AsnDetail>(&asn["cartons"][0]["details"][0]);
        assert_written(&inbound_asn().asn, inbound_asn_request());
    }

    #[test]
    fn the_sample_receipt_has_every_field_that_can_stand_beside_an_asn() {
        let receipt = &value(receipts_request())["receipts"][0];

        assert_all_sent::<Receipt>(receipt, &["rma_identifier"]);
        assert_eq!(serde_json::to_value(asn_receipt()).unwrap(), *receipt);
    }

    #[test]
    fn the_message_about_the_received_unit_is_the_sample_and_has_every_field() {
        let (asn, unit) = (inbound_asn(), received_unit());
        let sample = value(inventory_receipt_message());

        assert_written(&received(&asn.asn, &unit).unwrap(), inventory_receipt_message());
        assert_all_present::<InventoryReceipt<'_>>(&sample);
        assert_all_present::<ReceivedAt<'_>>(&sample["to"]);
        assert!(fields::<InventoryReceipt<'_>>().into_values().all(|required| required));
    }
}
