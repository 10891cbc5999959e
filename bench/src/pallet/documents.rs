//! The documents of a pallet: the announcement, the receipts, the shipment.

use std::{fmt::Write, ops::Range};

const CARTON_UNITS: usize = 100;

/// The ASN of `units` units, a hundred in each carton.
pub(super) fn build_announcement(units: usize) -> String {
    let mut text = r#"{"program_identifier":"returns-west","asn_number":"PALLET-1",
        "status":"shipped","details_type":"unit","from":{"identifier":"STORE-12","type":"store"},
        "to":{"identifier":"31","type":"warehouse"},"tracking_number":"PRO-441907",
        "carrier":"Estes","cartons":["#
        .to_owned();
    write_cartons(&mut text, units, |text, unit| {
        let _ = write!(
            text,
            r#"{{"line_identifier":"{unit}","unit_identifier":"LP-{unit:07}",
            "client_unit_identifier":"HP-{unit:07}","sku":"SKU-{:04}","quantity":1}}"#,
            unit % 2_000
        );
    });
    text.push_str("]}");
    text
}

/// The shipment of all of them.
pub(super) fn build_shipment(units: usize, units_per_message: usize) -> String {
    let mut text = r#"{"type":"freight","asn_number":"OUT-1","from":{"identifier":"31",
        "type":"warehouse"},"to":{"identifier":"88","type":"warehouse","address":{"name":"Dock 4",
        "company":null,"street":"77 Mill Road","street2":null,"city":"Reno","state":"NV",
        "zip":"89502"}},"channel":"RTV","shipment_identifier":"RA-5520",
        "tracking_numbers":["PRO-441908"],"carrier":"Estes","ship_date":"2026-03-10T17:00:00Z",
        "status":"shipped","#
        .to_owned();
    let _ = write!(text, r#""max_details_per_message":{units_per_message},"cartons":["#);
    write_cartons(&mut text, units, |text, unit| {
        let _ = write!(
            text,
            r#"{{"line_identifier":"{unit}","program_identifier":"returns-west",
            "unit_identifier":"LP-{unit:07}","sku":"SKU-{:04}","condition":"A"}}"#,
            unit % 2_000
        );
    });
    text.push_str("]}");
    text
}

/// The receipts of these units.
pub(super) fn build_receipts(units: Range<usize>) -> String {
    let mut text = r#"{"receipts":["#.to_owned();
    for (position, unit) in units.enumerate() {
        let comma = if position == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}{{"asn_number":"PALLET-1","unit_identifier":"LP-{unit:07}","sku":"SKU-{:04}",
            "condition":"A","channel":"RTS","user_login":"mkowalski",
            "location_identifier":"A-14-03"}}"#,
            unit % 2_000
        );
    }
    text.push_str("]}");
    text
}

/// Writes cartons with the units that `detail` writes.
fn write_cartons(text: &mut String, units: usize, detail: impl Fn(&mut String, usize)) {
    for first in (0..units).step_by(CARTON_UNITS) {
        let comma = if first == 0 { "" } else { "," };
        let _ = write!(text, r#"{comma}{{"identifier":"CTN-{first}","details":["#);
        for unit in first..units.min(first + CARTON_UNITS) {
            if unit > first {
                text.push(',');
            }
            detail(text, unit);
        }
        text.push_str("]}");
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        json::parse_large,
        returns::receipt::read_receipts,
        warehouse::asn::{LINES_MAX, read_asn},
    };

    use super::*;

    #[test]
    fn a_whole_pallet_is_accepted() {
        let text = build_announcement(LINES_MAX);
        let asn = read_asn(&parse_large(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(asn.lines().count(), LINES_MAX);
        let text = build_receipts(0..1_000);
        let receipts = read_receipts(&parse_large(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(receipts.len(), 1_000);
        let text = build_shipment(250, 100);
        let shipment: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(shipment["cartons"].as_array().unwrap().len(), 3);
    }
}
