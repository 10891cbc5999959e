//! A gateway learns everything that it needs for a label, and nothing more.

use serde_json::{Value, json};

use crate::{
    harness::{
        home::{Merchant, text},
        http::{Reply, Request},
    },
    returns::scene::{SHOPPER, Scene, request, sample_order, scenes},
};

/// The token of a carrier's gateway.
fn gateway(scene: &Scene<'_>) -> String {
    let add = ["client", "add", "--name", "gateway", "--scope", "carrier:write"];
    let added = scene.stage.server.home.json(&add);
    scene.stage.server.token(&Merchant::read("platform", &added))
}

fn get(scene: &Scene<'_>, token: &str, target: &str) -> Reply {
    scene.stage.server.send(&Request::get(target).bearer(token))
}

/// The request for the label of this return, wherever it is in the list.
fn find_request(scene: &Scene<'_>, token: &str, rma: &str) -> Value {
    let mut target = "/label_requests".to_owned();
    loop {
        let page = get(scene, token, &target).json();
        let requests = page["label_requests"].as_array().unwrap();
        if let Some(found) = requests.iter().find(|it| it["rma_identifier"] == rma) {
            return found.clone();
        }
        target = format!("/label_requests?after={}", text(&page["next"]));
    }
}

#[test]
fn a_label_that_the_carrier_canceled_is_requested_again() {
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        let rma = scene.start_tee();
        let number = format!("VOID-{rma}");
        let event = |kind: &str| {
            let event = json!({ "type": kind, "rma_identifier": rma, "tracking_number": number });
            assert_eq!(scene.carry(&json!([event]))[0]["result"], "applied", "{kind}");
        };
        event("label_created");
        event("label_voided");

        let found = find_request(&scene, &gateway(&scene), &rma);

        assert_eq!((&found["generation"], &found["reason"]), (&json!(1), &Value::Null), "{found}");
        let again =
            scene.ask(&format!("/returns/{rma}/labels"), &json!({ "reason": "not_issued" }));
        assert_eq!(again.status, 200, "{}", again.said());
        assert_eq!(find_request(&scene, &gateway(&scene), &rma)["generation"], 2);
    }
}

#[test]
fn a_label_request_has_everything_that_a_carrier_needs() {
    for scene in scenes() {
        scene.set(&json!({
            "carrier": "external", "weight_unit": "ounces",
            "return_address": { "name": "Returns", "street1": "2 Dock Road", "city": "Reno",
                "state": "NV", "zip_code": "89502", "country_code": "US", "phone": "+17755550100" },
        }));
        let mut order = sample_order("heavy");
        order["items"][0]["weight"] = json!(16);
        order["customer"]["phone"] = json!("+15035550100");
        scene.publish(&order);
        let wanted = request("mail-back", &[("heavy", "tee", 2), ("heavy", "mug", 1)]);
        let rma = scene.start(&wanted);

        let mut found = find_request(&scene, &gateway(&scene), &rma);

        let requested_at = found.as_object_mut().unwrap().shift_remove("requested_at");
        assert!(requested_at.is_some_and(|it| it.is_string()), "{found}");
        let address = &order["shipping_address"];
        let mut sender = address.clone();
        sender["phone"] = json!("+15035550100");
        sender["email"] = json!(SHOPPER);
        assert_eq!(
            found,
            json!({
                "rma_identifier": rma, "merchant": scene.stage.merchant.id, "generation": 1,
                "return_method": "mail-back", "parcel_count": 1,
                "formats": ["pdf", "png", "zpl"],
                "sender": sender,
                "recipient": { "name": "Returns", "street1": "2 Dock Road", "city": "Reno",
                    "state": "NV", "zip_code": "89502", "country_code": "US",
                    "phone": "+17755550100" },
                "items": [
                    { "sku": "SKU-tee", "title": "A tee", "quantity": 2, "value_cents": 8_500,
                        "weight_grams": 908 },
                    { "sku": "SKU-mug", "title": "A mug", "quantity": 1, "value_cents": 2_400 },
                ],
                "currency": order["currency"],
            })
        );
    }
}

#[test]
fn a_gateway_makes_a_label_for_each_parcel() {
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        let mut wanted = request("mail-back", &[("A", "tee", 2)]);
        wanted["parcel_count"] = json!(3);
        let refused = scene.ask("/returns", &wanted);
        assert_eq!(refused.status, 422, "{}", refused.said());
        assert_eq!(refused.json()["errors"][0]["field"], "$.parcel_count");

        wanted["parcel_count"] = json!(2);
        let rma = scene.start(&wanted);
        let token = gateway(&scene);
        assert_eq!(find_request(&scene, &token, &rma)["parcel_count"], 2);
        let label = |number: &str, parcel: i64| {
            json!([{ "type": "label_created", "rma_identifier": rma, "generation": 1,
                "tracking_number": number, "label": { "parcel": parcel } }])
        };
        let number = |parcel: i64| format!("{rma}-P{parcel}");
        assert_eq!(scene.carry(&label(&number(2), 2))[0]["result"], "applied");
        find_request(&scene, &token, &rma);
        assert_eq!(scene.carry(&label(&number(3), 3))[0]["result"], "refused");
        assert_eq!(scene.carry(&label(&number(1), 1))[0]["result"], "applied");

        let shown = scene.show(&rma);
        let numbers = [0, 1].map(|unit: usize| text(&shown["items"][unit]["tracking_number"]));
        assert_eq!(numbers, [number(1), number(2)]);
    }
}

#[test]
fn a_gateway_reads_label_requests_and_no_returns_orders_or_messages() {
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        let rma = scene.start_tee();
        let token = gateway(&scene);
        assert_eq!(text(&find_request(&scene, &token, &rma)["rma_identifier"]), rma);

        let targets = ["/orders/A", "/orders/A/returnability", "/messages", "/admin/merchants"];
        let of_return = [format!("/returns/{rma}"), format!("/returns/{rma}/events")];
        for target in targets.map(str::to_owned).iter().chain(&of_return) {
            let reply = get(&scene, &token, target);
            assert_eq!(reply.status, 403, "{target}: {}", reply.said());
            assert!(!reply.said().contains(SHOPPER), "{target}: {}", reply.said());
        }

        // A return that has its label is no longer the carrier's business.
        let label = json!([{ "type": "label_created", "rma_identifier": rma,
            "tracking_number": "1Z-READ" }]);
        scene.carry(&label);
        let page = get(&scene, &token, "/label_requests?limit=100").said();
        assert!(!page.contains(&rma), "{page}");
    }
}

#[test]
fn a_page_of_label_requests_is_never_longer_than_100() {
    let scene = scenes().next().unwrap();
    scene.set(&json!({ "carrier": "external" }));
    let mut order = sample_order("long");
    order["items"][0]["quantity"] = json!(200);
    order["items"][0]["quantity_shipped"] = json!(200);
    scene.publish(&order);
    for _ in 0..101 {
        scene.start(&request("mail-back", &[("long", "tee", 1)]));
    }

    let page = get(&scene, &gateway(&scene), "/label_requests?limit=1000").json();

    assert_eq!(page["label_requests"].as_array().unwrap().len(), 100);
    assert!(page["next"].is_string(), "the rest is on the next page");
}
