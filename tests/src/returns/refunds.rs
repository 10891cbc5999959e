//! Refunds that cannot be placed are kept, told to the merchant, and matched by an operator.

use serde_json::{Value, json};

use super::{
    expected::{created, labelled, unit, with_status},
    scene::{Scene, line, refund, request, sample_order, scenes},
};
use crate::harness::{
    http::{Reply, Request},
    samples::message,
    server::publication,
};

const UNKNOWN: &str = "RMA-7K3Q-9XWD-2M4T";

fn match_by_hand(scene: &Scene<'_>, refund: &str, body: &Value) -> Reply {
    let target = format!("/admin/merchants/{}/refunds/{refund}/match", scene.stage.merchant.id);
    scene.send("POST", &target, &scene.stage.admin, body)
}

/// Two returns of a tee each, in the order of their identifiers.
fn two_returns(scene: &Scene<'_>) -> [String; 2] {
    let both = [scene.start_tee(), scene.start_tee()];
    for rma in &both {
        scene.label(rma);
    }
    both
}

fn warning(words: &str) -> Value {
    json!([{ "field": "$.returns_portal_order.orders[0].refunds[0]", "message": words }])
}

#[test]
fn a_refund_that_fits_two_returns_is_matched_by_hand() {
    for scene in scenes() {
        let [one, two] = two_returns(&scene);
        let answer =
            scene.publish_refunds(&sample_order("A"), &[refund("RF-1", None, &[("tee", 1)])]);
        let words = format!("does not name a return, and could pay for any of {one}, {two}");
        assert_eq!(answer["warnings"], warning(&words));
        assert_eq!(answer["orders"], json!([{ "identifier": "A", "result": "updated" }]));
        assert_eq!(scene.problems("unmatched"), [("RF-1".to_owned(), words)]);
        assert_eq!((scene.owed(&one), scene.owed(&two)), (2, 2), "nobody is told anything");

        let note = json!({ "rma_identifier": two, "note": "told by telephone" });
        let matched = match_by_hand(&scene, "RF-1", &note);

        assert_eq!(matched.status, 200, "{}", matched.said());
        let mut view = matched.json();
        view.as_object_mut().unwrap().shift_remove("noticed_at");
        let expected = json!({
            "merchant": scene.stage.merchant.id, "refund_identifier": "RF-1",
            "order_identifier": "A", "kind": "unmatched", "state": "settled",
            "detail": format!("matched to {two}: told by telephone"),
        });
        assert_eq!(view, expected);
        assert!(scene.problems("unmatched").is_empty());
        let label = labelled(&created("mail-back", &[unit("tee", 4_610)]));
        assert_eq!(scene.messages(&two)[1..], [label.clone(), with_status(&label, "REFUNDED")]);
        assert_eq!(scene.show(&one)["status"], "CREATED");

        // One refund pays for one unit, whoever says otherwise afterwards.
        let again = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": one }));
        assert_eq!(again.status, 409, "{}", again.said());
        assert_eq!(scene.show(&one)["status"], "CREATED");
        assert_eq!(scene.show(&two)["status"], "REFUNDED");
    }
}

#[test]
fn a_refund_for_two_returns_stays_open_until_both_are_matched() {
    for scene in scenes() {
        let [one, two] = two_returns(&scene);
        let both = refund("RF-1", None, &[("tee", 2)]);
        scene.publish_refunds(&sample_order("A"), &[both]);

        let matched = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": one }));

        assert_eq!(matched.status, 200, "{}", matched.said());
        let words = format!("matched to {one}; the rest could pay for {two}");
        assert_eq!(scene.problems("unmatched"), [("RF-1".to_owned(), words)]);
        assert_eq!(scene.show(&one)["status"], "REFUNDED");
        assert_eq!(scene.show(&two)["status"], "CREATED");

        let matched = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": two }));
        assert_eq!(matched.status, 200, "{}", matched.said());
        assert_eq!(scene.show(&two)["status"], "REFUNDED");
        assert!(scene.problems("unmatched").is_empty());
    }
}

