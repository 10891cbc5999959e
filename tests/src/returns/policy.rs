//! Policies over the API: shown, set, checked, looked back on; and the version that judged.

use serde_json::{Value, json};

use super::scene::{Scene, scenes};
use crate::harness::home::text;

fn policy_of(scene: &Scene<'_>) -> Value {
    let target = format!("/admin/merchants/{}/policy", scene.stage.merchant.id);
    let reply = scene.stage.get(&target);
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

#[test]
fn a_policy_that_nobody_set_is_the_default_and_every_change_is_a_version() {
    for scene in scenes() {
        let first = policy_of(&scene);
        assert_eq!((&first["version"], &first["policy"]["window_days"]), (&json!(0), &json!(30)));
        assert!(first.get("created_at").is_none() && first.get("set_by").is_none());

        let set = scene.set_policy(&json!({ "window_days": 60 }));

        assert_eq!((&set["version"], &set["policy"]["window_days"]), (&json!(1), &json!(60)));
        assert_eq!(set["policy"]["reasons"], first["policy"]["reasons"], "defaults are filled in");
        assert!(text(&set["set_by"]).starts_with("platform."));
        assert_eq!(policy_of(&scene), set);
        scene.set_policy(&json!({ "window_days": 14, "shipping_refunded": "merchant_fault" }));
        let versions = format!("/admin/merchants/{}/policy/versions", scene.stage.merchant.id);
        let newest = scene.stage.get(&format!("{versions}?limit=1")).json();
        assert_eq!((&newest["versions"][0]["version"], &newest["next"]), (&json!(2), &json!(2)));
        let older = scene.stage.get(&format!("{versions}?before=2")).json();
        assert_eq!(older, json!({ "versions": [set] }));
        assert_eq!(scene.stage.get("/admin/merchants/nobody/policy").status, 404);
    }
}

#[test]
fn a_policy_that_cannot_be_meant_gets_every_fault_and_is_not_stored() {
    for scene in scenes() {
        let bad = json!({
            "window_days": "thirty", "windw": 7, "reasons": [],
            "tags": [{ "tag": "sale", "effect": "vanish" }],
            "methods": [{ "method": "mail-back", "fee_cents": -1 }, { "method": "mail-back" }],
        });
        let target = format!("/admin/merchants/{}/policy", scene.stage.merchant.id);
        let set = scene.send("PUT", &target, &scene.stage.admin, &bad);
        let checked = scene.send("POST", "/admin/policy/check", &scene.stage.admin, &bad);

        assert_eq!(set.said(), checked.said());
        assert_eq!(set.status, 422);
        let mut fields: Vec<_> =
            set.json()["errors"].as_array().unwrap().iter().map(|it| text(&it["field"])).collect();
        fields.sort();
        let expected = [
            "$.methods[0].fee_cents",
            "$.methods[1].method",
            "$.reasons",
            "$.tags[0].effect",
            "$.window_days",
            "$.windw",
        ];
        assert_eq!(fields, expected);
        assert_eq!(policy_of(&scene)["version"], 0);
        let good = json!({ "window_days": 10 });
        let checked = scene.send("POST", "/admin/policy/check", &scene.stage.admin, &good);
        assert_eq!((checked.status, &checked.json()["window_days"]), (200, &json!(10)));
        assert_eq!(policy_of(&scene)["version"], 0, "a check stores nothing");
    }
}

#[test]
fn fees_bonus_and_shipping_follow_the_policy_and_what_is_started_stays_frozen() {
    for scene in scenes() {
        let mut dear = super::scene::sample_order("A");
        dear["shipping_amount_cents"] = json!(595);
        dear["shipping_tax_amount_cents"] = json!(48);
        dear["total_amount_cents"] = json!(12_455);
        dear["updated_at"] = json!("2026-03-05T08:00:00Z");
        scene.publish(&dear);
        scene.set_policy(&json!({
            "methods": [{ "method": "mail-back", "fee_cents": 700,
                          "fees_by_reason": [{ "reason": "changed_mind", "fee_cents": 900 }] }],
            "shipping_refunded": "when_everything_returns",
        }));
        let wanted = super::scene::request("mail-back", &[("A", "tee", 2), ("A", "mug", 1)]);
        let reply = scene.ask("/returns", &wanted);
        assert_eq!(reply.status, 201, "{}", reply.said());
        let started = reply.json();
        let expected = json!({
            "refund_cents": 11_812, "gift_card_cents": 0, "exchange_cents": 0,
            "shipping_refund_cents": 643, "fee_from_refund_cents": 700,
            "fee_from_gift_card_cents": 0, "bonus_credit_cents": 0, "total_cents": 11_755,
        });
        assert_eq!(started["quote"], expected);
        assert_eq!(started["return_shipping_cost_cents"], 700);

        // Another price and another policy change nothing of what was started.
        let mut cheap = dear.clone();
        cheap["items"][0]["tax_amount_cents"] = json!(2);
        cheap["tax_amount_cents"] = json!(194);
        cheap["updated_at"] = json!("2026-03-06T08:00:00Z");
        scene.publish(&cheap);
        scene.set_policy(&json!({ "window_days": 0 }));
        let rma = text(&started["rma_identifier"]);
        scene.label(&rma);
        let shown = scene.show(&rma);
        let cents = |position: usize| {
            shown["items"][position]["refund_financials"]["shopper_refund_amount_cents"].clone()
        };
        assert_eq!([0, 1, 2].map(cents), [json!(4_610), json!(4_610), json!(2_592)]);
        assert_eq!(shown["return_shipping_cost_cents"], 700);
    }
}
