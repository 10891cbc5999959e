//! A merchant compares what it holds with what was sent to it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sim::Running;

use crate::harness::eventually;
use crate::harness::home::text;
use crate::harness::http::Request;
use crate::harness::stage::{Stage, accepted, list_calls, servers};

/// What a receiver holds: the last sequence of each thing, and the hash of its body.
type Held = BTreeMap<(String, String), (u64, String)>;

/// What arrived, except the calls that `is_lost` names by their number.
fn received(running: &Running, is_lost: impl Fn(u64) -> bool) -> Held {
    let mut held = Held::new();
    for call in list_calls(running).into_iter().filter(|call| !is_lost(call.number)) {
        let content = call.content.unwrap();
        let body: Value = serde_json::from_str(&content.body).unwrap();
        let key = (text(&json!(content.headers["x-service-event"])), text(&body["identifier"]));
        let sequence = call.sequence.unwrap();
        if held.get(&key).is_none_or(|(known, _)| *known <= sequence) {
            held.insert(key, (sequence, content.body));
        }
    }
    held
}

fn entries(held: &Held) -> Vec<Value> {
    let entry = |((kind, reference), (sequence, _)): (&(String, String), &(u64, String))| json!({ "kind": kind, "reference": reference, "sequence": sequence });
    held.iter().map(entry).collect()
}

/// The lines about things, and the summary.
pub(crate) fn reconcile(stage: &Stage<'_>, query: &str, body: &str) -> (Vec<Value>, Value) {
    let request = Request::post(&format!("/reconciliation{query}"))
        .bearer(&stage.token)
        .header("Content-Type", "application/x-ndjson")
        .body(body.to_owned());
    let reply = stage.server.send(&request);
    assert_eq!(reply.status, 200, "{}", reply.said());
    let said = reply.said();
    let lines = said.strip_prefix("200 ").unwrap().lines();
    let mut lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap()["summary"].take();
    (lines, summary)
}

pub(super) fn sha256(text: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

pub(super) fn as_lines(entries: &[Value]) -> String {
    entries.iter().map(|entry| format!("{entry}\n")).collect::<Vec<_>>().concat()
}

fn send_many(stage: &Stage<'_>, running: &Running, lanes: usize) {
    for sequence in 1..=2 {
        for lane in 0..lanes {
            stage.test(&format!("lane-{lane:03}"), sequence);
        }
    }
    let sent = u64::try_from(lanes * 2).unwrap();
    accepted(running, sent);
    stage.until(&format!("msg_{}_{sent}", stage.merchant.id), "delivered");
}

#[test]
fn exactly_what_was_lost_is_reported_and_a_replay_makes_both_sides_equal() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        send_many(&stage, &running, 40);
        // Every seventh call is lost: some are the last about their things, some are not.
        let held = received(&running, |number| number <= 80 && number % 7 == 0);
        let whole = received(&running, |_| false);
        let lost: Vec<&(String, String)> = whole
            .iter()
            .filter(|(key, value)| held.get(*key) != Some(*value))
            .map(|(key, _)| key)
            .collect();
        assert!(!lost.is_empty() && lost.len() < 40);

        let (things, summary) = reconcile(&stage, "", &as_lines(&entries(&held)));

        let reported: Vec<String> = things.iter().map(|it| text(&it["reference"])).collect();
        let expected: Vec<String> = lost.iter().map(|(_, reference)| reference.clone()).collect();
        assert_eq!(reported, expected);
        assert_eq!(summary["equal"], 40 - lost.len());
        for thing in &things {
            assert!(["missing", "older"].contains(&thing["result"].as_str().unwrap()), "{thing}");
            assert_eq!((&thing["sequence"], &thing["state"]), (&json!(2), &json!("finished")));
        }
        let replay = json!({ "references": reported });
        let job = stage.call("POST", "/messages/replay", &replay).json();
        let target = format!("/replays/{}", text(&job["id"]));
        eventually("the replay is done", || {
            (stage.call("GET", &target, &json!({})).json()["state"] == "done").then_some(())
        });
        let held = received(&running, |number| number <= 80 && number % 7 == 0);
        let (things, summary) = reconcile(&stage, "", &as_lines(&entries(&held)));
        assert_eq!((things, &summary["equal"]), (Vec::new(), &json!(40)));
    }
}

