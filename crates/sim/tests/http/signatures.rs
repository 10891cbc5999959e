//! Only a signed call is taken.

use std::sync::{Arc, atomic::AtomicI64};

use sim::{Clock, Running, Settings, SignatureCheck, SimulatedMerchant, StartError};

use crate::client::{send, start};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const AT: &str = "1614265330";
const BODY: &str = r#"{"test": 2432232314}"#;
const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

/// A merchant who lives at the time of the published example.
async fn merchant(verify: bool) -> Running {
    let micros = Arc::new(AtomicI64::new(1_614_265_330_000_000));
    start(Settings {
        signing_secrets: vec!["whsec_b3RoZXI=".to_owned(), SECRET.to_owned()],
        verify,
        clock: Clock::manual(micros),
        ..Settings::default()
    })
    .await
}

async fn status(running: &Running, signature: &str, body: &str) -> u16 {
    let headers = [("webhook-id", ID), ("webhook-timestamp", AT), ("webhook-signature", signature)];
    send(running, "POST /rmas", &headers, body).await.unwrap().status.as_u16()
}

#[tokio::test]
async fn the_published_example_is_accepted() {
    let running = merchant(true).await;
    assert_eq!(status(&running, SIGNATURE, BODY).await, 200);
    assert_eq!(status(&running, &format!("v1,AAAA {SIGNATURE}"), BODY).await, 200);
    assert_eq!(running.merchant().summary().valid_signatures, 2);
}

#[tokio::test]
async fn a_bad_signature_is_refused_and_written_down() {
    let running = merchant(true).await;
    assert_eq!(status(&running, SIGNATURE, "{}").await, 400);
    assert_eq!(status(&running, "v1,AAAA", BODY).await, 400);
    let unsigned = send(&running, "POST /rmas", &[], BODY).await.unwrap();
    assert_eq!(unsigned.status, 400);
    assert_eq!(unsigned.json()["message"], "webhook-id is missing");

    let summary = running.merchant().summary();
    assert_eq!((summary.bad_signatures, summary.distinct_ids), (3, 0));
    let call = running.merchant().call(1).unwrap();
    assert_eq!(call.signature, SignatureCheck::Invalid);
    assert_eq!(call.content.unwrap().body, "{}");
}

#[tokio::test]
async fn checking_can_be_switched_off() {
    let running = merchant(false).await;
    assert_eq!(status(&running, "v1,AAAA", "{}").await, 200);
    assert_eq!(running.merchant().summary().unchecked_signatures, 1);
}

#[tokio::test]
async fn a_secret_that_cannot_be_read_is_refused_at_the_start() {
    let settings = Settings { signing_secrets: vec!["hunter2".to_owned()], ..Settings::default() };
    let refused = SimulatedMerchant::start(settings).await.err();
    assert!(matches!(refused, Some(StartError::Secret)));
}
