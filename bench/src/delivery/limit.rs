//! The limit: the same signed bytes, posted by loops with warm connections and no store.

use std::time::{Duration, Instant};

use domain::{endpoint::Auth, identifier::MerchantId, kind::Kind};
use tokio::time::MissedTickBehavior;
use world::Secret;

use super::{BODY_BYTES, Latency, QUIET_PER_SECOND, engine, sink::Sink};
use crate::http::{Connection, head};

const CONNECTIONS: usize = 64;

/// Posts `messages` over as many connections as an endpoint may have.
pub(crate) async fn throughput(sink: &Sink, messages: usize) -> anyhow::Result<f64> {
    let request = request(sink, "msg_bare_1");
    let started = Instant::now();
    let tasks = (0..CONNECTIONS).map(|_| {
        let (address, request) = (sink.address.to_string(), request.clone());
        tokio::spawn(async move {
            let mut connection = Connection::open(&address).await?;
            for _ in 0..messages / CONNECTIONS {
                connection.exchange(&request).await?;
            }
            anyhow::Ok(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    let sent = u32::try_from(messages / CONNECTIONS * CONNECTIONS)?;
    Ok(f64::from(sent) / started.elapsed().as_secs_f64())
}

/// From the moment before the post to the arrival.
pub(crate) async fn latency(sink: &Sink, seconds: u32) -> anyhow::Result<Latency> {
    sink.arrivals();
    let mut connection = Connection::open(&sink.address.to_string()).await?;
    let mut tick = tokio::time::interval(Duration::from_secs(1) / QUIET_PER_SECOND);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent = Vec::new();
    for number in 0..seconds * QUIET_PER_SECOND {
        tick.tick().await;
        let id = format!("msg_bare_{number}");
        let request = request(sink, &id);
        sent.push((id, Instant::now()));
        connection.exchange(&request).await?;
    }
    let arrived = sink.arrivals();
    let waited = sent.iter().filter_map(|(id, at)| Some(arrived.get(id)?.duration_since(*at)));
    Ok(Latency::of(waited.collect()))
}

/// What the sender would send, with headers of the same names and lengths.
fn request(sink: &Sink, id: &str) -> Vec<u8> {
    let headers = format!(
        "accept: application/json\r\nuser-agent: homeward/0.1.0\r\nx-service-api-version: 3\r\n\
         x-service-event: rma\r\nwebhook-id: {id}\r\nwebhook-timestamp: 1700000000\r\n\
         webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\r\n\
         x-service-sequence: 1\r\nx-service-attempt: 1\r\n"
    );
    let mut bytes = head(&sink.address.to_string(), "/rmas", &headers, BODY_BYTES).into_bytes();
    bytes.extend_from_slice(&engine::body(0));
    bytes
}

/// Where the engine sends to.
pub(crate) fn target(sink: &Sink, merchant: &MerchantId, kind: Kind) -> delivery::Target {
    let path = if merchant.as_str() == engine::SICK { "/hang" } else { "/rmas" };
    delivery::Target {
        merchant: merchant.clone(),
        kind,
        url: format!("http://{}{path}", sink.address),
        auth: Auth::None,
        signing_secrets: vec![Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned())],
    }
}
