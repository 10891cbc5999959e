//! Units that do not fit their ASN: kept as questions, answered by operators, counted once.

use serde_json::{Value, json};

use super::scene::{
    Scene, Who, applied, assert_same, exception, quantities, sample_asn, scenes, unchanged,
};

const TOLD: &str = "inventory_receipt";
const NUMBER: &str = "ASN-20260301-7";

fn unit(plate: &str, sku: &str) -> Value {
    json!({ "unit_identifier": plate, "sku": sku })
}

/// Two of A and one of B are announced; both A are here.
fn with_both_a(scene: &Scene) {
    scene.announce(&quantities(NUMBER, &[("1", "A", 2), ("2", "B", 1)]));
    assert_eq!(scene.scan(&[unit("LP-1", "A"), unit("LP-2", "A")]), [applied(), applied()]);
}

fn doubt(plate: &str, kind: &str) -> (String, String, String) {
    ("acme".to_owned(), plate.to_owned(), kind.to_owned())
}

#[test]
fn what_does_not_fit_is_kept_and_asked_about() {
    for scene in scenes() {
        with_both_a(&scene);

        let results = scene.scan(&[
            unit("LP-3", "A"),
            unit("LP-4", "C"),
            json!({ "unit_identifier": "LP-5" }),
            json!({ "unit_identifier": "LP-6", "sku": "C", "line_identifier": "2" }),
        ]);

        let kinds = ["overage", "wrong_sku", "unknown_unit", "wrong_sku"];
        assert_eq!(results, kinds.map(exception));
        let plates = ["LP-3", "LP-4", "LP-5", "LP-6"];
        let expected: Vec<_> =
            plates.into_iter().zip(kinds).map(|(plate, kind)| doubt(plate, kind)).collect();
        assert_eq!(scene.doubts(), expected, "the oldest first");
        assert_eq!(scene.scan(&[unit("LP-3", "A")]), [unchanged()], "it was asked before");
        assert_eq!(scene.told(TOLD).len(), 2, "nobody is told before somebody decided");
    }
}

#[test]
fn candidates_are_ranked_by_what_speaks_for_them() {
    for scene in scenes() {
        scene.announce(&sample_asn());

        let scan = json!({ "unit_identifier": "LP-9", "sku": "TEE-NAVY-M",
            "serial_number": "SN-20114", "carton_identifier": "CTN-1" });
        assert_eq!(scene.scan(&[scan]), [exception("unknown_unit")]);

        let story = scene.get(Who::Merchant, "/units/LP-9").body;
        assert_eq!(
            story["questions"][0]["candidates"],
            json!([
                { "asn_number": NUMBER, "line_identifier": "1", "sku": "TEE-NAVY-M", "awaited": 1,
                  "why": ["same_serial_number", "same_sku", "same_carton"] },
                { "asn_number": NUMBER, "line_identifier": "2", "sku": "CAP-SAND", "awaited": 1,
                  "why": ["same_carton"] },
            ])
        );
    }
}

#[test]
fn a_matched_unit_counts_on_its_line_and_is_told_once() {
    for scene in scenes() {
        with_both_a(&scene);
        scene.scan(&[unit("LP-4", "C")]);
        let matched = json!({ "action": "match", "asn_number": NUMBER, "line_identifier": "2" });

        for _ in 0..2 {
            let decided = scene.decide("LP-4", NUMBER, &matched);
            assert_eq!(decided.status, 200, "{decided:?}");
            assert_eq!(decided.body["receipt"]["line_identifier"], "2");
        }

        let told = scene.told(TOLD);
        assert_eq!(told.len(), 3);
        assert_eq!((&told[2]["line_identifier"], &told[2]["sku"]), (&json!("2"), &json!("C")));
        assert_eq!(scene.doubts(), []);
        assert_eq!(scene.scan(&[unit("LP-4", "C")]), [unchanged()]);
        assert_eq!(scene.scan(&[unit("LP-7", "B")]), [exception("overage")], "line 2 is full");
    }
}

#[test]
fn no_line_is_matched_beyond_what_was_announced() {
    for scene in scenes() {
        with_both_a(&scene);
        scene.scan(&[unit("LP-3", "A")]);
        let decide = |line: &str| {
            let answer =
                json!({ "action": "match", "asn_number": NUMBER, "line_identifier": line });
            let decided = scene.decide("LP-3", NUMBER, &answer);
            (decided.status, decided.body["message"].as_str().unwrap_or_default().to_owned())
        };

        let full = format!("line 1 of the ASN {NUMBER} awaits no more units");
        assert_eq!(decide("1"), (409, full));
        assert_eq!(decide("9"), (409, format!("the ASN {NUMBER} has no line 9")));
        assert_eq!(scene.doubts(), [doubt("LP-3", "overage")], "it is still asked about");
    }
}

