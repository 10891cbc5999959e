//! Shipments of all kinds, judged as a whole, and how they go on.

mod life;

use serde_json::{Value, json};

use super::*;
use crate::faults::{FaultCode, Faults};
use crate::json as document;
use crate::samples;
use crate::warehouse::settings::{
    ReceivingAddress, Warehouse, WarehouseAddress, WarehouseSettings,
};

impl OutboundDetail {
    /// The line without anything that may be absent.
    pub(crate) fn required_only(&self) -> Self {
        Self {
            client_unit_identifier: None,
            inbound_received_asn: None,
            upc: None,
            vendor_identifier: None,
            serial_number: None,
            eligibility_flags: Vec::new(),
            merchant: None,
            ..self.clone()
        }
    }
}

pub(super) fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_773_100_000 + second).unwrap()
}

fn sample() -> Value {
    serde_json::from_str(samples::shipment_request()).unwrap()
}

fn judge(shipment: &Value) -> Result<Shipment, Faults> {
    judge_with(Vec::new(), shipment)
}

/// Reads a shipment while these warehouses are configured.
fn judge_with(warehouses: Vec<Warehouse>, shipment: &Value) -> Result<Shipment, Faults> {
    let context = ShipmentReadContext {
        asn_number: AsnNumber::parse("SHP-1").unwrap(),
        max_details_per_message: 500,
        warehouses,
        now: time(0),
    };
    read_shipment(&document::parse(shipment.to_string().as_bytes()).unwrap(), &context)
}

fn edited(edit: impl FnOnce(&mut Value)) -> Result<Shipment, Faults> {
    let mut shipment = sample();
    edit(&mut shipment);
    judge(&shipment)
}

/// Every fault of the sample after `edit`.
fn faults(edit: impl FnOnce(&mut Value)) -> Vec<(String, FaultCode)> {
    let Err(faults) = edited(edit) else {
        return Vec::new();
    };
    faults.errors.into_iter().map(|error| (error.field, error.code)).collect()
}

fn told(field: &str, code: FaultCode) -> Vec<(String, FaultCode)> {
    vec![(field.to_owned(), code)]
}

/// The details of so many units.
fn details(count: usize) -> Value {
    let unit = |number| {
        json!({"line_identifier": format!("{number}"), "unit_identifier": format!("U-{number}"),
               "program_identifier": "p", "sku": "A", "condition": "N"})
    };
    (0..count).map(unit).collect::<Vec<_>>().into()
}

#[test]
fn everything_required_is_missed_when_it_is_absent() {
    let paths = [
        "/type",
        "/from",
        "/from/identifier",
        "/from/type",
        "/to",
        "/to/type",
        "/to/address",
        "/to/address/name",
        "/to/address/street",
        "/to/address/city",
        "/to/address/state",
        "/to/address/zip",
        "/channel",
        "/shipment_identifier",
        "/ship_date",
        "/cartons",
        "/cartons/0/details",
        "/cartons/0/reference/type",
        "/cartons/0/reference/identifier",
        "/cartons/0/details/0/line_identifier",
        "/cartons/0/details/0/program_identifier",
        "/cartons/0/details/0/unit_identifier",
        "/cartons/0/details/0/sku",
        "/cartons/0/details/0/condition",
    ];
    for path in paths {
        let field = format!("${}", path.replace('/', ".")).replace(".0", "[0]");
        let found = faults(|shipment| *shipment.pointer_mut(path).unwrap() = Value::Null);
        assert_eq!(found, told(&field, FaultCode::MissingField), "{path}");
    }
}

#[test]
fn what_is_absent_is_made_up_or_left_out() {
    let shipment = json!({
        "type": "freight", "channel": "RTS", "shipment_identifier": "1",
        "from": {"identifier": 31, "type": "warehouse"},
        "to": {"identifier": 88, "type": "store", "address": sample()["to"]["address"]},
        "ship_date": "2026-03-10T17:00:00+02:00", "details_type": "unit",
        "timestamp": "2026-03-10T17:00:00Z", "cartons": [{"details": details(1)}],
    });

    let shipment = judge(&shipment).unwrap();

    assert_eq!(shipment.asn_number.as_str(), "SHP-1");
    assert_eq!(shipment.status, ShipmentStatus::Pending);
    assert_eq!(shipment.max_details_per_message, 500);
    assert_eq!(shipment.from.identifier, "31");
    assert_eq!(shipment.tracking_numbers, Vec::<String>::new());
    let stored = serde_json::to_string(&shipment).unwrap();
    assert_eq!(serde_json::from_str::<Shipment>(&stored).unwrap(), shipment);
}

