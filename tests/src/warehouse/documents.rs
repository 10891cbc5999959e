//! The contract shows what is really sent.

use std::fs;

use crate::harness::binary::workspace;

/// The samples in the contract, each with its name.
fn shown(contract: &str) -> Vec<(&str, &str)> {
    let after = contract.split("<!-- sample: ").skip(1);
    after.map(sample).collect()
}

/// What stands behind the beginning of a sample's mark.
fn sample(text: &str) -> (&str, &str) {
    let (name, rest) = text.split_once(" -->\n```json\n").unwrap();
    let (body, _) = rest.split_once("\n```").unwrap();
    (name, body)
}

#[test]
fn the_samples_in_the_contract_are_those_that_are_tested() {
    let contract = fs::read_to_string(workspace().join("docs/contract.md")).unwrap();
    let samples = shown(&contract);
    let folder = workspace().join("crates/domain/src/samples");

    for (name, text) in &samples {
        let sample = fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(*text, sample.trim_end(), "{name}");
    }
    for name in [
        "inbound_asn.json",
        "receipts.json",
        "inventory_receipt.json",
        "unit_change.json",
        "shipment.json",
        "shipment_change.json",
        "outbound_asn.json",
        "drop_ship_order.json",
        "drop_ship_shipment.json",
        "drop_ship_cancellation.json",
        "drop_shipment_confirmation.json",
        "drop_shipment_cancellation.json",
        "drop_shipment_partial_cancellation.json",
    ] {
        assert!(samples.iter().any(|(shown, _)| *shown == name), "{name} is not shown");
    }
}
