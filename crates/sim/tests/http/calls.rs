//! What is kept, and the verdict.

use domain::messages::kind::MessageKind;
use sim::{CallOutcome, CallQuery, Calls, Settings, Summary, Violation};

use crate::client::{call, rma, send, start, start_plain};

#[tokio::test]
async fn calls_can_be_read_back() {
    let running = start_plain().await;
    rma(&running, "msg_1", "R1", 1).await;
    rma(&running, "msg_2", "R1", 2).await;
    send(&running, "POST /outbound_asn", &[("webhook-id", "msg_3")], "{}").await;

    let response = call(&running, "GET /sim/calls?kind=rma&id=&after=0&limit=1", "").await;
    let page: Calls = serde_json::from_slice(&response.body).unwrap();
    assert_eq!((page.calls.len(), page.cursor, page.more), (1, 1, true));
    let first = &page.calls[0];
    assert_eq!(
        (first.kind, first.sequence, first.attempt),
        (Some(MessageKind::Rma), Some(1), Some(1))
    );
    assert_eq!(first.answer, CallOutcome::Status(200));
    let content = first.content.as_ref().unwrap();
    assert_eq!(content.body, r#"{"rma_identifier":"R1"}"#);
    assert_eq!(content.headers["webhook-id"], "msg_1");

    let query = CallQuery { id: Some("msg_3".to_owned()), ..CallQuery::default() };
    assert_eq!(running.merchant().calls(&query).calls[0].path, "/outbound_asn");
    assert_eq!(call(&running, "GET /sim/calls?kind=x", "").await.status, 400);
}

#[tokio::test]
async fn a_message_that_overtook_another_is_found_out() {
    let running = start_plain().await;
    rma(&running, "msg_2", "R1", 2).await;
    rma(&running, "msg_9", "R2", 1).await;
    rma(&running, "msg_1", "R1", 1).await;

    let response = call(&running, "GET /sim/summary", "").await;
    let summary: Summary = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(summary, running.merchant().summary());
    assert_eq!(
        summary.violations,
        [Violation::OutOfOrder {
            call: 3,
            kind: MessageKind::Rma,
            lane: "rma R1".to_owned(),
            webhook_id: "msg_1".to_owned(),
            sequence: 1,
            accepted_sequence: 2,
        }]
    );
}

#[tokio::test]
async fn the_order_is_not_looked_at_unless_asked() {
    let running = start(Settings { check_order: false, ..Settings::default() }).await;
    rma(&running, "msg_2", "R1", 2).await;
    rma(&running, "msg_1", "R1", 1).await;
    assert_eq!(running.merchant().summary().violation_count, 0);
}

#[tokio::test]
async fn repetitions_are_counted_and_forgotten_on_request() {
    let running = start_plain().await;
    for _ in 0..3 {
        rma(&running, "msg_1", "R1", 1).await;
    }
    let summary = running.merchant().summary();
    assert_eq!((summary.calls, summary.distinct_ids, summary.repeats), (3, 1, 2));
    assert_eq!((summary.accepted_ids, summary.accepted_again), (1, 2));

    assert_eq!(call(&running, "DELETE /sim/calls", "").await.status, 204);
    assert_eq!(running.merchant().summary(), Summary::default());
    rma(&running, "msg_1", "R1", 1).await;
    assert_eq!(running.merchant().summary().repeats, 0);
}

#[tokio::test]
async fn no_more_is_kept_than_configured() {
    let settings = Settings { keep_calls: 4, keep_bodies: 2, ..Settings::default() };
    let running = start(settings).await;
    for number in 1..=6 {
        rma(&running, &format!("msg_{number}"), "R1", number).await;
    }
    let calls = running.merchant().calls(&CallQuery::default()).calls;
    let kept: Vec<_> = calls.iter().map(|call| (call.number, call.content.is_some())).collect();
    assert_eq!(kept, [(3, false), (4, false), (5, true), (6, true)]);
    assert_eq!(running.merchant().summary().calls, 6);
}
