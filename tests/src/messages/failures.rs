//! The failure queue: what an operator sees there and does about it.

use serde_json::{Value, json};
use sim::Behavior;

use crate::harness::stage::{Stage, accepted, list_calls, servers, statuses};
use crate::harness::{eventually, home::text, http::Request};

fn discard(stage: &Stage<'_>, id: &str, body: &str) -> (u16, String) {
    let request = Request::post(&format!("/admin/messages/{id}/discard")).bearer(&stage.admin);
    let reply = stage.server.send(&request.json(body));
    (reply.status, reply.said())
}

fn retry(stage: &Stage<'_>, id: &str, query: &str) -> (u16, String) {
    let reply = stage.post(&format!("/admin/messages/{id}/retry{query}"));
    (reply.status, reply.said())
}

#[test]
fn a_failure_is_listed_with_its_last_answer_and_found_by_what_it_is() {
    for server in servers() {
        let (stage, _running, ids) = Stage::with_failures(server, 2);
        let merchant = &stage.merchant.id;
        let found = |query: &str| {
            let list = stage.get(&format!("/admin/failures?merchant={merchant}{query}")).json();
            list["failures"].as_array().unwrap().len()
        };
        let listed = stage.until_failed(2);
        let named: Vec<_> = listed.iter().map(|it| text(&it["id"])).collect();
        assert!(ids.iter().all(|id| named.contains(id)), "{named:?}");
        for failure in &listed {
            assert_eq!((&failure["status"], &failure["superseded"]), (&json!(503), &json!(false)));
            assert_eq!((&failure["kind"], &failure["merchant"]), (&json!("rma"), &json!(merchant)));
        }
        assert_eq!(found("&kind=rma"), 2);
        assert_eq!(found("&kind=outbound_asn"), 0);
        assert_eq!(found("&status=503"), 2);
        assert_eq!(found("&status=500"), 0);
        assert_eq!(found("&to=2020-01-01T00:00:00Z"), 0);
        assert_eq!(found("&from=2020-01-01T00:00:00Z&to=2120-01-01T00:00:00Z"), 2);
        assert_eq!(found("&limit=1"), 1);
        let first = stage.get(&format!("/admin/failures?merchant={merchant}&limit=1")).json();
        assert_eq!(found(&format!("&limit=1&after={}", text(&first["next"]))), 1);
        let other = stage.get("/admin/failures?merchant=nobody-knows").json();
        assert_eq!(other["failures"], json!([]));
    }
}

