//! Managed receiving: the warehouse tells which units arrived and in which state, and when it
//! awaits nothing more.

use serde_json::{Value, json};

use super::{
    expected::{created, labelled, tracked, unit, with_status, with_unit, with_units},
    scene::{Scene, refund, request, sample_order, scenes},
};

/// A return of two tees and a mug whose goods our warehouse receives, delivered.
fn awaited(scene: &Scene<'_>) -> String {
    scene.set(&json!({ "managed_receiving": true }));
    let rma = scene.start(&request("mail-back", &[("A", "tee", 2), ("A", "mug", 1)]));
    scene.label(&rma);
    scene.happens(&rma, "delivered");
    rma
}

/// The message of the delivery of [`awaited`].
fn delivered() -> Value {
    let units = [unit("tee", 4_610), unit("tee", 4_610), unit("mug", 2_592)];
    let first = created("mail-back", &units);
    let mut first = with_units(&first, &[("receiving_status", json!("PENDING"))]);
    first["receiving_complete"] = json!(false);
    tracked(&labelled(&first), "DELIVERED")
}

fn received(condition: &str) -> [(&'static str, Value); 2] {
    [("receiving_status", json!("RECEIVED")), ("warehouse_receipt_condition", json!(condition))]
}

fn receipt(rma: &str, line: &str, plate: &str, condition: &str) -> Value {
    json!({
        "rma_identifier": rma, "line_identifier": line, "unit_identifier": plate,
        "sku": format!("SKU-{line}"), "condition": condition, "channel": "RTS",
        "user_login": "mkowalski", "location_identifier": "A-14-03",
    })
}

#[test]
fn every_unit_that_arrives_is_told_with_its_condition() {
    for scene in scenes() {
        let rma = awaited(&scene);
        let told = scene.receive(&json!([
            receipt(&rma, "tee", "LP-1", "N"),
            receipt(&rma, "mug", "LP-2", "X"),
            receipt(&rma, "tee", "LP-1", "N"),
            receipt(&rma, "tee", "LP-3", "B"),
            receipt(&rma, "tee", "LP-4", "N"),
            receipt("RMA-7K3Q-9XWD-2M4T", "tee", &format!("{rma}-5"), "N"),
        ]));
        let [applied, unchanged] =
            ["applied", "unchanged"].map(|it| json!({ "result": it, "rma_identifier": rma }));
        let extra = json!({
            "result": "exception", "rma_identifier": rma,
            "message": "all such units of the return were already received",
        });
        let stray = json!({ "result": "exception", "message": "the return is unknown" });
        assert_eq!(told, json!([applied, applied, unchanged, applied, extra, stray]));
        let all = refund("RF-1", Some(&rma), &[("tee", 2), ("mug", 1)]);
        scene.publish_refunds(&sample_order("A"), &[all]);

        let one = with_unit(&delivered(), 0, &received("N"));
        let two = with_unit(&one, 2, &received("X"));
        let mut three = with_unit(&two, 1, &received("B"));
        three["receiving_complete"] = json!(true);
        let refunded = with_status(&three, "REFUNDED");
        assert_eq!(scene.messages(&rma)[2..], [delivered(), one, two, three, refunded]);
    }
}

#[test]
fn receiving_that_is_closed_early_leaves_a_partial_refund() {
    for scene in scenes() {
        let rma = awaited(&scene);
        scene.receive(&json!([receipt(&rma, "tee", "LP-1", "A")]));
        scene.publish_refunds(&sample_order("A"), &[refund("RF-1", Some(&rma), &[("tee", 1)])]);

        let closed = scene.close_receiving(&rma);

        assert_eq!((closed.status, &closed.json()["status"]), (200, &json!("PARTIAL_REFUND")));
        for secret in ["cents", "@", "links", "refund_financials"] {
            assert!(!closed.text().contains(secret), "{secret}: {}", closed.said());
        }
        assert_eq!(scene.close_receiving(&rma).status, 200, "closing again changes nothing");
        let late = scene.receive(&json!([receipt(&rma, "mug", "LP-2", "N")]));
        assert_eq!(late[0]["result"], "exception");
        assert_eq!(late[0]["message"], "receiving for this return is closed");
        let one = with_unit(&delivered(), 0, &received("A"));
        let mut partial = with_status(&one, "PARTIAL_REFUND");
        partial["receiving_complete"] = json!(true);
        let missing = [("receiving_status", json!("NOT_RECEIVED"))];
        let partial = with_unit(&with_unit(&partial, 1, &missing), 2, &missing);
        assert_eq!(scene.messages(&rma)[3..], [one.clone(), one, partial.clone()]);

        // A merchant who pays for the rest after all closes the return.
        let refunds = [
            refund("RF-1", Some(&rma), &[("tee", 1)]),
            refund("RF-2", Some(&rma), &[("tee", 1), ("mug", 1)]),
        ];
        scene.publish_refunds(&sample_order("A"), &refunds);
        assert_eq!(scene.messages(&rma)[6..], [with_status(&partial, "REFUNDED")]);
    }
}

#[test]
fn a_unit_that_comes_after_closing_is_received_when_an_operator_matches_it() {
    for scene in scenes() {
        let rma = awaited(&scene);
        scene.receive(&json!([
            receipt(&rma, "tee", "LP-1", "A"),
            receipt(&rma, "tee", "LP-3", "A")
        ]));
        assert_eq!(scene.close_receiving(&rma).json()["status"], "PARTIAL_REFUND");
        let plate = format!("{rma}-mug");
        let late = receipt(&rma, "mug", &plate, "B");
        assert_eq!(scene.receive(&json!([late]))[0]["result"], "exception");
        let told = scene.messages(&rma).len();

        let answered = scene.answer_question(
            &plate,
            &rma,
            &json!({ "action": "match_return", "rma_identifier": rma, "line_identifier": "mug" }),
        );

        assert_eq!(answered.status, 200, "{}", answered.said());
        let tees = with_unit(&with_unit(&delivered(), 0, &received("A")), 1, &received("A"));
        let mut complete = with_unit(&tees, 2, &received("B"));
        complete["receiving_complete"] = json!(true);
        assert_eq!(scene.messages(&rma)[told..], [complete.clone()]);
        let all = refund("RF-1", Some(&rma), &[("tee", 2), ("mug", 1)]);
        scene.publish_refunds(&sample_order("A"), &[all]);
        assert_eq!(scene.messages(&rma)[told + 1..], [with_status(&complete, "REFUNDED")]);
    }
}

#[test]
fn a_rejected_unit_is_not_received_at_once_and_its_reason_is_on_the_return() {
    for scene in scenes() {
        let rma = awaited(&scene);
        let mut stained = receipt(&rma, "mug", "LP-2", "X");
        stained["reject_reason"] = json!("stained");

        let told = scene.receive(&json!([
            receipt(&rma, "tee", "LP-1", "A"),
            stained,
            receipt(&rma, "tee", "LP-3", "A"),
        ]));

        let applied = json!({ "result": "applied", "rma_identifier": rma });
        assert_eq!(told, json!([applied, applied, applied]));
        let expected = json!([{
            "order_identifier": "A", "order_line_item_identifier": "mug",
            "unit_identifier": "LP-2", "reject_reason": "stained",
        }]);
        assert_eq!(scene.show(&rma)["rejected_units"], expected);
        let rejected = [
            ("receiving_status", json!("NOT_RECEIVED")),
            ("warehouse_receipt_condition", json!("X")),
        ];
        let one = with_unit(&delivered(), 0, &received("A"));
        let two = with_unit(&one, 2, &rejected);
        let mut three = with_status(&with_unit(&two, 1, &received("A")), "PARTIAL_REFUND");
        three["receiving_complete"] = json!(true);
        assert_eq!(scene.messages(&rma)[3..], [one, two, three]);
    }
}

#[test]
fn a_unit_that_its_return_does_not_expect_waits_for_an_operator() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true }));
        let rma = scene.start_tee();
        let plate = format!("{rma}-cap");
        let cap = receipt(&rma, "cap", &plate, "A");

        let told = scene.receive(&json!([cap, cap]));

        let message = "the return has no such unit of line cap";
        let kept = json!({ "result": "exception", "rma_identifier": rma, "message": message });
        let repeated = json!({ "result": "unchanged", "rma_identifier": rma });
        assert_eq!(told, json!([kept, repeated]));
        let other = scene.start(&request("mail-back", &[("A", "mug", 1)]));
        let matched = json!({
            "action": "match_return", "rma_identifier": other, "line_identifier": "mug",
        });
        let answered = scene.answer_question(&plate, &rma, &matched);
        assert_eq!(answered.status, 200, "{}", answered.said());
        assert_eq!(scene.show(&other)["receiving_complete"], true);
        assert_eq!(scene.receive(&json!([cap])), json!([repeated]));
    }
}

