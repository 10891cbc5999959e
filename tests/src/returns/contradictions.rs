//! A newer snapshot may contradict refunds that were reported before. What was accepted stays
//! readable: the refund is kept and listed for an operator, and everything else continues to work.

use serde_json::{Value, json};

use super::scene::{SHOPPER, Scene, line, refund, request, sample_order, scenes};
use crate::harness::http::Request;

const FIELD: &str = "$.returns_portal_order.orders[0].refunds";

fn newer(mut order: Value, second: usize, refunds: &[Value]) -> Value {
    order["refunds"] = json!(refunds);
    order["updated_at"] = json!(format!("2026-05-01T08:00:{second:02}Z"));
    order
}

/// The order has everything that a shopper, a merchant and an operator need.
fn assert_usable(scene: &Scene<'_>, line: &str) {
    let token = &scene.stage.token;
    let returnable = Request::get("/orders/A/returnability").bearer(token);
    let returnable = scene.stage.server.send(&returnable);
    assert_eq!(returnable.status, 200, "{}", returnable.said());
    let read = scene.stage.server.order(token, "A");
    assert_eq!(read.status, 200, "{}", read.said());

    let portal = format!("/portal/{}", scene.stage.merchant.id);
    let form = format!("order_number=A&secret={}", SHOPPER.replace('@', "%40"));
    let find = Request::post(&portal)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(form);
    let found = scene.stage.server.send(&find);
    assert_eq!(found.status, 303, "{}", found.text());
    let pass = found.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let page = Request::get(&format!("{portal}/return")).header("Cookie", &pass);
    let page = scene.stage.server.send(&page);
    assert_eq!(page.status, 200, "{}", page.text());

    scene.start(&request("mail-back", &[("A", line, 1)]));
}

#[test]
fn an_order_stays_usable_after_a_snapshot_that_replaces_a_refund() {
    for scene in scenes() {
        let first = newer(sample_order("A"), 1, &[refund("RF-1", None, &[("mug", 1)])]);
        assert_eq!(scene.publish(&first)["warnings"], json!([]));

        let other = newer(sample_order("A"), 2, &[refund("RF-2", None, &[("mug", 1)])]);
        let answer = scene.publish(&other);

        assert_eq!(answer["orders"][0]["result"], "updated");
        let spent = "pays for units that were already spent: 1 of mug";
        let misfit = "does not fit the newest snapshot: 2 units of line mug are refunded, but only \
                      1 shipped";
        let expected = json!([
            { "field": format!("{FIELD}[0]"), "message": spent },
            { "field": FIELD,
              "message": format!("omit RF-1, which was recorded before and {misfit}") },
        ]);
        assert_eq!(answer["warnings"], expected);
        let mut problems = scene.problems("conflict");
        problems.sort();
        let expected = [("RF-1", misfit), ("RF-2", spent)];
        assert_eq!(problems, expected.map(|(refund, why)| (refund.to_owned(), why.to_owned())));
        assert_usable(&scene, "tee");
    }
}

#[test]
fn an_order_stays_usable_after_a_snapshot_without_the_refunded_line() {
    for scene in scenes() {
        scene.publish(&newer(sample_order("A"), 1, &[refund("RF-1", None, &[("mug", 1)])]));
        let mut dropped = newer(sample_order("A"), 2, &[]);
        dropped["items"] = json!([line("tee", 2, [4_500, 720, 500])]);
        dropped["total_amount_cents"] = json!(9_220);
        dropped["product_amount_cents"] = json!(9_000);
        dropped["tax_amount_cents"] = json!(720);

        let answer = scene.publish(&dropped);

        let misfit = "does not fit the newest snapshot: the order no longer has line mug";
        let message = format!("omit RF-1, which was recorded before and {misfit}");
        assert_eq!(answer["warnings"], json!([{ "field": FIELD, "message": message }]));
        assert_eq!(scene.problems("conflict"), [("RF-1".to_owned(), misfit.to_owned())]);
        assert_usable(&scene, "tee");
    }
}

#[test]
fn an_order_stays_usable_after_a_snapshot_with_fewer_shipped_units_than_were_refunded() {
    for scene in scenes() {
        scene.publish(&newer(sample_order("A"), 1, &[refund("RF-1", None, &[("tee", 2)])]));
        let mut fewer = newer(sample_order("A"), 2, &[]);
        fewer["items"][0]["quantity_shipped"] = json!(1);

        let answer = scene.publish(&fewer);

        assert_eq!(answer["orders"][0]["result"], "updated");
        let misfit = "does not fit the newest snapshot: 2 units of line tee are refunded, but only \
                      1 shipped";
        assert_eq!(scene.problems("conflict"), [("RF-1".to_owned(), misfit.to_owned())]);
        assert_usable(&scene, "mug");

        // An operator has handled it: it is not listed again with every snapshot.
        let settle = format!("/admin/merchants/{}/refunds/RF-1/match", scene.stage.merchant.id);
        let settled = scene.send("POST", &settle, &scene.stage.admin, &json!({}));
        assert_eq!(settled.status, 200, "{}", settled.said());
        fewer["updated_at"] = json!("2026-05-01T08:00:03Z");
        scene.publish(&fewer);
        assert_eq!(scene.problems("conflict"), []);
    }
}

