//! Goods leave the warehouse, each unit once, and their merchant hears of every change.

use serde_json::{Value, json};

use super::scene::{Scene, Who, assert_same, parsed, quantities, sample_asn, scenes};

const TOLD: &str = "outbound_asn";
const SHIPMENTS: &str = "/shipments";

fn patch(scene: &Scene, number: &str, change: &Value) -> (u16, Value) {
    let target = format!("/shipments/{number}");
    let answer = scene.ask(Who::Warehouse, "PATCH", &target, change);
    (answer.status, answer.body)
}

/// Units of the SKU A that go to a store, and what carriers would be told.
pub(super) fn stock_transfer(number: &str, units: &[&str]) -> Value {
    let details = units.iter().zip(1..).map(|(unit, line)| {
        json!({ "line_identifier": format!("{line}"), "program_identifier": "returns-west",
            "unit_identifier": unit, "sku": "A", "condition": "N" })
    });
    let details: Vec<Value> = details.collect();
    let mut shipment = parsed(domain::samples::shipment_request());
    shipment["type"] = json!("stock_transfer");
    shipment["asn_number"] = json!(number);
    shipment["cartons"] = json!([{ "details": details }]);
    shipment
}

/// So many units of A are here, LP-1 and so on.
pub(super) fn with_units(scene: &Scene, count: usize) {
    let quantity = i64::try_from(count).unwrap();
    scene.announce(&quantities("ASN-20260301-7", &[("1", "A", quantity)]));
    let scans: Vec<Value> = (1..=count)
        .map(|unit| json!({ "unit_identifier": format!("LP-{unit}"), "sku": "A" }))
        .collect();
    for result in scene.scan(&scans) {
        assert_eq!(result["result"], "applied");
    }
}

#[test]
fn the_shipment_of_the_sample_is_told_with_every_field_and_again_when_it_changes() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        scene.scan(&[json!({ "unit_identifier": "LP-0093321", "condition": "B" })]);
        let shipment = parsed(domain::samples::shipment_request());

        let created = scene.ask(Who::Warehouse, "POST", SHIPMENTS, &shipment);
        assert_eq!(created.status, 201, "{created:?}");
        let change = parsed(domain::samples::shipment_change_request());
        let (status, changed) = patch(&scene, "RTV-20260310-2", &change);
        assert_eq!(status, 200, "{changed}");
        assert_eq!(patch(&scene, "RTV-20260310-2", &change), (200, changed.clone()), "as it is");

        let sample = parsed(domain::samples::outbound_asn_message());
        let mut pending = sample.clone();
        pending["status"] = json!("pending");
        pending["ship_date"] = json!("2026-03-10T17:00:00Z");
        let told = scene.told(TOLD);
        assert_eq!(told.len(), 2);
        assert_same(&told[0], &pending);
        assert_same(&told[1], &sample);
        assert_eq!(scene.sequences(TOLD), [1, 2]);
        assert_eq!(told[1]["timestamp"], changed["updated_at"]);
        let held = scene.get(Who::Warehouse, "/shipments/RTV-20260310-2");
        assert_eq!(held.body, changed);
        let mut expected = serde_json::to_value(domain::samples::outbound_shipment()).unwrap();
        expected["announcements"] = json!(2);
        assert_same(&held.body, &expected);
    }
}

