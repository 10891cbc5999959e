//! What others see of shipments. The whole message is compared with its sample in
//! [`samples`](crate::samples); here is what depends on the shipment.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use super::*;
use crate::samples;

/// The messages about the sample after `edit`.
fn written(edit: impl FnOnce(&mut Shipment)) -> Vec<Value> {
    let mut shipment = samples::outbound_shipment();
    edit(&mut shipment);
    messages(&shipment).map(|message| serde_json::to_value(message).unwrap()).collect()
}

/// Units numbered on from `first`.
fn units(first: usize, count: usize) -> Vec<OutboundDetail> {
    let sample = samples::outbound_shipment().cartons.remove(0).details.remove(0);
    let unit = |number| OutboundDetail {
        line_identifier: format!("line-{number}"),
        unit_identifier: format!("U-{number}"),
        ..sample.clone()
    };
    (first..first + count).map(unit).collect()
}

/// A shipment with so many units in each of its cartons.
fn build_shipment(cartons: &[usize], max_details_per_message: i64, number: &str) -> Shipment {
    let mut shipment = samples::outbound_shipment();
    let sample = shipment.cartons.remove(0);
    let mut first = 0;
    for (place, count) in cartons.iter().enumerate() {
        shipment.cartons.push(OutboundCarton {
            identifier: Some(format!("C-{place}")),
            details: units(first, *count),
            ..sample.clone()
        });
        first += count;
    }
    shipment.max_details_per_message = max_details_per_message;
    shipment.asn_number = AsnNumber::parse(number).unwrap();
    shipment
}

#[test]
fn a_stock_transfer_has_no_carrier() {
    let message = &written(|shipment| shipment.kind = ShipmentType::StockTransfer)[0];

    for key in ["tracking_number", "carrier", "carrier_payment_type"] {
        assert_eq!(message.get(key), Some(&Value::Null), "{key}");
    }
    assert_eq!(message["bol_number"], "BOL-10023");
}

#[test]
fn the_destination_is_named_by_the_type_of_the_shipment() {
    let named = |kind: ShipmentType| written(|it| it.kind = kind)[0]["to"]["identifier"].clone();

    assert_eq!(named(ShipmentType::StockTransfer), "ST-RENO");
    assert_eq!(named(ShipmentType::Freight), "EXT-RENO");
    assert_eq!(named(ShipmentType::Vendor), "88");
    let plain = written(|it| it.to.vendor_id = None);
    assert_eq!(plain[0]["to"]["identifier"], "WH-RENO");
}

#[test]
fn the_origin_is_named_as_others_name_it_or_else_as_we_do() {
    let plain = written(|shipment| shipment.from.external_identifier = None);

    assert_eq!(plain[0]["from"]["identifier"], "31");
}

#[test]
fn what_is_not_known_is_null() {
    let message = &written(|shipment| {
        shipment.tracking_numbers.clear();
        shipment.carrier = None;
        shipment.carrier_payment_type = None;
        shipment.bol_number = None;
        let carton = &mut shipment.cartons[0];
        carton.identifier = None;
        carton.reference = None;
        carton.sorting_template_name = None;
        carton.details[0] = carton.details[0].required_only();
    })[0];

    let null = |value: &Value, keys: &[&str]| {
        for key in keys {
            assert_eq!(value.get(key), Some(&Value::Null), "{key}");
        }
    };
    null(message, &["tracking_number", "carrier", "carrier_payment_type", "bol_number"]);
    let carton = &message["cartons"][0];
    null(carton, &["identifier", "reference", "sorting_template_name"]);
    let optional = [
        "client_unit_identifier",
        "inbound_received_asn",
        "upc",
        "vendor_identifier",
        "serial_number",
        "merchant",
    ];
    null(&carton["details"][0], &optional);
    assert_eq!(carton["details"][0]["eligibility_flags"], serde_json::json!([]));
}

#[test]
fn a_carton_is_divided_between_messages_and_stays_the_same_carton() {
    let shipment = build_shipment(&[3, 2], 2, "A-7");

    let told: Vec<_> = messages(&shipment)
        .map(|message| {
            let cartons = message.cartons.iter();
            let cartons = cartons.map(|it| (it.identifier.unwrap().to_owned(), it.details.len()));
            (message.asn_number.to_string(), cartons.collect::<Vec<_>>())
        })
        .collect();

    let carton = |name: &str, units| (name.to_owned(), units);
    assert_eq!(
        told,
        [
            ("A-7_1".to_owned(), vec![carton("C-0", 2)]),
            ("A-7_2".to_owned(), vec![carton("C-0", 1), carton("C-1", 1)]),
            ("A-7_3".to_owned(), vec![carton("C-1", 1)]),
        ]
    );
}

#[test]
fn a_shipment_that_fits_keeps_its_number() {
    let exact = build_shipment(&[2, 2], 4, "A-7");

    let numbers: Vec<_> = messages(&exact).map(|message| message.asn_number).collect();

    assert_eq!(numbers, [exact.asn_number]);
}

proptest! {
    #[test]
    fn the_parts_of_a_shipment_are_its_whole(
        cartons in prop::collection::vec(1..20_usize, 1..8),
        most in 1..30_i64,
        // The longest for which a reader accepts a suffix of three digits.
        length in select(&[1_usize, 10, 251][..]),
    ) {
        let shipment = build_shipment(&cartons, most, &"n".repeat(length));

        let told: Vec<_> = messages(&shipment).collect();

        let numbers: HashSet<&str> = told.iter().map(|it| it.asn_number.as_str()).collect();
        prop_assert_eq!(numbers.len(), told.len(), "every message has a number of its own");
        prop_assert_eq!(told.len(), shipment.messages());
        for (place, message) in told.iter().enumerate() {
            let number = AsnNumber::parse(message.asn_number.as_str());
            prop_assert_eq!(number, shipment.message_number(place + 1));
            let units: usize = message.cartons.iter().map(|carton| carton.details.len()).sum();
            prop_assert!((1..=usize::try_from(most).unwrap()).contains(&units));
            prop_assert!(message.cartons.iter().all(|carton| !carton.details.is_empty()));
        }
        let parts: Vec<(Option<&str>, &str)> = told
            .iter()
            .flat_map(|message| &message.cartons)
            .flat_map(|it| it.details.iter().map(|unit| (it.identifier, unit.unit_identifier)))
            .collect();
        let whole: Vec<(Option<&str>, &str)> = shipment
            .cartons
            .iter()
            .flat_map(|it| {
                let carton = it.identifier.as_deref();
                it.details.iter().map(move |unit| (carton, unit.unit_identifier.as_str()))
            })
            .collect();
        prop_assert_eq!(parts, whole, "no unit twice, none missing, each in its carton");
        let lines: HashSet<&str> = told
            .iter()
            .flat_map(|message| &message.cartons)
            .flat_map(|carton| carton.details.iter().map(|unit| unit.line_identifier))
            .collect();
        prop_assert_eq!(lines.len(), shipment.units().count());
    }
}
