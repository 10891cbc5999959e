//! The receiving bench: parcels are opened, units received, and mismatches set aside.

mod bench;
mod corrections;
mod parcels;
mod real_codes;
mod strays;

use serde_json::json;

use self::bench::{Bench, assert_contains, benches};
use crate::harness::{eventually, home::text, http::Request, shared};

fn progress(received: u32, quantity: u32) -> String {
    format!("<strong>{received}</strong> of {quantity} received")
}

#[test]
fn a_parcel_is_received_with_one_wrong_unit_in_it() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 2), ("mug", "A mug", 1)]);
        let page = bench.open(&rma.to_lowercase());
        assert_contains(&page, &[&rma, "A tee", "A mug", &progress(0, 3), "Scan a unit"]);

        let page = bench.receive(&page, "SKU-tee", "n");
        assert_contains(&page, &["Received", "A tee · N New, unopened", &progress(1, 3)]);

        let question = bench.scan(&page, "SKU-hat");
        assert_contains(&question, &["Not in this parcel", "SKU-hat", "Scan again"]);
        assert_eq!(bench.exceptions(&rma), [], "nothing is set aside before it is confirmed");
        let page = bench.enter(&bench.scan(&question, "?"), "B");
        assert_contains(&page, &["Set aside", "It is not part of this return", &progress(1, 3)]);
        let merchant = bench.stage.merchant.id.clone();
        assert_eq!(bench.exceptions(&rma), [(merchant, "unknown_asn".to_owned())]);

        let page = bench.receive(&page, "SKU-mug", "X");
        assert_contains(&bench.scan(&page, "SKU-mug"), &["A mug is already received"]);
        let page = bench.receive(&page, "SKU-tee", "TT");
        assert_contains(&page, &["All units are received", &progress(3, 3), "A mug", "Exception"]);
        assert_eq!(bench.receiving_statuses(&rma), ["RECEIVED"; 3]);
        assert_contains(&bench.scan(&page, "SKU-tee"), &["All 2 of A tee are already received"]);
        assert_contains(&bench.scan(&page, ""), &["Scan a parcel"]);
    }
}

#[test]
fn a_parcel_is_found_by_every_code_on_its_label() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 1)]);
        let number = eventually("there is a label", || {
            let held = bench.call("GET", &format!("/returns/{rma}"), &json!({})).json();
            held["label"]["tracking_number"].as_str().map(str::to_owned)
        });
        for code in [rma.as_str(), &number, &format!("{rma} {number}"), &rma.replace('-', "")] {
            assert_contains(&bench.open(code), &[&rma, "A tee"]);
        }
        // The code of another parcel opens that parcel.
        let asn = bench.unique("ASN");
        bench.announce_quantities(&asn, &[("CAP", 1)]);
        assert_contains(&bench.scan(&bench.open(&asn), &number), &[&rma, "A tee"]);
    }
}

#[test]
fn a_second_scan_of_the_same_unit_changes_nothing() {
    for bench in benches() {
        let (asn, plate) = (bench.unique("ASN"), bench.unique("LP-1"));
        bench.announce_units(&asn, &[(&plate, "TEE"), (&bench.unique("LP-2"), "TEE")]);
        let page = bench.receive(&bench.open(&asn), &plate, "A");
        assert_contains(&page, &["Received", &progress(1, 2)]);

        let page = bench.scan(&page, &plate);

        assert_contains(&page, &["Already received", &progress(1, 2)]);
        assert_eq!(bench.exceptions(&asn), []);
    }
}

#[test]
fn units_of_an_unknown_parcel_are_set_aside() {
    for bench in benches() {
        let number = bench.unique("NOBODY");
        let page = bench.open(&number);
        assert_contains(&page, &["Unknown parcel", &number, "Scan a parcel"]);

        let page = bench.follow(&page, "Open it anyway");
        let page = bench.receive(&page, "SOMETHING", "C");

        assert_contains(&page, &["Set aside", "This parcel was not announced"]);
        let asked = ("platform".to_owned(), "unknown_asn".to_owned());
        assert_eq!(bench.exceptions(&number), [asked]);
    }
}

