//! Parcels are opened, units received, and what does not fit is a question.

mod bench;

use serde_json::json;

use self::bench::{Bench, assert_says, benches};
use crate::harness::{eventually, home::text, http::Request, shared};

fn here(received: u32, quantity: u32) -> String {
    format!("<strong>{received}</strong> of {quantity} received")
}

#[test]
fn a_parcel_is_received_with_one_wrong_unit_in_it() {
    for bench in benches() {
        let rma = bench.returned(&[("tee", "A tee", 2), ("mug", "A mug", 1)]);
        let page = bench.open(&rma.to_lowercase());
        assert_says(&page, &[&rma, "A tee", "A mug", &here(0, 3), "Scan a unit"]);

        let page = bench.receive(&page, "SKU-tee", "n");
        assert_says(&page, &["Received", "A tee · N New, unopened", &here(1, 3)]);

        let question = bench.scan(&page, "SKU-hat");
        assert_says(&question, &["Not in this parcel", "SKU-hat", "Scan again"]);
        assert_eq!(bench.doubts(&rma), [], "nothing is kept before somebody says so");
        let page = bench.typed(&bench.scan(&question, "?"), "B");
        assert_says(&page, &["Set aside", "It is not part of this return", &here(1, 3)]);
        let whose = bench.stage.merchant.id.clone();
        assert_eq!(bench.doubts(&rma), [(whose, "unknown_asn".to_owned())]);

        let page = bench.receive(&page, "SKU-mug", "X");
        let page = bench.receive(&page, "SKU-tee", "TT");
        assert_says(&page, &["All units are received", &here(3, 3), "A mug", "Exception"]);
        assert_eq!(bench.receiving(&rma), ["RECEIVED"; 3]);
        assert_says(&bench.scan(&page, "SKU-tee"), &["All 2 of A tee are already received"]);
        assert_says(&bench.scan(&page, ""), &["Scan a parcel"]);
    }
}

#[test]
fn a_parcel_is_known_by_every_code_on_its_label() {
    for bench in benches() {
        let rma = bench.returned(&[("tee", "A tee", 1)]);
        let number = eventually("there is a label", || {
            let held = bench.ask("GET", &format!("/returns/{rma}"), &json!({})).json();
            held["label"]["tracking_number"].as_str().map(str::to_owned)
        });
        for code in [rma.as_str(), &number, &format!("{rma} {number}"), &rma.replace('-', "")] {
            assert_says(&bench.open(code), &[&rma, "A tee"]);
        }
        // Another parcel's code switches to it.
        let asn = bench.own("ASN");
        bench.quantities(&asn, &[("CAP", 1)]);
        assert_says(&bench.scan(&bench.open(&asn), &number), &[&rma, "A tee"]);
    }
}

#[test]
fn a_second_scan_of_the_same_unit_says_so_and_changes_nothing() {
    for bench in benches() {
        let (asn, plate) = (bench.own("ASN"), bench.own("LP-1"));
        bench.pieces(&asn, &[(&plate, "TEE"), (&bench.own("LP-2"), "TEE")]);
        let page = bench.receive(&bench.open(&asn), &plate, "A");
        assert_says(&page, &["Received", &here(1, 2)]);

        let page = bench.scan(&page, &plate);

        assert_says(&page, &["Already received", &here(1, 2)]);
        assert_eq!(bench.doubts(&asn), []);
    }
}

#[test]
fn a_parcel_that_nobody_announced_is_opened_as_a_question() {
    for bench in benches() {
        let number = bench.own("NOBODY");
        let page = bench.open(&number);
        assert_says(&page, &["Unknown parcel", &number, "Scan a parcel"]);

        let page = bench.follow(&page, "Open it anyway");
        let page = bench.receive(&page, "SOMETHING", "C");

        assert_says(&page, &["Set aside", "This parcel was not announced"]);
        let asked = ("platform".to_owned(), "unknown_asn".to_owned());
        assert_eq!(bench.doubts(&number), [asked]);
    }
}