#[test]
fn a_stock_transfer_tells_of_no_carrier() {
    for scene in scenes() {
        with_units(&scene, 1);

        let created =
            scene.ask(Who::Warehouse, "POST", SHIPMENTS, &stock_transfer("RTV-1", &["LP-1"]));
        assert_eq!(created.status, 201, "{created:?}");

        let mut expected = parsed(domain::samples::outbound_asn_message());
        for null in ["tracking_number", "carrier", "carrier_payment_type"] {
            expected[null] = Value::Null;
        }
        expected["to"]["identifier"] = json!("ST-RENO");
        expected["asn_number"] = json!("RTV-1");
        expected["status"] = json!("pending");
        expected["ship_date"] = json!("2026-03-10T17:00:00Z");
        expected["cartons"] = json!([{
            "identifier": null, "reference": null, "sorting_template_name": null,
            "details": [{
                "line_identifier": "1", "program_identifier": "returns-west",
                "unit_identifier": "LP-1", "client_unit_identifier": null,
                "inbound_received_asn": "ASN-20260301-7", "sku": "A", "upc": null, "quantity": 1,
                "vendor_identifier": null, "serial_number": null, "condition": "A",
                "eligibility_flags": [], "merchant": null,
            }],
        }]);
        assert_same(&scene.told(TOLD)[0], &expected);
    }
}

#[test]
fn freight_goes_to_the_external_identifier_with_the_first_number_that_was_scanned() {
    for scene in scenes() {
        with_units(&scene, 1);
        let mut shipment = stock_transfer("RTV-1", &["LP-1"]);
        shipment["type"] = json!("freight");
        shipment.as_object_mut().unwrap().shift_remove("asn_number");
        shipment["from"] = json!({ "identifier": 31, "type": "warehouse" });
        shipment["status"] = json!("shipped");

        let created = scene.ask(Who::Warehouse, "POST", SHIPMENTS, &shipment);

        assert_eq!(created.status, 201, "{created:?}");
        let told = &scene.told(TOLD)[0];
        assert_eq!(told["to"]["identifier"], "EXT-RENO");
        assert_eq!(told["from"]["identifier"], "31", "there is no external one");
        assert_eq!(told["tracking_number"], "PRO-441907");
        assert_eq!(told["bol_number"], "BOL-10023");
        assert_eq!((&told["status"], &told["details_type"]), (&json!("shipped"), &json!("unit")));
        let minted = told["asn_number"].as_str().unwrap();
        assert!(minted.starts_with("OUT-") && created.body["asn_number"] == minted, "{minted}");
    }
}

#[test]
fn a_unit_leaves_with_what_is_known_of_it() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        scene.scan(&[json!({ "unit_identifier": "LP-0093321", "condition": "B" })]);
        let mut shipment = parsed(domain::samples::shipment_request());
        shipment["cartons"][0]["details"] = json!([{
            "line_identifier": "1", "program_identifier": "returns-west",
            "unit_identifier": "LP-0093321", "sku": "TEE-NAVY-M", "condition": "B",
        }]);

        assert_eq!(scene.ask(Who::Warehouse, "POST", SHIPMENTS, &shipment).status, 201);

        let sample = parsed(domain::samples::outbound_asn_message());
        assert_same(&scene.told(TOLD)[0]["cartons"], &sample["cartons"]);
    }
}

#[test]
fn a_unit_leaves_once_and_a_cancelled_shipment_sets_it_free() {
    for scene in scenes() {
        with_units(&scene, 2);
        let ship = |number: &str, units: &[&str]| {
            let answer =
                scene.ask(Who::Warehouse, "POST", SHIPMENTS, &stock_transfer(number, units));
            (answer.status, answer.body["message"].clone())
        };

        assert_eq!(ship("RTV-1", &["LP-1"]).0, 201);
        let why = "units cannot be shipped: LP-1: the unit leaves with the shipment RTV-1";
        assert_eq!(ship("RTV-2", &["LP-2", "LP-1"]), (409, json!(why)));
        assert_eq!(ship("RTV-1", &["LP-2"]), (409, json!("shipment RTV-1 already exists")));

        assert_eq!(patch(&scene, "RTV-1", &json!({ "status": "canceled" })).0, 200);
        assert_eq!(ship("RTV-2", &["LP-2", "LP-1"]).0, 201, "nothing of the refused one was kept");
        assert_eq!(patch(&scene, "RTV-2", &json!({ "status": "shipped" })).0, 200);
        let late = patch(&scene, "RTV-2", &json!({ "status": "canceled" }));
        let why = json!({ "message": "a shipped shipment cannot become canceled" });
        assert_eq!(late, (409, why));
        assert_eq!(patch(&scene, "RTV-2", &json!({ "status": "delivered" })).0, 200);
        let stands = patch(&scene, "RTV-2", &json!({ "ship_date": "2026-03-12T00:00:00Z" }));
        assert_eq!(stands.0, 409);

        let told = scene.told(TOLD);
        let mut seen: Vec<(&str, &str)> = told
            .iter()
            .map(|it| (it["asn_number"].as_str().unwrap(), it["status"].as_str().unwrap()))
            .collect();
        // Different shipments do not wait for each other; the messages of one are in order.
        seen.sort_by_key(|(number, _)| *number);
        let expected = [
            ("RTV-1", "pending"),
            ("RTV-1", "canceled"),
            ("RTV-2", "pending"),
            ("RTV-2", "shipped"),
            ("RTV-2", "delivered"),
        ];
        assert_eq!(seen, expected);
    }
}

