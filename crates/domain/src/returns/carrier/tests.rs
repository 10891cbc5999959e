//! Whole carrier events: every expectation is the complete list of faults.

use serde_json::{Value, json};

use super::*;
use crate::faults::FaultCode;
use crate::json as document;
use crate::reader::test_faults::{invalid, list_faults_below, missing, wrong_type};

fn sample() -> Value {
    json!({
        "type": "in_transit",
        "rma_identifier": "RMA-7K3Q-9XWD-2M4T",
        "tracking_number": "1Z9",
        "order_line_item_identifiers": ["1", "2"],
        "occurred_at": "2026-02-23T07:41:12Z",
    })
}

fn read_value(events: &Value) -> Result<Vec<CarrierEvent>, Faults> {
    let text = json!({ "events": events }).to_string();
    read_carrier_events(&document::parse(text.as_bytes()).unwrap())
}

/// Every fault of the sample after `edit`, with the path of the event shortened to `@`.
fn faults(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let mut event = sample();
    edit(&mut event);
    list_faults_below("$.events[0]", read_value(&json!([event])))
}

#[test]
fn an_event_is_read_as_it_is_written() {
    let events = read_value(&json!([sample()])).unwrap();

    assert_eq!(serde_json::to_value(&events[0]).unwrap(), sample());
    assert_eq!(
        events[0].rma_event(Vec::new()),
        RmaEvent::Scanned {
            scan: CarrierScan::InTransit,
            tracking_number: Some("1Z9".to_owned()),
            lines: vec!["1".to_owned(), "2".to_owned()],
        }
    );
}

#[test]
fn an_event_names_a_return_or_a_parcel() {
    let without = |keys: &[&str]| {
        faults(|event| {
            for key in keys {
                event[*key] = Value::Null;
            }
        })
    };

    assert_eq!(without(&["rma_identifier"]), []);
    assert_eq!(without(&["tracking_number"]), []);
    assert_eq!(
        without(&["rma_identifier", "tracking_number"]),
        [missing("@.rma_identifier | @.tracking_number")]
    );
    assert_eq!(without(&["order_line_item_identifiers", "occurred_at"]), []);
}

#[test]
fn a_label_names_both_its_return_and_its_number() {
    let label = faults(|event| *event = json!({ "type": "label_created" }));
    assert_eq!(label, [missing("@.rma_identifier"), missing("@.tracking_number")]);
    let empty = faults(|event| {
        event["type"] = json!("label_created");
        event["tracking_number"] = json!("");
    });
    assert_eq!(empty, [invalid("@.tracking_number")]);

    let mut event = sample();
    event["type"] = json!("label_created");
    let events = read_value(&json!([event])).unwrap();
    let lines = vec!["1".to_owned(), "2".to_owned()];
    assert_eq!(events[0].rma_event(Vec::new()), RmaEvent::label("1Z9".to_owned(), lines));
}

#[test]
fn every_fault_is_reported_at_once() {
    let found = faults(|event| {
        event["type"] = json!("lost");
        event["rma_identifier"] = json!("rma_1");
        event["tracking_number"] = json!(1);
        event["order_line_item_identifiers"] = json!(["", 1]);
        event["occurred_at"] = json!("today");
        event["carrier"] = json!("UPS");
    });

    assert_eq!(
        found,
        [
            invalid("@.type"),
            invalid("@.rma_identifier"),
            wrong_type("@.tracking_number"),
            invalid("@.order_line_item_identifiers[0]"),
            wrong_type("@.order_line_item_identifiers[1]"),
            invalid("@.occurred_at"),
            invalid("@.carrier"),
        ]
    );
}

#[test]
fn too_many_events_are_refused_unread() {
    let many = |count: usize| read_value(&vec![sample(); count].into());

    assert_eq!(many(EVENTS_MAX).unwrap().len(), EVENTS_MAX);
    let faults = many(EVENTS_MAX + 1).unwrap_err();
    assert_eq!((faults.total, faults.errors[0].field.as_str()), (1, "$.events"));
}

#[test]
fn kinds_are_parsed_from_their_names() {
    for kind in CarrierEventKind::ALL {
        assert_eq!(CarrierEventKind::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    let scans: Vec<CarrierScan> =
        CarrierEventKind::ALL.into_iter().filter_map(CarrierEventKind::scan).collect();
    assert_eq!(scans, CarrierScan::ALL, "every scan can be reported");
}
