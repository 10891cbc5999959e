//! The other ways back: the drop-off point, the driver at the door, and what a shopper keeps.

use serde_json::json;

use super::{
    expected::{created, labelled, tracked, unit, with_status, with_unit},
    scene::{refund, request, sample_order, scenes},
};

#[test]
fn of_an_express_return_one_unit_may_not_be_dropped_off() {
    for scene in scenes() {
        let mut heavy = sample_order("A");
        heavy["items"][0]["weight"] = json!(0.4);
        heavy["items"][1]["weight"] = json!(0.6);
        heavy["updated_at"] = json!("2026-03-02T08:00:00Z");
        scene.publish(&heavy);
        let express = json!({ "method": "express-returns", "unit_weight_max": 5, "fee_cents": 0 });
        scene.set_policy(&json!({ "methods": [express] }));
        let rma = scene.start(&request("express-returns", &[("A", "tee", 1), ("A", "mug", 1)]));
        scene.label(&rma);

        let told = scene.carry(&json!([
            { "type": "accepted", "rma_identifier": rma, "order_line_item_identifiers": ["tee"] },
            { "type": "not_dropped_off", "rma_identifier": rma,
              "order_line_item_identifiers": ["mug"] },
        ]));
        let applied = json!({ "result": "applied", "rma_identifier": rma });
        assert_eq!(told, json!([applied, applied]));
        scene.publish_refunds(&heavy, &[refund("RF-1", Some(&rma), &[("tee", 1)])]);

        let first = created("express-returns", &[unit("tee", 4_610), unit("mug", 2_592)]);
        let label = labelled(&first);
        let accepted = with_unit(&label, 0, &[("package_tracking_status", json!("ACCEPTED"))]);
        let status = json!("NOT_DROPPED_OFF");
        let missing = with_unit(&accepted, 1, &[("package_tracking_status", status)]);
        // The mug is still owed, so the return stays open.
        assert_eq!(scene.messages(&rma), [first, label, accepted, missing.clone(), missing]);
        assert_eq!(scene.show(&rma)["status"], "CREATED");
    }
}

#[test]
fn what_a_shopper_keeps_never_travels() {
    for scene in scenes() {
        let keep = json!({ "method": "customer-keep", "amount_max_cents": 3_000 });
        scene.set_policy(&json!({ "methods": [keep] }));
        let rma = scene.start(&request("customer-keep", &[("A", "mug", 1)]));

        let told = scene.carry(&json!([
            { "type": "in_transit", "rma_identifier": rma },
            { "type": "label_created", "rma_identifier": rma, "tracking_number": "1Z-1" },
        ]));

        let words = "the shopper keeps the goods, so nothing is shipped";
        let refused = json!({ "result": "refused", "rma_identifier": rma, "message": words });
        assert_eq!(told, json!([refused, refused]));
        scene.publish_refunds(&sample_order("A"), &[refund("RF-1", None, &[("mug", 1)])]);
        let first = created("customer-keep", &[unit("mug", 2_592)]);
        assert_eq!(scene.messages(&rma), [first.clone(), with_status(&first, "REFUNDED")]);
        assert_eq!(scene.show(&rma)["label"], json!(null));
    }
}

#[test]
fn a_driver_collects_at_the_door() {
    for scene in scenes() {
        let pickup = json!({ "method": "home-pickup", "fee_cents": 595 });
        scene.set_policy(&json!({ "methods": [pickup] }));
        let rma = scene.start(&request("home-pickup", &[("A", "mug", 1)]));
        scene.label(&rma);
        for kind in ["accepted", "in_transit", "delivered"] {
            scene.happens(&rma, kind);
        }
        scene.publish_refunds(&sample_order("A"), &[refund("RF-1", Some(&rma), &[("mug", 1)])]);

        let mut first = created("home-pickup", &[unit("mug", 2_592)]);
        first["return_shipping_cost_cents"] = json!(595);
        let label = labelled(&first);
        let accepted = tracked(&label, "ACCEPTED");
        let transit = tracked(&label, "TRANSIT");
        let delivered = tracked(&label, "DELIVERED");
        let refunded = with_status(&delivered, "REFUNDED");
        let expected = [first, label, accepted, transit, delivered, refunded];
        assert_eq!(scene.messages(&rma), expected);
    }
}

#[test]
fn a_gift_is_refunded_on_a_card_and_its_payer_is_not_asked() {
    for scene in scenes() {
        scene.set_policy(&json!({ "gift_returns": true }));
        let mut wanted = request("mail-back", &[("A", "mug", 1)]);
        wanted.as_object_mut().unwrap().shift_remove("email");
        wanted["gift"] = json!({ "giftee_email": "robin.ames@example.com" });

        let rma = scene.start(&wanted);

        scene.label(&rma);
        let mut first = created("mail-back", &[unit("mug", 2_592)]);
        first["gift_refund_only"] = json!(true);
        first["giftee_email"] = json!("robin.ames@example.com");
        assert_eq!(scene.messages(&rma), [first.clone(), labelled(&first)]);
    }
}
