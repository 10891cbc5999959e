//! Goods in the wrong parcel, and goods without one.

use serde_json::json;

use super::bench::{Bench, assert_contains, barcode, benches};

#[test]
fn a_wrong_item_that_is_rejected_is_told_and_listed_on_the_return() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 1)]);
        let page = bench.receive(&bench.open(&rma), "SKU-tee", "A");
        let plate = bench.unique("LP-WRONG");
        let grading = bench.enter(&bench.scan(&bench.scan(&page, "SKU-hat"), "?"), &plate);
        let page = bench.enter(&bench.enter(&bench.enter(&grading, "!"), "1"), "B");
        assert_contains(&page, &["Rejected", "Wrong item"]);
        assert_eq!(bench.exceptions(&rma), []);
        let told = bench.receipt_messages(&plate);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["reject_reason"], "Wrong item");
        assert_eq!(told[0]["reference"]["identifier"], json!(rma));
        assert_eq!(told[0]["sku"], "SKU-hat");
        let held = bench.call("GET", &format!("/returns/{rma}"), &json!({})).json();
        assert_eq!(held["wrong_items"][0]["code"], "SKU-hat", "{held}");
        let operator = bench.stage.server.visitor("operator");
        let shown = operator.page(&format!("/console/returns/{rma}"));
        assert_contains(&shown, &["Wrong item SKU-hat rejected"]);
        assert_eq!(bench.receiving_statuses(&rma), ["RECEIVED"]);
    }
}

#[test]
fn a_unit_of_an_unknown_parcel_finds_its_return() {
    for bench in benches() {
        let rules = json!({ "rules": [
            { "reasons": ["too_small"], "value_min_cents": 900, "channel": "TAILOR" },
            { "conditions": ["B"], "channel": "OUTLET" },
        ] });
        let set = bench.stage.try_to_put("disposition", &rules);
        assert_eq!(set.status, 200, "{}", set.said());
        let line = bench.unique("tee");
        let rma = bench.start_return_of("S", &[(&line, "A tee", 1)]);
        let number = bench.unique("NOBODY");
        let page = bench.follow(&bench.open(&number), "Open it anyway");
        let page = bench.receive(&page, &barcode(&line), "B");
        assert_contains(&page, &["Set aside", "Does it belong to one of these returns?", &rma]);
        assert_contains(&page, &["Same product", "<kbd>1</kbd>", "data-key=\"1\""]);
        let page = bench.submit("<form class=\"card\"", &page, &[("rma", &rma)]);
        assert_contains(&page, &["Matched and received"]);
        assert_eq!(bench.receiving_statuses(&rma), ["RECEIVED"]);
        assert_eq!(bench.exceptions(&number), []);
        let report = bench.call("GET", "/disposition_report", &json!({})).json();
        let channel = &report["goods"][0]["channel"];
        assert_eq!(channel, "TAILOR", "by the reason and the value of the return: {report}");
    }
}

#[test]
fn a_unit_of_another_return_is_matched_to_it_and_can_be_taken_back() {
    for bench in benches() {
        let line = bench.unique("mug");
        let rma = bench.start_return_of("P", &[("tee", "A tee", 1)]);
        let other = bench.start_return_of("Q", &[(&line, "A mug", 1)]);
        let page = bench.open(&rma);
        let page = bench.enter(&bench.scan(&bench.scan(&page, &barcode(&line)), "?"), "B");
        assert_contains(&page, &["Set aside", &other]);
        let own = format!("name=\"rma\" value=\"{rma}\"");
        assert!(!page.contains(&own), "it awaits no mug: {page}");

        let page = bench.submit("<form class=\"card\"", &page, &[("rma", &other)]);
        assert_contains(&page, &["Matched and received"]);
        assert_eq!(bench.receiving_statuses(&other), ["RECEIVED"]);

        let page = bench.enter(&bench.scan(&page, "-"), "-");
        assert_contains(&page, &["Taken back"]);
        assert_eq!(bench.receiving_statuses(&other), ["PENDING"]);
        assert_eq!(bench.receiving_statuses(&rma), ["PENDING"]);
        let merchant = bench.stage.merchant.id.clone();
        let open = [(merchant, "unknown_asn".to_owned())];
        assert_eq!(bench.exceptions(&rma), open, "it is still in the warehouse");
    }
}

#[test]
fn what_is_on_the_slip_finds_the_return_and_no_other_merchant_is_shown() {
    for bench in benches() {
        let other = Bench::new(bench.stage.server);
        let order = bench.unique("ORD");
        let rma = bench.start_return_of(&order, &[("tee", "A tee", 1)]);
        let foreign = other.start_return_of(&order, &[("tee", "A tee", 1)]);
        let elsewhere = bench.start_return_of("Z", &[("mug", "A mug", 1)]);
        let page = bench.open(&elsewhere);
        let plate = bench.unique("LP-STRAY");
        let grading = bench.enter(&bench.scan(&bench.scan(&page, "SKU-odd"), "?"), &plate);
        bench.enter(&grading, "A");
        let find = format!(
            "/console/exceptions/find?merchant={}&unit={plate}&asn_number={elsewhere}",
            bench.stage.merchant.id
        );
        let page = bench.visitor.page(&format!("{find}&number={order}"));
        assert_contains(&page, &[&rma, "Same order number", "data-key"]);
        assert!(!page.contains(&foreign), "a return of another merchant: {page}");
        let sample = crate::harness::samples::sample_order("A");
        let address = &sample["shipping_address"];
        let (name, zip) =
            (address["name"].as_str().unwrap(), address["zip_code"].as_str().unwrap());
        let query = crate::harness::console::form(&[("name", name), ("postal_code", zip)]);
        let page = bench.visitor.page(&format!("{find}&{query}"));
        assert_contains(&page, &[&rma, "Same name and postal code"]);
        assert!(!page.contains(&foreign), "a return of another merchant: {page}");
    }
}
