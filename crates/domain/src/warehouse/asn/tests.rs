//! ASNs of all kinds, judged as a whole: every expectation is the complete list of faults.

use serde_json::{Value, json};

use super::*;
use crate::faults::{FaultCode, Faults};
use crate::json as document;
use crate::samples;

fn sample() -> Value {
    serde_json::from_str(samples::inbound_asn_request()).unwrap()
}

fn judge(asn: &Value) -> Result<InboundAsn, Faults> {
    read_asn(&document::parse(asn.to_string().as_bytes()).unwrap())
}

/// Every fault of the sample after `edit`.
fn faults(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut asn = sample();
    edit(&mut asn);
    let Err(faults) = judge(&asn) else {
        return Vec::new();
    };
    faults.errors.into_iter().map(|error| (error.field, error.code)).collect()
}

fn told(field: &str, code: FaultCode) -> Vec<(String, FaultCode)> {
    vec![(field.to_owned(), code)]
}

/// An ASN of so many lines of quantities, in one carton.
fn of_lines(count: usize) -> Value {
    let mut asn = sample();
    asn["details_type"] = json!("sku");
    let line = |number| json!({"line_identifier": format!("{number}"), "sku": "A", "quantity": 1});
    asn["cartons"] = json!([{"details": (0..count).map(line).collect::<Vec<_>>()}]);
    asn
}

#[test]
fn everything_required_is_missed_when_it_is_absent() {
    let paths = [
        "/program_identifier",
        "/asn_number",
        "/status",
        "/details_type",
        "/from",
        "/from/identifier",
        "/from/type",
        "/to",
        "/to/identifier",
        "/to/type",
        "/cartons",
        "/cartons/0/details",
        "/cartons/0/reference/type",
        "/cartons/0/reference/identifier",
        "/cartons/0/details/0/line_identifier",
        "/cartons/0/details/0/unit_identifier",
        "/cartons/0/details/0/sku",
        "/cartons/0/details/0/quantity",
    ];
    for path in paths {
        let field = format!("${}", path.replace('/', ".")).replace(".0", "[0]");
        let found = faults(|asn| *asn.pointer_mut(path).unwrap() = Value::Null);
        assert_eq!(found, told(&field, FaultCode::MissingField), "{path}");
    }
}

#[test]
fn a_number_is_no_identifier_of_a_return_as_it_is_written() {
    let number = |number: &str| faults(|asn| asn["asn_number"] = json!(number));

    assert_eq!(number("RMA-7K3Q-9XWD-2M4T"), told("$.asn_number", FaultCode::Invalid));
    for other in ["rma-7k3q-9xwd-2m4t", "7K3Q9XWD2M4T", "RMA-7K3Q-9XWD-2M4T-1"] {
        assert_eq!(number(other), [], "{other}");
    }
}

#[test]
fn everything_else_may_be_absent() {
    let asn = json!({
        "program_identifier": "p", "asn_number": "A", "status": "pending", "details_type": "sku",
        "from": {"identifier": "1", "type": "store"}, "to": {"identifier": 31, "type": "warehouse"},
        "cartons": [{"details": [{"line_identifier": "1", "sku": "S", "quantity": 3}]}],
    });

    let asn = judge(&asn).unwrap();

    assert_eq!(asn.to.identifier, "31", "an integer is kept as text");
    assert_eq!(asn.cartons[0].details[0].quantity, 3);
}

#[test]
fn the_number_is_of_1_to_255_plain_characters() {
    let numbered = |number: &str| faults(|asn| asn["asn_number"] = json!(number));
    let refused = told("$.asn_number", FaultCode::Invalid);

    assert_eq!(numbered("A"), []);
    assert_eq!(numbered(&"A".repeat(255)), []);
    assert_eq!(numbered(&"A".repeat(256)), refused);
    assert_eq!(numbered(""), refused);
    assert_eq!(numbered("A 1"), refused);
    assert_eq!(
        faults(|asn| asn["asn_number"] = json!(7)),
        told("$.asn_number", FaultCode::InvalidType)
    );
}

#[test]
fn a_line_of_a_piece_is_one_unit_with_a_name_of_its_own() {
    let line = "$.cartons[0].details[1]";

    assert_eq!(
        faults(|asn| asn["cartons"][0]["details"][1]["quantity"] = json!(2)),
        told(&format!("{line}.quantity"), FaultCode::Invalid)
    );
    assert_eq!(
        faults(|asn| asn["cartons"][0]["details"][1]["unit_identifier"] = json!("LP-0093321")),
        told(&format!("{line}.unit_identifier"), FaultCode::Invalid)
    );
}

