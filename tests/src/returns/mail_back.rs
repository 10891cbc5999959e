//! The table of a mail-back return, end to end: confirmed, labelled, scanned, refunded. Four
//! messages, byte for byte but for what differs from run to run.

use serde_json::{Value, json};

use super::scene::{Scene, refund, request, sample_order, scenes};
use crate::harness::{home::text, http::Request};

/// The bodies as one reads them.
fn pretty(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    serde_json::to_string_pretty(&body).unwrap()
}

/// A whole mail-back return of one tee, and its identifier.
fn whole_return(scene: &Scene<'_>) -> String {
    let rma = scene.start_tee();
    scene.label(&rma);
    scene.happens(&rma, "in_transit");
    let answer =
        scene.publish_refunds(&sample_order("A"), &[refund("RF-1", Some(&rma), &[("tee", 1)])]);
    assert_eq!(answer["warnings"], json!([]));
    rma
}

#[test]
fn a_mail_back_return_is_told_in_four_messages() {
    let told = |scene: Scene<'_>| {
        let rma = whole_return(&scene);
        let bodies = scene.bodies(&rma);
        scene.settle(4);
        bodies
    };
    let on_each_engine: Vec<Vec<String>> = scenes().map(told).collect();
    let bodies = &on_each_engine[0];
    assert_eq!(bodies.len(), 4, "{bodies:#?}");
    assert!(on_each_engine.iter().all(|other| other == bodies), "{on_each_engine:#?}");
    insta::assert_snapshot!(pretty(&bodies[0]), @r#"
    {
      "rma_identifier": "RMA",
      "status": "CREATED",
      "created_at": "TIME",
      "updated_at": "TIME",
      "items": [
        {
          "order_line_item_identifier": "tee",
          "order_identifier": "A",
          "exchange_order_identifier": null,
          "original_order_identifier": null,
          "return_reason": "too_small",
          "is_exchange": false,
          "sku": "SKU-tee",
          "tracking_number": null,
          "package_tracking_status": null,
          "receiving_status": null,
          "refund_financials": {
            "estimated_refund_amount_cents": 4610,
            "service_refund_amount_cents": 0,
            "shopper_refund_amount_cents": 4610
          },
          "refund_type": "REFUND",
          "upc": null,
          "warehouse_receipt_condition": null
        }
      ],
      "return_method": "mail-back",
      "return_shipping_cost_cents": 0,
      "gift_refund_only": false,
      "bonus_credit_amount_cents": 0,
      "receiving_complete": true,
      "concept": null
    }
    "#);
    let number = [r#""tracking_number":null"#, r#""tracking_number":"NUMBER""#];
    let place = r#""package_tracking_status":null"#;
    let labelled = bodies[0]
        .replace(number[0], number[1])
        .replace(place, r#""package_tracking_status":"PRE_TRANSIT""#);
    assert_eq!(bodies[1], labelled);
    let scanned = labelled.replace("PRE_TRANSIT", "TRANSIT");
    assert_eq!(bodies[2], scanned);
    assert_eq!(bodies[3], scanned.replace("CREATED", "REFUNDED"));
}

#[test]
fn the_last_message_is_what_the_api_answers_and_carries_the_policys_version() {
    for scene in scenes() {
        scene.set_policy(&json!({ "window_days": 90 }));
        let rma = whole_return(&scene);
        scene.set_policy(&json!({ "window_days": 10 }));
        let last = scene.messages(&rma).pop().unwrap();

        let mut shown = scene.show(&rma);

        let label = shown["label"]["url"].clone();
        assert!(label.as_str().unwrap().starts_with(&format!("/labels/{rma}-")), "{label}");
        let links = json!({
            "self": format!("/returns/{rma}"), "cancel": format!("/returns/{rma}/cancel"),
            "label": label,
        });
        assert_eq!(shown["links"], links);
        assert_eq!(shown["policy_version"], 1);
        for beside in ["label", "labels", "links", "policy_version", "statement"] {
            assert!(shown.as_object_mut().unwrap().shift_remove(beside).is_some());
        }
        let said = super::expected::redacted(&shown.to_string(), &rma);
        assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), last);
    }
}

#[test]
fn what_is_quoted_is_what_is_started_and_a_quote_stores_nothing() {
    for scene in scenes() {
        let wanted = request("mail-back", &[("A", "tee", 2), ("A", "mug", 1)]);
        let target = "/orders/A/returnability";
        let before = scene.stage.server.send(&Request::get(target).bearer(&scene.stage.token));

        let quoted = scene.ask("/returns/quote", &wanted);
        let quoted_again = scene.ask("/returns/quote", &wanted);

        assert_eq!((quoted.status, quoted_again.status), (201, 201), "{}", quoted.said());
        let mut quoted = quoted.json();
        assert_eq!((&quoted["rma_identifier"], &quoted["label"]), (&Value::Null, &Value::Null));
        assert_eq!(quoted["links"], json!({}));
        let totals = json!({
            "refund_cents": 11_812, "gift_card_cents": 0, "exchange_cents": 0,
            "shipping_refund_cents": 0, "fee_from_refund_cents": 0, "fee_from_gift_card_cents": 0,
            "bonus_credit_cents": 0, "total_cents": 11_812,
        });
        assert_eq!(quoted["quote"], totals);
        let after = scene.stage.server.send(&Request::get(target).bearer(&scene.stage.token));
        assert_eq!(after.json()["lines"], before.json()["lines"]);
        let none = scene.stage.server.send(&Request::get("/messages").bearer(&scene.stage.token));
        assert_eq!(none.json()["messages"], json!([]));

        let mut started = scene.ask("/returns", &wanted).json();
        assert!(text(&started["rma_identifier"]).starts_with("RMA-"));
        for answer in [&mut quoted, &mut started] {
            for name in ["rma_identifier", "created_at", "updated_at", "links"] {
                answer.as_object_mut().unwrap().shift_remove(name);
            }
        }
        assert_eq!(started, quoted);
    }
}
