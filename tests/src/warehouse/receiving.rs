//! Units arrive, and their merchant hears of each.

use serde_json::{Value, json};
use sim::Behavior;

use super::scene::{Who, applied, assert_same, parsed, quantities, sample_asn, scenes, unchanged};
use crate::harness::{eventually, home::text};

const TOLD: &str = "inventory_receipt";

#[test]
fn the_receipt_of_the_sample_is_told_with_every_field() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        let receipts = parsed(domain::samples::receipts_request());

        let answer = scene.ask(Who::Warehouse, "POST", "/receipts", &receipts);

        assert_eq!((answer.status, answer.body), (200, json!({ "results": [applied()] })));
        let told = scene.told(TOLD);
        assert_eq!(told.len(), 1);
        assert_same(&told[0], &parsed(domain::samples::inventory_receipt_message()));
    }
}

#[test]
fn what_nobody_knows_of_a_unit_is_null() {
    for scene in scenes() {
        scene.announce(&quantities("ASN-20260301-7", &[("1", "CAP-SAND", 2)]));

        scene.scan(&[json!({ "unit_identifier": "LP-1", "sku": "CAP-SAND" })]);

        assert_same(
            &scene.told(TOLD)[0],
            &json!({
                "program_identifier": "returns-west", "asn_number": "ASN-20260301-7",
                "shipment_identifier": null, "from": { "identifier": "12", "type": "store" },
                "to": { "identifier": "EAST", "type": "warehouse", "original_identifier": null },
                "carton_identifier": null, "reference": null, "line_identifier": "1",
                "reference_line_identifier": null, "unit_identifier": "LP-1", "sku": "CAP-SAND",
                "upc": null, "serial_number": null, "initial_condition": "A",
                "initial_channel": "RTS", "return_reason": null, "user_login": "mkowalski",
                "merchant": null, "concept": null, "asin": null, "tracking_number": null,
                "location_identifier": null, "client_unit_identifier": null,
                "reject_reason": null,
            }),
        );
    }
}

#[test]
fn units_of_a_quantity_fill_their_lines_one_by_one() {
    for scene in scenes() {
        scene.announce(&quantities(
            "ASN-20260301-7",
            &[("1", "A", 2), ("2", "A", 1), ("3", "B", 1)],
        ));
        let unit = |plate: &str, sku: &str| json!({ "unit_identifier": plate, "sku": sku });

        let results = scene.scan(&[unit("LP-1", "A"), unit("LP-2", "A"), unit("LP-3", "A")]);

        assert_eq!(results, [applied(), applied(), applied()]);
        let told = scene.told(TOLD);
        let lines: Vec<&Value> = told.iter().map(|it| &it["line_identifier"]).collect();
        assert_eq!(lines, ["1", "1", "2"]);
        assert_eq!(scene.sequences(TOLD), [1, 1, 1], "each is the only message about its unit");
    }
}

#[test]
fn a_unit_is_received_by_any_spelling_of_its_article_number_or_by_its_asin() {
    for scene in scenes() {
        let mut asn = quantities("ASN-20260301-7", &[("1", "A", 2), ("2", "B", 1)]);
        let details = &mut asn["cartons"][0]["details"];
        details[0]["upc"] = json!("012345678905");
        details[1]["asin"] = json!("B07XYZ1234");
        scene.announce(&asn);

        let results = scene.scan(&[
            json!({ "unit_identifier": "LP-1", "upc": "0012345678905" }),
            json!({ "unit_identifier": "LP-2", "upc": "00012345678905" }),
            json!({ "unit_identifier": "LP-3", "asin": "B07XYZ1234" }),
        ]);

        assert_eq!(results, [applied(), applied(), applied()]);
        let told = scene.told(TOLD);
        let lines: Vec<&Value> = told.iter().map(|it| &it["line_identifier"]).collect();
        assert_eq!(lines, ["1", "1", "2"]);
        assert_eq!(told[2]["asin"], "B07XYZ1234");
    }
}

