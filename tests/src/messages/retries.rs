//! What is tried again, when, and what is written down about it.

use std::time::Instant;

use serde_json::{Value, json};
use sim::{Behavior, Call, Running};

use crate::harness::eventually;
use crate::harness::stage::{
    ALLOW, PAUSE_MS, Stage, accepted, homes, list_calls, servers, statuses,
};

/// The milliseconds between one call and the next.
fn gaps_ms(calls: &[Call]) -> Vec<i64> {
    let at_ms = |call: &Call| call.at.as_millisecond();
    calls.windows(2).map(|pair| at_ms(&pair[1]) - at_ms(&pair[0])).collect()
}

fn behave(running: &Running, behavior: Behavior) {
    running.merchant().behave(&[behavior]).unwrap();
}

#[test]
fn a_message_that_is_refused_twice_is_tried_again_and_each_attempt_is_told() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        behave(&running, Behavior::status(503).times(2));

        let id = stage.test("lane", 1);

        let message = stage.until(&id, "delivered");
        assert_eq!(statuses(&message), [503, 503, 200]);
        for (place, attempt) in message["attempts"].as_array().unwrap().iter().enumerate() {
            assert_eq!((&attempt["cycle"], &attempt["attempt"]), (&json!(1), &json!(place + 1)));
            assert!(attempt["latency_ms"].as_f64().unwrap() > 0.0, "{attempt}");
            assert_eq!(attempt["error"], Value::Null);
        }
        assert_eq!(
            message["attempts"][0]["answer"],
            r#"{"message":"configured to respond with 503"}"#
        );
        let calls = list_calls(&running);
        let attempts: Vec<_> = calls.iter().filter_map(|call| call.attempt).collect();
        assert_eq!(attempts, [1, 2, 3]);
        assert!(calls.iter().all(|call| call.webhook_id.as_ref() == Some(&id)), "{calls:?}");
        assert!(gaps_ms(&calls).iter().all(|gap| *gap >= PAUSE_MS), "{:?}", gaps_ms(&calls));
        assert_eq!(running.merchant().summary().violation_count, 0, "the same bytes");
    }
}

#[test]
fn after_five_retries_a_message_is_in_the_failure_queue_and_the_next_one_goes() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        behave(&running, Behavior::status(500).times(6));

        let (first, second) = (stage.test("lane", 1), stage.test("lane", 2));

        assert_eq!(statuses(&stage.until(&first, "failed")), [500; 6]);
        assert_eq!(statuses(&stage.until(&second, "delivered")), [200]);
        let arrived: Vec<_> = list_calls(&running).iter().filter_map(|it| it.sequence).collect();
        assert_eq!(arrived, [1, 1, 1, 1, 1, 1, 2], "the second waited for the first");
    }
}

#[test]
fn whoever_asks_for_patience_gets_it() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        for status in [429, 503, 500] {
            let asks = Behavior { retry_after_s: Some(1), ..Behavior::status(status) };
            behave(&running, asks.times(1));
            let sent = list_calls(&running).len();
            stage.test("lane", usize::from(status));
            eventually("the second attempt", || {
                (list_calls(&running).len() == sent + 2).then_some(())
            });
        }
        let gaps = gaps_ms(&list_calls(&running));
        assert!(gaps[0] >= 1_000 && gaps[2] >= 1_000, "{gaps:?}");
        assert!(gaps[4] < 1_000, "only 429 and 503 may ask: {gaps:?}");
    }
}

#[test]
fn redirects_are_failures_and_not_followed() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        behave(&running, Behavior::status(302).times(1));
        let id = stage.test("lane", 1);
        assert_eq!(statuses(&stage.until(&id, "delivered")), [302, 200]);
        assert_eq!(running.merchant().summary().unknown_paths, 0);
    }
}

#[test]
fn a_merchant_that_does_not_answer_has_timed_out() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        behave(&running, Behavior { hang: true, ..Behavior::NORMAL }.times(1));
        let id = stage.test("lane", 1);
        let message = stage.until(&id, "delivered");
        assert_eq!(statuses(&message), [0, 200]);
        assert_eq!(message["attempts"][0]["error"], "timeout");
        assert!(message["attempts"][0]["latency_ms"].as_f64().unwrap() >= 3_000.0, "{message}");
    }
}

#[test]
fn a_merchant_that_hangs_up_without_an_answer_has_failed() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        behave(&running, Behavior { close: true, ..Behavior::NORMAL }.times(1));
        let id = stage.test("lane", 1);
        let message = stage.until(&id, "delivered");
        assert_eq!(statuses(&message), [0, 200]);
        let error = message["attempts"][0]["error"].as_str().unwrap();
        assert!(error.starts_with("connection "), "{error}");
    }
}

/// A connection that was kept may have been closed by the other side in the meantime, for which
/// the message is not to blame. A server that takes over its messages anew has not kept one; on a
/// busy machine that may happen at any time, but not every time.
#[test]
fn a_kept_connection_that_was_closed_costs_no_attempt() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        let costs_none = (0..5).any(|round| {
            stage.until(&stage.test("lane", 2 * round + 1), "delivered");
            let before = list_calls(&running).len();
            behave(&running, Behavior { close: true, ..Behavior::NORMAL }.times(1));
            let id = stage.test("lane", 2 * round + 2);
            let is_delivered_at_once = statuses(&stage.until(&id, "delivered")) == [200];
            assert_eq!(list_calls(&running).len(), before + 2, "it was sent once more");
            is_delivered_at_once
        });
        assert!(costs_none, "each message on a closed connection cost an attempt");
    }
}

#[test]
fn a_huge_answer_to_a_success_does_no_harm() {
    for server in servers() {
        let (stage, running) = Stage::with_receiver(server);
        behave(&running, Behavior { huge_body_bytes: Some(1 << 27), ..Behavior::NORMAL }.times(1));
        let id = stage.test("lane", 1);
        assert_eq!(statuses(&stage.until(&id, "delivered")), [200]);
    }
}

/// An hour would do as well; the test could not wait for it.
#[test]
fn a_message_keeps_its_time_over_a_restart() {
    let quick = ["--retry-base-ms", "2500", "--retry-factor", "1"];
    for home in homes("delivery_restart") {
        let mut server = home.serve(&[&ALLOW[..], &quick].concat());
        let (stage, running) = Stage::with_receiver(&server);
        behave(&running, Behavior::status(503).times(1));
        let id = stage.test("lane", 1);
        let due = |stage: &Stage<'_>| {
            let message = stage.message(&id);
            (statuses(&message) == [503]).then(|| message["due_at"].clone())
        };
        let due_at = eventually("the first attempt", || due(&stage));
        let tenant = stage.tenant;

        server.stop();
        let begun = Instant::now();
        server.restart();

        let stage = Stage { server: &server, tenant };
        if begun.elapsed().as_millis() < 1_500 {
            assert_eq!(due(&stage), Some(due_at.clone()), "it still waits");
        }
        accepted(&running, 1);
        let calls = list_calls(&running);
        assert_eq!(calls.len(), 2, "{calls:?}");
        assert!(gaps_ms(&calls)[0] >= 2_500, "{:?}", gaps_ms(&calls));
        assert_eq!(statuses(&stage.until(&id, "delivered")), [503, 200]);
    }
}