#[test]
fn the_receiving_place_has_an_identifier_for_the_type_of_the_shipment() {
    let unnamed = |kind: &str| {
        faults(|shipment| {
            shipment["type"] = json!(kind);
            let place = shipment["to"].as_object_mut().unwrap();
            place.retain(|key, _| key == "type" || key == "address");
        })
    };
    let missed =
        |key: &str| told(&format!("$.to.identifier | $.to.{key}"), FaultCode::MissingField);

    assert_eq!(unnamed("stock_transfer"), missed("stock_transfer_identifier"));
    assert_eq!(unnamed("freight"), missed("external_identifier"));
    assert_eq!(unnamed("vendor"), missed("vendor_id"));
}

#[test]
fn a_vendor_is_a_number() {
    let named = |key: &str, value: Value| {
        faults(|shipment| {
            shipment["to"]["vendor_id"] = Value::Null;
            shipment["to"][key] = value;
        })
    };

    assert_eq!(named("vendor_id", json!("V-88")), told("$.to.vendor_id", FaultCode::Invalid));
    assert_eq!(named("identifier", json!("V-88")), told("$.to.identifier", FaultCode::Invalid));
    assert_eq!(named("identifier", json!(88)), []);
    assert_eq!(named("vendor_id", json!("88")), []);
}

#[test]
fn one_tracking_number_may_stand_by_itself_and_be_of_any_length() {
    let long = "9".repeat(10_000);
    let shipment = edited(|shipment| {
        shipment.as_object_mut().unwrap().remove("tracking_numbers");
        shipment["tracking_number"] = json!(long);
    });
    assert_eq!(shipment.unwrap().tracking_numbers, [long]);

    assert_eq!(
        faults(|shipment| shipment["tracking_number"] = json!("1")),
        told("$.tracking_numbers", FaultCode::Invalid)
    );
}

#[test]
fn a_shipment_begins_pending_or_shipped() {
    for status in ShipmentStatus::ALL {
        let begins = matches!(status, ShipmentStatus::Pending | ShipmentStatus::Shipped);
        let found = faults(|shipment| shipment["status"] = json!(status.name()));
        assert_eq!(found.is_empty(), begins, "{status:?}");
    }
}

#[test]
fn a_line_and_a_unit_stand_once_in_a_shipment() {
    let twice = |key: &str| {
        faults(|shipment| {
            let mut lines = details(2);
            lines[1][key] = lines[0][key].clone();
            shipment["cartons"] = json!([
                {"details": [lines[0].clone()]}, {"details": [lines[1].clone()]},
            ]);
        })
    };

    for key in ["line_identifier", "unit_identifier"] {
        assert_eq!(twice(key), told(&format!("$.cartons[1].details[0].{key}"), FaultCode::Invalid));
    }
}

#[test]
fn everything_wrong_is_told_at_once() {
    let found = faults(|shipment| {
        shipment["type"] = json!("parcel");
        shipment["asn_number"] = json!("A 1");
        shipment["carrier_payment_type"] = json!("cash");
        shipment["details_type"] = json!("sku");
        shipment["max_details_per_message"] = json!(0);
        shipment["cartons"][0]["details"][0]["quantity"] = json!(2);
        shipment["cartons"][0]["details"][0]["condition"] = json!("Z");
        shipment["colour"] = json!("blue");
    });

    let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "$.type",
            "$.asn_number",
            "$.carrier_payment_type",
            "$.details_type",
            "$.cartons[0].details[0].condition",
            "$.cartons[0].details[0].quantity",
            "$.max_details_per_message",
            "$.colour",
        ]
    );
    assert!(found.iter().all(|(_, code)| *code == FaultCode::Invalid));
}

