//! Goods of which nobody knows whose they are: they are the platform's until an operator says so.

use serde_json::{Value, json};

use super::scene::{Who, applied, exception, quantities, receipt, sample_asn, scenes, unchanged};

const TOLD: &str = "inventory_receipt";
const NUMBER: &str = "ASN-20260301-7";

/// A scan against an ASN that nobody announced.
fn stray(plate: &str, sku: &str) -> Value {
    json!({ "asn_number": "ASN-TYPO", "unit_identifier": plate, "sku": sku })
}

fn to_line(line: &str) -> Value {
    json!({ "action": "match", "asn_number": NUMBER, "line_identifier": line })
}

fn nobodys(plate: &str) -> (String, String, String) {
    ("platform".to_owned(), plate.to_owned(), "unknown_asn".to_owned())
}

#[test]
fn a_unit_that_nobody_announced_becomes_that_of_the_merchant_it_is_matched_to() {
    for scene in scenes() {
        scene.announce(&quantities(NUMBER, &[("1", "A", 1)]));

        assert_eq!(scene.scan(&[stray("LP-1", "A")]), [exception("unknown_asn")]);
        assert_eq!(scene.doubts(), [nobodys("LP-1")]);
        assert_eq!(scene.get(Who::Merchant, "/units/LP-1").status, 404);

        for _ in 0..2 {
            let decided = scene.decide_for("platform", "LP-1", "ASN-TYPO", &to_line("1"));
            assert_eq!(decided.status, 200, "{decided:?}");
        }

        let told = scene.told(TOLD);
        assert_eq!(told.len(), 1);
        assert_eq!(
            (&told[0]["asn_number"], &told[0]["unit_identifier"]),
            (&json!(NUMBER), &json!("LP-1"))
        );
        assert_eq!(scene.get(Who::Merchant, "/units/LP-1").status, 200);
        assert_eq!(scene.doubts(), []);
        assert_eq!(scene.scan(&[stray("LP-1", "A")]), [unchanged()]);
        assert_eq!(scene.scan(&[json!({ "unit_identifier": "LP-1", "sku": "A" })]), [unchanged()]);
    }
}

#[test]
fn an_announced_unit_that_was_scanned_for_a_wrong_number_is_matched_to_its_line() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        assert_eq!(scene.scan(&[stray("LP-0093321", "TEE-NAVY-M")]), [exception("unknown_asn")]);

        let decided = scene.decide_for("platform", "LP-0093321", "ASN-TYPO", &to_line("1"));

        assert_eq!(decided.status, 200, "{decided:?}");
        assert_eq!(scene.told(TOLD).len(), 1);
        let story = scene.get(Who::Merchant, "/units/LP-0093321").body;
        let steps: Vec<&Value> =
            story["story"].as_array().unwrap().iter().map(|it| &it["happened"]["event"]).collect();
        assert_eq!(steps, ["announced", "questioned", "answered", "received"], "{story}");
        assert_eq!(scene.scan(&[json!({ "unit_identifier": "LP-0093321" })]), [unchanged()]);
    }
}

#[test]
fn a_unit_that_is_here_is_not_matched_again_under_a_wrong_number() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        assert_eq!(scene.scan(&[json!({ "unit_identifier": "LP-0093321" })]), [applied()]);
        assert_eq!(scene.scan(&[stray("LP-0093321", "TEE-NAVY-M")]), [exception("unknown_asn")]);

        let decided = scene.decide_for("platform", "LP-0093321", "ASN-TYPO", &to_line("2"));

        assert_eq!(decided.status, 409, "{decided:?}");
        let why = "the unit was received, rejected or shipped already";
        assert_eq!(decided.body["message"], why);
        assert_eq!(scene.told(TOLD).len(), 1);
    }
}

#[test]
fn a_matched_unit_can_leave_without_its_merchant_being_named() {
    for scene in scenes() {
        scene.announce(&quantities(NUMBER, &[("1", "A", 1)]));
        scene.scan(&[stray("LP-1", "A")]);
        scene.decide_for("platform", "LP-1", "ASN-TYPO", &to_line("1"));

        let shipment = super::shipments::stock_transfer("RTV-1", &["LP-1"]);
        let shipped = scene.ask(Who::Warehouse, "POST", "/shipments", &shipment);

        assert_eq!(shipped.status, 201, "{shipped:?}");
        assert_eq!(scene.told("outbound_asn").len(), 1);
    }
}

