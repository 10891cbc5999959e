//! What merchants see of their own messages, and operators of everybody's.

use serde_json::{Value, json};
use sim::Behavior;

use crate::harness::stage::{Stage, servers};
use crate::harness::{
    home::text,
    http::{Reply, Request},
};

fn ids(list: &Reply) -> Vec<String> {
    let list = list.json();
    list["messages"].as_array().unwrap().iter().map(|it| text(&it["id"])).collect()
}

#[test]
fn a_merchant_sees_its_own_messages_and_no_others() {
    for server in servers() {
        let (ours, _running) = Stage::with_receiver(server);
        let (theirs, _their_running) = Stage::with_receiver(server);
        let (own, foreign) = (ours.test("lane", 1), theirs.test("lane", 1));
        let second = ours.test("other", 1);
        for (stage, id) in [(&ours, &own), (&ours, &second), (&theirs, &foreign)] {
            stage.until(id, "delivered");
        }
        let token = server.token(&ours.merchant);
        let get = |target: &str| server.send(&Request::get(target).bearer(&token));

        assert_eq!(ids(&get("/messages")), [second.clone(), own.clone()], "newest first");
        assert_eq!(ids(&get("/messages?ref=lane")), std::slice::from_ref(&own));
        assert_eq!(ids(&get("/messages?state=failed")), Vec::<String>::new());
        assert_eq!(ids(&get("/messages?kind=outbound_asn")), Vec::<String>::new());
        assert_eq!(get(&format!("/messages/{own}")).json(), ours.message(&own));
        assert_eq!(get(&format!("/messages/{foreign}")).status, 404);
        assert_eq!(get("/admin/messages?merchant=x").status, 403);
        let page = get("/messages?limit=1");
        assert_eq!(ids(&page), std::slice::from_ref(&second));
        let next = text(&page.json()["next"]);
        assert_eq!(ids(&get(&format!("/messages?limit=1&before={next}"))), [own]);
    }
}

#[test]
fn a_merchant_retries_its_own_failures_and_no_others() {
    for server in servers() {
        let (ours, running) = Stage::with_receiver(server);
        let (theirs, their_running) = Stage::with_receiver(server);
        for running in [&running, &their_running] {
            running.merchant().behave(&[Behavior::status(503).times(6)]).unwrap();
        }
        let (own, foreign) = (ours.test("lane", 1), theirs.test("lane", 1));
        ours.until(&own, "failed");
        theirs.until(&foreign, "failed");
        let token = server.token(&ours.merchant);
        let retry = |id: &str, token: &str| {
            server.send(&Request::post(&format!("/messages/{id}/retry")).bearer(token)).status
        };
        let reader = server.narrow_token(&ours.merchant, "read");

        assert_eq!(retry(&own, &reader), 403);
        assert_eq!(retry(&foreign, &token), 404);
        assert_eq!(retry(&own, &token), 200);

        ours.until(&own, "delivered");
        assert_eq!(theirs.message(&foreign)["state"], "failed");
    }
}

#[test]
fn a_report_up_to_the_first_of_all_times_is_empty() {
    for server in servers() {
        let stage = Stage::with_receiver(server).0;
        let report = stage.get("/admin/reports/deliveries?to=-009999-01-02T02:00:00Z");
        assert_eq!(report.status, 200, "{}", report.said());
        assert_eq!(report.json()["rows"], json!([]));
    }
}

#[test]
fn a_report_covers_a_month_at_most() {
    for server in servers() {
        let stage = Stage::with_receiver(server).0;
        let ask = |to: &str| {
            let period = format!("from=2026-01-01T00:00:00Z&to={to}");
            stage.get(&format!("/admin/reports/deliveries?{period}"))
        };
        assert_eq!(ask("2026-02-01T00:00:00Z").status, 200);
        let refused = ask("2026-02-01T00:00:01Z");
        assert_eq!(refused.status, 400);
        assert!(refused.said().contains("at most 31 days"), "{}", refused.said());
    }
}

#[test]
fn the_report_counts_attempts_by_status_as_json_and_csv() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        running.merchant().behave(&[Behavior::status(503).times(2)]).unwrap();
        stage.until(&stage.test("lane", 1), "delivered");
        let target = format!("/admin/reports/deliveries?merchant={}", stage.merchant.id);

        let report = stage.get(&target).json();

        let rows = report["rows"].as_array().unwrap();
        let attempts = |status: i64| {
            // The hour may end in the middle of the test.
            let of_status = rows.iter().filter(|row| row["status"] == status);
            of_status.map(|row| row["attempts"].as_i64().unwrap()).sum::<i64>()
        };
        assert_eq!((attempts(503), attempts(200)), (2, 1), "{report}");
        for row in rows {
            assert_eq!(
                (&row["merchant"], &row["kind"]),
                (&json!(stage.merchant.id), &json!("rma"))
            );
            for latency in ["mean_ms", "p50_ms", "p99_ms", "mean_request_ms"] {
                assert!(row[latency].as_f64().is_some_and(|it| it > 0.0), "{row}");
            }
        }
        let csv = Request::get(&target).bearer(&stage.admin).header("Accept", "text/csv");
        let csv = server.send(&csv);
        assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(csv.text(), as_csv(rows));
    }
}

/// The same rows as comma-separated values.
fn as_csv(rows: &[Value]) -> String {
    let names = ["hour", "merchant", "kind", "status", "attempts"];
    let names = [&names[..], &["mean_ms", "p50_ms", "p99_ms", "mean_request_ms"]].concat();
    let mut lines = vec![names.join(",")];
    for row in rows {
        let value = |name: &&str| {
            let value = &row[*name];
            // A whole number of milliseconds is written without its zero.
            let number = || value.to_string().trim_end_matches(".0").to_owned();
            value.as_str().map_or_else(number, str::to_owned)
        };
        lines.push(names.iter().map(value).collect::<Vec<_>>().join(","));
    }
    lines.join("\n") + "\n"
}
