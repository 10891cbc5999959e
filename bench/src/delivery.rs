//! How fast messages get from their commit to a merchant's answer, beside what a bare loop reaches
//! that makes, signs and posts the same messages without a store.
//!
//! The engine runs in this process, with the store and the sender of the product; the receiver is a socket loop
//! that only counts. All of it shares the machine's cores, as in the limit it is held against.

mod engine;
mod isolation;
mod limit;
mod sink;

use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::time::MissedTickBehavior;

use crate::{Options, place::Engine, report};
use engine::Running;
pub(crate) use isolation::Isolation;
pub(crate) use sink::Sink;

const MERCHANTS: usize = 32;
const LANES_PER_MERCHANT: usize = 64;
/// Tasks that commit messages, and messages that one commit of theirs owes.
const COMMITTERS: usize = 64;
const MESSAGES_PER_COMMIT: usize = 8;
/// The quiet rate at which latency is measured.
const QUIET_PER_SECOND: u32 = 200;
/// A message has this many bytes.
const BODY_BYTES: usize = 1_024;

#[derive(Debug, clap::Args)]
pub(crate) struct Delivery {
    /// Messages that are committed and delivered in the measurement of throughput
    #[arg(long, default_value_t = 200_000)]
    messages: usize,
}

#[derive(Debug, Serialize)]
struct Results {
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

/// How fast messages went, and what one cost of the time of all processors, generator and receiver
/// included. The cost tells more than the rate when something else uses the machine too.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Rate {
    messages_per_second: f64,
    processor_us_per_message: f64,
}

/// Measures a [`Rate`] from its making on.
pub(crate) struct Stopwatch {
    started: Instant,
    processor_seconds: f64,
}

impl Stopwatch {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let processor_seconds = crate::process::processor_seconds(std::process::id())?;
        Ok(Self { started: Instant::now(), processor_seconds })
    }

    pub(crate) fn stop(self, messages: usize) -> anyhow::Result<Rate> {
        let took_seconds = self.started.elapsed().as_secs_f64();
        let used = crate::process::processor_seconds(std::process::id())? - self.processor_seconds;
        let messages = f64::from(u32::try_from(messages)?);
        Ok(Rate {
            messages_per_second: messages / took_seconds,
            processor_us_per_message: used / messages * 1_000_000.0,
        })
    }
}

/// Milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Latency {
    p50_ms: f64,
    p99_ms: f64,
}

impl Latency {
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |percent: usize| {
            let position = (times.len() * percent / 100).min(times.len().saturating_sub(1));
            times.get(position).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        Self { p50_ms: at(50), p99_ms: at(99) }
    }
}

impl Delivery {
    pub(crate) async fn run(&self, engines: &[Engine], options: &Options) -> anyhow::Result<()> {
        let mut all = Vec::new();
        for engine in engines {
            all.push(self.measure(engine, options).await?);
        }
        let words: Vec<String> = all.iter().map(words).collect();
        report::print(&all, &words.join("\n"), options.json)
    }

    async fn measure(&self, engine: &Engine, options: &Options) -> anyhow::Result<Results> {
        let sink = Sink::start()?;
        let step = report::step("the limit: the same messages without a store");
        let limit = limit::throughput(&sink, self.messages).await?;
        let quiet_limit = limit::latency(&sink, options.seconds).await?;
        drop(step);
        let running = Running::start(engine, &sink, options.keep).await?;
        let _step =
            report::step(&format!("delivering {} messages ({})", self.messages, engine.name()));
        let quiet = quiet(&running, &sink, options.seconds).await?;
        let delivered = throughput(&running, &sink, self.messages).await?;
        let failed_attempts = running.failed_attempts().await?;
        let rss_mib = crate::process::memory_mib(std::process::id())?;
        running.stop().await;
        Ok(Results {
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
}

fn words(results: &Results) -> String {
    let Results { store, messages, delivered, limit, quiet, quiet_limit, .. } = results;
    format!(
        "{store}: {:.0} messages/s from commit to answer ({messages} messages), limit {:.0}/s, \
         ratio {:.2}\n  processor time {:.0} us a message, limit {:.0} us\n  at {QUIET_PER_SECOND}/s \
         from commit to arrival: p50 {:.2} ms, p99 {:.2} ms; without a store p50 {:.2} ms, \
         p99 {:.2} ms\n  memory of engine, generator and receiver: {:.0} MiB; attempts that failed: {}",
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

/// Commits `messages` as fast as the store takes them, and waits until the last one is concluded.
pub(crate) async fn throughput(
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
    running.until_done().await?;
    let expected = commits * MESSAGES_PER_COMMIT;
    let rate = stopwatch.stop(expected)?;
    let arrived = sink.received() - before;
    anyhow::ensure!(arrived >= u64::try_from(expected)?, "{arrived} of {expected} arrived");
    Ok(rate)
}

/// From the end of the commit to the arrival, at a rate that leaves the machine idle in between.
pub(crate) async fn quiet(running: &Running, sink: &Sink, seconds: u32) -> anyhow::Result<Latency> {
    running.warm_up().await?;
    let mut tick = tokio::time::interval(Duration::from_secs(1) / QUIET_PER_SECOND);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut committed = Vec::new();
    sink.note_arrivals();
    for number in 0..usize::try_from(seconds * QUIET_PER_SECOND)? {
        tick.tick().await;
        let id = running.commit(number, 1).await?;
        committed.push((id, Instant::now()));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let arrived = sink.arrivals();
    let waited =
        |(id, at): &(String, Instant)| Some(arrived.get(id)?.saturating_duration_since(*at));
    Ok(Latency::of(committed.iter().filter_map(waited).collect()))
}