#[test]
fn a_new_refund_in_an_older_snapshot_settles_its_return() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        scene.publish(&newer(sample_order("A"), 9, &[]));

        let late = newer(sample_order("A"), 1, &[refund("RF-1", Some(&rma), &[("tee", 1)])]);
        let answer = scene.publish(&late);

        assert_eq!(answer["orders"], json!([{ "identifier": "A", "result": "stale" }]));
        assert_eq!(answer["warnings"], json!([]));
        assert_eq!((scene.show(&rma)["status"].clone(), scene.owed(&rma)), (json!("REFUNDED"), 3));
        let stored = scene.stage.server.order(&scene.stage.token, "A").json();
        assert_eq!(stored["updated_at"], "2026-05-01T08:00:09Z", "the newer snapshot stays");
        assert_eq!(stored["refunds"], late["refunds"]);
        assert_eq!(scene.publish(&late), answer, "once is enough");
        assert_eq!(scene.owed(&rma), 3);
    }
}

#[test]
fn a_refund_in_an_older_snapshot_for_a_line_that_is_gone_is_listed() {
    for scene in scenes() {
        let mut dropped = newer(sample_order("A"), 9, &[]);
        dropped["items"] = json!([line("tee", 2, [4_500, 720, 500])]);
        scene.publish(&dropped);

        let late = newer(sample_order("A"), 1, &[refund("RF-1", None, &[("mug", 1)])]);
        let answer = scene.publish(&late);

        let words =
            "pays for units that were already spent: 1 of mug (no longer a line of the order)";
        let expected = json!([{ "field": format!("{FIELD}[0]"), "message": words }]);
        assert_eq!(answer["warnings"], expected);
        assert_eq!(scene.problems("conflict"), [("RF-1".to_owned(), words.to_owned())]);
        assert_usable(&scene, "tee");
    }
}

#[test]
fn a_refund_line_identifier_of_a_recorded_refund_cannot_be_used_again() {
    for scene in scenes() {
        let known = refund("RF-1", None, &[("mug", 1)]);
        scene.publish(&newer(sample_order("A"), 1, std::slice::from_ref(&known)));
        let mut again = refund("RF-2", None, &[("tee", 1), ("tee", 1)]);
        again["refund_line_items"][1]["identifier"] = json!("RF-1-0");

        for (second, refunds) in [(2, vec![again.clone()]), (0, vec![again.clone()])] {
            let order = newer(sample_order("A"), second, &refunds);
            let body = crate::harness::samples::message(&[order]);
            let refused = scene.stage.server.publish(&scene.stage.token, &body);

            assert_eq!(refused.status, 422, "{}", refused.said());
            let field = format!("{FIELD}[0].refund_line_items[1].identifier");
            let expected = json!([{ "field": field, "code": "invalid" }]);
            assert_eq!(refused.json()["errors"], expected);
        }
        let fine = newer(sample_order("A"), 3, &[known, refund("RF-3", None, &[("tee", 1)])]);
        assert_eq!(scene.publish(&fine)["orders"][0]["result"], "updated");
    }
}

/// Amounts are never converted: a promise in one currency cannot be paid in another.
#[test]
fn the_currency_of_an_order_does_not_change_after_money_was_promised_or_paid() {
    for scene in scenes() {
        let in_francs = |second: usize, refunds: &[Value]| {
            let mut order = newer(sample_order("A"), second, refunds);
            order["currency"] = json!("CHF");
            let body = crate::harness::samples::message(&[order]);
            scene.stage.server.publish(&scene.stage.token, &body)
        };
        assert_eq!(in_francs(1, &[]).status, 200, "nothing is promised");
        scene.publish(&newer(sample_order("A"), 2, &[]));
        let canceled = scene.start_tee();
        assert_eq!(scene.cancel(&canceled).status, 200);
        assert_eq!(in_francs(3, &[]).status, 200, "nothing is promised any more");
        scene.publish(&newer(sample_order("A"), 4, &[]));
        let rma = scene.start_tee();
        let paid = [refund("RF-1", Some(&rma), &[("tee", 1)])];

        for refused in [in_francs(5, &[]), in_francs(5, &paid), in_francs(0, &paid)] {
            assert_eq!(refused.status, 422, "{}", refused.said());
            let field = "$.returns_portal_order.orders[0].currency";
            assert_eq!(refused.json()["errors"], json!([{ "field": field, "code": "invalid" }]));
        }
        assert_eq!(scene.show(&rma)["status"], "CREATED");
        let outside = newer(sample_order("A"), 6, &[refund("RF-2", None, &[("mug", 1)])]);
        scene.publish(&outside);
        assert_eq!(scene.cancel(&rma).status, 200);
        assert_eq!(in_francs(7, &[]).status, 422, "a refund was reported");
    }
}
