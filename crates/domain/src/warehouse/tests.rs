//! Whatever is done to a request, reading it ends in a verdict, and what is accepted is kept.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::asn::{InboundAsn, read_asn};
use super::asn_number::AsnNumber;
use super::drop_ship::{self, DropShipOrder, read_cancellation, read_drop_ship_order};
use super::shipment::{self, Shipment, read_change, read_shipment};
use super::unit::read_answer;
use super::*;
use crate::faults::Faults;
use crate::json as document;
use crate::json::Json;
use crate::samples;

/// One thing done to the value at a place.
#[derive(Clone, Debug)]
enum Change {
    Drop,
    Replace(Value),
    /// Puts a copy of an element behind it.
    Repeat,
}

fn change() -> impl Strategy<Value = Change> {
    let junk = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Into::into),
        (-2..3_i64).prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        select(&["unit", "sku", "88", "vendor", "freight", "2026-03-09"][..]).prop_map(Into::into),
        Just(json!([])),
        Just(json!({ "a": [1, null] })),
    ];
    prop_oneof![Just(Change::Drop), junk.prop_map(Change::Replace), Just(Change::Repeat)]
}

/// Walks down from `value` as far as `way` leads, and changes what is there.
fn apply(value: &mut Value, way: &[Index], change: &Change) {
    match (value, way.split_first()) {
        (Value::Object(fields), Some((index, rest))) if !fields.is_empty() => {
            let key = fields.keys().nth(index.index(fields.len())).unwrap().clone();
            if matches!(change, Change::Drop) && rest.is_empty() {
                fields.remove(&key);
            } else {
                apply(&mut fields[&key], rest, change);
            }
        }
        (Value::Array(elements), Some((index, rest))) if !elements.is_empty() => {
            let position = index.index(elements.len());
            if matches!(change, Change::Repeat) && rest.is_empty() {
                let copy = elements[position].clone();
                elements.insert(position, copy);
            } else {
                apply(&mut elements[position], rest, change);
            }
        }
        (place, _) => {
            if let Change::Replace(value) = change {
                *place = value.clone();
            }
        }
    }
}

type Changes = Vec<(Vec<Index>, Change)>;

fn changes() -> impl Strategy<Value = Changes> {
    prop::collection::vec((prop::collection::vec(any::<Index>(), 0..7), change()), 1..4)
}

/// What `read` makes of the sample after `changes`; nothing where it tells faults.
fn judged<T>(
    sample: &str,
    changes: &Changes,
    read: impl FnOnce(&Json<'_>) -> Result<T, Faults>,
) -> Result<Option<T>, TestCaseError> {
    let mut value: Value = serde_json::from_str(sample).unwrap();
    for (way, change) in changes {
        apply(&mut value, way, change);
    }
    match read(&document::parse(value.to_string().as_bytes()).unwrap()) {
        Ok(accepted) => Ok(Some(accepted)),
        Err(faults) => {
            prop_assert!(faults.total > 0 && !faults.errors.is_empty());
            Ok(None)
        }
    }
}

#[test]
fn references_are_found_by_the_names_they_are_written_by() {
    for kind in ReferenceType::ALL {
        assert_eq!(ReferenceType::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    assert_eq!(ReferenceType::parse("rma"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_changed_asn_is_judged_and_kept_when_accepted(changes in changes()) {
        if let Some(asn) = judged(samples::inbound_asn_request(), &changes, read_asn)? {
            let written = serde_json::to_string(&asn).unwrap();
            prop_assert_eq!(&serde_json::from_str::<InboundAsn>(&written).unwrap(), &asn);
            let again = read_asn(&document::parse(written.as_bytes()).unwrap());
            prop_assert_eq!(again, Ok(asn));
        }
    }

    #[test]
    fn a_changed_shipment_is_judged_and_told_when_accepted(changes in changes()) {
        let context = shipment::ShipmentReadContext {
            asn_number: AsnNumber::parse("SHP-1").unwrap(),
            max_details_per_message: 1,
            warehouses: Vec::new(),
            now: samples::outbound_shipment().created_at,
        };
        let read = |document: &Json<'_>| read_shipment(document, &context);
        if let Some(shipment) = judged(samples::shipment_request(), &changes, read)? {
            let written = serde_json::to_string(&shipment).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Shipment>(&written).unwrap(), &shipment);
            for message in outbound_message::messages(&shipment) {
                prop_assert!(!message.to.identifier.is_empty());
                prop_assert!(serde_json::to_string(&message).is_ok());
            }
        }
        judged(samples::shipment_change_request(), &changes, read_change)?;
    }

    #[test]
    fn a_changed_drop_ship_order_is_judged_and_kept_when_accepted(changes in changes()) {
        let now = samples::drop_ship_order().created_at;
        let context = drop_ship::DropShipReadContext { first_id: i64::MAX, now };
        let read = |document: &Json<'_>| read_drop_ship_order(document, &context);
        if let Some(order) = judged(samples::drop_ship_order_request(), &changes, read)? {
            let written = serde_json::to_string(&order).unwrap();
            prop_assert_eq!(serde_json::from_str::<DropShipOrder>(&written).unwrap(), order);
        }
        judged(samples::drop_ship_shipment_request(), &changes, drop_ship::read_shipping)?;
        judged(samples::drop_ship_cancellation_request(), &changes, read_cancellation)?;
        let answer = r#"{"action":"match","asn_number":"A","line_identifier":"1"}"#;
        judged(answer, &changes, read_answer)?;
    }
}
