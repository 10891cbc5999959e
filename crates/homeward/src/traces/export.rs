//! Sends spans to the collector, in batches.
//!
//! Nothing waits for it: spans that end while too many wait are dropped. So are those of a batch
//! that the collector refuses, or does not accept after a few attempts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, anyhow, bail};
use bytes::Bytes;
use hyper::{Method, Uri};
use tokio::{
    sync::mpsc::{self, Receiver},
    task::JoinHandle,
    time::{Instant, sleep, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tracing::Level;
use tracing_subscriber::{Layer, filter::Targets};
use world::World;

use super::{
    collect::{FinishedSpan, SpanCollector},
    encode::encode_spans,
};
use crate::{
    http::{Client, Outgoing},
    logs::LogLayer,
};

/// Spans that wait to be sent, at most: a few megabytes.
const WAITING_MAX: usize = 8_192;
const BATCH_MAX: usize = 512;
/// How long a batch is collected.
const BATCH_TIME: Duration = Duration::from_secs(1);
const SEND_TIME_MAX: Duration = Duration::from_secs(5);
/// The pauses after failed attempts to send a batch.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];
/// How long the end of the process waits for the collector.
const FINISH_TIME_MAX: Duration = Duration::from_secs(3);

/// The task that sends.
pub(super) struct Export {
    task: JoinHandle<()>,
    stop: CancellationToken,
    address: String,
}

struct Exporter {
    client: Client,
    path: String,
    spans: Receiver<FinishedSpan>,
    dropped: Arc<AtomicU64>,
    stop: CancellationToken,
    /// Whether the last batch was lost, which is logged once.
    is_failing: bool,
}

/// Why a batch was not accepted.
enum SendFailure {
    /// It may be accepted later.
    Temporary(anyhow::Error),
    Final(anyhow::Error),
}

impl Export {
    /// Starts to send to the collector at `address`, such as `http://127.0.0.1:4318`.
    pub(super) fn start(address: &str) -> anyhow::Result<(Self, LogLayer)> {
        let client = Client::new(address)?;
        let uri: Uri = address.parse().context("it is not an address")?;
        let (sender, spans) = mpsc::channel(WAITING_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let layer =
            SpanCollector { finished: sender, dropped: dropped.clone(), world: World::system() }
                .with_filter(Targets::new().with_target("spans", Level::TRACE))
                .boxed();
        let stop = CancellationToken::new();
        let path = format!("{}/v1/traces", uri.path().trim_end_matches('/'));
        let exporter =
            Exporter { client, path, spans, dropped, stop: stop.clone(), is_failing: false };
        let export = Self { task: tokio::spawn(exporter.run()), stop, address: address.to_owned() };
        Ok((export, layer))
    }

    pub(super) fn announce(&self) {
        tracing::info!("sending traces to {}", self.address);
    }

    pub(super) async fn finish(self) {
        self.stop.cancel();
        if let Err(error) = timeout(FINISH_TIME_MAX, self.task).await {
            tracing::warn!("sending the last spans failed, they are dropped: {error}");
        }
    }
}

impl Exporter {
    async fn run(mut self) {
        loop {
            let batch = self.collect_batch().await;
            if batch.is_empty() {
                return;
            }
            let result = self.send_batch(&batch).await;
            self.report(batch.len(), result);
        }
    }

    /// Waits for spans, and for more until the batch is full or its time is over. Empty when the
    /// process ends and nothing is left.
    async fn collect_batch(&mut self) -> Vec<FinishedSpan> {
        let mut batch = Vec::new();
        let mut has_more = self.receive(&mut batch).await;
        let end = Instant::now() + BATCH_TIME;
        while has_more && batch.len() < BATCH_MAX {
            has_more = timeout_at(end, self.receive(&mut batch)).await.unwrap_or(false);
        }
        batch
    }

    /// Adds what waits to the batch. Waits for it unless the process ends.
    async fn receive(&mut self, batch: &mut Vec<FinishedSpan>) -> bool {
        let room = BATCH_MAX - batch.len();
        tokio::select! {
            biased;
            count = self.spans.recv_many(batch, room) => count > 0,
            () = self.stop.cancelled() => false,
        }
    }

    async fn send_batch(&mut self, batch: &[FinishedSpan]) -> Result<(), anyhow::Error> {
        let body = Bytes::from(encode_spans(batch).to_string());
        let mut pauses = PAUSES.into_iter();
        loop {
            match (self.send(body.clone()).await, pauses.next()) {
                (Ok(()), _) => return Ok(()),
                (Err(SendFailure::Temporary(error)), Some(pause)) => {
                    if self.stop.run_until_cancelled(sleep(pause)).await.is_none() {
                        return Err(error);
                    }
                }
                (Err(SendFailure::Temporary(error) | SendFailure::Final(error)), _) => {
                    return Err(error);
                }
            }
        }
    }

    async fn send(&mut self, body: Bytes) -> Result<(), SendFailure> {
        let outgoing = Outgoing {
            method: Method::POST,
            path: &self.path,
            content_type: "application/json",
            accept: "application/json",
            body,
        };
        let response = timeout(SEND_TIME_MAX, self.client.send(outgoing)).await;
        let response = response.unwrap_or_else(|_| bail!("no response in time"));
        let status = response.map_err(SendFailure::Temporary)?.status;
        let error = || anyhow!("the collector responded with {status}");
        match status.as_u16() {
            200..=299 => Ok(()),
            429 | 502..=504 => Err(SendFailure::Temporary(error())),
            _ => Err(SendFailure::Final(error())),
        }
    }

    fn report(&mut self, count: usize, result: anyhow::Result<()>) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let reason = "the collector does not keep up";
            tracing::warn!("keeping {dropped} more spans failed, they are dropped: {reason}");
        }
        let was_failing = std::mem::replace(&mut self.is_failing, result.is_err());
        match result {
            Err(error) if !was_failing => {
                tracing::warn!("sending {count} spans failed, they are dropped: {error:#}");
            }
            Ok(()) if was_failing => tracing::info!("the collector accepts spans again"),
            Ok(()) | Err(_) => (),
        }
    }
}
