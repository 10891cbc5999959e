//! A merchant that has lost messages gets them again.

use serde_json::{Value, json};
use sim::Running;

use crate::harness::eventually;
use crate::harness::home::text;
use crate::harness::stage::{Stage, accepted, list_calls, servers};

fn replay(stage: &Stage<'_>, selection: &Value) -> Value {
    let reply = stage.call("POST", "/messages/replay", selection);
    assert_eq!(reply.status, 202, "{}", reply.said());
    reply.json()
}

fn until_done(stage: &Stage<'_>, job: &Value) -> Value {
    let target = format!("/replays/{}", text(&job["id"]));
    eventually("the replay is done", || {
        let job = stage.call("GET", &target, &json!({})).json();
        (job["state"] == "done").then_some(job)
    })
}

/// The lane, the sequence and the replay header of each call after the first `sent` ones.
fn calls_after(running: &Running, sent: usize) -> Vec<(String, u64, bool)> {
    let calls = list_calls(running).into_iter().skip(sent);
    calls
        .map(|call| {
            let content = call.content.unwrap();
            let body: Value = serde_json::from_str(&content.body).unwrap();
            let marked = content.headers.get("x-service-replay").is_some_and(|it| it == "true");
            (text(&body["identifier"]), call.sequence.unwrap(), marked)
        })
        .collect()
}

#[test]
fn delivered_messages_are_sent_again_in_order_marked_and_with_the_same_bytes() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let ids: Vec<String> = (1..=3).map(|sequence| stage.test("lane-a", sequence)).collect();
        stage.test("lane-b", 1);
        accepted(&running, 4);
        stage.until(&ids[2], "delivered");

        let job = replay(&stage, &json!({ "references": ["lane-a"] }));

        let done = until_done(&stage, &job);
        assert_eq!((&done["total"], &done["replayed"]), (&json!(1), &json!(3)), "{done}");
        let again: Vec<_> = (1..=3).map(|it| ("lane-a".to_owned(), it, true)).collect();
        assert_eq!(calls_after(&running, 4), again);
        let summary = running.merchant().summary();
        assert_eq!((summary.violation_count, summary.accepted_again), (0, 3));
        let message = stage.until(&ids[0], "delivered");
        assert_eq!(message["attempts"].as_array().unwrap().len(), 2, "{message}");
        assert_eq!(message["attempts"][1]["cycle"], 2);
    }
}

#[test]
fn an_older_message_is_followed_by_the_newest_about_the_same_thing() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let ids: Vec<String> = (1..=3).map(|sequence| stage.test("lane", sequence)).collect();
        stage.until(&ids[2], "delivered");

        let unknown = format!("msg_{}_99", stage.merchant.id);
        let job = replay(&stage, &json!({ "ids": [ids[0], unknown] }));

        let done = until_done(&stage, &job);
        let counts = (&done["total"], &done["replayed"], &done["skipped"]);
        assert_eq!(counts, (&json!(2), &json!(2), &json!(1)), "{done}");
        let lane = "lane".to_owned();
        assert_eq!(calls_after(&running, 3), [(lane.clone(), 1, true), (lane, 3, true)]);
    }
}

#[test]
fn a_period_and_kinds_select_messages_and_each_is_sent_once() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        for lane in 0..40 {
            for sequence in 1..=3 {
                stage.test(&format!("lane-{lane}"), sequence);
            }
        }
        stage.test_of("inventory_receipt", "unit", 1);
        accepted(&running, 121);
        stage.until(&format!("msg_{}_121", stage.merchant.id), "delivered");

        let none = replay(&stage, &json!({ "to": "2020-01-01T00:00:00Z" }));
        assert_eq!(until_done(&stage, &none)["replayed"], 0);
        let job = replay(&stage, &json!({ "kinds": ["rma"], "from": "2020-01-01T00:00:00Z" }));

        let done = until_done(&stage, &job);
        assert_eq!((&done["replayed"], &done["examined"]), (&json!(120), &json!(121)), "{done}");
        let mut again = calls_after(&running, 121);
        assert!(again.iter().all(|(_, _, marked)| *marked));
        for lane in 0..40 {
            let name = format!("lane-{lane}");
            let sequences = again.iter().filter(|(it, ..)| *it == name).map(|(_, it, _)| *it);
            assert_eq!(sequences.collect::<Vec<_>>(), [1, 2, 3], "{name}");
        }
        again.retain(|(name, ..)| !name.starts_with("lane-"));
        assert_eq!(again, []);
        assert_eq!(running.merchant().summary().violation_count, 0);
    }
}

#[test]
fn a_replay_can_be_stopped_and_the_next_one_waits_for_its_end() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let id = stage.test("lane", 1);
        stage.until(&id, "delivered");
        stage.turn("pause");
        let job = replay(&stage, &json!({ "ids": [id] }));
        let second = stage.call("POST", "/messages/replay", &json!({ "ids": [id] }));
        assert_eq!(second.status, 409, "{}", second.said());

        let target = format!("/replays/{}", text(&job["id"]));
        let stopped = stage.call("DELETE", &target, &json!({}));

        assert_eq!(stopped.json()["state"], "cancelled");
        assert_eq!(list_calls(&running).len(), 1);
        stage.turn("resume");
        stage.until(&id, "delivered");
        let again = replay(&stage, &json!({ "ids": [id] }));
        assert_eq!(until_done(&stage, &again)["replayed"], 1);
    }
}

#[test]
fn a_replay_of_nothing_or_of_another_merchants_message_is_refused() {
    for server in servers() {
        let stage = Stage::set(server);
        for selection in [json!({}), json!({ "ids": ["msg_victim_1"] }), json!({ "id": "1" })] {
            let reply = stage.call("POST", "/messages/replay", &selection);
            assert_eq!(reply.status, 422, "{selection}: {}", reply.said());
        }
    }
}