#[test]
fn a_unit_of_a_return_has_a_history_and_is_received_once() {
    for scene in scenes() {
        let rma = awaited(&scene);
        let plate = format!("{rma}-tee");
        let tee = receipt(&rma, "tee", &plate, "N");
        assert_eq!(scene.receive(&json!([tee]))[0]["result"], "applied");
        scene.publish(&sample_order("B"));
        let other = scene.start(&request("mail-back", &[("B", "tee", 1)]));

        let again = json!([receipt(&other, "tee", &plate, "N"), tee]);
        let told = scene.receive(&again);

        let elsewhere = json!({
            "result": "exception", "rma_identifier": other,
            "message": "already_received_elsewhere",
        });
        let repeated = json!({ "result": "unchanged", "rma_identifier": rma });
        assert_eq!(told, json!([elsewhere, repeated]));
        assert_eq!(scene.show(&other)["receiving_complete"], false);
        let target = format!("/units/{plate}");
        let unit = scene.stage.call("GET", &target, &json!({})).json();
        assert_eq!(unit["receipt"]["asn_number"], json!(rma), "{unit}");
        assert_eq!(unit["location_identifier"], "A-14-03");
        let moved = json!({ "location_identifier": "B-02-11" });
        let changed = scene.send("POST", &format!("{target}/changes"), &scene.stage.admin, &moved);
        assert_eq!(changed.status, 200, "{}", changed.said());
    }
}