#[test]
fn units_of_a_quantity_get_license_plates() {
    for bench in benches() {
        let (asn, plate) = (bench.unique("ASN"), bench.unique("LP-7"));
        bench.announce_quantities(&asn, &[("CAP", 2)]);
        let page = bench.scan(&bench.open(&asn), "CAP");
        assert_contains(&page, &["Scan its license plate, or type its condition"]);
        let page = bench.enter(&page, "CAP");
        assert_contains(&page, &["Enter the condition of this unit"]);
        let page = bench.enter(&page, &plate);
        assert_contains(&page, &["Type its condition", &plate]);
        let more = [("scan", "b"), ("location", "A-14-03"), ("serial", "SN-1")];
        let page = bench.submit("<form class=\"card grading\"", &page, &more);
        assert_contains(&page, &["Received", &plate, &progress(1, 2)]);

        let story = bench.call("GET", &format!("/units/{plate}"), &json!({})).json();
        assert_eq!(story["condition"], "B", "{story}");
        assert_eq!(story["location_identifier"], "A-14-03");
        assert_eq!(story["receipt"]["scanned"]["serial_number"], "SN-1");
        assert_eq!(story["receipt"]["scanned"]["channel"], "RTS");
        assert_eq!(text(&story["receipt"]["scanned"]["user_login"]), bench.visitor.name);

        // A unit without a license plate gets a generated one. The location stays the same.
        let page = bench.receive(&page, "CAP", "A");
        assert_contains(&page, &["Received", "U-", &progress(2, 2)]);
        let page = bench.scan(&page, "CAP");
        assert_contains(&page, &["All 2 of CAP are already received"]);
        let page = bench.enter(&bench.scan(&page, "?"), "A");
        assert_contains(&page, &["Set aside", &progress(2, 2)]);
        assert_eq!(bench.exceptions(&asn).len(), 1);
        assert_contains(&bench.scan(&page, &plate), &["Already received"]);
    }
}

#[test]
fn a_carton_and_its_articles_are_found_by_their_gs1_symbols() {
    for bench in benches() {
        // A carton's number, announced as the number of the ASN: 17 digits and a check digit.
        let start = format!("1061414{:010}", std::process::id());
        let weigh = |(position, byte): (usize, u8)| {
            u32::from(byte - b'0') * if position % 2 == 0 { 3 } else { 1 }
        };
        let sum: u32 = start.bytes().enumerate().map(weigh).sum();
        let sscc = format!("{start}{}", (10 - sum % 10) % 10);
        bench.announce_article(&sscc, "4006381333931", 2);

        let page = bench.open(&format!("(00){sscc}"));
        assert_contains(&page, &[&sscc, &progress(0, 2)]);
        let page = bench.receive(&page, "(01)04006381333931(21)A7", "A");
        assert_contains(&page, &["Received", &progress(1, 2)]);
        let page = bench.receive(&page, "https://id.gs1.org/01/04006381333931/21/A8", "A");
        assert_contains(&page, &["Received", &progress(2, 2)]);
        assert_eq!(bench.exceptions(&sscc), []);
    }
}

#[test]
fn a_person_at_the_bench_identifies_a_unit() {
    for bench in benches() {
        let (asn, plate) = (bench.unique("ASN"), bench.unique("LP-1"));
        bench.announce_units(&asn, &[(&plate, "TEE"), (&bench.unique("LP-2"), "CAP")]);
        let question = bench.scan(&bench.open(&asn), "TEE");
        assert_contains(&question, &["Which unit is it?", &plate]);
        let chosen = bench.follow(&question, &format!("<strong>{plate}</strong>"));
        assert_contains(&chosen, &["Type its condition"]);

        // The unit is set aside, and then identified.
        let page = bench.enter(&bench.scan(&question, "?"), "A");
        assert_contains(&page, &["Set aside", "Do you know which unit it is?", "same SKU"]);
        let page = bench.submit("<form class=\"card\"", &page, &[("proposal", "0")]);
        assert_contains(&page, &["Received", &progress(1, 2)]);
        assert_eq!(bench.exceptions(&asn), []);
    }
}