#[test]
fn a_refund_for_two_returns_pays_them_no_more_than_its_total() {
    for scene in scenes() {
        let [one, two] = two_returns(&scene);
        let mut both = refund("RF-1", None, &[("tee", 2)]);
        both["total_refund_amount_cents"] = json!(5_000);
        scene.publish_refunds(&sample_order("A"), &[both]);

        for rma in [&one, &two] {
            let matched = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": rma }));
            assert_eq!(matched.status, 200, "{}", matched.said());
        }

        let paid = |rma: &str| scene.show(rma)["statement"]["paid"][0]["amount_cents"].clone();
        assert_eq!((paid(&one), paid(&two)), (json!(4_610), json!(390)));
        assert_eq!(scene.problems("short_paid").len(), 1);
    }
}

#[test]
fn money_without_units_is_matched_to_one_return() {
    for scene in scenes() {
        let [one, two] = two_returns(&scene);
        let mut shipping = refund("RF-1", Some(UNKNOWN), &[]);
        shipping["total_refund_amount_cents"] = json!(595);
        scene.publish_refunds(&sample_order("A"), &[shipping]);
        let matched = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": one }));
        assert_eq!(matched.status, 200, "{}", matched.said());

        let again = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": two }));

        assert_eq!(again.said(), r#"409 {"message":"the refund is already resolved"}"#);
        assert_eq!(scene.show(&two)["statement"]["paid"], json!([]));
    }
}

#[test]
fn a_refund_of_a_return_that_nobody_knows_keeps_its_units_from_being_returned() {
    for scene in scenes() {
        let named = refund("RF-1", Some(UNKNOWN), &[("mug", 1)]);
        let answer = scene.publish_refunds(&sample_order("A"), &[named]);
        let words = answer["warnings"][0]["message"].as_str().unwrap();
        assert!(words.contains(UNKNOWN), "{answer}");
        assert_eq!(scene.problems("unmatched"), [("RF-1".to_owned(), words.to_owned())]);

        let refused = scene.ask("/returns", &request("mail-back", &[("A", "mug", 1)]));

        assert_eq!(refused.status, 422, "{}", refused.said());
        let expected = json!([{
            "field": "$.items[0]", "code": "invalid", "rule": "already_refunded",
            "message": "already refunded in RF-1",
        }]);
        assert_eq!(refused.json()["errors"], expected);

        let nowhere = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": UNKNOWN }));
        assert_eq!(nowhere.said(), r#"404 {"message":"return not found"}"#);
        let left = match_by_hand(&scene, "RF-1", &json!({}));
        assert_eq!(left.json()["detail"], "left unchanged", "{}", left.said());
        assert_eq!(scene.problems("settled"), [("RF-1".to_owned(), "left unchanged".to_owned())]);
        let nothing = match_by_hand(&scene, "RF-9", &json!({}));
        assert_eq!(nothing.status, 404, "{}", nothing.said());
        let again = match_by_hand(&scene, "RF-1", &json!({}));
        assert_eq!(again.said(), r#"409 {"message":"the refund is already resolved"}"#);
    }
}

#[test]
fn a_refund_for_units_that_are_spent_is_a_conflict_whose_rest_can_be_matched() {
    for scene in scenes() {
        let [one, two] = two_returns(&scene);
        let too_much = refund("RF-1", Some(&one), &[("tee", 2)]);
        let answer = scene.publish_refunds(&sample_order("A"), &[too_much]);
        let words = "pays for units that were already spent: 1 of tee";
        assert_eq!(answer["warnings"], warning(words));
        assert_eq!(scene.problems("conflict"), [("RF-1".to_owned(), words.to_owned())]);
        assert_eq!(scene.show(&one)["status"], "REFUNDED");
        assert_eq!(scene.show(&two)["status"], "CREATED");

        let matched = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": two }));

        assert_eq!(matched.status, 200, "{}", matched.said());
        assert_eq!(scene.show(&two)["status"], "REFUNDED");
        assert_eq!(scene.show(&one)["status"], "REFUNDED");
        assert!(scene.problems("conflict").is_empty());
        let again = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": one }));
        assert_eq!(again.status, 409, "{}", again.said());
    }
}

#[test]
fn a_refund_outside_of_every_return_spends_the_unit() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let outside = refund("RF-1", None, &[("mug", 1)]);
        let answer = scene.publish_refunds(&sample_order("A"), &[outside]);
        assert_eq!(answer["warnings"], json!([]));
        let refused = scene.ask("/returns", &request("mail-back", &[("A", "mug", 1)])).json();
        assert_eq!(refused["errors"][0]["rule"], "already_refunded");
        assert_eq!(scene.show(&rma)["status"], "CREATED");
    }
}

#[test]
fn an_ignored_refund_closes_nothing() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        let mut ignored = refund("RF-1", Some(&rma), &[("tee", 1)]);
        ignored["tags"] = json!(["ignore_refund"]);
        let answer = scene.publish_refunds(&sample_order("A"), &[ignored]);
        let words = "has no effect, because it has the tag ignore_refund";
        assert_eq!(answer["warnings"], warning(words));
        assert_eq!((scene.show(&rma)["status"].clone(), scene.owed(&rma)), (json!("CREATED"), 2));
    }
}

