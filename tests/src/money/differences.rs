//! Refunds that are not what was promised: seen by the merchant, decided by an operator.

use serde_json::{Value, json};

use crate::harness::http::{Reply, Request};
use crate::returns::scene::{Scene, refund, sample_order, scenes};

fn decide(scene: &Scene<'_>, refund: &str, action: &str) -> Reply {
    let merchant = &scene.stage.merchant.id;
    let target = format!("/admin/merchants/{merchant}/refunds/{refund}/difference");
    let body = json!({ "action": action, "note": "agreed by telephone" });
    scene.send("POST", &target, &scene.stage.admin, &body)
}

fn match_by_hand(scene: &Scene<'_>, refund: &str, body: &Value) -> Reply {
    let target = format!("/admin/merchants/{}/refunds/{refund}/match", scene.stage.merchant.id);
    scene.send("POST", &target, &scene.stage.admin, body)
}

fn own_problems(scene: &Scene<'_>) -> Vec<Value> {
    let request = Request::get("/refund_problems").bearer(&scene.stage.token);
    let reply = scene.stage.server.send(&request);
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()["refunds"].as_array().unwrap().clone()
}

/// A refund of the tee of a return, with another amount.
fn pay(scene: &Scene<'_>, rma: &str, cents: i64) -> Value {
    let mut paid = refund("RF-1", Some(rma), &[("tee", 1)]);
    paid["total_refund_amount_cents"] = json!(cents);
    scene.publish_refunds(&sample_order("A"), &[paid])
}

fn kinds(scene: &Scene<'_>) -> Vec<(String, String, i64, i64)> {
    let view = |it: &Value| {
        let difference = &it["difference"];
        (
            it["kind"].as_str().unwrap().to_owned(),
            it["state"].as_str().unwrap().to_owned(),
            difference["promised_cents"].as_i64().unwrap(),
            difference["paid_cents"].as_i64().unwrap(),
        )
    };
    own_problems(scene).iter().map(view).collect()
}

fn problem(kind: &str, state: &str, promised: i64, paid: i64) -> (String, String, i64, i64) {
    (kind.to_owned(), state.to_owned(), promised, paid)
}

#[test]
fn a_cent_short_is_a_warning_and_a_problem_until_an_operator_accepts_it() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);

        let answer = pay(&scene, &rma, 4_609);

        let words = format!(
            "pays less than was promised: 4609 instead of 4610 minor units of EUR for {rma}"
        );
        assert_eq!(answer["warnings"][0]["message"], json!(words));
        assert_eq!(kinds(&scene), [problem("short_paid", "short_paid", 4_610, 4_609)]);
        let shown = scene.show(&rma);
        assert_eq!(shown["status"], "REFUNDED", "units close the return");
        assert_eq!(shown["statement"]["balance_cents"], 1);

        let asked = decide(&scene, "RF-1", "ask");
        assert_eq!(asked.json()["state"], "asked", "{}", asked.said());
        let accepted = decide(&scene, "RF-1", "accept");
        assert_eq!(accepted.json()["detail"], "accepted: agreed by telephone");
        assert_eq!(kinds(&scene), [problem("short_paid", "settled", 4_610, 4_609)]);
        assert_eq!(scene.show(&rma)["statement"]["balance_cents"], 0);
        assert_eq!(scene.show(&rma)["statement"]["accepted_cents"], 1);
        let again = decide(&scene, "RF-1", "accept");
        assert_eq!(again.said(), r#"409 {"message":"the difference is already settled"}"#);
        let messages = scene.messages(&rma);
        assert_eq!(messages.last(), messages.get(messages.len() - 2), "the contract is the same");
    }
}

#[test]
fn the_rest_of_a_short_refund_settles_the_difference() {
    for scene in scenes() {
        let rma = scene.start_tee();
        pay(&scene, &rma, 4_000);
        assert_eq!(decide(&scene, "RF-1", "await").json()["state"], "awaited");

        let mut short = refund("RF-1", Some(&rma), &[("tee", 1)]);
        short["total_refund_amount_cents"] = json!(4_000);
        let mut rest = refund("RF-2", Some(&rma), &[]);
        rest["total_refund_amount_cents"] = json!(610);
        let answer = scene.publish_refunds(&sample_order("A"), &[short, rest]);

        assert_eq!(answer["warnings"], json!([]));
        assert_eq!(kinds(&scene), [problem("short_paid", "settled", 4_610, 4_000)]);
        assert_eq!(scene.show(&rma)["statement"]["balance_cents"], 0);
    }
}