#[test]
fn a_line_of_a_quantity_names_no_piece() {
    let found = faults(|asn| {
        asn["details_type"] = json!("sku");
        asn["cartons"][0]["details"][0]["unit_identifier"] = Value::Null;
        asn["cartons"][0]["details"][0]["quantity"] = json!(LINE_UNITS_MAX);
    });

    assert_eq!(found, told("$.cartons[0].details[1].unit_identifier", FaultCode::Invalid));
}

#[test]
fn an_empty_optional_identifier_is_none() {
    let mut asn = sample();
    asn["to"]["original_identifier"] = json!("");
    asn["cartons"][0]["details"][0]["asin"] = json!("");

    let asn = judge(&asn).unwrap();

    assert_eq!(asn.to.original_identifier, None);
    assert_eq!(asn.cartons[0].details[0].asin, None);
}

#[test]
fn a_line_stands_once_in_an_asn_though_in_another_carton() {
    let found = faults(|asn| {
        let mut carton = asn["cartons"][0].clone();
        carton["details"].as_array_mut().unwrap().remove(1);
        carton["details"][0]["unit_identifier"] = json!("LP-9");
        asn["cartons"].as_array_mut().unwrap().push(carton);
    });

    assert_eq!(found, told("$.cartons[1].details[0].line_identifier", FaultCode::Invalid));
}

#[test]
fn everything_wrong_is_told_at_once() {
    let found = faults(|asn| {
        asn["status"] = json!("lost");
        asn["details_type"] = json!("pallet");
        asn["ship_date"] = json!("yesterday");
        asn["colour"] = json!("blue");
        asn["cartons"][0]["reference"]["type"] = json!("Order");
        asn["cartons"][0]["details"][0]["quantity"] = json!(0);
        asn["cartons"][0]["details"][0]["eligibility_flags"] = json!([7]);
        asn["cartons"][0]["details"][1]["size"] = json!("M");
    });

    let invalid = |field: &str| (field.to_owned(), FaultCode::Invalid);
    assert_eq!(
        found,
        [
            invalid("$.status"),
            invalid("$.details_type"),
            invalid("$.ship_date"),
            invalid("$.cartons[0].reference.type"),
            invalid("$.cartons[0].details[0].quantity"),
            ("$.cartons[0].details[0].eligibility_flags[0]".to_owned(), FaultCode::InvalidType),
            invalid("$.cartons[0].details[1].size"),
            invalid("$.colour"),
        ]
    );
}

#[test]
fn there_is_something_in_every_carton_and_not_too_much_in_all() {
    assert_eq!(faults(|asn| asn["cartons"] = json!([])), told("$.cartons", FaultCode::Invalid));
    assert_eq!(
        faults(|asn| asn["cartons"][0]["details"] = json!([])),
        told("$.cartons[0].details", FaultCode::Invalid)
    );
    assert_eq!(judge(&of_lines(LINES_MAX)).unwrap().lines().count(), LINES_MAX);
    let mut more = of_lines(LINES_MAX);
    let extra = json!({"details": [{"line_identifier": "x", "sku": "A", "quantity": 1}]});
    more["cartons"].as_array_mut().unwrap().push(extra);
    let faults = judge(&more).unwrap_err();
    assert_eq!((faults.total, faults.errors[0].field.as_str()), (1, "$.cartons"));
    let mut many = sample();
    many["cartons"] = vec![json!({"details": []}); CARTONS_MAX + 1].into();
    assert_eq!(judge(&many).unwrap_err().total, 1, "of too many cartons nothing is read");
}

#[test]
fn what_is_no_asn_at_all_is_told_as_such() {
    for (asn, code) in [(json!([]), FaultCode::InvalidType), (Value::Null, FaultCode::MissingField)]
    {
        let faults = judge(&asn).unwrap_err();
        assert_eq!((faults.total, faults.errors[0].code), (1, code));
    }
}

#[test]
fn a_line_may_have_another_owner_and_brand_than_the_asn() {
    let asn = judge(&sample()).unwrap();
    let owners: Vec<_> = asn.lines().map(|line| (line.merchant(), line.concept())).collect();

    assert_eq!(
        owners,
        [
            (Some("Harbor & Pine Outlet"), Some("Pine Basics")),
            (Some("Harbor & Pine Trading"), Some("Harbor & Pine")),
        ]
    );
}

#[test]
fn words_are_found_by_the_names_they_are_written_by() {
    for status in AsnStatus::ALL {
        assert_eq!(AsnStatus::parse(status.name()), Some(status));
        assert_eq!(serde_json::to_value(status).unwrap(), status.name());
    }
    for details_type in DetailsType::ALL {
        assert_eq!(DetailsType::parse(details_type.name()), Some(details_type));
        assert_eq!(serde_json::to_value(details_type).unwrap(), details_type.name());
    }
    assert_eq!(AsnStatus::parse("canceled"), Some(AsnStatus::Cancelled));
}