#[test]
fn a_unit_of_another_parcel_links_to_that_parcel() {
    for bench in benches() {
        let (one, two, plate) =
            (bench.unique("ASN-1"), bench.unique("ASN-2"), bench.unique("LP-1"));
        bench.announce_quantities(&one, &[("CAP", 1)]);
        bench.announce_units(&two, &[(&plate, "TEE")]);

        let question = bench.scan(&bench.open(&one), &plate);
        assert_contains(&question, &["Not in this parcel", "Belongs to"]);
        let page = bench.follow(&question, "Belongs to");

        assert_contains(&bench.enter(&page, "A"), &[&two, "Received", &progress(1, 1)]);
        let question = bench.scan(&bench.open(&one), &plate);
        assert_contains(&question, &["Already received for"]);
    }
}

#[test]
fn a_number_of_several_merchants_leads_to_a_choice() {
    for bench in benches() {
        let other = Bench::new(bench.stage.server);
        let asn = bench.unique("ASN-shared");
        bench.announce_quantities(&asn, &[("CAP", 1)]);
        other.announce_quantities(&asn, &[("MUG", 3)]);

        let page = bench.open(&asn);
        assert_contains(&page, &["Which parcel is it?", "1 unit expected", "3 units expected"]);
        let page = bench.follow(&page, "3 units expected");
        let page = bench.receive(&page, "MUG", "A");
        assert_contains(&page, &["Received", &progress(1, 3)]);
    }
}

#[test]
fn closing_a_parcel_lists_the_missing_units() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 1), ("mug", "A mug", 1)]);
        let page = bench.receive(&bench.open(&rma), "SKU-tee", "A");
        let sure = bench.follow(&page, "Close parcel");
        assert_contains(&sure, &["Close this parcel?", "<strong>1 ×</strong>", "A mug"]);
        assert_eq!(bench.receiving_statuses(&rma), ["RECEIVED", "PENDING"], "nothing happened yet");

        let page = bench.submit("<form class=\"actions\"", &sure, &[("act", "close")]);

        assert_contains(&page, &["Parcel closed", "its receiving was closed"]);
        assert_eq!(bench.receiving_statuses(&rma), ["RECEIVED", "NOT_RECEIVED"]);
        assert_contains(
            &bench.scan(&page, "SKU-mug"),
            &["Nothing can be received from this parcel"],
        );
    }
}

#[test]
fn a_form_that_is_sent_twice_counts_once() {
    for bench in benches() {
        let asn = bench.unique("ASN");
        bench.announce_quantities(&asn, &[("CAP", 3)]);
        let form = bench.scan(&bench.open(&asn), "CAP");
        for _ in 0..3 {
            assert_contains(&bench.enter(&form, "A"), &["Received", &progress(1, 3)]);
        }
        let other = bench.enter(&form, "B");
        assert_contains(&other, &["Already counted", &progress(1, 3)]);

        let rma = bench.start_return(&[("tee", "A tee", 2)]);
        let form = bench.scan(&bench.open(&rma), "SKU-tee");
        for _ in 0..2 {
            assert_contains(&bench.enter(&form, "A"), &["Received", &progress(1, 2)]);
        }
        let plated = bench.enter(&form, "Z-1001");
        assert_contains(&plated, &["Z-1001", "Type its condition"]);
    }
}

