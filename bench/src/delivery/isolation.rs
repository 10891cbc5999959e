//! The effect of merchants that hang for 15 s on every request, with a million pending messages, on
//! the healthy merchants; or of merchants whose mail server hangs.

use std::time::Instant;

use serde::Serialize;
use store::{Store, Transaction};

use super::{
    Latency, Rate,
    engine::{self, Running},
    measure_latency, measure_throughput,
    messages::{hanging_merchant, into_mail, new_message},
    sink::Sink,
};
use crate::{
    benchmark::{Benchmark, Run},
    growth::settle,
    options::Options,
    report,
    storage::Storage,
};

const MESSAGES_PER_COMMIT: usize = 1_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Isolation {
    /// Pending messages of the merchants that hang
    #[arg(long, default_value_t = 1_000_000)]
    waiting: usize,

    /// Merchants that hang
    #[arg(long, default_value_t = 1)]
    hanging: usize,

    /// What is pending are mails, and the mail server accepts connections and says nothing
    #[arg(long)]
    mails: bool,

    /// Messages of healthy merchants for the throughput
    #[arg(long, default_value_t = 100_000)]
    messages: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct IsolationResults {
    store: &'static str,
    waiting: usize,
    hanging: usize,
    alone: Health,
    beside_hanging: Health,
    p99_ratio: f64,
    rate_ratio: f64,
    /// From the start, with all messages pending, to the first delivery to a healthy merchant.
    start_ms: f64,
}

/// The measurements of healthy merchants.
#[derive(Debug, Serialize)]
struct Health {
    latency: Latency,
    rate: Rate,
    /// The memory of engine, generator and receiver before the rate is measured.
    rss_mib: f64,
}

impl Benchmark for Isolation {
    type Results = IsolationResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<IsolationResults> {
        let Run { engine, options, .. } = run;
        let sink = Sink::start()?;
        let alone = {
            let _step = report::start_step(&format!("healthy merchants alone ({})", engine.name()));
            let running = Running::start(engine, &sink, options.keep).await?;
            let health = self.measure_health(&running, &sink, options).await?;
            running.stop().await;
            health
        };
        let storage = Storage::new(engine, options.keep).await?;
        let store = engine::open_store(engine, &storage).await?;
        self.fill(&store).await?;
        storage.settle().await?;
        // Also of SQLite, whose log still moves into the database.
        settle(&storage).await?;
        let _step = report::start_step("beside what hangs");
        let started = Instant::now();
        let running = Running::start_on(store, storage, &sink).await?;
        running.commit(0, 1).await?;
        running.wait_until_done().await?;
        let start_ms = started.elapsed().as_secs_f64() * 1000.0;
        let beside_hanging = self.measure_health(&running, &sink, options).await?;
        running.stop().await;
        Ok(IsolationResults {
            store: engine.name(),
            waiting: self.waiting,
            hanging: self.hanging,
            p99_ratio: beside_hanging.latency.p99_ms / alone.latency.p99_ms,
            rate_ratio: beside_hanging.rate.messages_per_second / alone.rate.messages_per_second,
            alone,
            beside_hanging,
            start_ms,
        })
    }

    fn describe(all: &[IsolationResults]) -> String {
        all.iter().map(describe).collect::<Vec<_>>().join("\n")
    }
}

impl Isolation {
    async fn measure_health(
        &self,
        running: &Running,
        sink: &Sink,
        options: &Options,
    ) -> anyhow::Result<Health> {
        let latency = measure_latency(running, sink, options.seconds).await?;
        let rss_mib = crate::process::memory_mib(std::process::id())?;
        let rate = measure_throughput(running, sink, self.messages).await?;
        Ok(Health { latency, rate, rss_mib })
    }

    async fn fill(&self, store: &Store) -> anyhow::Result<()> {
        let _step = report::start_step(&format!("{} messages for what hangs", self.waiting));
        for commit in 0..self.waiting / MESSAGES_PER_COMMIT {
            let merchant = hanging_merchant(commit % self.hanging.max(1));
            let mut transaction = Transaction::new("enqueueing messages");
            for message in 0..MESSAGES_PER_COMMIT {
                let number = commit * MESSAGES_PER_COMMIT + message;
                let message = new_message(&merchant, number, 0);
                transaction.enqueue(if self.mails { into_mail(message) } else { message });
            }
            store.commit(transaction).await?;
        }
        Ok(())
    }
}

fn describe(results: &IsolationResults) -> String {
    let IsolationResults { store, waiting, hanging, alone, beside_hanging: beside, .. } = results;
    format!(
        "{store}: healthy merchants, alone and beside {hanging} that hang with {waiting} pending\n  \
         from commit to arrival: p50 {:.2} and {:.2} ms, p99 {:.2} and {:.2} ms (x {:.2})\n  \
         messages/s: {:.0} and {:.0} (x {:.2})\n  \
         first delivery {:.0} ms after a start with all of them pending; memory {:.0} MiB",
        alone.latency.p50_ms,
        beside.latency.p50_ms,
        alone.latency.p99_ms,
        beside.latency.p99_ms,
        results.p99_ratio,
        alone.rate.messages_per_second,
        beside.rate.messages_per_second,
        results.rate_ratio,
        results.start_ms,
        beside.rss_mib
    )
}
