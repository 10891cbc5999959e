//! What merchants see of received units. The whole message is compared with its sample in
//! [`samples`](crate::samples); here is what depends on the unit.

use serde_json::Value;

use super::*;
use crate::samples;
use crate::warehouse::unit::{ExceptionKind, ReceivingAnswer, ReceivingQuestion};

fn written(asn: &InboundAsn, unit: &UnitRecord) -> Value {
    serde_json::to_value(received(asn, unit).unwrap()).unwrap()
}

/// The message about a unit of which nothing was scanned but what must be.
fn bare() -> Value {
    let (mut asn, mut unit) = (samples::inbound_asn().asn, samples::received_unit());
    asn.shipment_identifier = None;
    asn.tracking_number = None;
    asn.merchant = None;
    asn.concept = None;
    asn.to.original_identifier = None;
    let receipt = unit.receipt.as_mut().unwrap();
    receipt.line_identifier = None;
    let scanned = &mut receipt.scanned;
    scanned.sku = None;
    scanned.upc = None;
    scanned.serial_number = None;
    scanned.return_reason = None;
    scanned.reject_reason = None;
    scanned.asin = None;
    scanned.tracking_number = None;
    scanned.location_identifier = None;
    scanned.client_unit_identifier = None;
    scanned.carton_identifier = None;
    written(&asn, &unit)
}

#[test]
fn what_nobody_knows_is_null() {
    let message = bare();
    for key in [
        "shipment_identifier",
        "carton_identifier",
        "reference",
        "line_identifier",
        "reference_line_identifier",
        "sku",
        "upc",
        "serial_number",
        "return_reason",
        "merchant",
        "concept",
        "asin",
        "tracking_number",
        "location_identifier",
        "client_unit_identifier",
        "reject_reason",
    ] {
        assert_eq!(message.get(key), Some(&Value::Null), "{key}");
    }
    assert_eq!(message["to"].get("original_identifier"), Some(&Value::Null));
    assert_eq!(message["unit_identifier"], "LP-0093321");
}

#[test]
fn what_was_not_scanned_is_told_as_it_was_announced() {
    let (asn, mut unit) = (samples::inbound_asn().asn, samples::received_unit());
    let whole = written(&asn, &unit);
    let receipt = unit.receipt.as_mut().unwrap();
    receipt.scanned.sku = None;
    receipt.scanned.upc = None;
    receipt.scanned.serial_number = None;
    receipt.scanned.return_reason = None;
    receipt.scanned.tracking_number = None;
    receipt.scanned.client_unit_identifier = None;

    assert_eq!(written(&asn, &unit), whole);
}

#[test]
fn what_was_scanned_goes_before_what_was_announced() {
    let (asn, mut unit) = (samples::inbound_asn().asn, samples::received_unit());
    let receipt = unit.receipt.as_mut().unwrap();
    receipt.scanned.tracking_number = Some("1Z9".to_owned());
    receipt.scanned.sku = Some("TEE-NAVY-L".to_owned());

    let message = written(&asn, &unit);

    assert_eq!(
        (&message["tracking_number"], &message["sku"]),
        (&"1Z9".into(), &"TEE-NAVY-L".into())
    );
}

#[test]
fn surplus_without_a_sku_is_named_by_its_upc() {
    let (asn, mut unit) = (samples::inbound_asn().asn, samples::received_unit());
    let receipt = unit.receipt.as_mut().unwrap();
    receipt.line_identifier = None;
    receipt.scanned.sku = None;

    assert_eq!(written(&asn, &unit)["sku"], "012345678905");
}

#[test]
fn a_unit_with_another_license_plate_is_named_as_it_was_announced() {
    let (asn, mut unit) = (samples::inbound_asn().asn, samples::received_unit());
    unit.unit_identifier = "LP-77".to_owned();

    assert_eq!(written(&asn, &unit)["unit_identifier"], "LP-0093321");
}

#[test]
fn the_warehouse_is_an_integer_where_nothing_is_lost() {
    let (mut asn, mut unit) = (samples::inbound_asn().asn, samples::received_unit());
    unit.receipt.as_mut().unwrap().scanned.warehouse_identifier = None;
    for (identifier, expected) in [
        ("31", Value::from(31)),
        ("0", Value::from(0)),
        ("031", Value::from("031")),
        ("+31", Value::from("+31")),
        ("31a", Value::from("31a")),
        ("99999999999999999999", Value::from("99999999999999999999")),
    ] {
        identifier.clone_into(&mut asn.to.identifier);
        assert_eq!(written(&asn, &unit)["to"]["identifier"], expected);
    }
}

#[test]
fn there_is_no_message_about_a_unit_of_another_asn() {
    let (asn, mut unit) = (samples::inbound_asn().asn, samples::received_unit());
    unit.receipt.as_mut().unwrap().asn_number = "A-2".to_owned();

    assert_eq!(received(&asn, &unit), None);
    assert_eq!(received(&asn, &UnitRecord::new("LP-1")), None);
}

#[test]
fn a_rejected_unit_is_told_with_the_reason_and_no_line() {
    let asn = samples::inbound_asn().asn;
    let mut unit = UnitRecord::new("LP-9");
    assert_eq!(rejected(&asn, &unit), None);

    let reason = "not ours".to_owned();
    unit.reject_reason = Some(reason.clone());
    unit.questions.push(ReceivingQuestion {
        asn_number: asn.asn_number.to_string(),
        kind: ExceptionKind::UnknownUnit,
        raised_at: unit_time(),
        scanned: samples::asn_receipt(),
        candidates: Vec::new(),
        answer: Some(ReceivingAnswer::Reject { reason }),
    });

    let message = rejected(&asn, &unit).unwrap();
    assert_eq!((message.reject_reason, message.line_identifier), (Some("not ours"), None));
    assert_eq!(message.unit_identifier, "LP-9");
}

fn unit_time() -> jiff::Timestamp {
    samples::received_unit().receipt.unwrap().received_at
}