#[test]
fn what_is_unknown_newer_or_waiting_is_said_and_parts_add_up() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        send_many(&stage, &running, 4);
        stage.turn("pause");
        stage.test("lane-003", 3);
        let hash = |reference: &str| {
            let key = ("rma".to_owned(), reference.to_owned());
            let (_, body) = received(&running, |_| false).remove(&key).unwrap();
            sha256(&body)
        };
        let held = [
            json!({ "kind": "rma", "reference": "lane-000", "sequence": 9 }),
            json!({ "kind": "rma", "reference": "lane-001", "hash": hash("lane-001") }),
            json!({ "kind": "rma", "reference": "lane-002", "hash": hash("lane-001") }),
            json!({ "kind": "rma", "reference": "lane-003", "sequence": 2 }),
            json!({ "kind": "outbound_asn", "reference": "lane-000", "sequence": 1 }),
        ];
        let expected = [
            ("unknown", "outbound_asn", "lane-000", Value::Null),
            ("newer", "rma", "lane-000", json!("finished")),
            ("older", "rma", "lane-002", json!("finished")),
            ("older", "rma", "lane-003", json!("waiting")),
        ];
        let shown = |it: &Value| {
            let field = |name: &str| text(&it[name]);
            (field("result"), field("kind"), field("reference"), it["state"].clone())
        };
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(result, kind, reference, state)| {
                (result.to_owned(), kind.to_owned(), reference.to_owned(), state)
            })
            .collect();

        let (things, summary) = reconcile(&stage, "", &json!(held).to_string());

        assert_eq!(things.iter().map(shown).collect::<Vec<_>>(), expected);
        assert_eq!(
            summary,
            json!({ "equal": 1, "missing": 0, "older": 2, "newer": 1, "unknown": 1 })
        );
        // In two parts: the first ends with its last entry.
        let (first, summary) =
            reconcile(&stage, "?more=true", &as_lines(&[held[4].clone(), held[1].clone()]));
        assert_eq!(first.len(), 2, "one unknown, and lane-000 is missing in the range: {first:?}");
        let next = text(&summary["next"]);
        assert_eq!(next, "rma/lane-001");
        let query = format!("?after={}", next.replace('/', "%2F"));
        let (second, summary) = reconcile(&stage, &query, &as_lines(&held[2..4]));
        assert_eq!((second.len(), &summary["missing"]), (2, &json!(0)));
    }
}

#[test]
fn the_digest_of_a_day_is_that_of_a_receiver_that_holds_the_same() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        send_many(&stage, &running, 5);
        let digest = |day: &str| {
            let target = format!("/reconciliation/digest?day={day}");
            let reply = stage.call("GET", &target, &json!({}));
            assert_eq!(reply.status, 200, "{}", reply.said());
            reply.json()
        };
        let calls = list_calls(&running);
        for call in &calls {
            let created = &call.content.as_ref().unwrap().headers["x-service-created"];
            let late_s = call.at.as_second() - created.parse::<i64>().unwrap();
            assert!((0..60).contains(&late_s), "{created}");
        }
        // All messages of this test are of one day, unless it runs at midnight.
        let day = |call: &sim::Call| call.at.to_string()[..10].to_owned();
        let (first, last) = (day(&calls[0]), day(&calls[9]));
        let held = received(&running, |_| false);
        let lines = held.iter().map(|((kind, it), (last, _))| format!("{kind} {it} {last}\n"));
        let lines = lines.collect::<Vec<_>>().concat();
        if first == last {
            let said = digest(&first);
            assert_eq!((&said["things"], text(&said["digest"])), (&json!(5), sha256(&lines)));
        }
        assert_eq!(digest("2020-01-01")["things"], 0);
        assert_eq!(stage.call("GET", "/reconciliation/digest?day=x", &json!({})).status, 400);
    }
}

#[test]
fn a_command_reconciles_a_file_and_exits_by_the_result() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        send_many(&stage, &running, 3);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("held.ndjson");
        let mut held = entries(&received(&running, |_| false));
        held.reverse();
        std::fs::write(&file, as_lines(&held)).unwrap();
        let arguments = ["reconcile", &stage.merchant.id, file.to_str().unwrap()];
        let equal = server.home.run(&arguments);
        assert_eq!((equal.code, equal.out.as_str()), (Some(0), ""), "{}", equal.err);
        std::fs::write(&file, as_lines(&held[1..])).unwrap();
        let differs = server.home.run(&arguments);
        assert_eq!(differs.code, Some(1), "{}", differs.err);
        assert!(differs.out.contains(r#""result":"missing""#), "{}", differs.out);
        assert!(differs.err.contains("2 equal, 1 missing"), "{}", differs.err);
        let differs = server.home.run(&[&["--json"], arguments.as_slice()].concat());
        let lines = differs.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        assert_eq!(lines.len(), 2, "{}", differs.out);
        assert_eq!(
            (&lines[0]["result"], &lines[1]["summary"]["missing"]),
            (&json!("missing"), &json!(1))
        );
    }
}
