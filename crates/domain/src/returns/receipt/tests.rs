//! Whole receipts: every expectation is the complete list of faults.

use serde_json::{Value, json};

use super::*;
use crate::faults::FaultCode;
use crate::json as document;
use crate::reader::test_faults::{invalid, list_faults_below, missing, wrong_type};

/// A receipt with every field that can be sent for a return.
fn sample() -> Value {
    json!({
        "rma_identifier": "RMA-7K3Q-9XWD-2M4T",
        "line_identifier": "ORD-100472-1",
        "unit_identifier": "LP-0093321",
        "sku": "TEE-NAVY-M",
        "upc": "012345678905",
        "condition": "A",
        "channel": "RTS",
        "user_login": "mkowalski",
        "location_identifier": "A-14-03",
        "serial_number": "SN-1",
        "return_reason": "too_small",
        "reject_reason": "worn",
        "tracking_number": "9400111899223197428490",
        "carton_identifier": "CTN-1",
        "asin": "B07XYZ1234",
        "client_unit_identifier": "CU-1",
    })
}

fn read_value(receipts: &Value) -> Result<Vec<Receipt>, Faults> {
    let text = json!({ "receipts": receipts }).to_string();
    read_receipts(&document::parse(text.as_bytes()).unwrap())
}

/// Every fault of the sample after `edit`, with the path of the receipt shortened to `@`.
fn faults(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut receipt = sample();
    edit(&mut receipt);
    list_faults_below("$.receipts[0]", read_value(&json!([receipt])))
}

#[test]
fn a_receipt_is_read_as_it_is_written() {
    let receipts = read_value(&json!([sample()])).unwrap();

    assert_eq!(serde_json::to_value(&receipts[0]).unwrap(), sample());
    assert_eq!(receipts[0].condition, Condition::A);
}

#[test]
fn a_receipt_is_against_a_return_or_an_asn_and_not_both() {
    assert_eq!(
        faults(|receipt| receipt["rma_identifier"] = Value::Null),
        [missing("@.rma_identifier | @.asn_number")]
    );
    assert_eq!(faults(|receipt| receipt["asn_number"] = json!("ASN-1")), [invalid("@.asn_number")]);
    assert_eq!(
        faults(|receipt| {
            receipt["rma_identifier"] = Value::Null;
            receipt["asn_number"] = json!("ASN-1");
        }),
        []
    );
}

#[test]
fn a_unit_of_a_return_is_named_by_its_line_or_sku() {
    let unnamed = |receipt: &mut Value| {
        receipt["line_identifier"] = Value::Null;
        receipt["sku"] = json!("");
    };

    assert_eq!(faults(unnamed), [missing("@.line_identifier | @.sku")]);
    assert_eq!(faults(|receipt| receipt["sku"] = Value::Null), []);
    assert_eq!(faults(|receipt| receipt["line_identifier"] = Value::Null), []);
    assert_eq!(
        faults(|receipt| {
            unnamed(receipt);
            receipt["rma_identifier"] = Value::Null;
            receipt["asn_number"] = json!("ASN-1");
        }),
        [],
        "an ASN may know the unit by its license plate"
    );
}

#[test]
fn a_unit_of_an_asn_has_the_person_who_received_it() {
    let unnamed = |receipt: &mut Value| {
        receipt["channel"] = Value::Null;
        receipt["user_login"] = Value::Null;
    };

    assert_eq!(faults(unnamed), []);
    assert_eq!(
        faults(|receipt| {
            unnamed(receipt);
            receipt["rma_identifier"] = Value::Null;
            receipt["asn_number"] = json!("ASN-1");
        }),
        [missing("@.user_login")]
    );
}

#[test]
fn an_empty_reason_is_no_reason() {
    for nothing in ["", " \n"] {
        let mut receipt = sample();
        receipt["return_reason"] = json!(nothing);
        receipt["reject_reason"] = json!(nothing);
        let receipt = read_value(&json!([receipt])).unwrap().remove(0);

        assert_eq!((receipt.return_reason, receipt.reject_reason), (None, None));
    }
}

#[test]
fn an_asin_has_ten_letters_and_digits_and_an_empty_identifier_is_none() {
    for wrong in ["B07XYZ123", "B07-XYZ123", "B07XYZ12345"] {
        assert_eq!(faults(|receipt| receipt["asin"] = json!(wrong)), [invalid("@.asin")]);
    }
    let mut receipt = sample();
    receipt["asin"] = json!("");
    receipt["warehouse_identifier"] = json!("");
    let receipt = read_value(&json!([receipt])).unwrap().remove(0);

    assert_eq!((receipt.asin, receipt.warehouse_identifier), (None, None));
}

#[test]
fn every_fault_is_reported_at_once() {
    let found = faults(|receipt| {
        receipt["rma_identifier"] = json!("rma_1");
        receipt["sku"] = json!(7);
        receipt["condition"] = json!("Z");
        receipt["grade"] = json!("A");
    });

    assert_eq!(
        found,
        [
            invalid("@.rma_identifier"),
            wrong_type("@.sku"),
            invalid("@.condition"),
            invalid("@.grade"),
        ]
    );
    assert_eq!(faults(|receipt| receipt["condition"] = Value::Null), [missing("@.condition")]);
}

#[test]
fn too_many_receipts_are_refused_unread() {
    let many = |count: usize| read_value(&vec![sample(); count].into());

    assert_eq!(many(RECEIPTS_MAX).unwrap().len(), RECEIPTS_MAX);
    let faults = many(RECEIPTS_MAX + 1).unwrap_err();
    assert_eq!((faults.total, faults.errors[0].field.as_str()), (1, "$.receipts"));
    assert_eq!(read_value(&json!([])).unwrap(), []);
}

#[test]
fn receipts_are_distinguished_by_license_plate_or_else_by_another_identifier() {
    let mut receipt = read_value(&json!([sample()])).unwrap().remove(0);
    let received = |identifier: &str| RmaEvent::Received {
        receipt_identifier: identifier.to_owned(),
        line: Some("ORD-100472-1".to_owned()),
        sku: Some("TEE-NAVY-M".to_owned()),
        condition: Condition::A,
        reject_reason: Some("worn".to_owned()),
        channel: Some("RTS".to_owned()),
        assigned: false,
    };

    assert_eq!(receipt.rma_event("7"), received("LP-0093321"));
    receipt.unit_identifier = None;
    assert_eq!(receipt.rma_event("7"), received("7"));
}

#[test]
fn conditions_are_parsed_from_their_names() {
    for condition in Condition::ALL {
        assert_eq!(Condition::parse(condition.name()), Some(condition));
        assert_eq!(serde_json::to_value(condition).unwrap(), condition.name());
    }
    assert_eq!(Condition::parse("n"), None);
}
