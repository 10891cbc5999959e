//! The limit: a bare loop that does the same work for each message as the sender has to, over warm
//! connections, and nothing else.
//!
//! For every message it makes the bytes, signs them with HMAC-SHA256, builds the head with the same
//! headers, posts it and reads the whole answer. It has no store, no scheduler and no time limits.

use std::time::{Duration, Instant};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{
    identifier::MerchantId,
    messages::{endpoint::Auth, kind::MessageKind},
};
use ring::hmac;
use tokio::time::MissedTickBehavior;
use world::{Secret, World};

use super::{Latency, QUIET_PER_SECOND, Rate, Stopwatch, engine, sink::Sink};
use crate::http::{Connection, head};

const CONNECTIONS: usize = 64;
const SIGNING_SECRET: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Posts `messages` over as many connections as an endpoint may have.
pub(crate) async fn throughput(sink: &Sink, messages: usize) -> anyhow::Result<Rate> {
    let stopwatch = Stopwatch::start()?;
    let tasks = (0..CONNECTIONS).map(|first| {
        let post = Post::new(sink);
        tokio::spawn(async move {
            let mut connection = Connection::open(&post.host).await?;
            for number in (first..messages).step_by(CONNECTIONS) {
                let request = post.request(&format!("msg_bare_{number}"), number);
                connection.exchange(&request).await?;
            }
            anyhow::Ok(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    stopwatch.stop(messages)
}

/// From the moment before the message is made to its arrival.
pub(crate) async fn latency(sink: &Sink, seconds: u32) -> anyhow::Result<Latency> {
    let post = Post::new(sink);
    let mut connection = Connection::open(&post.host).await?;
    let mut tick = tokio::time::interval(Duration::from_secs(1) / QUIET_PER_SECOND);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent = Vec::new();
    sink.note_arrivals();
    for number in 0..usize::try_from(seconds * QUIET_PER_SECOND)? {
        tick.tick().await;
        let id = format!("msg_bare_{number}");
        let begun = Instant::now();
        connection.exchange(&post.request(&id, number)).await?;
        sent.push((id, begun));
    }
    let arrived = sink.arrivals();
    let waited = sent.iter().filter_map(|(id, at)| Some(arrived.get(id)?.duration_since(*at)));
    Ok(Latency::of(waited.collect()))
}

/// Makes what the sender would send.
struct Post {
    host: String,
    key: hmac::Key,
    world: World,
}

impl Post {
    fn new(sink: &Sink) -> Self {
        let secret = STANDARD.decode(SIGNING_SECRET).unwrap_or_default();
        let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
        Self { host: sink.address.to_string(), key, world: World::system() }
    }

    fn request(&self, id: &str, number: usize) -> Vec<u8> {
        let body = engine::body(number);
        let timestamp_s = self.world.now().as_second();
        let mut context = hmac::Context::with_key(&self.key);
        context.update(format!("{id}.{timestamp_s}.").as_bytes());
        context.update(&body);
        let signature = STANDARD.encode(context.sign());
        let headers = format!(
            "accept: application/json\r\nuser-agent: homeward/0.1.0\r\nx-service-api-version: 3\r\n\
             x-service-event: rma\r\nwebhook-id: {id}\r\nwebhook-timestamp: {timestamp_s}\r\n\
             webhook-signature: v1,{signature}\r\nx-service-sequence: {number}\r\n\
             x-service-attempt: 1\r\n"
        );
        let mut bytes = head(&self.host, "/rmas", &headers, body.len()).into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }
}

/// Where the engine sends to.
pub(crate) fn target(
    sink: &Sink,
    merchant: &MerchantId,
    kind: MessageKind,
) -> delivery::EndpointTarget {
    let path = if merchant.as_str() == engine::SICK { "/hang" } else { "/rmas" };
    delivery::EndpointTarget {
        merchant: merchant.clone(),
        kind,
        url: format!("http://{}{path}", sink.address),
        auth: Auth::None,
        signing_secrets: vec![Secret::new(format!("whsec_{SIGNING_SECRET}"))],
    }
}
