//! How fast messages get from their commit to a merchant's response, compared with a bare loop that
//! creates, signs and posts the same messages without a store.
//!
//! The engine runs in this process, with the store and the sender of the product. The receiver is a
//! socket loop that only counts. All of them share the machine's cores, as in the limit.

mod engine;
mod isolation;
mod limit;
mod messages;
mod replay;
mod sink;

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use serde::Serialize;
use tokio::time::MissedTickBehavior;

use crate::{
    benchmark::{Benchmark, Run},
    process::MachineTime,
    report,
};
pub(crate) use engine::{Running, open_store};
pub(crate) use isolation::Isolation;
pub(crate) use replay::Replay;
pub(crate) use sink::Sink;

const MERCHANTS: usize = 32;
const LANES_PER_MERCHANT: usize = 64;
/// Tasks that commit messages, and messages per commit.
const COMMITTERS: usize = 64;
const MESSAGES_PER_COMMIT: usize = 8;
/// The low rate at which latency is measured.
const QUIET_PER_SECOND: u32 = 200;
/// The size of a message.
const BODY_BYTES: usize = 1_024;

#[derive(Debug, clap::Args)]
pub(crate) struct Delivery {
    /// Messages to commit and deliver for the throughput
    #[arg(long, default_value_t = 200_000)]
    messages: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct DeliveryResults {
    store: &'static str,
    messages: usize,
    delivered: Rate,
    limit: Rate,
    ratio: f64,
    failed_attempts: i64,
    quiet: Latency,
    quiet_limit: Latency,
    rss_mib: f64,
}

/// The rate of messages, and the processor time of the whole machine for each: of engine,
/// generator, receiver and database. The time says more than the rate if the disk is busy.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Rate {
    messages_per_second: f64,
    processor_us_per_message: f64,
}

/// Measures a [`Rate`] from its start.
pub(crate) struct Stopwatch {
    started: Instant,
    machine: MachineTime,
}

impl Stopwatch {
    pub(crate) fn start() -> anyhow::Result<Self> {
        Ok(Self { started: Instant::now(), machine: MachineTime::start()? })
    }

    pub(crate) fn stop(self, messages: usize) -> anyhow::Result<Rate> {
        let took_seconds = self.started.elapsed().as_secs_f64();
        Ok(Rate {
            messages_per_second: report::number(messages) / took_seconds,
            processor_us_per_message: self.machine.us_per(messages)?,
        })
    }
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Latency {
    p50_ms: f64,
    p99_ms: f64,
}

/// A message, and when it was sent or committed.
pub(crate) struct Sent {
    pub(crate) id: String,
    pub(crate) at: Instant,
}

impl Latency {
    /// From the time of each message to its arrival.
    pub(crate) fn of(sent: &[Sent], arrivals: &HashMap<String, Instant>) -> Self {
        let wait = |it: &Sent| Some(arrivals.get(&it.id)?.saturating_duration_since(it.at));
        let mut times: Vec<Duration> = sent.iter().filter_map(wait).collect();
        times.sort_unstable();
        let at = |percent: usize| {
            let position = (times.len() * percent / 100).min(times.len().saturating_sub(1));
            times.get(position).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        Self { p50_ms: at(50), p99_ms: at(99) }
    }
}

impl Benchmark for Delivery {
    type Results = DeliveryResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<DeliveryResults> {
        let Run { engine, options, .. } = run;
        let sink = Sink::start()?;
        let step = report::start_step("limit: the same messages without a store");
        let limit = limit::measure_throughput(&sink, self.messages).await?;
        let quiet_limit = limit::measure_latency(&sink, options.seconds).await?;
        drop(step);
        let running = Running::start(engine, &sink, options.keep).await?;
        let _step = report::start_step(&format!(
            "delivering {} messages ({})",
            self.messages,
            engine.name()
        ));
        let quiet = measure_latency(&running, &sink, options.seconds).await?;
        let delivered = measure_throughput(&running, &sink, self.messages).await?;
        let failed_attempts = running.failed_attempts().await?;
        let rss_mib = crate::process::memory_mib(std::process::id())?;
        running.stop().await;
        Ok(DeliveryResults {
            store: engine.name(),
            messages: self.messages,
            delivered,
            limit,
            ratio: delivered.messages_per_second / limit.messages_per_second,
            failed_attempts,
            quiet,
            quiet_limit,
            rss_mib,
        })
    }

    fn describe(all: &[DeliveryResults]) -> String {
        all.iter().map(describe).collect::<Vec<_>>().join("\n")
    }
}

fn describe(results: &DeliveryResults) -> String {
    let DeliveryResults { store, messages, delivered, limit, quiet, quiet_limit, .. } = results;
    format!(
        "{store}: {:.0} messages/s from commit to response ({messages} messages), limit {:.0}/s, \
         ratio {:.2}\n  processor time {:.0} us per message, limit {:.0} us\n  at {QUIET_PER_SECOND}/s \
         from commit to arrival: p50 {:.2} ms, p99 {:.2} ms; without a store p50 {:.2} ms, \
         p99 {:.2} ms\n  memory of engine, generator and receiver: {:.0} MiB; failed attempts: {}",
        delivered.messages_per_second,
        limit.messages_per_second,
        results.ratio,
        delivered.processor_us_per_message,
        limit.processor_us_per_message,
        quiet.p50_ms,
        quiet.p99_ms,
        quiet_limit.p50_ms,
        quiet_limit.p99_ms,
        results.rss_mib,
        results.failed_attempts
    )
}

/// Commits `messages` as fast as the store accepts them, and waits until all are delivered.
pub(crate) async fn measure_throughput(
    running: &Running,
    sink: &Sink,
    messages: usize,
) -> anyhow::Result<Rate> {
    let before = sink.received();
    let stopwatch = Stopwatch::start()?;
    let commits = messages / MESSAGES_PER_COMMIT;
    let tasks = (0..COMMITTERS).map(|committer| {
        let commits = (committer..commits).step_by(COMMITTERS);
        running.commit_all(commits.map(|commit| commit * MESSAGES_PER_COMMIT), MESSAGES_PER_COMMIT)
    });
    futures_util::future::try_join_all(tasks).await?;
    running.wait_until_done().await?;
    let expected = commits * MESSAGES_PER_COMMIT;
    let rate = stopwatch.stop(expected)?;
    let arrived = sink.received() - before;
    anyhow::ensure!(arrived >= u64::try_from(expected)?, "{arrived} of {expected} arrived");
    Ok(rate)
}

/// Measures the time from the end of the commit to the arrival, at a rate that leaves the machine
/// idle in between.
pub(crate) async fn measure_latency(
    running: &Running,
    sink: &Sink,
    seconds: u32,
) -> anyhow::Result<Latency> {
    running.warm_up().await?;
    let mut tick = tokio::time::interval(Duration::from_secs(1) / QUIET_PER_SECOND);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut committed = Vec::new();
    sink.record_arrivals();
    for number in 0..usize::try_from(seconds * QUIET_PER_SECOND)? {
        tick.tick().await;
        let id = running.commit(number, 1).await?;
        committed.push(Sent { id, at: Instant::now() });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let arrived = sink.take_arrivals();
    Ok(Latency::of(&committed, &arrived))
}