#[test]
fn a_unit_that_is_matched_by_hand_is_that_of_its_article_if_two_orders_have_a_line_of_that_name() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true }));
        let mut other = sample_order("B");
        other["items"][1]["sku"] = json!("SKU-bowl");
        scene.publish(&other);
        let rma = scene.start(&request("mail-back", &[("A", "mug", 1), ("B", "mug", 1)]));
        let plate = format!("{rma}-bowl");
        scene.receive(&json!([receipt(&rma, "bowl", &plate, "A")]));

        let matched = json!({
            "action": "match_return", "rma_identifier": rma, "line_identifier": "mug",
        });
        let answered = scene.answer_question(&plate, &rma, &matched);

        assert_eq!(answered.status, 200, "{}", answered.said());
        let shown = scene.show(&rma);
        let statuses: Vec<&Value> =
            shown["items"].as_array().unwrap().iter().map(|it| &it["receiving_status"]).collect();
        assert_eq!(statuses, ["PENDING", "RECEIVED"]);
    }
}

#[test]
fn a_unit_that_is_kept_as_surplus_of_a_return_is_reported() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true }));
        let rma = scene.start_tee();
        let plate = format!("{rma}-cap");
        scene.receive(&json!([receipt(&rma, "cap", &plate, "A")]));

        for _ in 0..2 {
            let answered = scene.answer_question(&plate, &rma, &json!({ "action": "surplus" }));
            assert_eq!(answered.status, 200, "{}", answered.said());
        }

        let unit = scene.stage.call("GET", &format!("/units/{plate}"), &json!({})).json();
        let messages = unit["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 1, "{unit}");
        let target = format!("/messages/{}", messages[0]["id"].as_str().unwrap());
        let message = scene.stage.call("GET", &target, &json!({})).json();
        let told: Value = serde_json::from_str(message["body"].as_str().unwrap()).unwrap();
        assert_eq!((&told["asn_number"], &told["sku"]), (&json!(rma), &json!("SKU-cap")));
        assert_eq!(told["reference"]["identifier"], json!(rma));
        assert_eq!(told["reject_reason"], Value::Null);
    }
}

#[test]
fn a_unit_that_was_set_aside_is_received_when_it_is_scanned_correctly() {
    for scene in scenes() {
        let rma = awaited(&scene);
        let plate = format!("{rma}-mug");
        scene.receive(&json!([receipt(&rma, "typo", &plate, "A")]));

        let told = scene.receive(&json!([receipt(&rma, "mug", &plate, "B")]));

        assert_eq!(told, json!([{ "result": "applied", "rma_identifier": rma }]));
        let unit = scene.stage.call("GET", &format!("/units/{plate}"), &json!({})).json();
        let events: Vec<&Value> =
            unit["story"].as_array().unwrap().iter().map(|it| &it["happened"]["event"]).collect();
        assert_eq!(events, ["questioned", "answered", "received"], "{unit}");
        assert_eq!(unit["questions"][0]["answer"]["line_identifier"], "mug");
    }
}

#[test]
fn without_managed_receiving_the_warehouse_has_nothing_to_say() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        let told = scene.receive(&json!([receipt(&rma, "tee", "LP-1", "N")]));
        assert_eq!(told[0]["result"], "refused", "{told}");
        assert_eq!(scene.close_receiving(&rma).status, 409);
        assert_eq!(scene.close_receiving("RMA-7K3Q-9XWD-2M4T").status, 404);
        assert_eq!(scene.owed(&rma), 2);
    }
}

#[test]
fn a_unit_that_arrived_keeps_the_return_from_being_cancelled() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true }));
        let rma = scene.start_tee();
        scene.label(&rma);
        let told = scene.receive(&json!([receipt(&rma, "tee", "LP-1", "N")]));
        assert_eq!(told[0]["result"], "applied");

        assert_eq!(scene.cancel(&rma).status, 409);
    }
}