#[test]
fn units_of_a_quantity_get_license_plates() {
    for bench in benches() {
        let (asn, plate) = (bench.own("ASN"), bench.own("LP-7"));
        bench.quantities(&asn, &[("CAP", 2)]);
        let page = bench.scan(&bench.open(&asn), "CAP");
        assert_says(&page, &["Scan its license plate, or type its condition"]);
        let page = bench.typed(&page, "CAP");
        assert_says(&page, &["Enter the condition of this unit"]);
        let page = bench.typed(&page, &plate);
        assert_says(&page, &["Type its condition", &plate]);
        let more = [("scan", "b"), ("location", "A-14-03"), ("serial", "SN-1")];
        let page = bench.sent("<form class=\"card grading\"", &page, &more);
        assert_says(&page, &["Received", &plate, &here(1, 2)]);

        let story = bench.ask("GET", &format!("/units/{plate}"), &json!({})).json();
        assert_eq!(story["condition"], "B", "{story}");
        assert_eq!(story["location_identifier"], "A-14-03");
        assert_eq!(story["receipt"]["scanned"]["serial_number"], "SN-1");
        assert_eq!(story["receipt"]["scanned"]["channel"], "RTS");
        assert_eq!(text(&story["receipt"]["scanned"]["user_login"]), bench.visitor.name);

        // One without a plate gets one that is made up; where it goes stays the same.
        let page = bench.receive(&page, "CAP", "A");
        assert_says(&page, &["Received", "U-", &here(2, 2)]);
        let page = bench.scan(&page, "CAP");
        assert_says(&page, &["All 2 of CAP are already received"]);
        let page = bench.typed(&bench.scan(&page, "?"), "A");
        assert_says(&page, &["Set aside", &here(2, 2)]);
        assert_eq!(bench.doubts(&asn).len(), 1);
        assert_says(&bench.scan(&page, &plate), &["Already received"]);
    }
}

#[test]
fn whoever_knows_which_piece_it_is_says_so() {
    for bench in benches() {
        let (asn, plate) = (bench.own("ASN"), bench.own("LP-1"));
        bench.pieces(&asn, &[(&plate, "TEE"), (&bench.own("LP-2"), "CAP")]);
        let question = bench.scan(&bench.open(&asn), "TEE");
        assert_says(&question, &["Which unit is it?", &plate]);
        let chosen = bench.follow(&question, &format!("<strong>{plate}</strong>"));
        assert_says(&chosen, &["Type its condition"]);

        // Kept as a question, and recognised after all.
        let page = bench.typed(&bench.scan(&question, "?"), "A");
        assert_says(&page, &["Set aside", "Do you know which unit it is?", "same SKU"]);
        let page = bench.sent("<form class=\"card\"", &page, &[("proposal", "0")]);
        assert_says(&page, &["Received", &here(1, 2)]);
        assert_eq!(bench.doubts(&asn), []);
    }
}

#[test]
fn a_unit_of_another_parcel_leads_there() {
    for bench in benches() {
        let (one, two, plate) = (bench.own("ASN-1"), bench.own("ASN-2"), bench.own("LP-1"));
        bench.quantities(&one, &[("CAP", 1)]);
        bench.pieces(&two, &[(&plate, "TEE")]);

        let question = bench.scan(&bench.open(&one), &plate);
        assert_says(&question, &["Not in this parcel", "Belongs to"]);
        let page = bench.follow(&question, "Belongs to");

        assert_says(&bench.typed(&page, "A"), &[&two, "Received", &here(1, 1)]);
        let question = bench.scan(&bench.open(&one), &plate);
        assert_says(&question, &["Already received for"]);
    }
}

