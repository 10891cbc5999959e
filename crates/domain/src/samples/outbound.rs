//! Goods that leave the warehouse: a unit goes back to its vendor.

use super::{document, time};
use crate::warehouse::asn_number::AsnNumber;
use crate::warehouse::shipment::{self, Shipment, read_change, read_shipment};

/// A shipment in which every field occurs that can be sent.
pub fn shipment_request() -> &'static str {
    include_str!("shipment.json")
}

/// A change of that shipment.
pub fn shipment_change_request() -> &'static str {
    include_str!("shipment_change.json")
}

/// The message about [`outbound_shipment`], in which every field occurs.
pub fn outbound_asn_message() -> &'static str {
    include_str!("outbound_asn.json")
}

/// The shipment of the sample after its change: it has left.
pub fn outbound_shipment() -> Shipment {
    let context = shipment::ShipmentReadContext {
        asn_number: AsnNumber::parse("SHP-1").expect("the sample's number is one"),
        max_details_per_message: 1_000,
        warehouses: Vec::new(),
        now: time("2026-03-10T15:00:00Z"),
    };
    let shipment = read_shipment(&document(shipment_request()), &context);
    let shipment = shipment.expect("the sample's shipment is acceptable");
    let change = read_change(&document(shipment_change_request()));
    let change = change.expect("the sample's change is acceptable");
    let decision = shipment::change(shipment, &change, time("2026-03-11T17:05:00Z"));
    decision.expect("the sample's change is possible").shipment
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::tests::{assert_all_present, assert_all_sent, assert_written};
    use super::*;
    use crate::warehouse::GoodsReference;
    use crate::warehouse::outbound_message::{
        OutboundAsn, OutboundAsnCarton, OutboundAsnDestination, OutboundAsnDetail,
        OutboundAsnOrigin, messages,
    };
    use crate::warehouse::settings::ReceivingAddress;
    use crate::warehouse::shipment::{
        OutboundCarton, OutboundDetail, ReceivingPlace, SendingPlace, ShipmentChange,
    };

    fn value(sample: &str) -> Value {
        serde_json::from_str(sample).unwrap()
    }

    #[test]
    fn the_sample_shipment_has_every_field_that_can_be_sent() {
        let shipment = value(shipment_request());
        let ours = ["created_at", "updated_at", "announcements"];

        assert_all_sent::<Shipment>(&shipment, &ours);
        assert_all_present::<SendingPlace>(&shipment["from"]);
        assert_all_present::<ReceivingPlace>(&shipment["to"]);
        assert_all_present::<ReceivingAddress>(&shipment["to"]["address"]);
        assert_all_present::<OutboundCarton>(&shipment["cartons"][0]);
        assert_all_present::<OutboundDetail>(&shipment["cartons"][0]["details"][0]);
        assert_all_present::<ShipmentChange>(&value(shipment_change_request()));
    }

    #[test]
    fn the_message_about_the_shipment_is_the_sample_and_has_every_field() {
        let shipment = outbound_shipment();
        let sample = value(outbound_asn_message());
        let carton = &sample["cartons"][0];

        let told: Vec<OutboundAsn<'_>> = messages(&shipment).collect();

        assert_eq!(told.len(), 1);
        assert_written(&told[0], outbound_asn_message());
        assert_all_present::<OutboundAsn<'_>>(&sample);
        assert_all_present::<OutboundAsnOrigin<'_>>(&sample["from"]);
        assert_all_present::<OutboundAsnDestination<'_>>(&sample["to"]);
        assert_all_present::<OutboundAsnCarton<'_>>(carton);
        assert_all_present::<GoodsReference>(&carton["reference"]);
        assert_all_present::<OutboundAsnDetail<'_>>(&carton["details"][0]);
    }
}
