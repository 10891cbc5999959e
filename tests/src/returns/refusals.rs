//! Every refusal names field, code, rule and reason, and changing the fact flips the answer.

use serde_json::{Value, json};

use super::scene::{SHOPPER, Scene, line, refund, request, sample_order, scenes};
use crate::harness::{home::text, http::Request};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

fn returnability(scene: &Scene<'_>) -> Value {
    let request = Request::get("/orders/A/returnability").bearer(&scene.stage.token);
    let reply = scene.stage.server.send(&request);
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

/// The rule that refuses the request, after the whole shape of the refusal was looked at.
fn refused_by(scene: &Scene<'_>, wanted: &Value) -> (String, String) {
    let reply = scene.ask("/returns", wanted);
    assert_eq!(reply.status, 422, "{}", reply.said());
    let body = reply.json();
    assert!(text(&body["message"]).starts_with("the return is refused: "), "{body}");
    let errors = body["errors"].as_array().unwrap();
    for error in errors {
        let names: Vec<_> = error.as_object().unwrap().keys().collect();
        assert_eq!(names, ["field", "code", "rule", "message"], "{error}");
        assert!(text(&error["field"]).starts_with('$') && !text(&error["message"]).is_empty());
    }
    assert_eq!(errors.len(), 1, "{body}");
    (text(&errors[0]["field"]), text(&errors[0]["rule"]))
}

fn assert_refused(scene: &Scene<'_>, wanted: &Value, field: &str, rule: &str) {
    assert_eq!(refused_by(scene, wanted), (field.to_owned(), rule.to_owned()));
    // The quote says the same.
    let quoted = scene.ask("/returns/quote", wanted);
    assert_eq!(quoted.status, 422, "{}", quoted.said());
}

/// Publishes the order A with another first line or another field, newer each time.
fn publish(scene: &Scene<'_>, second: u32, change: impl Fn(&mut Value)) {
    let mut order = sample_order("A");
    change(&mut order);
    order["updated_at"] = json!(format!("2026-05-01T08:00:{second:02}Z"));
    scene.publish(&order);
}

#[test]
fn the_window_closes_and_opens_with_the_policy() {
    for scene in scenes() {
        let now = domain::time::parse(&text(&returnability(&scene)["at"])).unwrap();
        let shipped = domain::time::from_micros(domain::time::micros(now) - 40 * DAY_US).unwrap();
        publish(&scene, 1, |order| {
            order["items"][0]["shipped_date"] = json!(shipped.to_string());
            order["items"][0].as_object_mut().unwrap().shift_remove("return_policy_end_date");
        });
        let wanted = request("mail-back", &[("A", "tee", 1)]);
        assert_refused(&scene, &wanted, "$.items[0]", "window");
        let unit = &returnability(&scene)["lines"][0]["units"][0];
        assert_eq!(unit["returnable"], false);

        scene.set_policy(&json!({ "window_days": 60 }));

        let unit = &returnability(&scene)["lines"][0]["units"][0];
        let window = unit["rules"].as_array().unwrap().iter().find(|it| it["rule"] == "window");
        let changes_at = text(&window.unwrap()["changes_at"]);
        let changes_at = domain::time::micros(domain::time::parse(&changes_at).unwrap());
        // The sixtieth day counts as a whole, in UTC.
        let midnight = domain::time::micros(shipped).div_euclid(DAY_US) * DAY_US;
        assert_eq!(changes_at, midnight + 61 * DAY_US);
        scene.start(&wanted);
    }
}

#[test]
fn a_window_until_the_end_of_time_never_closes() {
    for scene in scenes() {
        publish(&scene, 1, |order| {
            order["items"][0]["return_policy_end_date"] = json!("9999-12-31");
            order["items"][0]["shipped_date"] = json!("9999-12-31T23:59:59Z");
            order["items"][0]["delivered_date"] = json!("9999-12-31T23:59:59.999-12:00");
        });

        let unit = &returnability(&scene)["lines"][0]["units"][0];

        assert_eq!(unit["returnable"], true, "{unit}");
        scene.start_tee();
    }
}

#[test]
fn a_tag_refuses_until_it_is_gone() {
    let tags = [
        ("Final-Sale", "final_sale"),
        ("bopis", "pick_up_in_store"),
        ("marketplace", "third_party"),
        ("customer service", "customer_service"),
        ("gift_card", "gift_card"),
    ];
    for scene in scenes() {
        let wanted = request("mail-back", &[("A", "tee", 1)]);
        for (second, (tag, rule)) in (1..).zip(tags) {
            publish(&scene, second, |order| order["items"][0]["tags"] = json!([tag]));
            assert_refused(&scene, &wanted, "$.items[0]", rule);
        }
        publish(&scene, 20, |order| order["tags"] = json!(["final_sale"]));
        assert_refused(&scene, &wanted, "$.items[0]", "final_sale");
        publish(&scene, 21, |_| ());
        scene.start(&wanted);
    }
}

#[test]
fn what_the_order_says_of_itself_refuses_too() {
    for scene in scenes() {
        let wanted = request("mail-back", &[("A", "tee", 1)]);
        publish(&scene, 1, |order| order["status"] = json!("Cancelled"));
        assert_refused(&scene, &wanted, "$.items[0]", "order_status");
        publish(&scene, 2, |order| order["items"][0]["quantity_shipped"] = json!(0));
        assert_refused(&scene, &wanted, "$.items[0]", "shipped");
        publish(&scene, 3, |order| order["items"][0]["quantity_refunded"] = json!(2));
        assert_refused(&scene, &wanted, "$.items[0]", "already_refunded");
        publish(&scene, 4, |_| ());
        let three = request("mail-back", &[("A", "tee", 3)]);
        assert_refused(&scene, &three, "$.items[0]", "shipped");
        scene.start(&wanted);
    }
}

#[test]
fn more_units_in_one_request_than_were_shipped_are_refused_as_such() {
    for scene in scenes() {
        let mut wanted = request("mail-back", &[("A", "tee", 2), ("A", "tee", 1)]);
        wanted["items"][1]["return_reason"] = json!("damaged");
        assert_refused(&scene, &wanted, "$.items[1]", "shipped");
    }
}

#[test]
fn countries_and_methods_refuse_by_policy() {
    for scene in scenes() {
        let wanted = request("mail-back", &[("A", "tee", 1)]);
        scene.set_policy(&json!({ "countries": ["US", "FR"] }));
        assert_refused(&scene, &wanted, "$.items[0]", "country");
        scene.set_policy(&json!({ "methods": [{ "method": "home-pickup" }] }));
        assert_refused(&scene, &wanted, "$.return_method", "method_offered");
        let dear = json!({ "method": "mail-back", "amount_max_cents": 5_000 });
        scene.set_policy(&json!({ "methods": [dear] }));
        let both = request("mail-back", &[("A", "tee", 2)]);
        assert_refused(&scene, &both, "$.return_method", "method_amount");
        let other = json!({ "method": "mail-back", "reasons": ["damaged"] });
        scene.set_policy(&json!({ "methods": [other] }));
        assert_refused(&scene, &wanted, "$.return_method", "method_reason");
        let light = json!([{ "method": "express-returns", "unit_weight_max": 5 },
                           { "method": "mail-back" }]);
        scene.set_policy(&json!({ "methods": light }));
        let express = request("express-returns", &[("A", "tee", 1)]);
        assert_refused(&scene, &express, "$.return_method", "method_weight");
        scene.set_policy(&json!({ "countries": ["DE"] }));
        scene.start(&wanted);
    }
}

#[test]
fn what_is_asked_for_must_be_on_offer_and_the_shoppers_own() {
    for scene in scenes() {
        let wanted = request("mail-back", &[("A", "tee", 1)]);
        let with = |path: &str, value: Value| {
            let mut wanted = wanted.clone();
            *wanted.pointer_mut(path).unwrap() = value;
            wanted
        };
        let item = "$.items[0]";
        for (wanted, field, rule) in [
            (with("/items/0/order_identifier", json!("B")), "order_identifier", "order_known"),
            (
                with("/items/0/order_line_item_identifier", json!("hat")),
                "order_line_item_identifier",
                "line_known",
            ),
            (with("/items/0/return_reason", json!("bored")), "return_reason", "reason_known"),
            (with("/items/0/resolution", json!("gift_card")), "resolution", "gift_card_offered"),
        ] {
            assert_refused(&scene, &wanted, &format!("{item}.{field}"), rule);
        }
        let stranger = with("/email", json!("somebody.else@example.com"));
        assert_refused(&scene, &stranger, "$.email", "same_shopper");
        let mut capitals = wanted.clone();
        capitals["email"] = json!(SHOPPER.to_uppercase());
        scene.start(&capitals);
    }
}

#[test]
fn every_reason_is_told_at_once() {
    for scene in scenes() {
        publish(&scene, 1, |order| {
            order["items"][0]["tags"] = json!(["final_sale"]);
            order["items"] = json!([
                order["items"][0].clone(),
                line("mug", 1, [2_400, 192, 0]),
                line("hat", 1, [0, 0, 0])
            ]);
        });
        scene.publish_refunds(&sample_order("Z"), &[refund("RF-Z", None, &[("mug", 1)])]);
        let items = [("A", "tee", 1), ("A", "mug", 2), ("Z", "mug", 1), ("Y", "mug", 1)];
        let mut wanted = request("home-pickup", &items);
        wanted["items"][1]["quantity"] = json!(1);
        let reply = scene.ask("/returns", &wanted).json();
        let found: Vec<_> = reply["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (text(&it["field"]), text(&it["rule"])))
            .collect();
        let expected = [
            ("$.items[0]", "final_sale"),
            ("$.items[2]", "already_refunded"),
            ("$.items[3].order_identifier", "order_known"),
            ("$.return_method", "method_offered"),
        ];
        assert_eq!(found, expected.map(|(field, rule)| (field.to_owned(), rule.to_owned())));
    }
}

#[test]
fn a_request_that_cannot_be_read_gets_every_fault_with_its_path() {
    for scene in scenes() {
        let wanted = json!({
            "email": "nobody", "return_method": "by-balloon", "colour": "red",
            "items": [{ "order_identifier": "A", "order_line_item_identifier": "tee",
                        "quantity": 0, "return_reason": "too_small", "resolution": "refund",
                        "exchange_sku": "X" }, 7],
        });
        let reply = scene.ask("/returns", &wanted);
        let mut found: Vec<_> = reply.json()["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (text(&it["field"]), text(&it["code"])))
            .collect();
        found.sort();
        let expected = [
            ("$.colour", "invalid"),
            ("$.email", "invalid"),
            ("$.items[0].exchange_sku", "invalid"),
            ("$.items[0].quantity", "invalid"),
            ("$.items[1]", "invalid_type"),
            ("$.return_method", "invalid"),
        ];
        assert_eq!(found, expected.map(|(field, code)| (field.to_owned(), code.to_owned())));
    }
}