#[test]
fn a_failure_that_is_retried_starts_a_new_cycle_with_the_same_bytes() {
    for server in servers() {
        let (stage, running, ids) = Stage::with_failures(server, 1);
        let id = &ids[0];
        running.merchant().behave(&[Behavior::status(500).times(1)]).unwrap();

        let handled = stage.post(&format!("/admin/messages/{id}/retry"));
        assert_eq!(handled.said(), format!("200 {}", json!({ "id": id, "result": "retried" })));

        let message = stage.until(id, "delivered");
        assert_eq!(statuses(&message), [503, 503, 503, 503, 503, 503, 500, 200]);
        let last = message["attempts"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["cycle"], &last["attempt"]), (&json!(2), &json!(2)));
        assert_eq!(running.merchant().summary().violation_count, 0, "the same bytes");
        assert_eq!(running.merchant().summary().distinct_ids, 1);
        let (status, said) = retry(&stage, id, "");
        assert_eq!(status, 409, "{said}");
        assert_eq!(discard(&stage, id, r#"{"reason":"late"}"#).0, 409);
        stage.until_failed(0);
        assert_eq!(retry(&stage, "msg_nobody_1", "").0, 404);
    }
}

#[test]
fn a_failure_is_discarded_with_a_reason_and_never_without() {
    for server in servers() {
        let (stage, running, ids) = Stage::with_failures(server, 1);
        let id = &ids[0];
        assert_eq!(discard(&stage, id, "{}").0, 422);
        assert_eq!(discard(&stage, id, r#"{"reason":""}"#).0, 422);

        let (status, said) = discard(&stage, id, r#"{"reason":"told by telephone"}"#);
        assert_eq!(status, 200, "{said}");

        let message = stage.message(id);
        assert_eq!(message["state"], "discarded");
        assert_eq!(message["discard_reason"], "told by telephone");
        assert_eq!(retry(&stage, id, "?force=true").0, 409);
        stage.until_failed(0);
        assert_eq!(list_calls(&running).len(), 6);
    }
}

#[test]
fn an_old_snapshot_is_sent_only_by_force() {
    for server in servers() {
        let (stage, running, ids) = Stage::with_failures(server, 1);
        stage.test("lane-0", 2);
        accepted(&running, 1);
        stage.until(&stage.test("lane-0", 3), "delivered");
        assert_eq!(stage.until_failed(1)[0]["superseded"], true);

        let (status, said) = retry(&stage, &ids[0], "");
        assert_eq!(status, 409);
        assert!(said.contains("a newer message about lane-0 was already delivered"), "{said}");
        let job = finished_job(&stage, "");
        assert_eq!((&job["retried"], &job["skipped"]), (&json!(0), &json!(1)), "{job}");
        assert_eq!(running.merchant().summary().accepted_ids, 2);

        assert_eq!(retry(&stage, &ids[0], "?force=true").0, 200);
        stage.until(&ids[0], "delivered");
        assert_eq!(running.merchant().summary().accepted_ids, 3);
    }
}

#[test]
fn what_is_no_snapshot_is_never_superseded() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        running.merchant().behave(&[Behavior::status(503).times(6)]).unwrap();
        let id = stage.test_of("inventory_receipt", "lane", 1);
        stage.until(&id, "failed");
        stage.until(&stage.test_of("inventory_receipt", "lane", 2), "delivered");
        assert_eq!(stage.until_failed(1)[0]["superseded"], false);
        assert_eq!(retry(&stage, &id, "").0, 200);
        stage.until(&id, "delivered");
    }
}

/// Begins to retry this merchant's failures and waits for the end.
fn finished_job(stage: &Stage<'_>, query: &str) -> Value {
    let begun = stage.post(&format!("/admin/failures/retry?merchant={}{query}", stage.merchant.id));
    assert_eq!(begun.status, 202, "{}", begun.said());
    let target = format!("/admin/failures/retry/{}", text(&begun.json()["id"]));
    eventually("the job ends", || {
        Some(stage.get(&target).json()).filter(|job| job["state"] != "running")
    })
}

#[test]
fn all_failures_of_an_endpoint_are_retried_in_the_background() {
    const LANES: usize = 40;
    for server in servers() {
        let (stage, running, ids) = Stage::with_failures(server, LANES);
        let nothing = finished_job(&stage, "&status=500");
        assert_eq!((&nothing["state"], &nothing["total"]), (&json!("done"), &json!(0)));

        let job = finished_job(&stage, "&kind=rma&status=503");

        let counts = (&job["state"], &job["total"], &job["retried"], &job["skipped"]);
        assert_eq!(counts, (&json!("done"), &json!(LANES), &json!(LANES), &json!(0)));
        for id in &ids {
            stage.until(id, "delivered");
        }
        accepted(&running, u64::try_from(LANES).unwrap());
        assert_eq!(running.merchant().summary().accepted_again, 0);
        assert_eq!(stage.get("/admin/failures/retry/nothing").status, 404);
    }
}

/// Whether the cancellation comes in time is chance; that nothing is lost or counted twice is not.
#[test]
fn a_job_that_is_cancelled_leaves_the_rest_in_the_queue() {
    const LANES: usize = 20;
    for server in servers() {
        let (stage, _running, _) = Stage::with_failures(server, LANES);
        stage.turn("pause");
        let target = format!("/admin/failures/retry?merchant={}", stage.merchant.id);
        let id = text(&stage.post(&target).json()["id"]);
        let target = format!("/admin/failures/retry/{id}");
        let cancelled = server.send(&Request::new("DELETE", &target).bearer(&stage.admin));
        assert_eq!(cancelled.status, 200, "{}", cancelled.said());
        let second = finished_job(&stage, "");

        stage.until_failed(0);
        eventually("the page that was under way is counted", || {
            let first = stage.get(&target).json();
            assert!(["cancelled", "done"].contains(&text(&first["state"]).as_str()), "{first}");
            let retried = [&first, &second].map(|job| job["retried"].as_u64().unwrap());
            (retried[0] + retried[1] == u64::try_from(LANES).unwrap()).then_some(())
        });
    }
}
