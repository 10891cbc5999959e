//! Every behavior has its effect.

use std::time::{Duration, Instant};

use domain::messages::kind::MessageKind;
use sim::{Behavior, CallOutcome, Running, Settings};
use tokio::time::timeout;

use crate::client::{call, new_rma, rma, send, start, start_plain};

async fn set_behavior(running: &Running, behavior: &str) {
    let response = call(running, "PUT /sim/behaviour", behavior).await;
    assert_eq!(response.status, 200, "{}", response.text());
}

#[tokio::test]
async fn by_default_it_receives_every_kind() {
    let running = start_plain().await;
    for kind in MessageKind::to_merchant() {
        if matches!(kind, MessageKind::ExchangeVariants | MessageKind::ExchangeOrder) {
            continue;
        }
        let response =
            call(&running, &format!("POST {}", kind.default_path().unwrap()), "{}").await;
        assert_eq!(
            (response.status.as_u16(), response.text().as_str()),
            (200, r#"{"message":"received"}"#)
        );
        assert_eq!(running.merchant().summary().kind(kind).calls, 1);
    }
}

#[tokio::test]
async fn a_status_lasts_for_its_count_and_its_kind() {
    let running = start_plain().await;
    set_behavior(&running, r#"[{"status": 503, "retry_after_s": 5, "count": 2, "kind": "rma"}]"#)
        .await;

    let asn = call(&running, "POST /outbound_asn", "{}").await;
    assert_eq!(asn.status, 200);
    let first = call(&running, "POST /rmas", "{}").await;
    assert_eq!((first.status.as_u16(), first.header("retry-after")), (503, "5"));
    assert_eq!(first.json()["message"], "configured to respond with 503");
    assert_eq!(new_rma(&running).await, Some(503));
    assert_eq!(new_rma(&running).await, Some(200));
    assert_eq!(running.merchant().behaviors(), []);
}

#[tokio::test]
async fn a_lasting_status_ends_when_it_is_taken_back() {
    let running = start_plain().await;
    set_behavior(&running, r#"{"status": 500}"#).await;
    assert_eq!(new_rma(&running).await, Some(500));
    assert_eq!(call(&running, "GET /sim/behaviour", "").await.json()[0]["status"], 500);
    assert_eq!(call(&running, "DELETE /sim/behaviour", "").await.status, 204);
    assert_eq!(new_rma(&running).await, Some(200));
}

#[tokio::test]
async fn a_success_of_another_number_is_still_a_success() {
    let running = start_plain().await;
    set_behavior(&running, r#"[{"status": 201, "count": 1}, {"status": 204, "count": 1}]"#).await;
    assert_eq!(call(&running, "POST /rmas", "{}").await.json()["message"], "received");
    let empty = call(&running, "POST /rmas", "{}").await;
    assert_eq!((empty.status.as_u16(), empty.text().as_str()), (204, ""));
}

#[tokio::test]
async fn a_redirect_leads_to_where_it_would_be_noticed() {
    let running = start_plain().await;
    set_behavior(&running, r#"{"status": 307, "count": 1}"#).await;
    let response = call(&running, "POST /rmas", "{}").await;
    assert_eq!((response.status.as_u16(), response.header("location")), (307, "/elsewhere"));
    let headers = [("webhook-id", "msg_1")];
    let followed = send(&running, "POST /elsewhere", &headers, "{}").await.unwrap();
    assert_eq!(followed.status, 404);
    assert_eq!(running.merchant().summary().unknown_paths, 1);
}

#[tokio::test]
async fn it_waits_before_it_responds() {
    let running = start_plain().await;
    set_behavior(&running, r#"{"delay_ms": 120}"#).await;
    let start = Instant::now();
    assert_eq!(new_rma(&running).await, Some(200));
    assert!(start.elapsed() >= Duration::from_millis(120));
}

#[tokio::test]
async fn it_never_responds_and_can_still_be_stopped() {
    let running = start_plain().await;
    set_behavior(&running, r#"{"hang": true}"#).await;
    let waited = timeout(Duration::from_millis(200), new_rma(&running)).await;
    assert!(waited.is_err(), "it must not response");
    let summary = running.merchant().summary();
    assert_eq!(summary.count_of(CallOutcome::Hang), 1);

    let address = running.address();
    let hanging = tokio::spawn(async move {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let mut received = Vec::new();
        let (mut reader, mut writer) = stream.into_split();
        let request = b"POST /rmas HTTP/1.1\r\nhost: sim\r\ncontent-length: 0\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut writer, request).await.unwrap();
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut reader, &mut received).await;
        received
    });
    running.wait_until(Duration::from_secs(5), |summary| summary.calls == 2).await.unwrap();
    timeout(Duration::from_secs(5), running.stop()).await.unwrap();
    assert_eq!(hanging.await.unwrap(), b"");
}

#[tokio::test]
async fn it_closes_the_connection_without_a_response() {
    let running = start_plain().await;
    set_behavior(&running, r#"{"close": true, "count": 1}"#).await;
    assert_eq!(new_rma(&running).await, None);
    assert_eq!(new_rma(&running).await, Some(200));
    assert_eq!(running.merchant().summary().count_of(CallOutcome::Close), 1);
}

#[tokio::test]
async fn a_huge_body_is_as_long_as_configured() {
    let running = start_plain().await;
    set_behavior(&running, r#"{"huge_body_bytes": 10000000, "count": 1}"#).await;
    let response = call(&running, "POST /rmas", "{}").await;
    assert_eq!((response.status.as_u16(), response.body.len()), (200, 10_000_000));
}

#[tokio::test]
async fn chance_strikes_the_same_calls_for_the_same_seed() {
    let fates = async |seed| {
        let running = start(Settings { seed, ..Settings::default() }).await;
        let behavior = Behavior { fail_percent: Some(30), ..Behavior::NORMAL };
        running.merchant().behave(&[behavior]).unwrap();
        let mut fates = Vec::new();
        for _ in 0..60 {
            fates.push(new_rma(&running).await.unwrap());
        }
        fates
    };
    let first = fates(7).await;
    assert_eq!(first, fates(7).await);
    assert_ne!(first, fates(8).await);
    assert!(first.contains(&200) && first.contains(&503));
}

#[tokio::test]
async fn a_behavior_that_cannot_be_followed_changes_nothing() {
    let running = start_plain().await;
    let refused = [
        "",
        "[",
        r#"{"status": 99}"#,
        r#"{"kind": "rmas"}"#,
        r#"{"colour": "red"}"#,
        r#"[{"status": 500}, {"count": 0}]"#,
        r#"{"unauthorized_until_new_token": true}"#,
    ];
    for behavior in refused {
        let response = call(&running, "PUT /sim/behaviour", behavior).await;
        assert_eq!(response.status, 400, "{behavior}");
        assert!(response.json()["message"].is_string());
    }
    assert_eq!(rma(&running, "msg_1", "R1", 1).await, Some(200));
}