#[test]
fn a_refund_that_names_a_return_and_no_units_is_recorded_on_the_return() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        let before = scene.messages(&rma);
        let mut shipping = refund("RF-1", Some(&rma), &[]);
        shipping["total_refund_amount_cents"] = json!(595);

        let answer = scene.publish_refunds(&sample_order("A"), &[shipping]);

        let words =
            format!("pays more than was promised: 595 instead of 0 minor units of EUR for {rma}");
        assert_eq!(answer["warnings"], warning(&words));
        assert_eq!(scene.problems("over_paid"), [("RF-1".to_owned(), words)]);
        let held = scene.show(&rma);
        let recorded = &held["statement"]["paid"][0];
        assert_eq!(
            (&recorded["identifier"], &recorded["amount_cents"]),
            (&json!("RF-1"), &json!(595))
        );
        assert_eq!(held["status"], "CREATED");
        let after = scene.messages(&rma);
        assert_eq!(after.len(), before.len() + 1, "the merchant gets a message");
        assert_eq!(after.last(), before.last(), "with the same content");
        let paid = refund("RF-2", Some(&rma), &[("tee", 1)]);
        scene.publish_refunds(&sample_order("A"), &[paid, refund("RF-3", Some(&rma), &[])]);
        assert_eq!(scene.show(&rma)["status"], "REFUNDED");
        assert_eq!(scene.show(&rma)["statement"]["paid"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn a_refund_without_effect_is_named_in_the_warnings() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let nothing = refund("RF-1", None, &[]);
        let none = refund("RF-2", None, &[("tee", 0)]);

        let answer = scene.publish_refunds(&sample_order("A"), &[nothing, none]);

        let words = "has no effect, because it names no units and no return";
        let warning = |refund: usize| {
            let field = format!("$.returns_portal_order.orders[0].refunds[{refund}]");
            json!({ "field": field, "message": words })
        };
        assert_eq!(answer["warnings"], json!([warning(0), warning(1)]));
        assert_eq!(scene.show(&rma)["status"], "CREATED");
    }
}

#[test]
fn a_refund_of_every_shipped_unit_that_is_not_the_total_is_doubted() {
    for scene in scenes() {
        let mut whole = refund("RF-1", None, &[("tee", 2), ("mug", 1)]);
        whole["total_refund_amount_cents"] = json!(11_811);
        let answer = scene.publish_refunds(&sample_order("A"), &[whole]);

        let expected = json!([{
            "field": "$.returns_portal_order.orders[0].refunds[0].total_refund_amount_cents",
            "message": "should be 11812 (total_amount_cents, for every shipped unit)",
        }]);
        assert_eq!(answer["warnings"], expected);
    }
}

