//! Whether healthy merchants notice a sick one: one that hangs 15 s on every request and has a million
//! messages waiting.

use std::time::Instant;

use domain::identifier::MerchantId;
use serde::Serialize;
use store::{Store, Transaction};

use super::{
    Latency, Rate,
    engine::{self, Running, SICK},
    quiet,
    sink::Sink,
    throughput,
};
use crate::{
    Options,
    place::{Engine, Place},
    report,
};

const MESSAGES_PER_COMMIT: usize = 1_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Isolation {
    /// Messages that wait for the sick merchant
    #[arg(long, default_value_t = 1_000_000)]
    waiting: usize,

    /// Messages of healthy merchants in the measurement of throughput
    #[arg(long, default_value_t = 100_000)]
    messages: usize,
}

#[derive(Debug, Serialize)]
struct Results {
    store: &'static str,
    waiting: usize,
    alone: Health,
    beside_the_sick: Health,
    p99_ratio: f64,
    rate_ratio: f64,
    /// From the start with everything waiting to the first delivery for a healthy merchant.
    start_ms: f64,
}

/// How healthy merchants fare.
#[derive(Debug, Serialize)]
struct Health {
    latency: Latency,
    rate: Rate,
    /// What engine, generator and receiver held before the measurement of the rate.
    rss_mib: f64,
}

impl Isolation {
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
        let alone = {
            let _step = report::step(&format!("healthy merchants alone ({})", engine.name()));
            let running = Running::start(engine, &sink, options.keep).await?;
            let health = self.examine(&running, &sink, options).await?;
            running.stop().await;
            health
        };
        let place = Place::new(engine, options.keep).await?;
        let store = engine::open(engine, &place).await?;
        self.fill(&store).await?;
        place.settle().await?;
        let _step = report::step("beside the sick merchant");
        let started = Instant::now();
        let running = Running::on(store, place, &sink).await?;
        running.commit(0, 1).await?;
        running.until_done().await?;
        let start_ms = started.elapsed().as_secs_f64() * 1000.0;
        let beside_the_sick = self.examine(&running, &sink, options).await?;
        running.stop().await;
        Ok(Results {
            store: engine.name(),
            waiting: self.waiting,
            p99_ratio: beside_the_sick.latency.p99_ms / alone.latency.p99_ms,
            rate_ratio: beside_the_sick.rate.messages_per_second / alone.rate.messages_per_second,
            alone,
            beside_the_sick,
            start_ms,
        })
    }

    async fn examine(
        &self,
        running: &Running,
        sink: &Sink,
        options: &Options,
    ) -> anyhow::Result<Health> {
        let latency = quiet(running, sink, options.seconds).await?;
        let rss_mib = crate::process::memory_mib(std::process::id())?;
        let rate = throughput(running, sink, self.messages).await?;
        Ok(Health { latency, rate, rss_mib })
    }

    async fn fill(&self, store: &Store) -> anyhow::Result<()> {
        let _step = report::step(&format!("{} messages for the sick merchant", self.waiting));
        let sick = MerchantId::parse(SICK).map_err(anyhow::Error::msg)?;
        for commit in 0..self.waiting / MESSAGES_PER_COMMIT {
            let mut transaction = Transaction::new("owing messages");
            for message in 0..MESSAGES_PER_COMMIT {
                let number = commit * MESSAGES_PER_COMMIT + message;
                transaction.enqueue(engine::message_of(&sick, number, 0));
            }
            store.commit(transaction).await?;
        }
        Ok(())
    }
}

fn words(results: &Results) -> String {
    let Results { store, waiting, alone, beside_the_sick: beside, .. } = results;
    format!(
        "{store}: healthy merchants, alone and beside a merchant that hangs with {waiting} waiting\n  \
         from commit to arrival: p50 {:.2} and {:.2} ms, p99 {:.2} and {:.2} ms (x {:.2})\n  \
         messages/s: {:.0} and {:.0} (x {:.2})\n  \
         first delivery {:.0} ms after a start with all of them waiting; memory {:.0} MiB",
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
