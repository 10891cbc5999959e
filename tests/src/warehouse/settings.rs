//! The warehouses of the platform: operators set them, and shipments need not repeat what is known.

use serde_json::{Value, json};

use super::{
    scene::{Answer, Scene, Who, quantities, scenes},
    shipments::{stock_transfer, with_units},
};
use crate::harness::{
    home::{Home, Merchant, text},
    http::Request,
    samples::{message, sample_order},
};

// The numbers begin like those that every scene has for itself.
const EAST: &str = "/admin/warehouses/RTV-31";
const WEST: &str = "/admin/warehouses/RTV-32";

fn address() -> Value {
    json!({ "name": "Dock 4", "company": null, "street": "77 Mill Road", "street2": null,
        "city": "Reno", "state": "NV", "zip": "89502" })
}

fn set(scene: &Scene, target: &str, settings: &Value) -> Value {
    let answer = scene.ask(Who::Operator, "PUT", target, settings);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

fn set_both(scene: &Scene) {
    set(scene, EAST, &json!({ "external_identifier": "WH-EAST" }));
    let west = json!({ "external_identifier": "WH-WEST", "stock_transfer_identifier": "ST-WEST",
        "address": address(), "time_zone": "America/Los_Angeles" });
    set(scene, WEST, &west);
}

/// The actions that the audit trail has about one warehouse of this scene, oldest first.
fn audited(scene: &Scene, identifier: &str) -> Vec<String> {
    let trail = scene.get(Who::Operator, "/admin/audit?limit=500").body;
    let changes = trail["changes"].as_array().unwrap().iter().rev();
    let about = changes.filter(|change| {
        let warehouse = &change["detail"]["warehouse"];
        *warehouse == identifier || warehouse["identifier"] == identifier
    });
    about.map(|change| text(&change["action"])).collect()
}

/// A transfer of LP-1 between the two, which are only named.
fn transfer(number: &str) -> Value {
    let mut shipment = stock_transfer(number, &["LP-1"]);
    shipment["from"] = json!({ "identifier": "RTV-31", "type": "warehouse" });
    shipment["to"] = json!({ "identifier": "RTV-32", "type": "warehouse" });
    shipment
}

fn ship(scene: &Scene, shipment: &Value) -> Answer {
    scene.ask(Who::Warehouse, "POST", "/shipments", shipment)
}

#[test]
fn operators_set_list_and_remove_warehouses_and_the_audit_trail_has_each_change() {
    for scene in scenes() {
        let settings = json!({ "external_identifier": "WH-EAST", "time_zone": "UTC" });
        let expected = json!({
            "identifier": "RTV-31", "external_identifier": "WH-EAST", "time_zone": "UTC"
        });
        assert_eq!(scene.get(Who::Operator, EAST).status, 404);
        assert_eq!(set(&scene, EAST, &settings), expected);
        assert_eq!(set(&scene, EAST, &settings), expected, "nothing changes");
        assert_eq!(scene.get(Who::Operator, EAST).body, expected);
        let listed = scene.get(Who::Operator, "/admin/warehouses").body;
        assert!(listed["warehouses"].as_array().unwrap().contains(&expected), "{listed}");
        set(&scene, EAST, &json!({}));

        let removed = scene.ask(Who::Operator, "DELETE", EAST, &json!({}));
        assert_eq!((removed.status, removed.body), (200, json!({ "identifier": "RTV-31" })));
        assert_eq!(scene.ask(Who::Operator, "DELETE", EAST, &json!({})).status, 404);
        let actions = audited(&scene, "RTV-31");
        assert_eq!(actions, ["warehouse.set", "warehouse.set", "warehouse.remove"]);

        let wrong = json!({ "time_zone": "GMT +1", "address": [], "name": "East" });
        let refused = scene.ask(Who::Operator, "PUT", EAST, &wrong);
        assert_eq!(refused.refused_fields(), ["$.address", "$.name", "$.time_zone"]);
        for who in [Who::Merchant, Who::Warehouse] {
            assert_eq!(scene.ask(who, "PUT", EAST, &json!({})).status, 403);
        }
    }
}

#[test]
fn a_shipment_names_configured_warehouses_and_its_message_has_their_settings() {
    for scene in scenes() {
        with_units(&scene, 1);
        let unknown = ship(&scene, &transfer("RTV-1"));
        assert_eq!(unknown.refused_fields(), ["$.to.address"], "nothing is known yet");
        set_both(&scene);

        let shipped = ship(&scene, &transfer("RTV-1"));
        assert_eq!(shipped.status, 201, "{shipped:?}");
        assert_eq!(shipped.body["to"]["address"], address());
        let told = scene.told("outbound_asn");
        assert_eq!(told[0]["from"], json!({ "identifier": "WH-EAST", "type": "warehouse" }));
        let to = json!({ "identifier": "ST-WEST", "type": "warehouse", "address": address() });
        assert_eq!(told[0]["to"], to);

        // Removing the settings changes nothing of a shipment that exists.
        assert_eq!(scene.ask(Who::Operator, "DELETE", WEST, &json!({})).status, 200);
        let shown = scene.get(Who::Warehouse, "/shipments/RTV-1");
        assert_eq!(shown.body["to"], shipped.body["to"]);
    }
}

#[test]
fn what_a_shipment_says_itself_stays_and_a_vendor_is_no_warehouse() {
    for scene in scenes() {
        with_units(&scene, 2);
        set_both(&scene);

        let mut freight = transfer("RTV-1");
        freight["type"] = json!("freight");
        freight["from"]["external_identifier"] = json!("MINE");
        freight["to"]["address"] = address();
        freight["to"]["address"]["name"] = json!("Gate 9");
        assert_eq!(ship(&scene, &freight).status, 201);
        let told = scene.told("outbound_asn");
        assert_eq!(told[0]["from"]["identifier"], "MINE");
        assert_eq!(told[0]["to"]["identifier"], "WH-WEST");
        assert_eq!(told[0]["to"]["address"]["name"], "Gate 9");

        let mut vendor = stock_transfer("RTV-2", &["LP-2"]);
        vendor["type"] = json!("vendor");
        vendor["to"] = json!({ "identifier": "RTV-32", "vendor_id": 32, "type": "warehouse" });
        assert_eq!(ship(&scene, &vendor).refused_fields(), ["$.to.address"]);
    }
}

#[test]
fn the_receipt_at_a_configured_warehouse_has_only_the_fields_of_the_contract() {
    for scene in scenes() {
        set_both(&scene);
        scene.announce(&quantities("ASN-20260301-7", &[("1", "A", 2)]));
        scene.scan(&[
            json!({ "unit_identifier": "LP-1", "sku": "A", "warehouse_identifier": "RTV-32" }),
            json!({ "unit_identifier": "LP-2", "sku": "A", "warehouse_identifier": "RTV-99" }),
        ]);
        let told = scene.told("inventory_receipt");
        let places: Vec<&Value> = told.iter().map(|it| &it["to"]).collect();
        let at = |identifier: &str| json!({ "identifier": identifier, "type": "warehouse", "original_identifier": "EAST" });
        assert_eq!(places, [&at("RTV-32"), &at("RTV-99")]);
    }
}

#[test]
fn units_without_a_channel_get_the_default_of_the_warehouse_that_received_them() {
    for scene in scenes() {
        set(&scene, EAST, &json!({ "default_channel": "Backstock" }));
        scene.announce(&quantities("ASN-20260301-7", &[("1", "A", 4)]));
        let unit = |plate: &str, warehouse: &str, condition: &str| {
            json!({ "asn_number": "ASN-20260301-7", "unit_identifier": plate, "sku": "A",
                "warehouse_identifier": warehouse, "condition": condition, "user_login": "k.ito" })
        };
        let mut named = unit("LP-4", "RTV-31", "A");
        named["channel"] = json!("OUTLET");
        let units = [
            unit("LP-1", "RTV-31", "A"),
            unit("LP-2", "RTV-99", "A"),
            unit("LP-3", "RTV-31", "X"),
            named,
        ];

        let receipts = json!({ "receipts": units });
        let answer = scene.ask(Who::Warehouse, "POST", "/receipts", &receipts);

        assert_eq!(answer.status, 200, "{answer:?}");
        let channels = ["LP-1", "LP-2", "LP-3", "LP-4"].map(|plate| {
            text(&scene.get(Who::Merchant, &format!("/units/{plate}")).body["channel"])
        });
        assert_eq!(channels, ["Backstock", "RTS", "DAMAGED", "OUTLET"]);
    }
}

#[test]
fn the_commands_set_list_and_remove_warehouses() {
    let home = Home::new();
    home.install();
    let file = home.file("east.json", r#"{"external_identifier": "WH-EAST"}"#);
    let identifier = "31/east side";
    let expected = json!({ "identifier": identifier, "external_identifier": "WH-EAST" });

    let set = home.json(&["warehouse", "set", identifier, file.to_str().unwrap()]);
    assert_eq!(set, expected);
    assert_eq!(home.json(&["warehouse", "list"]), json!({ "warehouses": [expected] }));
    let listed = home.run(&["warehouse", "list"]).out;
    assert!(listed.contains("31/east side") && listed.contains("WH-EAST"), "{listed}");
    let removed = home.run(&["warehouse", "remove", identifier]);
    assert_eq!(removed.out, "The warehouse 31/east side is removed.\n");
    assert_eq!(home.json(&["warehouse", "list"]), json!({ "warehouses": [] }));
    assert_eq!(home.run(&["warehouse", "list"]).out, "None.\n");
}

/// Starts a return of a new order, which our warehouse receives.
fn start_return(scene: &Scene, order_id: &str) -> String {
    start_return_of(scene, &[(order_id, "DE")])
}

/// The same of several orders, each sent to a country.
fn start_return_of(scene: &Scene, orders: &[(&str, &str)]) -> String {
    let (server, token) = (scene.server, scene.server.token(&scene.merchant));
    let settings = json!({ "carrier": "external", "managed_receiving": true });
    let target = format!("/admin/merchants/{}", scene.merchant.id);
    assert_eq!(scene.ask(Who::Operator, "PATCH", &target, &settings).status, 200);
    let mut items = Vec::new();
    for (order_id, country) in orders {
        let mut order = sample_order(order_id);
        order["shipping_address"]["country_code"] = json!(country);
        order["items"][0]["quantity"] = json!(1);
        order["items"][0]["quantity_shipped"] = json!(1);
        order["items"][0]["return_policy_end_date"] = json!("2126-04-30");
        assert_eq!(server.publish(&token, &message(&[order])).status, 200);
        items.push(json!({ "order_identifier": order_id, "order_line_item_identifier": "1",
            "quantity": 1, "return_reason": "too_small", "resolution": "refund" }));
    }
    let wanted = json!({
        "email": "lena.brandt@example.com", "return_method": "mail-back", "items": items,
    });
    let started = Request::post("/returns").bearer(&token).json(wanted.to_string());
    text(&server.send(&started).json()["rma_identifier"])
}

/// The recipient that carriers are asked to send a return to.
fn recipient_of(scene: &Scene, rma: &str) -> Value {
    let server = scene.server;
    let add = ["client", "add", "--name", "gateway", "--scope", "carrier:write"];
    let carrier = server.token(&Merchant::read("platform", &server.home.json(&add)));
    let mut target = "/label_requests?limit=100".to_owned();
    loop {
        let page = server.send(&Request::get(&target).bearer(&carrier)).json();
        let requests = page["label_requests"].as_array().unwrap();
        if let Some(found) = requests.iter().find(|it| it["rma_identifier"] == rma) {
            return found["recipient"].clone();
        }
        target = format!("/label_requests?limit=100&after={}", text(&page["next"]));
    }
}

#[test]
fn a_return_goes_to_the_warehouse_that_the_table_names() {
    const ROUTES: &str = "/admin/return_routes";
    for scene in scenes() {
        let before = recipient_of(&scene, &start_return(&scene, "routed-1"));
        assert_ne!(before["city"], "Reno");
        let mut home = address();
        home["country"] = json!("us");
        set(&scene, EAST, &json!({ "address": home }));
        set(&scene, WEST, &json!({}));
        let route = |warehouse: &str| {
            let merchant = &scene.merchant.id;
            json!({ "routes": [
                { "merchant": merchant, "country": "ZZ", "warehouse": "RTV-31" },
                { "merchant": merchant, "return_method": "mail-back", "warehouse": warehouse },
            ] })
        };
        let refused = scene.ask(Who::Operator, "PUT", ROUTES, &route("RTV-32"));
        assert_eq!(refused.refused_fields(), ["$.routes[1].warehouse"], "it has no address");
        assert_eq!(scene.ask(Who::Merchant, "PUT", ROUTES, &route("RTV-31")).status, 403);
        let unknown = json!({ "routes": [{ "merchant": "nobody", "warehouse": "RTV-31" }] });
        let refused = scene.ask(Who::Operator, "PUT", ROUTES, &unknown);
        assert_eq!(refused.refused_fields(), ["$.routes[0].merchant"]);
        let stored = scene.ask(Who::Operator, "PUT", ROUTES, &route("RTV-31"));
        assert_eq!(stored.status, 200, "{stored:?}");

        let rma = start_return(&scene, "routed-2");
        let after = recipient_of(&scene, &rma);
        let parts = (&after["city"], &after["zip_code"], &after["country_code"]);
        assert_eq!(parts, (&json!("Reno"), &json!("89502"), &json!("US")));

        // Something else was in the parcel. The scan does not say where.
        let other = json!({
            "rma_identifier": rma, "unit_identifier": "LP-7", "sku": "OTHER", "condition": "A",
        });
        let receipts = json!({ "receipts": [other] });
        assert_eq!(scene.ask(Who::Warehouse, "POST", "/receipts", &receipts).status, 200);
        let reject = json!({ "action": "reject", "reason": "wrong item" });
        assert_eq!(scene.decide("LP-7", &rma, &reject).status, 200);
        let told = scene.told("inventory_receipt");
        let to =
            json!({ "identifier": "RTV-31", "type": "warehouse", "original_identifier": null });
        assert_eq!((told.len(), &told[0]["to"]), (1, &to));

        // A return of several orders comes from where its first unit was sent.
        let abroad = json!({ "routes": [
            { "merchant": scene.merchant.id, "country": "ZZ", "warehouse": "RTV-31" },
        ] });
        assert_eq!(scene.ask(Who::Operator, "PUT", ROUTES, &abroad).status, 200);
        for (orders, is_routed) in [
            ([("routed-4", "DE"), ("routed-3", "ZZ")], false),
            ([("routed-6", "ZZ"), ("routed-5", "DE")], true),
        ] {
            let recipient = recipient_of(&scene, &start_return_of(&scene, &orders));
            assert_eq!(recipient["city"] == "Reno", is_routed, "{recipient}");
        }
    }
}
