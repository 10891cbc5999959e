//! Returns of several units and of several orders, refunds in parts, and cancelled returns.

use serde_json::json;

use super::{
    expected::{created, labelled, tracked, unit, with_status, with_unit},
    scene::{line, refund, request, sample_order, scenes},
};

#[test]
fn four_units_of_a_line_are_four_elements_that_sum_to_the_line() {
    for scene in scenes() {
        let mut socks = sample_order("A");
        // 10.01 of discount and 0.03 of tax do not divide by four.
        socks["items"] = json!([line("socks", 4, [1_000, 3, 1_001])]);
        socks["updated_at"] = json!("2026-03-02T08:00:00Z");
        scene.publish(&socks);

        let rma = scene.start(&request("mail-back", &[("A", "socks", 4)]));

        scene.label(&rma);
        let messages = scene.messages(&rma);
        let cents: Vec<i64> = messages[0]["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["refund_financials"]["estimated_refund_amount_cents"].as_i64().unwrap())
            .collect();
        assert_eq!(cents.iter().sum::<i64>(), 4_000 - 1_001 + 3);
        let units: Vec<_> = cents.iter().map(|cents| unit("socks", *cents)).collect();
        assert_eq!(units.len(), 4);
        let first = created("mail-back", &units);
        assert_eq!(messages, [first.clone(), labelled(&first)]);
    }
}

#[test]
fn a_return_may_bring_back_goods_of_two_orders() {
    for scene in scenes() {
        scene.publish(&sample_order("B"));
        let rma = scene.start(&request("mail-back", &[("A", "mug", 1), ("B", "mug", 1)]));
        scene.label(&rma);
        scene.publish_refunds(&sample_order("A"), &[refund("RF-A", Some(&rma), &[("mug", 1)])]);
        assert_eq!(scene.show(&rma)["status"], "CREATED", "one of the orders is not refunded");
        scene.publish_refunds(&sample_order("B"), &[refund("RF-B", None, &[("mug", 1)])]);

        let first = created("mail-back", &[unit("mug", 2_592), unit("mug", 2_592)]);
        let first = with_unit(&first, 1, &[("order_identifier", json!("B"))]);
        let label = labelled(&first);
        let refunded = with_status(&label, "REFUNDED");
        assert_eq!(scene.messages(&rma), [first, label.clone(), label, refunded]);
    }
}

#[test]
fn orders_of_two_shoppers_or_currencies_share_no_return() {
    for scene in scenes() {
        let mut other = sample_order("B");
        other["customer"]["email"] = json!("somebody.else@example.com");
        other["currency"] = json!("USD");
        scene.publish(&other);
        let mut wanted = request("mail-back", &[("A", "mug", 1), ("B", "mug", 1)]);
        let refused = scene.ask("/returns", &wanted);
        assert_eq!(
            (refused.status, &refused.json()["errors"][0]["rule"]),
            (422, &json!("same_shopper"))
        );

        // Whoever got both as gifts is still sent two ways.
        scene.set_policy(&json!({ "gift_returns": true }));
        wanted["gift"] = json!({ "giftee_email": "robin.ames@example.com" });
        let refused = scene.ask("/returns", &wanted).json();
        let rules: Vec<_> =
            refused["errors"].as_array().unwrap().iter().map(|it| &it["rule"]).collect();
        assert_eq!(rules, ["same_shopper", "same_currency"]);
    }
}

#[test]
fn a_refund_in_parts_closes_the_return_with_the_last_part() {
    for scene in scenes() {
        let rma = scene.start(&request("mail-back", &[("A", "tee", 2), ("A", "mug", 1)]));
        scene.label(&rma);
        scene.happens(&rma, "in_transit");
        let part = refund("RF-1", Some(&rma), &[("tee", 1)]);
        scene.publish_refunds(&sample_order("A"), std::slice::from_ref(&part));
        assert_eq!(scene.show(&rma)["status"], "CREATED");
        let rest = refund("RF-2", None, &[("tee", 1), ("mug", 1)]);
        scene.publish_refunds(&sample_order("A"), &[part, rest]);

        let units = [unit("tee", 4_610), unit("tee", 4_610), unit("mug", 2_592)];
        let first = created("mail-back", &units);
        let label = labelled(&first);
        let transit = tracked(&label, "TRANSIT");
        let refunded = with_status(&transit, "REFUNDED");
        assert_eq!(scene.messages(&rma), [first, label, transit.clone(), transit, refunded]);
        assert!(scene.problems("unmatched").is_empty() && scene.problems("conflict").is_empty());
    }
}

#[test]
fn a_return_is_cancelled_before_the_scan_and_its_units_can_be_returned_again() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        let cancelled = scene.cancel(&rma);
        assert_eq!((cancelled.status, &cancelled.json()["status"]), (200, &json!("CANCELED")));
        let again = scene.cancel(&rma);
        assert_eq!((again.status, &again.json()["status"]), (200, &json!("CANCELED")));

        let told = scene.carry(&json!([{ "type": "in_transit", "rma_identifier": rma }]));

        let words = "the return was canceled";
        let refused = json!([{ "result": "refused", "rma_identifier": rma, "message": words }]);
        assert_eq!(told, refused);
        let first = created("mail-back", &[unit("tee", 4_610)]);
        let label = labelled(&first);
        let expected = [first, label.clone(), with_status(&label, "CANCELED")];
        assert_eq!(scene.messages(&rma), expected);
        scene.start(&request("mail-back", &[("A", "tee", 2)]));
    }
}

#[test]
fn a_return_on_its_way_cannot_be_cancelled() {
    for scene in scenes() {
        let rma = scene.start_tee();
        scene.label(&rma);
        scene.happens(&rma, "in_transit");
        let owed = scene.owed(&rma);

        let refused = scene.cancel(&rma);

        let words = "the carrier already has goods of the return";
        assert_eq!(refused.said(), format!("409 {}", json!({ "message": words })));
        assert_eq!(scene.show(&rma)["status"], "CREATED");
        assert_eq!(scene.owed(&rma), owed);
        assert_eq!(scene.cancel("RMA-7K3Q-9XWD-2M4T").status, 404);
    }
}
