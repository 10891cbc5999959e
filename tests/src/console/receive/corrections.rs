//! Mistakes at the bench: rejected units, corrected receipts, units that were never received.

use serde_json::{Value, json};

use super::bench::{Bench, assert_contains, benches};
use crate::harness::home::text;

/// The conditions in the messages about a return, oldest first.
fn told_conditions(bench: &Bench<'_>, rma: &str) -> Vec<Value> {
    let listed = bench.call("GET", &format!("/messages?kind=rma&ref={rma}"), &json!({})).json();
    let ids = listed["messages"].as_array().unwrap().iter().rev();
    let body = |message: &Value| {
        let target = format!("/messages/{}", text(&message["id"]));
        let message = bench.call("GET", &target, &json!({})).json();
        let body: Value = serde_json::from_str(&text(&message["body"])).unwrap();
        json!([
            body["items"][0]["receiving_status"],
            body["items"][0]["warehouse_receipt_condition"]
        ])
    };
    let mut told: Vec<Value> = ids.map(body).collect();
    told.dedup();
    told
}

#[test]
fn a_unit_is_rejected_with_a_reason_by_keys() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 2)]);
        let grading = bench.scan(&bench.open(&rma), "SKU-tee");
        let asked = bench.enter(&grading, "!");
        assert_contains(&asked, &["Why is it rejected?", "Damaged in transit"]);
        assert_contains(&bench.enter(&asked, "z"), &["Type the number of a reason"]);
        let grading = bench.enter(&asked, "2");
        assert_contains(&grading, &["Rejected: Damaged in transit", "Type its condition"]);
        assert_contains(&bench.enter(&grading, "!"), &["Reject it"]);
        let page = bench.enter(&grading, "X");
        assert_contains(&page, &["Rejected", "The merchant is notified"]);
        let page = bench.receive(&page, "SKU-tee", "A");
        assert_contains(&page, &["All units are received"]);
        let mut statuses = bench.receiving_statuses(&rma);
        statuses.sort_unstable();
        assert_eq!(statuses, ["NOT_RECEIVED", "RECEIVED"]);
    }
}

#[test]
fn a_corrected_receipt_of_a_return_is_told_and_a_mistake_taken_back() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 1)]);
        let page = bench.receive(&bench.open(&rma), "SKU-tee", "A");
        let correcting = bench.scan(&page, "-");
        assert_contains(&correcting, &["Correct this unit", "A Like new"]);
        let page = bench.enter(&correcting, "C");
        assert_contains(&page, &["Corrected"]);
        let page = bench.enter(&bench.scan(&page, "-"), "-");
        assert_contains(&page, &["Taken back", "<strong>0</strong> of 1 received"]);
        assert_eq!(bench.receiving_statuses(&rma), ["PENDING"]);
        let page = bench.receive(&page, "SKU-tee", "B");
        assert_contains(&page, &["All units are received"]);
        let told = told_conditions(&bench, &rma);
        let expected = [
            json!(["PENDING", null]),
            json!(["RECEIVED", "A"]),
            json!(["RECEIVED", "C"]),
            json!(["PENDING", null]),
            json!(["RECEIVED", "B"]),
        ];
        assert_eq!(told, expected);
        let report = bench.call("GET", "/disposition_report", &json!({})).json();
        let goods = report["goods"].as_array().unwrap();
        assert_eq!((goods.len(), &goods[0]["condition"]), (1, &json!("B")), "{report}");
    }
}

#[test]
fn a_corrected_receipt_of_an_asn_is_told_in_order_and_counts_once() {
    for bench in benches() {
        let (asn, plate) = (bench.unique("ASN"), bench.unique("LP"));
        bench.announce_quantities(&asn, &[("CAP", 1)]);
        let grading = bench.enter(&bench.scan(&bench.open(&asn), "CAP"), &plate);
        let page = bench.enter(&grading, "A");
        let page = bench.enter(&bench.enter(&bench.enter(&bench.scan(&page, "-"), "!"), "3"), "C");
        assert_contains(&page, &["Corrected", "Rejected", "<strong>1</strong> of 1 received"]);
        let page = bench.enter(&bench.scan(&page, "-"), "-");
        assert_contains(&page, &["Taken back", "<strong>0</strong> of 1 received"]);
        let grading = bench.enter(&bench.scan(&page, "CAP"), &plate);
        let page = bench.enter(&grading, "N");
        assert_contains(&page, &["Received", "<strong>1</strong> of 1 received"]);
        let told = bench.receipt_messages(&plate);
        let said = |it: &Value| json!([it["initial_condition"], it["reject_reason"]]);
        let told: Vec<Value> = told.iter().map(said).collect();
        let expected = [
            json!(["A", null]),
            json!(["C", "Used or worn"]),
            json!(["C", "received by mistake"]),
            json!(["N", null]),
        ];
        assert_eq!(told, expected);
        assert_eq!(bench.exceptions(&asn), []);
    }
}

#[test]
fn a_receipt_is_corrected_after_the_worker_left_the_parcel() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 2)]);
        let (asn, plate) = (bench.unique("ASN"), bench.unique("LP-1"));
        bench.announce_quantities(&asn, &[("CAP", 2)]);
        bench.receive(&bench.open(&rma), "SKU-tee", "A");
        bench.enter(&bench.enter(&bench.scan(&bench.open(&asn), "CAP"), &plate), "A");

        for parcel in [&rma, &asn] {
            let page = bench.open(parcel);
            assert_contains(&page, &["Recent scans", ">Correct</a>"]);
            let correcting = bench.scan(&page, "-");
            assert_contains(&correcting, &["Correct this unit", "A Like new"]);
            let page = bench.enter(&correcting, "B");
            assert_contains(&page, &["Corrected"]);
        }
        assert_contains(&bench.open(&asn), &[&plate]);
        let other = bench.unique("ASN-2");
        bench.announce_quantities(&other, &[("CAP", 2)]);
        assert!(!bench.open(&other).contains("Recent scans"), "nothing came from this parcel");
    }
}
