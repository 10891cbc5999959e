//! The limit: a bare loop that does the same work for each message as the sender, over warm
//! connections, and nothing else.
//!
//! For every message it creates the bytes, signs them with HMAC-SHA256, builds the head with the
//! same headers, posts it and reads the whole response. It has no store, no scheduler and no time
//! limits.

use std::time::{Duration, Instant};

use base64::{Engine, engine::general_purpose::STANDARD};
use ring::hmac;
use tokio::time::MissedTickBehavior;
use world::World;

use super::{
    Latency, QUIET_PER_SECOND, Rate, Sent, Stopwatch,
    messages::{SIGNING_SECRET, new_body},
    sink::Sink,
};
use crate::http::{Connection, post_head};

const CONNECTIONS: usize = 64;

/// Posts `messages` over as many connections as an endpoint may have.
pub(crate) async fn measure_throughput(sink: &Sink, messages: usize) -> anyhow::Result<Rate> {
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

/// Measures the time from before the message is created to its arrival.
pub(crate) async fn measure_latency(sink: &Sink, seconds: u32) -> anyhow::Result<Latency> {
    let post = Post::new(sink);
    let mut connection = Connection::open(&post.host).await?;
    let mut tick = tokio::time::interval(Duration::from_secs(1) / QUIET_PER_SECOND);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent = Vec::new();
    sink.record_arrivals();
    for number in 0..usize::try_from(seconds * QUIET_PER_SECOND)? {
        tick.tick().await;
        let id = format!("msg_bare_{number}");
        let at = Instant::now();
        connection.exchange(&post.request(&id, number)).await?;
        sent.push(Sent { id, at });
    }
    Ok(Latency::of(&sent, &sink.take_arrivals()))
}

/// Creates the same requests as the sender.
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
        let body = new_body(number);
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
        let mut bytes = post_head(&self.host, "/rmas", &headers, body.len()).into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }
}
