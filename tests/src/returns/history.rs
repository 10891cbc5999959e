//! The journal of a return: every event, and the return as it was at any time.

use domain::random::SeededRandom;
use serde_json::{Value, json};

use super::scene::{Scene, refund, request, sample_order, scenes};
use crate::harness::{home::text, http::Request, stage::list_calls};

fn read(scene: &Scene<'_>, target: &str) -> Value {
    let reply = scene.stage.server.send(&Request::get(target).bearer(&scene.stage.token));
    assert_eq!(reply.status, 200, "{}", reply.said());
    reply.json()
}

/// The messages about a return, as they were sent.
fn sent(scene: &Scene<'_>, rma: &str) -> Vec<Value> {
    let count = scene.bodies(rma).len();
    let calls = list_calls(&scene.running).into_iter().filter_map(|call| call.content);
    let about = calls.map(|content| content.body).filter(|body| body.contains(rma));
    let messages: Vec<Value> = about.map(|body| serde_json::from_str(&body).unwrap()).collect();
    assert_eq!(messages.len(), count);
    messages
}

/// Something happens to the return, or is refused.
fn change(scene: &Scene<'_>, rma: &str, random: &mut SeededRandom, step: u64) {
    let scans = ["accepted", "in_transit", "delivered", "failure"];
    match random.below(6) {
        0 | 1 => {
            let kind = scans[random.index(scans.len())];
            scene.carry(&json!([{ "type": kind, "rma_identifier": rma }]));
        }
        2 => {
            let reject = random.one_in(3).then_some("stained");
            let line = if random.one_in(2) { "tee" } else { "mug" };
            let mut receipt = json!({
                "rma_identifier": rma, "line_identifier": line, "condition": "A",
                "unit_identifier": format!("LP-{rma}-{step}"),
            });
            if let Some(reason) = reject {
                receipt["reject_reason"] = json!(reason);
            }
            scene.receive(&json!([receipt]));
        }
        3 if step > 3 => {
            scene.close_receiving(rma);
        }
        _ => {
            let mut paid = refund(&format!("RF-{rma}-{step}"), Some(rma), &[("tee", 1)]);
            paid["total_refund_amount_cents"] = json!(random.between(1, 9_000));
            let mut order = sample_order("A");
            order["refunds"] = json!([paid]);
            order["updated_at"] = json!(format!("2026-04-02T08:{:02}:00Z", step));
            scene.publish(&order);
        }
    }
}

#[test]
fn as_of_the_time_of_each_message_a_return_is_what_the_message_said() {
    for (engine, scene) in scenes().enumerate() {
        scene.set(&json!({ "managed_receiving": true }));
        let mut random = SeededRandom::new(7 + u64::try_from(engine).unwrap());
        let rma = scene.start(&request("mail-back", &[("A", "tee", 2), ("A", "mug", 1)]));
        scene.label(&rma);
        for step in 0..14 {
            change(&scene, &rma, &mut random, step);
        }

        let messages = sent(&scene, &rma);

        assert!(messages.len() > 6, "only {} messages", messages.len());
        for message in &messages {
            let as_of = text(&message["updated_at"]);
            let shown = read(&scene, &format!("/returns/{rma}?as_of={as_of}"));
            for (name, value) in message.as_object().unwrap() {
                assert_eq!(&shown[name], value, "{name} as of {as_of}");
            }
        }
        let events = read(&scene, &format!("/returns/{rma}/events"))["events"].clone();
        let events = events.as_array().unwrap();
        assert_eq!(events.len(), messages.len(), "each event has its message");
        for (number, (event, message)) in (1..).zip(events.iter().zip(&messages)) {
            assert_eq!(event["number"], number);
            assert_eq!(event["at"], message["updated_at"], "{event}");
        }
        let now = read(&scene, &format!("/returns/{rma}/message"));
        assert_eq!(Some(&now), messages.last(), "what would be sent now is what was sent last");
        let early = format!("/returns/{rma}?as_of=2020-01-01T00:00:00Z");
        let reply = scene.stage.server.send(&Request::get(&early).bearer(&scene.stage.token));
        assert_eq!(reply.said(), r#"404 {"message":"return not found"}"#);
    }
}

#[test]
fn a_return_that_does_not_exist_is_not_found_at_any_time() {
    for scene in scenes() {
        let target = "/returns/RMA-7K3Q-9XWD-2M4T?as_of=2026-02-23T07:41:12Z";
        let reply = scene.stage.server.send(&Request::get(target).bearer(&scene.stage.token));
        assert_eq!(reply.said(), r#"404 {"message":"return not found"}"#);
    }
}

#[test]
fn the_journal_says_who_did_what_and_which_request_it_was() {
    for scene in scenes() {
        let reply = scene.ask("/returns", &request("mail-back", &[("A", "tee", 1)]));
        let rma = text(&reply.json()["rma_identifier"]);
        let started = reply.header("x-request-id").unwrap().to_owned();
        scene.label(&rma);
        scene.happens(&rma, "accepted");
        scene.publish_refunds(&sample_order("A"), &[refund("RF-1", Some(&rma), &[("tee", 1)])]);

        let page = read(&scene, &format!("/returns/{rma}/events?limit=3"));

        let events = page["events"].as_array().unwrap();
        let merchant = &scene.stage.merchant.id;
        let client = events[0]["actor"]["name"].as_str().unwrap();
        assert!(client.starts_with(&format!("{merchant}.")), "{client}");
        assert_eq!(events[0]["actor"]["kind"], "client");
        assert_eq!(events[0]["cause"], json!(started));
        assert_eq!(events[0]["change"], json!({ "event": "started", "units": 1 }));
        assert_eq!(events[1]["actor"], json!({ "kind": "carrier", "name": "simulated" }));
        assert_eq!(events[1]["change"]["event"], "label_created");
        let reporter = events[2]["actor"]["name"].as_str().unwrap();
        assert!(reporter.starts_with("platform."), "{reporter}");
        assert_eq!(events[2]["actor"]["kind"], "operator", "a client of the platform reported");
        let rest = read(&scene, &format!("/returns/{rma}/events?after={}", page["next"]));
        let paid = &rest["events"][0];
        assert_eq!((&paid["number"], &paid["change"]["event"]), (&json!(4), &json!("refunded")));
        assert_eq!(paid["change"]["amount_cents"], 4_610);
        let unknown = "/returns/RMA-7K3Q-9XWD-2M4T/events";
        let reply = scene.stage.server.send(&Request::get(unknown).bearer(&scene.stage.token));
        assert_eq!(reply.status, 404);
    }
}
