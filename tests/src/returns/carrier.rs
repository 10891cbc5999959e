//! What carriers report: again, late, about nothing, by the number of the parcel; and the labels
//! that an external carrier makes.

use serde_json::{Value, json};

use super::{
    expected::{created, labelled, tracked, unit},
    scene::{Scene, request, sample_order, scenes},
};
use crate::harness::{home::text, http::Request};

fn result(result: &str, rma: &str) -> Value {
    json!({ "result": result, "rma_identifier": rma })
}

#[test]
fn events_that_come_twice_or_late_change_nothing_and_send_nothing() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let number = scene.label(&rma);
        let event = |kind: &str| json!({ "type": kind, "rma_identifier": rma });

        let told = scene.carry(&json!([
            event("in_transit"), event("in_transit"), event("accepted"), event("delivered"),
            event("in_transit"), event("returned"),
            { "type": "label_created", "rma_identifier": rma, "tracking_number": number },
        ]));

        let [applied, unchanged] = ["applied", "unchanged"].map(|it| result(it, &rma));
        let expected =
            [&applied, &unchanged, &unchanged, &applied, &unchanged, &unchanged, &unchanged];
        assert_eq!(told, json!(expected));
        let label = labelled(&created("mail-back", &[unit("tee", 4_610)]));
        let messages = scene.messages(&rma);
        assert_eq!(messages[2..], [tracked(&label, "TRANSIT"), tracked(&label, "DELIVERED")]);
    }
}

#[test]
fn a_parcel_is_known_by_its_number() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let number = scene.label(&rma);

        let told = scene.carry(&json!([
            { "type": "in_transit", "tracking_number": number, "occurred_at": "2026-02-23T07:41:12Z" },
            { "type": "in_transit", "tracking_number": "1Z-NOBODYS" },
            { "type": "in_transit", "rma_identifier": "RMA-7K3Q-9XWD-2M4T" },
            { "type": "delivered", "rma_identifier": rma, "tracking_number": "1Z-NOBODYS" },
            { "type": "delivered", "rma_identifier": rma, "order_line_item_identifiers": ["hat"] },
            { "type": "not_dropped_off", "rma_identifier": rma },
        ]));

        let refused =
            |why: &str| json!({ "result": "refused", "rma_identifier": rma, "message": why });
        let unknown = json!({ "result": "unknown" });
        let expected = json!([
            result("applied", &rma),
            unknown,
            unknown,
            refused("no unit of the return has the tracking number 1Z-NOBODYS"),
            refused("the return has no such unit of line hat"),
            refused("the return does not use a drop-off point"),
        ]);
        assert_eq!(told, expected);
        assert_eq!(scene.show(&rma)["items"][0]["package_tracking_status"], "TRANSIT");
        assert_eq!(scene.owed(&rma), 3);
    }
}