#[test]
fn what_came_before_its_announcement_fits_when_it_is_scanned_again() {
    for scene in scenes() {
        assert_eq!(
            scene.scan(&[json!({ "unit_identifier": "LP-0093321" })]),
            [exception("unknown_asn")]
        );
        scene.announce(&sample_asn());

        assert_eq!(scene.scan(&[json!({ "unit_identifier": "LP-0093321" })]), [applied()]);

        assert_eq!(scene.told(TOLD).len(), 1);
    }
}

#[test]
fn goods_for_a_cancelled_asn_are_asked_about() {
    for scene in scenes() {
        let mut asn = quantities(NUMBER, &[("1", "A", 1)]);
        asn["status"] = json!("canceled");
        scene.announce(&asn);

        let scan = json!({ "unit_identifier": "LP-1", "sku": "A" });
        assert_eq!(scene.scan(&[scan]), [exception("unknown_asn")]);
        assert_eq!(scene.doubts()[0].0, "acme", "its merchant is known");
    }
}

#[test]
fn what_nobody_wants_can_be_kept_or_rejected() {
    for scene in scenes() {
        scene.scan(&[stray("LP-1", "A"), stray("LP-2", "A")]);
        let decide = |plate: &str, answer: &Value| {
            scene.decide_for("platform", plate, "ASN-TYPO", answer).status
        };

        assert_eq!(decide("LP-1", &json!({ "action": "surplus" })), 200);
        assert_eq!(decide("LP-2", &json!({ "action": "reject", "reason": "not ours" })), 200);

        assert_eq!(scene.doubts(), []);
        assert!(scene.told(TOLD).is_empty(), "there is nobody to tell");
    }
}

#[test]
fn of_two_merchants_that_use_one_number_the_one_is_meant_that_announced_the_unit() {
    for scene in scenes() {
        let neighbour = scene.neighbour();
        scene.announce(&quantities(NUMBER, &[("1", "A", 1)]));
        neighbour.announce(&quantities(NUMBER, &[("1", "B", 1)]));

        let results = scene.scan(&[
            json!({ "unit_identifier": "LP-1", "sku": "B" }),
            json!({ "unit_identifier": "LP-2", "sku": "A" }),
        ]);

        assert_eq!(results, [applied(), applied()]);
        let units = |told: Vec<Value>| -> Vec<Value> {
            told.iter().map(|it| it["unit_identifier"].clone()).collect()
        };
        assert_eq!(units(scene.told(TOLD)), ["LP-2"]);
        assert_eq!(units(neighbour.told(TOLD)), ["LP-1"]);
    }
}

#[test]
fn a_unit_that_two_merchants_await_under_one_number_is_received_for_the_one_that_is_named() {
    for scene in scenes() {
        let neighbour = scene.neighbour();
        scene.announce(&quantities(NUMBER, &[("1", "A", 1)]));
        neighbour.announce(&quantities(NUMBER, &[("1", "A", 1)]));
        let unit = json!({ "unit_identifier": "LP-1", "sku": "A" });

        let refused = &scene.scan(std::slice::from_ref(&unit))[0];

        let message = refused["message"].as_str().unwrap();
        assert_eq!(refused["result"], "refused");
        assert!(message.starts_with("several merchants announced such a unit"), "{message}");
        assert!(message.ends_with("name one with ?merchant="), "{message}");
        let scan_for = |merchant: &str| {
            let target = format!("/receipts?merchant={merchant}");
            let body = json!({ "receipts": [receipt(&unit)] });
            scene.ask(Who::Warehouse, "POST", &target, &body)
        };
        assert_eq!(scan_for(&neighbour.merchant.id).body["results"], json!([applied()]));
        assert_eq!((scene.told(TOLD).len(), neighbour.told(TOLD).len()), (0, 1));
        assert_eq!(scan_for("of-no-one").status, 404);
        assert_eq!(scene.doubts(), []);
    }
}