#[test]
fn the_number_leaves_room_for_the_suffixes_of_its_messages() {
    let numbered = |length: usize, units: usize| {
        faults(|shipment| {
            shipment["asn_number"] = json!("A".repeat(length));
            shipment["max_details_per_message"] = json!(1);
            shipment["cartons"][0]["details"] = details(units);
        })
    };
    let refused = told("$.asn_number", FaultCode::Invalid);

    assert_eq!(numbered(255, 1), []);
    assert_eq!(numbered(256, 1), refused);
    assert_eq!(numbered(254, 2), refused);
    assert_eq!(numbered(253, 9), []);
    assert_eq!(numbered(253, 10), refused);
    assert_eq!(numbered(252, 10), []);
}

#[test]
fn there_is_something_in_every_carton_and_not_too_much_in_all() {
    assert_eq!(faults(|it| it["cartons"] = json!([])), told("$.cartons", FaultCode::Invalid));
    assert_eq!(
        faults(|it| it["cartons"][0]["details"] = json!([])),
        told("$.cartons[0].details", FaultCode::Invalid)
    );
    let full = edited(|it| it["cartons"][0]["details"] = details(UNITS_MAX)).unwrap();
    assert_eq!((full.units().count(), full.messages()), (UNITS_MAX, 100));
    let more = |it: &mut Value| {
        let mut lines = details(UNITS_MAX + 1);
        let last = lines.as_array_mut().unwrap().pop();
        it["cartons"] = json!([{"details": lines}, {"details": [last]}]);
    };
    assert_eq!(faults(more), told("$.cartons", FaultCode::Invalid));
}

#[test]
fn words_are_found_by_the_names_they_are_written_by() {
    for kind in ShipmentType::ALL {
        assert_eq!(ShipmentType::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    for status in ShipmentStatus::ALL {
        assert_eq!(ShipmentStatus::parse(status.name()), Some(status));
        assert_eq!(serde_json::to_value(status).unwrap(), status.name());
    }
    for payment in CarrierPaymentType::ALL {
        assert_eq!(CarrierPaymentType::parse(payment.name()), Some(payment));
        assert_eq!(serde_json::to_value(payment).unwrap(), payment.name());
    }
    for kind in PlaceType::ALL {
        assert_eq!(PlaceType::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
    assert_eq!(ShipmentStatus::parse("cancelled"), Some(ShipmentStatus::Canceled));
}

#[test]
fn every_unit_has_the_message_that_tells_of_it() {
    let split = edited(|it| {
        it["cartons"] = json!([{"details": details(5)}]);
        it["max_details_per_message"] = json!(2);
    });
    let split = split.unwrap();

    for message in crate::warehouse::outbound_message::messages(&split) {
        for unit in message.cartons.iter().flat_map(|carton| &carton.details) {
            let about = split.message_about(unit.unit_identifier);
            assert_eq!(about.as_ref(), Some(&message.asn_number), "{}", unit.unit_identifier);
        }
    }
    assert_eq!(split.message_about("U-9"), None);
    let whole = edited(|_| ()).unwrap();
    assert_eq!(whole.message_about("LP-0093321"), Some(whole.asn_number.clone()));
}

#[test]
fn a_configured_warehouse_completes_what_a_shipment_does_not_say() {
    let settings = WarehouseSettings {
        external_identifier: Some("EXT".to_owned()),
        stock_transfer_identifier: Some("ST".to_owned()),
        address: Some(WarehouseAddress {
            address: ReceivingAddress { city: "Reno".to_owned(), ..Default::default() },
            ..Default::default()
        }),
        default_channel: Some("RTV".to_owned()),
        time_zone: None,
    };
    let read = |kind: &str, place: &str| {
        let warehouse = Warehouse { identifier: "31".to_owned(), settings: settings.clone() };
        let mut shipment = sample();
        shipment["type"] = json!(kind);
        shipment["from"] = json!({ "identifier": 31, "type": place });
        shipment["to"] = json!({ "identifier": 31, "type": place });
        judge_with(vec![warehouse], &shipment)
    };
    for (kind, identifier) in [("stock_transfer", "ST"), ("freight", "EXT")] {
        let shipment = read(kind, "warehouse").unwrap();
        assert_eq!(shipment.from.external_identifier.as_deref(), Some("EXT"));
        assert_eq!(shipment.to.identifier_for(shipment.kind), Some(identifier));
        assert_eq!(shipment.to.address.city, "Reno");
        assert!(read(kind, "store").is_err(), "a store is no warehouse");
    }
    assert!(read("vendor", "warehouse").is_err(), "a vendor is no warehouse");
}