#[test]
fn a_dry_run_with_refunds_says_what_would_be_and_changes_nothing() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        let before = (scene.show(&rma), scene.owed(&rma));
        let mut refunded = sample_order("A");
        refunded["updated_at"] = json!("2026-04-01T08:00:00Z");
        let pay = refund("RF-1", Some(&rma), &[("tee", 1)]);
        let doubtful = refund("RF-2", Some(UNKNOWN), &[("mug", 1)]);
        refunded["refunds"] = json!([pay, doubtful]);
        let real = publication(&scene.stage.token, message(&[refunded]));

        let dry =
            scene.stage.server.send(&real.clone().target("/returns_portal_orders?dry_run=true"));

        assert_eq!(dry.status, 200, "{}", dry.said());
        assert_eq!((scene.show(&rma), scene.owed(&rma)), before);
        assert!(scene.problems("unmatched").is_empty());
        assert_eq!(scene.stage.server.order(&scene.stage.token, "A").json(), sample_order("A"));
        assert_eq!(scene.stage.server.send(&real).said(), dry.said());
        assert_eq!(scene.show(&rma)["status"], "REFUNDED");
        assert_eq!(scene.problems("unmatched").len(), 1);
    }
}

#[test]
fn a_refund_that_pays_for_more_than_its_return_is_listed() {
    for scene in scenes() {
        let rma = scene.start_tee();
        let first = refund("RF-1", Some(&rma), &[("tee", 1)]);
        let paid = scene.publish_refunds(&sample_order("A"), std::slice::from_ref(&first));
        assert_eq!(paid["warnings"], json!([]));

        let twice = refund("RF-2", Some(&rma), &[("tee", 1)]);
        let answer = scene.publish_refunds(&sample_order("A"), &[first, twice]);

        let words = format!("pays for units for which {rma} expects no refund: 1 of tee");
        assert_eq!(
            answer["warnings"],
            json!([{ "field": "$.returns_portal_order.orders[0].refunds[1]", "message": words }])
        );
        assert_eq!(scene.problems("conflict"), [("RF-2".to_owned(), words)]);
    }
}

fn try_publishing(scene: &Scene<'_>, order: &Value) -> Reply {
    let request = Request::post("/returns_portal_orders?dry_run=true").bearer(&scene.stage.token);
    let request = request.header("Api-Version", "3").json(message(std::slice::from_ref(order)));
    scene.stage.server.send(&request)
}

#[test]
fn the_refunds_of_a_request_are_bounded_by_the_size_of_their_returns() {
    for scene in scenes() {
        let mut order = sample_order("L");
        let lines: Vec<Value> =
            (0..10).map(|it| line(&format!("l{it}"), 1_000, [10, 0, 0])).collect();
        order["items"] = json!(lines);
        scene.publish(&order);
        let items: Vec<String> = (0..10).map(|it| format!("l{it}")).collect();
        let items: Vec<(&str, &str, i64)> =
            items.iter().map(|it| ("L", it.as_str(), 1_000)).collect();
        let rma = scene.start(&request("mail-back", &items));
        let extra = |number: usize| {
            let mut extra = refund(&format!("RF-{number}"), Some(&rma), &[]);
            extra["total_refund_amount_cents"] = json!(1);
            extra
        };
        order["refunds"] = (0..30).map(extra).collect();
        order["updated_at"] = json!("2026-04-01T08:00:01Z");

        let refused = try_publishing(&scene, &order);

        assert_eq!(refused.status, 422, "{}", refused.said());
        let error = &refused.json()["errors"][0];
        assert_eq!(error["field"], "$.returns_portal_order.orders[0].refunds[9]", "{error}");
        order["refunds"] = (0..501).map(extra).collect();
        let refused = try_publishing(&scene, &order);
        assert_eq!(refused.status, 422, "{}", refused.said());
        let error = &refused.json()["errors"][0];
        assert_eq!(error["field"], "$.returns_portal_order.orders[0].refunds", "{error}");
    }
}