#[test]
fn surplus_is_kept_without_a_line() {
    for scene in scenes() {
        with_both_a(&scene);
        scene.scan(&[unit("LP-3", "A")]);

        let decided = scene.decide("LP-3", NUMBER, &json!({ "action": "surplus" }));

        assert_eq!(decided.status, 200, "{decided:?}");
        let told = scene.told(TOLD);
        assert_eq!(told.len(), 3);
        assert_same(
            &told[2],
            &json!({
                "program_identifier": "returns-west", "asn_number": NUMBER,
                "shipment_identifier": null, "from": { "identifier": "12", "type": "store" },
                "to": { "identifier": "EAST", "type": "warehouse", "original_identifier": null },
                "carton_identifier": null, "reference": null, "line_identifier": null,
                "reference_line_identifier": null, "unit_identifier": "LP-3", "sku": "A",
                "upc": null, "serial_number": null, "initial_condition": "A",
                "initial_channel": "RTS", "return_reason": null, "user_login": "mkowalski",
                "merchant": null, "concept": null, "asin": null, "tracking_number": null,
                "location_identifier": null, "client_unit_identifier": null,
                "reject_reason": null,
            }),
        );
        assert_eq!(scene.scan(&[unit("LP-8", "B")]), [applied()], "line 2 still awaits its unit");
        assert_eq!(scene.doubts(), []);
        let otherwise = scene.decide("LP-3", NUMBER, &json!({ "action": "reject", "reason": "x" }));
        assert_eq!(otherwise.status, 409);
    }
}

#[test]
fn a_rejected_unit_is_told_with_its_reason_and_does_not_count() {
    for scene in scenes() {
        scene.announce(&quantities(NUMBER, &[("1", "A", 1)]));
        scene.scan(&[unit("LP-4", "C")]);
        let reject = json!({ "action": "reject", "reason": "not our article" });

        let decided = scene.decide("LP-4", NUMBER, &reject);

        assert_eq!(decided.body["reject_reason"], "not our article");
        assert_eq!(scene.scan(&[unit("LP-1", "A")]), [applied()], "the line still awaits its unit");
        let told = scene.told(TOLD);
        let seen: Vec<(&Value, &Value, &Value)> = told
            .iter()
            .map(|it| (&it["unit_identifier"], &it["line_identifier"], &it["reject_reason"]))
            .collect();
        let expected = [
            (&json!("LP-4"), &Value::Null, &json!("not our article")),
            (&json!("LP-1"), &json!("1"), &Value::Null),
        ];
        assert_eq!(seen, expected);
        assert_eq!(scene.scan(&[unit("LP-4", "C")]), [unchanged()]);
    }
}

#[test]
fn a_unit_that_is_here_is_not_received_for_another_asn() {
    for scene in scenes() {
        with_both_a(&scene);
        scene.announce(&quantities("ASN-8", &[("1", "A", 1)]));
        let elsewhere = json!({ "asn_number": "ASN-8", "unit_identifier": "LP-1", "sku": "A" });

        assert_eq!(scene.scan(&[elsewhere]), [exception("already_received_elsewhere")]);

        assert_eq!(scene.doubts(), [doubt("LP-1", "already_received_elsewhere")]);
        let matched = json!({ "action": "match", "asn_number": "ASN-8", "line_identifier": "1" });
        assert_eq!(scene.decide("LP-1", "ASN-8", &matched).status, 409, "it counts already");
        let reject = json!({ "action": "reject", "reason": "scanned twice" });
        let decided = scene.decide("LP-1", "ASN-8", &reject);
        assert_eq!((decided.status, &decided.body["reject_reason"]), (200, &Value::Null));
        assert_eq!(decided.body["receipt"]["asn_number"], NUMBER, "it stays here");
        assert_eq!(scene.told(TOLD).len(), 2);
        assert_eq!(scene.doubts(), []);
    }
}

#[test]
fn a_question_stays_with_operators_whatever_else_happens_to_its_unit() {
    for scene in scenes() {
        with_both_a(&scene);
        scene.announce(&quantities("ASN-8", &[("1", "A", 1)]));
        scene.scan(&[json!({ "asn_number": "ASN-8", "unit_identifier": "LP-1", "sku": "A" })]);
        scene.scan(&[unit("LP-5", "C")]);

        // One of them leaves, the other is announced after all.
        let shipment = super::shipments::stock_transfer("RTV-1", &["LP-1"]);
        assert_eq!(scene.ask(Who::Warehouse, "POST", "/shipments", &shipment).status, 201);
        let mut late = sample_asn();
        late["asn_number"] = json!("ASN-9");
        late["cartons"][0]["details"][0]["unit_identifier"] = json!("LP-5");
        scene.announce(&late);

        let expected = [doubt("LP-1", "already_received_elsewhere"), doubt("LP-5", "wrong_sku")];
        assert_eq!(scene.doubts(), expected);
    }
}

#[test]
fn everything_wrong_with_a_decision_is_said() {
    for scene in scenes() {
        with_both_a(&scene);
        scene.scan(&[unit("LP-3", "A")]);
        let decide = |answer: &Value| scene.decide("LP-3", NUMBER, answer);
        let fields = |answer: &Value| {
            let decided = decide(answer);
            assert_eq!(decided.status, 422, "{decided:?}");
            let errors = decided.body["errors"].as_array().unwrap().clone();
            errors.iter().map(|it| it["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };

        assert_eq!(fields(&json!({})), ["$.action"]);
        assert_eq!(fields(&json!({ "action": "match" })), ["$.asn_number", "$.line_identifier"]);
        assert_eq!(fields(&json!({ "action": "reject", "reason": "" })), ["$.reason"]);
        assert_eq!(scene.decide("LP-9", NUMBER, &json!({ "action": "surplus" })).status, 404);
        assert_eq!(scene.decide("LP-3", "ASN-9", &json!({ "action": "surplus" })).status, 409);
    }
}
