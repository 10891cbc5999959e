//! Units that are graded and moved while the warehouse has them.

use serde_json::{Value, json};

use super::{
    scene::{Answer, Scene, Who, parsed, sample_asn, scenes},
    shipments::stock_transfer,
};

const UNIT: &str = "/units/LP-0093321/changes";

/// The sample's ASN is announced, and its first unit received.
fn received(scene: &Scene) {
    scene.announce(&sample_asn());
    scene.scan(&[json!({ "unit_identifier": "LP-0093321", "location_identifier": "A-14-03" })]);
}

fn change(scene: &Scene, change: &Value) -> Answer {
    scene.ask(Who::Warehouse, "POST", UNIT, change)
}

fn story(scene: &Scene) -> Vec<Value> {
    let unit = scene.get(Who::Merchant, "/units/LP-0093321").body;
    unit["story"].as_array().unwrap().iter().map(|step| step["happened"].clone()).collect()
}

/// The condition that the last message about what left tells.
fn told_condition(scene: &Scene) -> Value {
    let told = scene.told("outbound_asn");
    told.last().unwrap()["cartons"][0]["details"][0]["condition"].clone()
}

#[test]
fn a_unit_is_graded_and_moved_and_leaves_as_it_is() {
    for scene in scenes() {
        received(&scene);

        let changed = change(&scene, &parsed(domain::samples::unit_change_request()));

        assert_eq!(changed.status, 200, "{changed:?}");
        let unit = scene.get(Who::Merchant, "/units/LP-0093321").body;
        for now in [&changed.body, &unit] {
            assert_eq!((&now["condition"], &now["channel"]), (&json!("C"), &json!("OUTLET")));
            assert_eq!(now["location_identifier"], "B-02-11");
            assert_eq!(now["receipt"]["scanned"]["condition"], "A", "as it was received");
        }
        assert_eq!(
            story(&scene)[2..],
            [
                json!({ "event": "graded", "condition": "C", "reason": "a stain was found",
                    "user_login": "mkowalski" }),
                json!({ "event": "moved", "location_identifier": "B-02-11", "channel": "OUTLET",
                    "reason": "a stain was found", "user_login": "mkowalski" }),
            ]
        );
        let shipment = stock_transfer("RTV-1", &["LP-0093321"]);
        assert_eq!(scene.ask(Who::Warehouse, "POST", "/shipments", &shipment).status, 201);
        assert_eq!(told_condition(&scene), "C");
        assert_eq!(change(&scene, &json!({ "condition": "X" })).status, 200, "it is set aside");
        let left = json!({ "status": "shipped" });
        assert_eq!(scene.ask(Who::Warehouse, "PATCH", "/shipments/RTV-1", &left).status, 200);
        assert_eq!(told_condition(&scene), "X");

        let late = change(&scene, &json!({ "condition": "A" }));
        let why = json!({ "message": "the unit has left with the shipment RTV-1" });
        assert_eq!((late.status, late.body), (409, why));
    }
}

#[test]
fn what_is_told_again_changes_nothing() {
    for scene in scenes() {
        received(&scene);
        let body = json!({ "location_identifier": "B-2" }).to_string();
        let request = scene.request("POST", UNIT, &body).header("Idempotency-Key", "move");

        let first = scene.send(Who::Warehouse, request.clone());
        assert_eq!(change(&scene, &json!({ "location_identifier": "B-2" })).status, 200);
        change(&scene, &json!({ "location_identifier": "C-3" }));
        let again = scene.send(Who::Warehouse, request);

        assert_eq!((first.status, again.status), (200, 200));
        assert_eq!(again.body, first.body, "the first answer");
        let moves = story(&scene).into_iter().filter(|step| step["event"] == "moved");
        let places: Vec<Value> = moves.map(|step| step["location_identifier"].clone()).collect();
        assert_eq!(places, ["B-2", "C-3"]);
    }
}

#[test]
fn only_a_unit_that_is_here_changes_and_only_in_ways_that_there_are() {
    for scene in scenes() {
        received(&scene);
        let ask = |unit: &str, change: &Value| {
            let target = format!("/units/{unit}/changes");
            scene.ask(Who::Warehouse, "POST", &target, change)
        };
        let message = |answer: &Answer| answer.body["message"].clone();

        let awaited = ask("LP-0093322", &json!({ "condition": "A" }));
        assert_eq!(awaited.status, 409);
        assert_eq!(message(&awaited), "the unit is not in the warehouse");
        let unknown = ask("LP-404", &json!({ "condition": "A" }));
        assert_eq!((unknown.status, message(&unknown)), (404, json!("unit not found")));
        let bad = change(&scene, &json!({ "condition": "Q", "channel": 1, "shade": "red" }));
        let faults: Vec<&Value> =
            bad.body["errors"].as_array().unwrap().iter().map(|it| &it["field"]).collect();
        assert_eq!((bad.status, faults.len()), (422, 3), "{bad:?}");
        assert_eq!(change(&scene, &json!({ "reason": "none" })).status, 422);
        let merchant = scene.ask(Who::Merchant, "POST", UNIT, &json!({ "condition": "A" }));
        assert_eq!(merchant.status, 403, "units are the warehouse's to change");
        assert_eq!(story(&scene).len(), 2, "nothing happened");
    }
}
