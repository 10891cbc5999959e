//! What is finished goes away after its days; what is not stays. What is gone can be replayed from
//! the current state.
//!
//! The server looks once a minute, so this takes a minute, on both engines at the same time.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use sim::Behavior;

use crate::harness::stage::{ALLOW, Stage, accepted, homes, list_calls};
use crate::harness::{eventually, home::text, server::Server};
use crate::returns::scene::{request, sample_order};

/// Messages are old enough at once.
const NO_DAYS: [&str; 2] = ["--retention-days", "0"];
const REMOVED_WITHIN: Duration = Duration::from_secs(100);

#[test]
fn finished_messages_are_removed_and_no_others_and_their_state_can_be_replayed() {
    thread::scope(|scope| {
        for home in homes("delivery_retention") {
            scope.spawn(move || {
                let once = ["--retry-base-ms", "1", "--retry-factor", "1"];
                let server = home.serve(&[&ALLOW[..], &once, &NO_DAYS].concat());
                thread::scope(|scope| {
                    scope.spawn(|| only_finished_messages_go(&server));
                    scope.spawn(|| the_current_state_is_replayed(&server));
                });
            });
        }
    });
}

fn wait_until_removed(stage: &Stage<'_>, id: &str) {
    let begun = Instant::now();
    while stage.get(&format!("/admin/messages/{id}")).status != 404 {
        assert!(begun.elapsed() < REMOVED_WITHIN, "{id} is still there");
        thread::sleep(Duration::from_millis(200));
    }
}

fn only_finished_messages_go(server: &Server) {
    let (stage, running) = Stage::with_receiver(server);
    let delivered = stage.test("delivered", 1);
    stage.until(&delivered, "delivered");
    running.merchant().behave(&[Behavior::status(500)]).unwrap();
    let failed = stage.test("failed", 1);
    stage.until(&failed, "failed");
    stage.turn("pause");
    let waiting = stage.test("waiting", 1);

    wait_until_removed(&stage, &delivered);

    stage.until(&failed, "failed");
    stage.until(&waiting, "waiting");
    let about = format!("/admin/messages?merchant={}&ref=", stage.merchant.id);
    for (reference, count) in [("delivered", 0), ("failed", 1), ("waiting", 1)] {
        let found = stage.get(&format!("{about}{reference}")).json();
        assert_eq!(found["messages"].as_array().unwrap().len(), count, "{reference}: {found}");
    }
}

fn the_current_state_is_replayed(server: &Server) {
    let (stage, running) = Stage::with_receiver(server);
    stage.publish(&[sample_order("A")]);
    let started = stage.call("POST", "/returns", &request("mail-back", &[("A", "tee", 1)])).json();
    let rma = text(&started["rma_identifier"]);
    stage.wait_for_label(&rma);
    let event = stage.test("event", 1);
    accepted(&running, 3);
    wait_until_removed(&stage, &format!("msg_{}_2", stage.merchant.id));
    wait_until_removed(&stage, &event);
    let before = list_calls(&running).len();

    let wanted = json!({ "references": [rma, "event"] });
    let job = stage.call("POST", "/messages/replay", &wanted).json();

    let target = format!("/replays/{}", text(&job["id"]));
    let done = eventually("the replay is done", || {
        let job = stage.call("GET", &target, &json!({})).json();
        (job["state"] == "done").then_some(job)
    });
    // A test message is about nothing that has a state.
    let counts = (&done["renewed"], &done["replayed"], &done["skipped"]);
    assert_eq!(counts, (&json!(1), &json!(0), &json!(1)), "{done}");
    let calls = list_calls(&running);
    let [renewed] = &calls[before..] else { panic!("{} calls", calls.len() - before) };
    let content = renewed.content.as_ref().unwrap();
    let current = stage.call("GET", &format!("/returns/{rma}/message"), &json!({}));
    assert_eq!(content.body, current.text());
    assert_eq!(content.headers["x-service-replay"], "true");
    assert_eq!(renewed.sequence, Some(2), "that of the last message about the return");
    assert!(!renewed.repeated, "it is a new message");
    assert_eq!(running.merchant().summary().violation_count, 0);
}