#[test]
fn a_number_of_several_merchants_asks_which() {
    for bench in benches() {
        let other = Bench::set(bench.stage.server);
        let asn = bench.own("ASN-shared");
        bench.quantities(&asn, &[("CAP", 1)]);
        other.quantities(&asn, &[("MUG", 3)]);

        let page = bench.open(&asn);
        assert_says(&page, &["Which parcel is it?", "1 unit expected", "3 units expected"]);
        let page = bench.follow(&page, "3 units expected");
        let page = bench.receive(&page, "MUG", "A");
        assert_says(&page, &["Received", &here(1, 3)]);
    }
}

#[test]
fn a_parcel_is_closed_with_the_names_of_what_is_missing() {
    for bench in benches() {
        let rma = bench.returned(&[("tee", "A tee", 1), ("mug", "A mug", 1)]);
        let page = bench.receive(&bench.open(&rma), "SKU-tee", "A");
        let sure = bench.follow(&page, "Close parcel");
        assert_says(&sure, &["Close this parcel?", "<strong>1 ×</strong>", "A mug"]);
        assert_eq!(bench.receiving(&rma), ["RECEIVED", "PENDING"], "nothing happened yet");

        let page = bench.sent("<form class=\"actions\"", &sure, &[("act", "close")]);

        assert_says(&page, &["Parcel closed", "somebody said that nothing more comes"]);
        assert_eq!(bench.receiving(&rma), ["RECEIVED", "NOT_RECEIVED"]);
        assert_says(&bench.scan(&page, "SKU-mug"), &["Nothing can be received from this parcel"]);
    }
}

#[test]
fn a_form_that_is_sent_twice_counts_once() {
    for bench in benches() {
        let asn = bench.own("ASN");
        bench.quantities(&asn, &[("CAP", 3)]);
        let form = bench.scan(&bench.open(&asn), "CAP");
        for _ in 0..3 {
            assert_says(&bench.typed(&form, "A"), &["Received", &here(1, 3)]);
        }
        let other = bench.typed(&form, "B");
        assert_says(&other, &["Already counted", &here(1, 3)]);

        let rma = bench.returned(&[("tee", "A tee", 2)]);
        let form = bench.scan(&bench.open(&rma), "SKU-tee");
        for _ in 0..2 {
            assert_says(&bench.typed(&form, "A"), &["Received", &here(1, 2)]);
        }
        let wrong = bench.typed(&form, "Z-1");
        assert_says(&wrong, &["Z-1", "Type its condition"]);
    }
}

#[test]
fn whatever_stands_in_names_and_codes_stays_text() {
    for bench in benches() {
        let script = "<script>alert(1)</script>";
        let rma = bench.returned(&[("tee", script, 1)]);
        let (asn, plate) = (bench.own("ASN"), bench.own("\"><script>alert(1)</script>"));
        bench.pieces(&asn, &[(&plate, script), (&bench.own("LP"), script)]);
        let parcel = bench.open(&asn);
        let graded = bench.scan(&parcel, &plate);
        let pages = [
            bench.open(script),
            bench.open(&rma),
            bench.scan(&bench.open(&rma), "SKU-tee"),
            bench.follow(&bench.open(&rma), "Close parcel"),
            bench.scan(&parcel, script),
            bench.scan(&parcel, "<script>alert(2)</script>"),
            bench.typed(&graded, "A"),
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
fn strange_addresses_and_forms_do_no_harm() {
    for bench in benches() {
        let asn = bench.own("ASN");
        bench.quantities(&asn, &[("CAP", 1)]);
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
        assert_says(&bench.open(&asn), &[&here(0, 1)]);
    }
}

#[test]
fn operators_and_people_in_the_warehouse_receive_and_nobody_else() {
    let server = shared::sqlite();
    for role in ["operator", "warehouse"] {
        let page = server.visitor(role).page("/console/receive");
        assert_says(&page, &["Scan a parcel", "aria-current=\"page\">Receiving"]);
    }
    let nobody = server.send(&Request::get("/console/receive?parcel=A"));
    assert_eq!(
        nobody.header("location"),
        Some("/console/login?next=%2Fconsole%2Freceive%3Fparcel%3DA")
    );
}
