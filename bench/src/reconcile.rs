//! `bench reconcile`: how long it takes a merchant to compare a million returns with what was sent,
//! and how much memory the server needs for it.
//!
//! The product's own store and sender write the messages and deliver them. Then the real binary
//! serves the data, and `homeward reconcile` compares a file with it, in requests of 100,000.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, ensure};
use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::NewMessage;

use crate::{
    benchmark::{Benchmark, Run},
    delivery::{Running, Sink, open_store},
    growth::{format_count, settle},
    process::{memory_mib, memory_peak_mib},
    report::start_step,
    server::{MERCHANT, Server, add_merchant, run_for_output},
    storage::Storage,
};

const MESSAGES_PER_COMMIT: u64 = 1_000;
const COMMITS_BEFORE_WAITING: u64 = 50;
/// The sequence of the last message about each return.
const SEQUENCE: i64 = 4;
/// Of so many returns, one is not held, one is held as it was before, and one was never sent.
const ONE_IN: u64 = 100;

#[derive(Debug, clap::Args)]
pub(crate) struct Reconcile {
    /// Returns that messages were sent about
    #[arg(long, default_value_t = 1_000_000)]
    returns: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReconcileResults {
    store: &'static str,
    returns: u64,
    differing: u64,
    seconds: f64,
    /// Of the server, before the comparison.
    memory_mib: f64,
    /// By how much its peak is above that.
    memory_growth_mib: f64,
}

/// The numbers at the end of the command's output.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Summary {
    equal: u64,
    missing: u64,
    older: u64,
    newer: u64,
    unknown: u64,
}

#[derive(Deserialize)]
struct PrintedEnd {
    summary: Summary,
}

impl Benchmark for Reconcile {
    type Results = ReconcileResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<ReconcileResults> {
        let Run { engine, options, .. } = run;
        let binary = run.binary()?;
        let storage = Storage::new(engine, options.keep).await?;
        add_merchant(binary, &storage)?;
        let storage = self.fill(open_store(engine, &storage).await?, storage).await?;
        settle(&storage).await?;
        let (file, expected) = self.write_held(storage.directory())?;
        let server = Server::start(binary, &storage).await?;
        let _step = start_step(&format!("{}: reconciling", engine.name()));
        let before_mib = memory_mib(server.pid())?;
        let started = Instant::now();
        let arguments = ["--json", "reconcile", MERCHANT];
        let printed = run_for_output(binary, &storage, &arguments, &file)?;
        let seconds = started.elapsed().as_secs_f64();
        // What differs is before it, one object per line.
        let last = std::str::from_utf8(&printed)?.lines().last();
        let PrintedEnd { summary } =
            serde_json::from_str(last.context("the command printed no summary")?)?;
        ensure!(summary == expected, "{summary:?} instead of {expected:?}");
        Ok(ReconcileResults {
            store: engine.name(),
            returns: self.returns,
            differing: summary.missing + summary.older + summary.unknown,
            seconds,
            memory_mib: before_mib,
            memory_growth_mib: memory_peak_mib(server.pid())? - before_mib,
        })
    }

    fn describe(all: &[ReconcileResults]) -> String {
        all.iter().map(describe).collect::<Vec<_>>().join("\n")
    }
}

impl Reconcile {
    /// Sends a message about each return.
    async fn fill(&self, store: store::Store, storage: Storage) -> anyhow::Result<Storage> {
        let text = format!("messages about {} returns", format_count(self.returns));
        let _step = start_step(&text);
        let merchant = MerchantId::parse(MERCHANT).map_err(anyhow::Error::msg)?;
        let sink = Sink::start()?;
        let running = Running::start_on(store, storage, &sink).await?;
        for first in (0..self.returns).step_by(usize::try_from(MESSAGES_PER_COMMIT)?) {
            let numbers = first..self.returns.min(first + MESSAGES_PER_COMMIT);
            let now_us = running.now_us();
            let messages = numbers.map(|number| new_message(&merchant, number, now_us));
            running.commit_messages(messages.collect()).await?;
            if (first / MESSAGES_PER_COMMIT).is_multiple_of(COMMITS_BEFORE_WAITING) {
                running.wait_until_done().await?;
            }
        }
        running.wait_until_done().await?;
        Ok(running.stop().await)
    }

    /// What the merchant holds, in no order, and what the comparison must find.
    fn write_held(&self, directory: &Path) -> anyhow::Result<(PathBuf, Summary)> {
        let path = directory.join("held.ndjson");
        let mut file = BufWriter::new(File::create(&path)?);
        let mut summary = Summary { equal: 0, missing: 0, older: 0, newer: 0, unknown: 0 };
        let mut write = |reference: &str, sequence: i64| {
            let entry = json!({ "kind": "rma", "reference": reference, "sequence": sequence });
            writeln!(file, "{entry}")
        };
        for number in 0..self.returns {
            let reference = format_reference(number);
            match number % ONE_IN {
                0 => summary.missing += 1,
                1 => {
                    summary.older += 1;
                    write(&reference, SEQUENCE - 1)?;
                }
                2 => {
                    summary.equal += 1;
                    summary.unknown += 1;
                    write(&format!("{reference}-0"), SEQUENCE)?;
                    write(&reference, SEQUENCE)?;
                }
                _ => {
                    summary.equal += 1;
                    write(&reference, SEQUENCE)?;
                }
            }
        }
        file.flush()?;
        Ok((path, summary))
    }
}

/// Numbers that follow each other are far from each other in the order of references.
fn format_reference(number: u64) -> String {
    format!("RMA-{:016X}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn new_message(merchant: &MerchantId, number: u64, now_us: i64) -> NewMessage {
    let reference = format_reference(number);
    let filler = "x".repeat(960);
    NewMessage {
        merchant: merchant.clone(),
        kind: MessageKind::Rma,
        body: Bytes::from(format!(
            "{{\"rma_identifier\":\"{reference}\",\"filler\":\"{filler}\"}}"
        )),
        reference,
        sequence: SEQUENCE,
        lane: i64::try_from(number).unwrap_or(i64::MAX).saturating_add(1),
        created_us: now_us,
        replay: false,
    }
}

fn describe(results: &ReconcileResults) -> String {
    format!(
        "{}: {} returns reconciled in {:.1} s, {} differ; the server's memory grew from {:.0} MiB by \
         at most {:.0} MiB",
        results.store,
        format_count(results.returns),
        results.seconds,
        format_count(results.differing),
        results.memory_mib,
        results.memory_growth_mib,
    )
}
