//! The books of a merchant, as operators read them by command.

use serde_json::{Value, json};

use crate::harness::{home::text, http::Request};
use crate::returns::scene::{Scene, refund, sample_order, scenes};

/// A returned tee whose refund is a cent short.
fn stage_refund(scene: &Scene<'_>) -> String {
    let rma = scene.start_tee();
    let promised = scene.show(&rma)["statement"]["balance_cents"].as_i64().unwrap();
    let mut paid = refund("RF-1", Some(&rma), &[("tee", 1)]);
    paid["total_refund_amount_cents"] = json!(promised - 1);
    scene.publish_refunds(&sample_order("A"), &[paid]);
    rma
}

#[test]
fn operators_read_the_entries_that_the_merchant_reads() {
    for scene in scenes() {
        let rma = stage_refund(&scene);
        let (home, merchant) = (&scene.stage.server.home, scene.stage.merchant.id.as_str());
        let own = |target: &str| {
            let reply = scene.stage.server.send(&Request::get(target).bearer(&scene.stage.token));
            assert_eq!(reply.status, 200, "{}", reply.said());
            reply
        };

        let entries = home.json(&["money", "entries", merchant]);

        assert_eq!(entries, own("/money/entries").json());
        let all = entries["entries"].as_array().unwrap();
        assert!(all.iter().all(|entry| entry["rma_identifier"] == json!(rma)), "{entries}");
        assert_eq!(all.iter().map(|entry| entry["amount_cents"].as_i64().unwrap()).sum::<i64>(), 0);
        let csv = home.run(&["money", "entries", merchant, "--csv"]);
        assert_eq!(csv.out, own("/money/entries?format=csv").text());
        let table = home.run(&["money", "entries", merchant]).out;
        assert!(table.contains("goods") && table.contains("42.50 EUR"), "{table}");
        let later = home.run(&["money", "entries", merchant, "--from", "2199-01-01T00:00:00Z"]);
        assert_eq!(later.out, "No entries in this period.\n");
        let missing = home.run(&["money", "entries", "nobody", "--csv"]);
        assert_eq!((missing.code, missing.out.as_str()), (Some(1), ""), "{}", missing.err);
    }
}

#[test]
fn operators_read_the_balance_now_and_at_any_time() {
    for scene in scenes() {
        stage_refund(&scene);
        let (home, merchant) = (&scene.stage.server.home, scene.stage.merchant.id.as_str());

        let balance = home.json(&["money", "balance", merchant]);

        let amount = |account: &str| {
            let accounts = balance["currencies"][0]["accounts"].as_array().unwrap().iter();
            let found = accounts.filter(|it| text(&it["account"]) == account);
            found.map(|it| it["amount_cents"].as_i64().unwrap()).sum::<i64>()
        };
        assert_eq!(
            (amount("promised"), balance["currencies"][0]["sum_cents"].as_i64()),
            (-1, Some(0))
        );
        assert_eq!(balance["open"][0]["open_cents"], 1);
        let table = home.run(&["money", "balance", merchant]).out;
        assert!(table.contains("−0.01 EUR") && table.contains("0 to 29 days"), "{table}");
        let before: Value =
            home.json(&["money", "balance", merchant, "--as-of", "2020-01-01T00:00:00Z"]);
        assert_eq!(before["currencies"], json!([]));
        assert_eq!(home.run(&["money", "balance", "nobody"]).code, Some(1));
    }
}

#[test]
fn only_operators_read_the_books_of_other_merchants() {
    for scene in scenes() {
        for what in ["entries", "entries?format=csv", "balance"] {
            let target = format!("/admin/merchants/{}/money/{what}", scene.stage.merchant.id);
            let own = scene.stage.server.send(&Request::get(&target).bearer(&scene.stage.token));
            assert_eq!(own.status, 403, "{what}");
            assert_eq!(scene.stage.get(&target).status, 200, "{what}");
            let nobody = target.replace(&scene.stage.merchant.id, "nobody");
            assert_eq!(scene.stage.get(&nobody).status, 404, "{what}");
        }
    }
}
