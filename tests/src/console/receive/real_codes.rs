//! Codes as scanners read them: symbols with separators, cartons, tracking numbers, damaged codes.

use serde_json::json;

use super::bench::{assert_contains, barcode, benches, with_check_digit};

#[test]
fn serial_and_batch_are_kept_wherever_they_stand_in_the_symbol() {
    for bench in benches() {
        let (asn, upc) = (bench.unique("ASN"), barcode("serial"));
        let detail = json!({ "line_identifier": "1", "sku": "PEN", "upc": upc, "quantity": 3 });
        bench.announce_carton(&asn, "C-1", &[detail]);
        let mut page = bench.open(&asn);
        for (position, separator) in ["\u{1d}", "<GS>", "|"].into_iter().enumerate() {
            let (serial, plate) = (format!("S{position}"), bench.unique(&format!("LP-{position}")));
            let symbol = format!("10B-7{separator}21{serial}{separator}010{upc}");
            let grading = bench.scan(&page, &symbol);
            assert_contains(&grading, &["Batch", "B-7", &format!("value=\"{serial}\"")]);
            page = bench.enter(&bench.enter(&grading, &plate), "A");
            assert_contains(&page, &["Received", &plate]);
            let unit = bench.call("GET", &format!("/units/{plate}"), &json!({})).json();
            let scanned = &unit["receipt"]["scanned"];
            assert_eq!(
                (&scanned["serial_number"], &scanned["batch_number"]),
                (&json!(serial), &json!("B-7"))
            );
        }
        assert_contains(&page, &["All units are received"]);
    }
}

#[test]
fn a_unit_with_a_serial_number_that_is_scanned_twice_counts_once() {
    for bench in benches() {
        let line = bench.unique("radio");
        let rma = bench.start_return_of("S", &[(&line, "A radio", 2)]);
        let symbol = |serial: &str| format!("010{}21{serial}", barcode(&line));
        let page = bench.receive(&bench.open(&rma), &symbol("S1"), "A");
        assert_contains(&page, &["<strong>1</strong> of 2 received"]);

        let page = bench.scan(&page, &symbol("S1"));
        assert_contains(&page, &["Already received", "<strong>1</strong> of 2 received"]);

        let page = bench.receive(&page, &symbol("S2"), "A");
        assert_contains(&page, &["All units are received"]);
    }
}

#[test]
fn a_parcel_is_opened_by_its_carton_or_its_tracking_number() {
    for bench in benches() {
        let start = format!("1061415{:010}", std::process::id());
        let sscc = with_check_digit(&start);
        let asn = bench.unique("ASN");
        let line =
            |line: &str, sku: &str| json!({ "line_identifier": line, "sku": sku, "quantity": 1 });
        bench.announce_carton(&asn, &sscc, &[line("1", "CAP"), line("2", "MUG")]);
        for code in [
            sscc.clone(),
            format!("00{sscc}"),
            format!("(00){sscc}"),
            format!("]C100{sscc}"),
            format!("1Z-{asn}"),
        ] {
            assert_contains(&bench.open(&code), &[&asn, "CAP", "MUG"]);
        }
        let page = bench.open(&format!("]C100{sscc}"));
        assert_contains(&page, &[&format!("In carton {sscc}")]);
        let plate = bench.unique("LP");
        bench.enter(&bench.enter(&bench.scan(&page, "CAP"), &plate), "A");
        let told = bench.receipt_messages(&plate);
        assert_eq!(told[0]["carton_identifier"], json!(sscc), "{told:?}");
    }
}

#[test]
fn a_damaged_code_is_named_before_the_unit_is_set_aside() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 1)]);
        let code = barcode("tee");
        let last = code.bytes().last().unwrap() - b'0';
        let damaged = format!("{}{}", &code[..12], (last + 1) % 10);
        let question = bench.scan(&bench.open(&rma), &damaged);
        assert_contains(&question, &["Not in this parcel", "check digit"]);
        let page = bench.receive(&question, &format!("010{code}"), "A");
        assert_contains(&page, &["Received", "A tee"]);
        assert_eq!(bench.receiving_statuses(&rma), ["RECEIVED"]);
    }
}

#[test]
fn a_license_plate_is_printed_and_sent_to_label_printers() {
    for bench in benches() {
        let target = format!("/console/plates/{}/U-0A1B", bench.stage.merchant.id);
        let page = bench.visitor.page(&target);
        assert_contains(&page, &["License plate", "Barcode for U-0A1B", "<path d=\"M10 0h2"]);
        let zpl = bench.visitor.get(&format!("{target}/zpl"));
        assert_eq!(zpl.status, 200);
        assert!(zpl.text().starts_with("^XA") && zpl.text().contains("^FDU-0A1B^FS"));
        assert!(zpl.header("content-disposition").unwrap().contains("plate.zpl"));
    }
}

#[test]
fn the_rules_of_the_merchant_propose_the_channel_and_the_report_counts_it() {
    for bench in benches() {
        let rules = json!({ "rules": [
            { "conditions": ["B"], "channel": "OUTLET" },
            { "skus": ["SKU-tee"], "conditions": ["N"], "channel": "VAULT" },
        ] });
        let set = bench.stage.try_to_put("disposition", &rules);
        assert_eq!(set.status, 200, "{}", set.said());
        let rma = bench.start_return(&[("tee", "A tee", 4)]);
        let mut page = bench.open(&rma);
        let grading = bench.scan(&page, "SKU-tee");
        assert_contains(&grading, &["OUTLET", "VAULT", "DAMAGED", "RTS"]);
        for condition in ["B", "N", "X", "A"] {
            page = bench.receive(&page, "SKU-tee", condition);
        }
        assert_contains(&page, &["All units are received"]);
        let report = bench.call("GET", "/disposition_report", &json!({})).json();
        let row = |row: &serde_json::Value| {
            format!("{} {} {}", row["channel"], row["condition"], row["units"]).replace('"', "")
        };
        let rows: Vec<String> = report["goods"].as_array().unwrap().iter().map(row).collect();
        assert_eq!(rows, ["DAMAGED X 1", "OUTLET B 1", "RTS A 1", "VAULT N 1"], "{report}");
        let reversed = "/disposition_report?from=2026-11-30&to=2026-11-01";
        let reversed = bench.call("GET", reversed, &json!({}));
        assert_eq!(reversed.status, 400, "{}", reversed.said());
        assert!(reversed.said().contains("2026-11-30"), "{}", reversed.said());
        assert!(reversed.said().contains("2026-11-01"), "{}", reversed.said());
        let csv = bench.call("GET", "/disposition_report?format=csv", &json!({}));
        assert!(csv.text().starts_with("channel,condition,outcome,units"), "{}", csv.text());
        assert!(csv.text().contains("\"OUTLET\",B,received,1,"), "{}", csv.text());
    }
}