#[test]
fn a_unit_that_two_programs_await_under_one_number_is_received_for_the_one_that_is_named() {
    for scene in scenes() {
        scene.announce(&quantities(NUMBER, &[("1", "A", 2), ("2", "B", 1)]));
        let mut outlet = quantities(NUMBER, &[("1", "A", 1), ("2", "C", 1)]);
        outlet["program_identifier"] = json!("outlet");
        scene.announce(&outlet);
        let of_program = |plate: &str, program: Option<&str>| json!({ "unit_identifier": plate, "sku": "A", "program_identifier": program });

        let results = scene.scan(&[
            json!({ "unit_identifier": "LP-1", "sku": "C", "line_identifier": "2" }),
            of_program("LP-2", None),
            of_program("LP-2", Some("outlet")),
            of_program("LP-2", None),
            of_program("LP-3", None),
            of_program("LP-4", Some("of-no-one")),
        ]);

        let expected = json!([
            applied(),
            { "result": "refused", "message": "several programs announced such a unit with this \
                ASN number (outlet, returns-west): send program_identifier" },
            applied(),
            unchanged(),
            applied(),
            exception("unknown_asn"),
        ]);
        assert_eq!(json!(results), expected, "the outlet awaits no second one");
        let told = scene.told(TOLD);
        let programs: Vec<&Value> = told.iter().map(|it| &it["program_identifier"]).collect();
        assert_eq!(programs, ["outlet", "outlet", "returns-west"]);
    }
}

#[test]
fn a_decision_about_a_unit_is_reported_for_the_program_that_was_scanned() {
    for scene in scenes() {
        for program in ["alpha", "zeta"] {
            let mut asn = quantities(NUMBER, &[("1", "A", 1)]);
            asn["program_identifier"] = json!(program);
            scene.announce(&asn);
        }
        let scan = |plate: &str| json!({ "unit_identifier": plate, "sku": "B", "program_identifier": "zeta" });
        assert_eq!(scene.scan(&[scan("LP-1"), scan("LP-2")]), ["wrong_sku"; 2].map(exception));

        for (plate, answer) in [
            ("LP-1", json!({ "action": "reject", "reason": "not ours" })),
            ("LP-2", json!({ "action": "surplus" })),
        ] {
            let decided = scene.decide(plate, NUMBER, &answer);
            assert_eq!(decided.status, 200, "{decided:?}");
        }

        let told = scene.told(TOLD);
        let programs: Vec<&Value> = told.iter().map(|it| &it["program_identifier"]).collect();
        assert_eq!(programs, ["zeta", "zeta"]);
    }
}

#[test]
fn a_stray_that_could_be_of_two_merchants_is_matched_to_neither() {
    for scene in scenes() {
        let neighbour = scene.neighbour();
        scene.scan(&[stray("LP-1", "A")]);
        scene.announce(&quantities(NUMBER, &[("1", "A", 1)]));
        neighbour.announce(&quantities(NUMBER, &[("1", "A", 1)]));

        let decided = scene.decide_for("platform", "LP-1", "ASN-TYPO", &to_line("1"));

        assert_eq!(decided.status, 409, "{decided:?}");
        let reject = json!({ "action": "reject", "reason": "scanned again for its merchant" });
        let decided = scene.decide_for("platform", "LP-1", "ASN-TYPO", &reject);
        assert_eq!(decided.status, 200, "{decided:?}");
        assert_eq!((scene.told(TOLD).len(), neighbour.told(TOLD).len()), (0, 0));
    }
}

#[test]
fn a_stray_is_matched_to_the_merchant_and_the_program_that_has_the_line() {
    for scene in scenes() {
        let neighbour = scene.neighbour();
        scene.announce(&quantities(NUMBER, &[("1", "A", 1)]));
        let mut other_program = quantities(NUMBER, &[("3", "C", 1)]);
        other_program["program_identifier"] = json!("returns-zenith");
        scene.announce(&other_program);
        neighbour.announce(&quantities(NUMBER, &[("2", "B", 1)]));
        scene.scan(&[stray("LP-1", "A"), stray("LP-2", "B"), stray("LP-3", "C")]);

        for (plate, line) in [("LP-1", "1"), ("LP-2", "2"), ("LP-3", "3")] {
            let decided = scene.decide_for("platform", plate, "ASN-TYPO", &to_line(line));
            assert_eq!(decided.status, 200, "{decided:?}");
        }

        let seen = |told: Vec<Value>| -> Vec<(Value, Value)> {
            let told = told.iter();
            told.map(|it| (it["unit_identifier"].clone(), it["program_identifier"].clone()))
                .collect()
        };
        let expected =
            [(json!("LP-1"), json!("returns-west")), (json!("LP-3"), json!("returns-zenith"))];
        assert_eq!(seen(scene.told(TOLD)), expected);
        assert_eq!(seen(neighbour.told(TOLD)), [(json!("LP-2"), json!("returns-west"))]);
    }
}