#[test]
fn money_for_a_rejected_unit_is_listed_and_a_tolerated_cent_is_not() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true, "refund_tolerance_cents": 1 }));
        let rma = scene.start_tee();
        scene.label(&rma);
        pay(&scene, &rma, 4_609);
        assert_eq!(kinds(&scene), [], "a cent is tolerated");

        let other = scene.start_tee();
        scene.label(&other);
        scene.receive(&json!([{
            "rma_identifier": other, "sku": "SKU-tee", "condition": "A", "reject_reason": "stained"
        }]));
        let first = {
            let mut paid = refund("RF-1", Some(&rma), &[("tee", 1)]);
            paid["total_refund_amount_cents"] = json!(4_609);
            paid
        };
        let second = refund("RF-2", Some(&other), &[("tee", 1)]);
        scene.publish_refunds(&sample_order("A"), &[first, second]);

        assert_eq!(kinds(&scene), [problem("paid_after_reject", "paid_after_reject", 0, 4_610)]);
        assert_eq!(scene.show(&other)["statement"]["balance_cents"], -4_610);
    }
}

#[test]
fn a_refund_that_is_matched_by_hand_is_compared_with_the_promise() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.start_tee();
        let mut paid = refund("RF-1", None, &[("tee", 1)]);
        paid["total_refund_amount_cents"] = json!(3_000);
        scene.publish_refunds(&sample_order("A"), &[paid]);

        let matched = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": rma }));

        assert_eq!(matched.status, 200, "{}", matched.said());
        assert_eq!(kinds(&scene), [problem("short_paid", "short_paid", 4_610, 3_000)]);
        assert_eq!(matched.json(), own_problems(&scene)[0]);
        assert_eq!(decide(&scene, "RF-1", "accept").status, 200);
        assert_eq!(kinds(&scene), [problem("short_paid", "settled", 4_610, 3_000)]);
    }
}

#[test]
fn a_conflict_also_lists_a_difference_and_leaves_it_to_be_decided() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true }));
        let [rejected, _other] = [scene.start_tee(), scene.start_tee()];
        scene.label(&rejected);
        scene.receive(&json!([{
            "rma_identifier": rejected, "sku": "SKU-tee", "condition": "A",
            "reject_reason": "stained",
        }]));
        let too_much = refund("RF-1", Some(&rejected), &[("tee", 2)]);
        scene.publish_refunds(&sample_order("A"), &[too_much]);

        assert_eq!(kinds(&scene), [problem("conflict", "conflict", 0, 4_610)]);
        let early = decide(&scene, "RF-1", "accept");
        assert_eq!(early.said(), r#"409 {"message":"the refund must be matched first"}"#);
        let left = match_by_hand(&scene, "RF-1", &json!({}));

        assert_eq!(left.status, 200, "{}", left.said());
        assert_eq!(kinds(&scene), [problem("paid_after_reject", "paid_after_reject", 0, 4_610)]);
        assert_eq!(decide(&scene, "RF-1", "accept").status, 200);
    }
}

#[test]
fn money_for_a_rejected_unit_stays_listed_when_the_rest_of_its_refund_is_matched() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true }));
        let [rejected, other] = [scene.start_tee(), scene.start_tee()];
        scene.label(&rejected);
        scene.label(&other);
        scene.receive(&json!([{
            "rma_identifier": rejected, "sku": "SKU-tee", "condition": "A",
            "reject_reason": "stained",
        }]));
        scene.publish_refunds(&sample_order("A"), &[refund("RF-1", None, &[("tee", 2)])]);

        for (rma, kind) in [(&rejected, "unmatched"), (&other, "paid_after_reject")] {
            let matched = match_by_hand(&scene, "RF-1", &json!({ "rma_identifier": rma }));
            assert_eq!(matched.status, 200, "{}", matched.said());
            assert_eq!(kinds(&scene), [problem(kind, kind, 0, 4_610)]);
        }

        assert_eq!(own_problems(&scene)[0]["difference"]["rma_identifier"], json!(rejected));
        assert_eq!(decide(&scene, "RF-1", "accept").status, 200);
        assert_eq!(scene.show(&rejected)["statement"]["balance_cents"], 0);
    }
}