#[test]
fn a_repeated_shipment_is_made_once() {
    for scene in scenes() {
        with_units(&scene, 1);
        let body = stock_transfer("RTV-1", &["LP-1"]).to_string();
        let request = scene.request("POST", "/shipments", &body).header("Idempotency-Key", "k");

        let first = scene.send(Who::Warehouse, request.clone());
        let second = scene.send(Who::Warehouse, request);

        assert_eq!((first.status, second.status), (201, 201));
        assert_eq!(first.body, second.body);
        assert_eq!(scene.told(TOLD).len(), 1);
    }
}

#[test]
fn everything_wrong_with_a_shipment_is_said_at_once() {
    for scene in scenes() {
        let mut shipment = stock_transfer("RTV-1", &["LP-1", "LP-1"]);
        shipment["type"] = json!("vendor");
        shipment["to"]["vendor_id"] = json!("V-88");
        shipment["to"]["address"].as_object_mut().unwrap().shift_remove("zip");
        shipment["asn_number"] = json!("A".repeat(256));
        shipment["ship_date"] = json!("tomorrow");
        shipment["status"] = json!("delivered");
        shipment["max_details_per_message"] = json!(0);
        shipment["cartons"][0]["details"][1]["line_identifier"] = json!("1");
        shipment["cartons"][0]["details"][1]["condition"] = json!("Z");

        let answer = scene.ask(Who::Warehouse, "POST", SHIPMENTS, &shipment);

        assert_eq!(answer.status, 422);
        assert_eq!(
            answer.refused_fields(),
            [
                "$.asn_number",
                "$.cartons[0].details[1].condition",
                "$.cartons[0].details[1].line_identifier",
                "$.cartons[0].details[1].unit_identifier",
                "$.max_details_per_message",
                "$.ship_date",
                "$.status",
                "$.to.address.zip",
                "$.to.vendor_id",
            ]
        );
        let nothing = patch(&scene, "RTV-1", &json!({}));
        assert_eq!(nothing.0, 422, "{}", nothing.1);
    }
}

#[test]
fn what_is_known_of_no_merchant_must_name_one() {
    for scene in scenes() {
        let shipment = stock_transfer("RTV-1", &["LP-1"]);

        let unclear = scene.ask(Who::Warehouse, "POST", SHIPMENTS, &shipment);
        assert_eq!(
            (unclear.status, &unclear.body["errors"][0]["field"]),
            (422, &json!("merchant"))
        );

        let target = format!("/shipments?merchant={}", scene.merchant.id);
        assert_eq!(scene.ask(Who::Warehouse, "POST", &target, &shipment).status, 201);
        let nobody = scene.ask(Who::Warehouse, "POST", "/shipments?merchant=nobody", &shipment);
        assert_eq!(nobody.status, 404);
    }
}