/// The labels of this merchant that carriers are asked for, read in pages of two.
fn wanted(scene: &Scene<'_>) -> Vec<String> {
    let (mut all, mut target) = (Vec::new(), "/label_requests?limit=2".to_owned());
    loop {
        let request = Request::get(&target).bearer(&scene.stage.admin);
        let page = scene.stage.server.send(&request).json();
        all.extend(page["label_requests"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        target = format!("/label_requests?limit=2&after={next}");
    }
    let merchant = json!(scene.stage.merchant.id);
    all.iter()
        .filter(|it| it["merchant"] == merchant)
        .map(|it| text(&it["rma_identifier"]))
        .collect()
}

#[test]
fn an_external_carrier_is_asked_for_labels_and_makes_them() {
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        let mine = scene.start(&request("mail-back", &[("A", "tee", 1)]));
        let cancelled = scene.start(&request("mail-back", &[("A", "mug", 1)]));
        assert_eq!(wanted(&scene), [mine.clone(), cancelled.clone()], "oldest first");
        assert_eq!(scene.cancel(&cancelled).status, 200);
        assert_eq!(wanted(&scene), std::slice::from_ref(&mine));

        let label = |number: &str| json!([{ "type": "label_created", "rma_identifier": mine, "tracking_number": number }]);
        assert_eq!(scene.carry(&label("1Z-1")), json!([result("applied", &mine)]));

        assert_eq!(wanted(&scene), Vec::<String>::new());
        assert_eq!(scene.carry(&label("1Z-1")), json!([result("unchanged", &mine)]));
        let words = "the units already have the tracking number 1Z-1";
        let refused = json!([{ "result": "refused", "rma_identifier": mine, "message": words }]);
        assert_eq!(scene.carry(&label("1Z-2")), refused);
        let first = created("mail-back", &[unit("tee", 4_610)]);
        let mut label = labelled(&first);
        label["items"][0]["tracking_number"] = json!("1Z-1");
        assert_eq!(scene.messages(&mine), [first, label]);
        assert_eq!(scene.show(&mine)["label"]["tracking_number"], "1Z-1");
    }
}

#[test]
fn labels_may_be_made_line_by_line() {
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        scene.publish(&sample_order("B"));
        let both = scene.start(&request("mail-back", &[("A", "tee", 1), ("A", "mug", 1)]));
        let other = scene.start(&request("mail-back", &[("B", "tee", 1)]));
        let label = |line: &str, number: &str| {
            json!([{ "type": "label_created", "rma_identifier": both, "tracking_number": number,
                "order_line_item_identifiers": [line] }])
        };
        assert_eq!(scene.carry(&label("tee", "1Z-T")), json!([result("applied", &both)]));
        assert_eq!(wanted(&scene), [both.clone(), other.clone()], "the mug has none yet");
        assert_eq!(scene.carry(&label("mug", "1Z-M")), json!([result("applied", &both)]));
        assert_eq!(wanted(&scene), [other]);
    }
}

#[test]
fn a_scan_of_a_parcel_reaches_every_return_in_it() {
    for scene in scenes() {
        scene.set(&json!({ "carrier": "external" }));
        scene.publish(&sample_order("B"));
        let first = scene.start(&request("mail-back", &[("A", "tee", 1)]));
        let second = scene.start(&request("mail-back", &[("B", "tee", 1)]));
        for rma in [&first, &second] {
            scene.carry(&json!([{ "type": "label_created", "rma_identifier": rma,
                "tracking_number": "1Z-BOTH" }]));
        }

        let told = scene.carry(&json!([{ "type": "in_transit", "tracking_number": "1Z-BOTH" }]));

        assert_eq!(told[0]["result"], "applied");
        for rma in [&first, &second] {
            assert_eq!(scene.show(rma)["items"][0]["package_tracking_status"], "TRANSIT");
        }
    }
}

#[test]
fn events_that_cannot_be_read_are_all_named_and_none_is_taken_in() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        let body = json!({ "events": [
            { "type": "in_transit", "rma_identifier": rma },
            { "type": "lost", "rma_identifier": "RMA-1" },
            { "type": "label_created", "rma_identifier": rma },
            { "type": "accepted", "occurred_at": 7 },
        ] });
        let reply = scene.send("POST", "/carrier_events", &scene.stage.admin, &body);
        let field =
            |path: &str, code: &str| json!({ "field": format!("$.events{path}"), "code": code });
        let expected = json!([
            field("[1].rma_identifier", "invalid"),
            field("[1].type", "invalid"),
            field("[2].tracking_number", "missing_field"),
            json!({ "field": "$.events[3].rma_identifier | $.events[3].tracking_number",
                    "code": "missing_field" }),
            field("[3].occurred_at", "invalid_type"),
        ]);
        let mut errors = reply.json()["errors"].as_array().unwrap().clone();
        errors.sort_by_key(|it| text(&it["field"]));
        let mut expected = expected.as_array().unwrap().clone();
        expected.sort_by_key(|it| text(&it["field"]));
        assert_eq!((reply.status, errors), (422, expected));
        assert_eq!(scene.show(&rma)["items"][0]["package_tracking_status"], "PRE_TRANSIT");
    }
}