#[test]
fn a_mistyped_condition_is_not_taken_for_a_license_plate() {
    for bench in benches() {
        let rma = bench.start_return(&[("tee", "A tee", 1)]);
        let asn = bench.unique("ASN");
        bench.announce_quantities(&asn, &[("CAP", 2)]);
        for (parcel, code) in [(&rma, "SKU-tee"), (&asn, "CAP")] {
            let grading = bench.scan(&bench.open(parcel), code);
            for typed in ["Y", "AB", "new", "like new"] {
                let page = bench.enter(&grading, typed);
                assert_contains(
                    &page,
                    &["This is not a condition.", "Type one of the codes below"],
                );
                assert!(!page.contains(&format!("<code>{typed}</code>")), "{page}");
            }
        }
        // A parcel that was scanned too early is no license plate either.
        let grading = bench.scan(&bench.open(&asn), "CAP");
        let page = bench.enter(&grading, &rma);
        assert_contains(&page, &["Enter the condition of this unit before you scan the next one."]);
        assert!(!page.contains("<p>License plate <code>"), "{page}");
    }
}

#[test]
fn names_and_codes_stay_text() {
    for bench in benches() {
        let script = "<script>alert(1)</script>";
        let rma = bench.start_return(&[("tee", script, 1)]);
        let (asn, plate) = (bench.unique("ASN"), bench.unique("\"><script>alert(1)</script>"));
        bench.announce_units(&asn, &[(&plate, script), (&bench.unique("LP"), script)]);
        let parcel = bench.open(&asn);
        let graded = bench.scan(&parcel, &plate);
        let pages = [
            bench.open(script),
            bench.open(&rma),
            bench.scan(&bench.open(&rma), "SKU-tee"),
            bench.follow(&bench.open(&rma), "Close parcel"),
            bench.scan(&parcel, script),
            bench.scan(&parcel, "<script>alert(2)</script>"),
            bench.enter(&graded, "A"),
            parcel,
            graded,
        ];
        for page in pages {
            assert!(!page.contains("<script>alert"), "{page}");
            assert_eq!(page.matches("<h1").count(), 1);
            assert!(!page.contains("style="), "{page}");
        }
    }
}

#[test]
fn invalid_addresses_and_forms_are_harmless() {
    for bench in benches() {
        let asn = bench.unique("ASN");
        bench.announce_quantities(&asn, &[("CAP", 1)]);
        for target in [
            "/console/receive?parcel=%00".to_owned(),
            format!("/console/receive?parcel={asn}&merchant=%2e%2e&unit=CAP"),
            format!("/console/receive?parcel={asn}&said=nonsense&last=%7C%7C%00%7Cx"),
            format!("/console/receive?parcel={asn}&unit=%3F&asked=&close=yes"),
            format!("/console/receive?parcel={}", "x".repeat(3_000)),
        ] {
            assert_eq!(bench.visitor.get(&target).status, 200, "{target}");
        }
        let fields = [("parcel", asn.as_str()), ("unit", "CAP"), ("scan", "A"), ("key", "no key")];
        assert_eq!(bench.visitor.post("/console/receive", &fields).status, 400);
        let nowhere = [("parcel", "NOBODY"), ("unit", "CAP"), ("scan", "A"), ("key", "U-1")];
        assert_eq!(bench.visitor.post("/console/receive", &nowhere).status, 303);
        assert_contains(&bench.open(&asn), &[&progress(0, 1)]);
    }
}

#[test]
fn receiving_is_for_operators_and_warehouse_workers() {
    let server = shared::server();
    for role in ["operator", "warehouse"] {
        let page = server.visitor(role).page("/console/receive");
        assert_contains(&page, &["Scan a parcel", "aria-current=\"page\">Receiving"]);
    }
    let reply = server.send(&Request::get("/console/receive?parcel=A"));
    assert_eq!(
        reply.header("location"),
        Some("/console/login?next=%2Fconsole%2Freceive%3Fparcel%3DA")
    );
}
