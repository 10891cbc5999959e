//! What became of a unit, and that nobody else can see it.

use serde_json::{Value, json};

use super::{
    scene::{Who, assert_same, parsed, sample_asn, scenes},
    shipments::stock_transfer,
};

#[test]
fn a_unit_tells_its_story_with_the_messages_that_were_sent_for_it() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        let receipts = parsed(domain::samples::receipts_request());
        assert_eq!(scene.ask(Who::Warehouse, "POST", "/receipts", &receipts).status, 200);
        let shipment = parsed(domain::samples::shipment_request());
        assert_eq!(scene.ask(Who::Warehouse, "POST", "/shipments", &shipment).status, 201);
        let change = parsed(domain::samples::shipment_change_request());
        let target = "/shipments/RTV-20260310-2";
        assert_eq!(scene.ask(Who::Warehouse, "PATCH", target, &change).status, 200);

        let story = scene.get(Who::Merchant, "/units/LP-0093321").body;

        let happened: Vec<&Value> =
            story["story"].as_array().unwrap().iter().map(|it| &it["happened"]).collect();
        let asn = "ASN-20260301-7";
        assert_eq!(
            happened,
            [
                &json!({ "event": "announced", "asn_number": asn, "line_identifier": "1" }),
                &json!({ "event": "received", "asn_number": asn, "line_identifier": "1",
                    "user_login": "mkowalski", "reject_reason": "stained" }),
                &json!({ "event": "packed", "asn_number": "RTV-20260310-2" }),
                &json!({ "event": "shipped", "asn_number": "RTV-20260310-2" }),
            ]
        );
        assert_eq!(story["departure"], json!({ "asn_number": "RTV-20260310-2", "shipped": true }));
        assert_same(&story["receipt"]["scanned"], &receipts["receipts"][0]);
        let messages: Vec<(&Value, &Value, &Value)> = story["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (&it["kind"], &it["ref"], &it["sequence"]))
            .collect();
        let (outbound, number) = (json!("outbound_asn"), json!("RTV-20260310-2"));
        assert_eq!(
            messages,
            [
                (&outbound, &number, &json!(2)),
                (&outbound, &number, &json!(1)),
                (&json!("inventory_receipt"), &json!("LP-0093321"), &json!(1)),
            ]
        );
    }
}

#[test]
fn an_announced_unit_has_a_story_before_it_comes() {
    for scene in scenes() {
        scene.announce(&sample_asn());

        let story = scene.get(Who::Merchant, "/units/LP-0093322").body;

        assert_eq!(story["announcement"]["sku"], "CAP-SAND");
        assert_eq!((&story["receipt"], &story["messages"]), (&Value::Null, &json!([])));
        assert_eq!(scene.get(Who::Merchant, "/units/LP-404").status, 404);
    }
}

#[test]
fn another_merchant_sees_and_changes_none_of_it() {
    for scene in scenes() {
        scene.announce(&sample_asn());
        scene.scan(&[json!({ "unit_identifier": "LP-0093321" })]);
        let order = parsed(domain::samples::drop_ship_order_request());
        assert_eq!(scene.ask(Who::Merchant, "POST", "/drop_ship_orders", &order).status, 201);
        let shipment = stock_transfer("RTV-1", &["LP-0093321"]);
        assert_eq!(scene.ask(Who::Warehouse, "POST", "/shipments", &shipment).status, 201);
        let other = scene.neighbour();

        let seen = |target: &str| other.get(Who::Merchant, target).status;
        assert_eq!(seen("/units/LP-0093321"), 404);
        assert_eq!(seen("/units/LP-0093322"), 404);
        assert_eq!(seen("/drop_ship_orders/DS-20417"), 404);
        assert_eq!(seen("/shipments/RTV-1"), 403, "shipments are the warehouse's to read");
        let asn = "/asns/ASN-20260301-7";
        assert_eq!(other.ask(Who::Merchant, "PUT", asn, &sample_asn()).status, 404);
        for target in [
            "/receipts",
            "/shipments",
            "/drop_ship_orders/DS-20417/shipments",
            "/drop_ship_orders/DS-20417/cancellations",
        ] {
            assert_eq!(
                other.ask(Who::Merchant, "POST", target, &json!({})).status,
                403,
                "{target}"
            );
        }
        assert_eq!(other.get(Who::Merchant, "/admin/exceptions").status, 403);

        // Its own things may have the same names.
        assert_eq!(other.ask(Who::Merchant, "POST", "/asns", &sample_asn()).status, 202);
        assert_eq!(other.ask(Who::Merchant, "POST", "/drop_ship_orders", &order).status, 201);
        assert_eq!(other.get(Who::Merchant, "/units/LP-0093321").body["receipt"], Value::Null);
        assert!(scene.get(Who::Merchant, "/units/LP-0093321").body["receipt"].is_object());
    }
}

#[test]
fn the_warehouse_names_the_merchant_where_two_have_a_thing_of_one_name() {
    for scene in scenes() {
        let other = scene.neighbour();
        let order = parsed(domain::samples::drop_ship_order_request());
        for merchant in [&scene, &other] {
            let placed = merchant.ask(Who::Merchant, "POST", "/drop_ship_orders", &order);
            assert_eq!(placed.status, 201, "{placed:?}");
        }
        let target = "/drop_ship_orders/DS-20417/cancellations";
        let reason = json!({ "reason": "inventory not found" });

        let unclear = scene.ask(Who::Warehouse, "POST", target, &reason);
        let named = format!("{target}?merchant={}", other.merchant.id);
        let clear = scene.ask(Who::Warehouse, "POST", &named, &reason);

        assert_eq!(
            (unclear.status, &unclear.body["errors"][0]["field"]),
            (422, &json!("merchant"))
        );
        assert_eq!(clear.status, 201, "{clear:?}");
        assert_eq!(scene.told("drop_shipment_cancellation").len(), 0);
        assert_eq!(other.told("drop_shipment_cancellation").len(), 1);
    }
}
