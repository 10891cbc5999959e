//! The books of a merchant: entries that sum to zero, their export, and the trial balance.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{home::text, http::Request};
use crate::returns::scene::{Scene, refund, request, sample_order, scenes};

fn read(scene: &Scene<'_>, target: &str) -> Value {
    let reply = scene.stage.server.send(&Request::get(target).bearer(&scene.stage.token));
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

/// A return that is paid, one that is canceled, and one that is open.
fn three_returns(scene: &Scene<'_>) -> [String; 3] {
    let paid = scene.start_tee();
    let canceled = scene.start_tee();
    let open = scene.start(&request("mail-back", &[("A", "mug", 1)]));
    scene.label(&canceled);
    assert_eq!(scene.cancel(&canceled).status, 200);
    scene.publish_refunds(&sample_order("A"), &[refund("RF-1", Some(&paid), &[("tee", 1)])]);
    [paid, canceled, open]
}

#[test]
fn the_entries_of_every_event_and_of_the_whole_book_sum_to_zero() {
    for scene in scenes() {
        let [paid, canceled, open] = three_returns(&scene);

        let mut entries = Vec::new();
        let mut target = "/money/entries?limit=2".to_owned();
        loop {
            let page = read(&scene, &target);
            entries.extend(page["entries"].as_array().unwrap().clone());
            let Some(next) = page["next"].as_str() else { break };
            target = format!("/money/entries?limit=2&after={next}");
        }
        let mut events: BTreeMap<(String, i64), i64> = BTreeMap::new();
        let mut accounts: BTreeMap<String, i64> = BTreeMap::new();
        for entry in &entries {
            let amount = entry["amount_cents"].as_i64().unwrap();
            let event = (text(&entry["rma_identifier"]), entry["event"].as_i64().unwrap());
            *events.entry(event).or_default() += amount;
            *accounts.entry(text(&entry["account"])).or_default() += amount;
        }
        assert!(events.values().all(|sum| *sum == 0), "{events:?}");
        let of = |rma: &str| events.keys().filter(|(id, _)| id == rma).count();
        assert_eq!((of(&paid), of(&canceled), of(&open)), (2, 2, 1));

        let balance = read(&scene, "/money/balance");
        let book = &balance["currencies"][0];
        assert_eq!((&book["currency"], &book["sum_cents"]), (&json!("EUR"), &json!(0)));
        for account in book["accounts"].as_array().unwrap() {
            let sum = accounts.get(account["account"].as_str().unwrap()).copied();
            assert_eq!(account["amount_cents"], sum.unwrap_or_default(), "{account}");
        }
        assert_eq!(accounts["promised"], -2_592, "only the mug is still owed");
        assert_eq!(accounts["refunds"], -4_610);
        let owed = json!([{
            "from_days": 0, "to_days": 30, "currency": "EUR", "returns": 1, "open_cents": 2_592
        }]);
        assert_eq!(balance["open"], owed);
    }
}

#[test]
fn the_export_has_the_entries_of_the_pages_and_an_earlier_balance_has_fewer() {
    for scene in scenes() {
        let [paid, ..] = three_returns(&scene);

        let target = "/money/entries?format=csv";
        let reply = scene.stage.server.send(&Request::get(target).bearer(&scene.stage.token));
        assert_eq!(reply.status, 200, "{}", reply.said());
        assert_eq!(reply.header("content-type"), Some("text/csv; charset=utf-8"));
        let body = String::from_utf8(reply.body.clone()).unwrap();
        let mut lines = body.lines();
        assert_eq!(lines.next(), Some("at,rma_identifier,event,account,currency,amount_cents"));
        let entries = read(&scene, "/money/entries?limit=500")["entries"].clone();
        let rows: Vec<String> = entries.as_array().unwrap().iter().map(csv_row).collect();
        assert_eq!(lines.collect::<Vec<_>>(), rows);

        let started = text(&scene.show(&paid)["created_at"]);
        let before = read(&scene, &format!("/money/balance?as_of={started}"));
        assert_eq!(before["currencies"], json!([]), "nothing was posted before the first return");
        let none = read(&scene, &format!("/money/entries?to={started}"));
        assert_eq!(none["entries"], json!([]));
        let all = read(&scene, &format!("/money/entries?limit=500&from={started}"));
        assert_eq!(all["entries"], entries);
    }
}

fn csv_row(entry: &Value) -> String {
    let field = |name: &str| {
        let value = &entry[name];
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    };
    ["at", "rma_identifier", "event", "account", "currency", "amount_cents"].map(field).join(",")
}

#[test]
fn a_merchant_sees_its_own_books_only() {
    for scene in scenes() {
        scene.start_tee();
        let server = scene.stage.server;
        let other = server.token(&server.merchant("other"));
        let reply = server.send(&Request::get("/money/entries").bearer(&other));
        assert_eq!(reply.json()["entries"], json!([]), "{}", reply.said());
        assert_eq!(server.send(&Request::get("/money/balance")).status, 401);
    }
}
