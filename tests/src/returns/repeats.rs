//! The same request under the same `Idempotency-Key` is done once.

use serde_json::json;

use super::scene::{request, scenes};
use crate::harness::{home::text, http::Request};

#[test]
fn a_return_that_is_asked_for_again_under_its_key_is_started_once() {
    for scene in scenes() {
        let wanted = request("mail-back", &[("A", "tee", 1)]);
        let post = |body: &serde_json::Value| {
            let post = Request::post("/returns").bearer(&scene.stage.token).json(body.to_string());
            scene.stage.server.send(&post.header("Idempotency-Key", "tab-1"))
        };
        let first = post(&wanted);
        assert_eq!(first.status, 201, "{}", first.said());

        assert_eq!(post(&wanted).said(), first.said());

        let other = post(&request("mail-back", &[("A", "mug", 1)]));
        assert_eq!(other.status, 409, "{}", other.said());
        scene.start(&request("mail-back", &[("A", "tee", 1), ("A", "mug", 1)]));
    }
}

#[test]
fn a_refused_request_may_come_again_corrected_under_its_key() {
    for scene in scenes() {
        let post = |line: &str| {
            let body = request("mail-back", &[("A", line, 1)]).to_string();
            let post = Request::post("/returns").bearer(&scene.stage.token).json(body);
            scene.stage.server.send(&post.header("Idempotency-Key", "tab-1"))
        };
        assert_eq!(post("hat").status, 422);
        assert_eq!(post("mug").status, 201);
    }
}

#[test]
fn cancelling_events_and_receipts_under_a_key_get_their_first_answer() {
    for scene in scenes() {
        scene.set(&json!({ "managed_receiving": true }));
        let rma = scene.start_tee();
        scene.label(&rma);
        let admin = &scene.stage.admin;
        let receipt = json!({ "receipts": [{
            "rma_identifier": rma, "line_identifier": "tee", "condition": "N"
        }] });
        let events = json!({ "events": [{ "type": "accepted", "rma_identifier": rma }] });
        for (target, body) in [("/receipts", &receipt), ("/carrier_events", &events)] {
            let post = Request::post(target).bearer(admin).json(body.to_string());
            let post = post.header("Idempotency-Key", &format!("{target}-{rma}"));
            let first = scene.stage.server.send(&post);
            assert_eq!(text(&first.json()["results"][0]["result"]), "applied", "{}", first.said());
            assert_eq!(scene.stage.server.send(&post).said(), first.said());
        }
        assert_eq!(scene.owed(&rma), 4);

        let mug = scene.start(&request("mail-back", &[("A", "mug", 1)]));
        scene.label(&mug);
        let cancel = Request::post(&format!("/returns/{mug}/cancel")).bearer(&scene.stage.token);
        let cancel = cancel.header("Idempotency-Key", "c");
        let first = scene.stage.server.send(&cancel);
        assert_eq!((first.status, &first.json()["status"]), (200, &json!("CANCELED")));
        assert_eq!(scene.stage.server.send(&cancel).said(), first.said());
    }
}