#[test]
fn a_receipt_names_the_warehouse_where_the_unit_was_received() {
    for scene in scenes() {
        scene.announce(&quantities("ASN-20260301-7", &[("1", "A", 3)]));

        scene.scan(&[
            json!({ "unit_identifier": "LP-1", "sku": "A", "warehouse_identifier": "32" }),
            json!({ "unit_identifier": "LP-2", "sku": "A", "warehouse_identifier": 33 }),
            json!({ "unit_identifier": "LP-3", "sku": "A" }),
        ]);

        let told = scene.told(TOLD);
        let places: Vec<&Value> = told.iter().map(|it| &it["to"]).collect();
        let place = |identifier: Value, original: Value| {
            let kind = "warehouse";
            json!({ "identifier": identifier, "type": kind, "original_identifier": original })
        };
        let expected = [
            place(json!(32), json!("EAST")),
            place(json!(33), json!("EAST")),
            place(json!("EAST"), Value::Null),
        ];
        assert_eq!(places, expected.iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_unit_that_is_rejected_when_it_is_scanned_has_the_reason_in_its_history() {
    for scene in scenes() {
        scene.announce(&quantities("ASN-20260301-7", &[("1", "A", 1)]));

        scene.scan(&[json!({ "unit_identifier": "LP-1", "sku": "A", "reject_reason": "stained" })]);

        let story = scene.get(Who::Merchant, "/units/LP-1").body;
        let received = story["story"].as_array().unwrap().iter();
        let received: Vec<&Value> =
            received.map(|it| &it["happened"]).filter(|it| it["event"] == "received").collect();
        assert_eq!(received.len(), 1, "{story}");
        assert_eq!(received[0]["reject_reason"], "stained");
    }
}

#[test]
fn a_unit_that_is_scanned_again_counts_once() {
    for scene in scenes() {
        scene.announce(&quantities("ASN-20260301-7", &[("1", "A", 2)]));
        let unit = json!({ "unit_identifier": "LP-1", "sku": "A" });

        assert_eq!(scene.scan(&[unit.clone(), unit.clone()]), [applied(), unchanged()]);
        assert_eq!(scene.scan(std::slice::from_ref(&unit)), [unchanged()]);

        assert_eq!(scene.told(TOLD).len(), 1);
        let second = json!({ "unit_identifier": "LP-2", "sku": "A" });
        assert_eq!(scene.scan(&[second]), [applied()], "the line still awaits one");
    }
}

#[test]
fn a_pallet_in_one_request_comes_to_the_same_as_unit_by_unit() {
    for scene in scenes() {
        let ids: Vec<String> = (1..=40).map(|line| line.to_string()).collect();
        let lines: Vec<(&str, &str, i64)> = ids.iter().map(|id| (id.as_str(), "A", 10)).collect();
        scene.announce(&quantities("ASN-20260301-7", &lines));
        let unit = |number: usize| match number {
            150 => json!({ "unit_identifier": "LP-0", "sku": "A" }),
            270 => json!({ "unit_identifier": "LP-270", "sku": "Z" }),
            _ => json!({ "unit_identifier": format!("LP-{number}"), "sku": "A" }),
        };

        let results = scene.scan(&(0..402).map(unit).collect::<Vec<_>>());

        for (number, result) in results.iter().enumerate() {
            match number {
                150 => assert_eq!(*result, unchanged()),
                270 => assert_eq!(result["message"], "wrong_sku"),
                _ => assert_eq!(*result, applied(), "{number}"),
            }
        }
        eventually("all are told", || (scene.sequences(TOLD).len() >= 400).then_some(()));
        let told = scene.told(TOLD);
        assert_eq!(told.len(), 400);
        for line in &ids {
            assert_eq!(told.iter().filter(|it| it["line_identifier"] == **line).count(), 10);
        }
        let more = json!({ "unit_identifier": "LP-402", "sku": "A" });
        assert_eq!(scene.scan(&[more])[0]["message"], "overage");
    }
}

#[test]
fn a_receipt_that_is_refused_does_not_delay_the_others_of_its_asn() {
    for scene in scenes() {
        scene.announce(&quantities("ASN-20260301-7", &[("1", "A", 8)]));
        scene.running.merchant().behave(&[Behavior::status(503).times(1)]).unwrap();
        let unit = |number| json!({ "unit_identifier": format!("LP-{number}"), "sku": "A" });

        scene.scan(&(0..8).map(unit).collect::<Vec<_>>());

        let calls = eventually("all are accepted", || {
            let calls = scene.calls(TOLD);
            (calls.len() >= 9).then_some(calls)
        });
        let refused = calls.iter().find(|call| !call.answer.is_success()).unwrap();
        assert_eq!(calls.last().unwrap().webhook_id, refused.webhook_id, "it was repeated last");
    }
}

#[test]
fn a_batch_of_mixed_receipts_finds_the_line_of_each() {
    for scene in scenes() {
        let mut asn = quantities(
            "ASN-20260301-7",
            &[("1", "A", 1), ("2", "B", 2), ("3", "C", 1), ("4", "A", 1)],
        );
        asn["cartons"][0]["details"][2]["upc"] = json!("012345678905");
        scene.announce(&asn);
        scene.announce(&quantities("ASN-20260301-8", &[("1", "A", 1)]));

        let results = scene.scan(&[
            json!({ "unit_identifier": "LP-1", "line_identifier": "1", "sku": "A" }),
            json!({ "unit_identifier": "LP-2", "line_identifier": "2", "sku": "B" }),
            json!({ "unit_identifier": "LP-3", "upc": "0012345678905" }),
            json!({ "unit_identifier": "LP-4", "sku": "A" }),
            json!({ "unit_identifier": "LP-5", "sku": "A", "asn_number": "ASN-20260301-8" }),
            json!({ "unit_identifier": "LP-4", "sku": "A" }),
            json!({ "unit_identifier": "LP-4", "sku": "A", "asn_number": "ASN-20260301-8" }),
            json!({ "unit_identifier": "LP-6", "sku": "B" }),
        ]);

        let elsewhere = "already_received_elsewhere";
        assert_eq!(results[6]["message"], elsewhere, "{results:?}");
        for position in [0, 1, 2, 3, 4, 7] {
            assert_eq!(results[position], applied(), "{position}");
        }
        assert_eq!(results[5], unchanged());
        let mut lines: Vec<String> =
            scene.told(TOLD).iter().map(|it| text(&it["line_identifier"])).collect();
        // Each unit has a lane of its own, so they arrive in any order.
        lines.sort();
        assert_eq!(lines, ["1", "1", "2", "2", "3", "4"]);
    }
}

#[test]
fn receipts_without_a_license_plate_are_told_apart_by_their_request() {
    for scene in scenes() {
        scene.announce(&quantities("ASN-20260301-7", &[("1", "A", 3)]));
        let receipt = json!({
            "asn_number": "ASN-20260301-7", "sku": "A", "condition": "N", "channel": "RTS",
            "user_login": "mkowalski",
        });
        let body = json!({ "receipts": [receipt, receipt] }).to_string();
        let request = scene.request("POST", "/receipts", &body).header("Idempotency-Key", "k-1");

        for _ in 0..2 {
            let answer = scene.send(Who::Warehouse, request.clone());
            assert_eq!(answer.body, json!({ "results": [applied(), applied()] }));
        }

        assert_eq!(scene.told(TOLD).len(), 2);
        let again = request.with("Idempotency-Key", "k-2");
        let results = scene.send(Who::Warehouse, again).body["results"].clone();
        assert_eq!(results[0], applied());
        assert_eq!(results[1]["message"], "overage");
    }
}

#[test]
fn a_bad_receipt_keeps_the_others_out_and_every_fault_is_said() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        let body = json!({ "receipts": [
            { "asn_number": "ASN-20260301-7", "unit_identifier": "LP-0093321", "condition": "A",
              "channel": "RTS", "user_login": "mkowalski" },
            { "asn_number": "ASN-20260301-7", "condition": "Q" },
            { "unit_identifier": 7 },
        ] });

        let answer = scene.ask(Who::Warehouse, "POST", "/receipts", &body);

        assert_eq!(answer.status, 422);
        assert_eq!(
            answer.refused_fields(),
            [
                "$.receipts[1].condition",
                "$.receipts[1].user_login",
                "$.receipts[2].condition",
                "$.receipts[2].rma_identifier | $.receipts[2].asn_number",
                "$.receipts[2].unit_identifier",
            ]
        );
        assert!(scene.told(TOLD).is_empty());
    }
}
