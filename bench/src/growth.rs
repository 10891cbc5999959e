//! `bench growth`: orders per second with ten thousand and with a million orders already stored.
//!
//! The bare loop writes the stored orders for the merchant that then publishes more. The rows are
//! the same as the product's, but are written faster.

use std::{process::Command, time::Duration};

use serde::Serialize;

use crate::{
    benchmark::{Benchmark, Run},
    limit::{Rows, write_rows},
    load::{IntakeRate, Shape, Target, measure},
    options::Options,
    orders::drafts::Numbers,
    report::{format_table, start_step, thousands},
    server::{Server, add_merchant},
    storage::{Storage, connect},
    window::Until,
};

const STORED: [u64; 2] = [10_000, 1_000_000];
const SHAPE: Shape = Shape { orders_per_message: 100, connections: 16 };
const ROWS_PER_COMMIT: usize = 1_000;
/// Disks stay busy for some time after writes at full speed.
const SETTLED_AFTER: Duration = Duration::from_secs(10);

#[derive(Serialize)]
pub(crate) struct GrowthResults {
    store: &'static str,
    growth: Vec<Stage>,
    /// The last rate divided by the first.
    ratio: f64,
}

#[derive(Serialize)]
struct Stage {
    stored: u64,
    #[serde(flatten)]
    measured: IntakeRate,
}

/// Has no options of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Growth;

impl Benchmark for Growth {
    type Results = GrowthResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<GrowthResults> {
        let mut growth = Vec::new();
        for stored in STORED {
            let measured = measure_stage(run, stored).await?;
            growth.push(Stage { stored, measured });
        }
        let rate = |stage: Option<&Stage>| stage.map_or(0.0, |it| it.measured.orders_per_second);
        let ratio = rate(growth.last()) / rate(growth.first());
        Ok(GrowthResults { store: run.engine.name(), growth, ratio })
    }

    fn describe(all: &[GrowthResults]) -> String {
        format_results(all)
    }
}

async fn measure_stage(run: Run<'_>, stored: u64) -> anyhow::Result<IntakeRate> {
    let Run { engine, options, .. } = run;
    let binary = run.binary()?;
    let storage = Storage::new(engine, options.keep).await?;
    let credentials = add_merchant(binary, &storage)?;
    fill(&storage, stored, options).await?;
    let text = format!("{}: {} stored", engine.name(), format_count(stored));
    let progress = start_step(&text);
    let server = Server::start(binary, &storage).await?;
    let token = server.token(&credentials).await?;
    let tokens = [token];
    let target = Target { server: &server, storage: &storage, tokens: &tokens };
    let measured = measure(&target, SHAPE, stored, options).await?;
    progress.done(&format!("{text}: {} orders/s", thousands(measured.orders_per_second)));
    Ok(measured)
}

/// Stores orders with the numbers below `stored`. Leaves no work that would be done in the measured
/// time.
async fn fill(storage: &Storage, stored: u64, options: &Options) -> anyhow::Result<()> {
    let _progress = start_step(&format!("storing {} orders", format_count(stored)));
    let rows = Rows::new(ROWS_PER_COMMIT, options.seed, &Numbers::default());
    write_rows(storage, vec![rows], Until::Number(stored)).await?;
    settle(storage).await
}

/// Waits until all writes have reached the disk.
pub(crate) async fn settle(storage: &Storage) -> anyhow::Result<()> {
    if storage.store() != "sqlite" {
        connect(storage.store()).await?.batch_execute("CHECKPOINT").await?;
    }
    // Writes the files of both stores that are still in memory.
    Command::new("sync").status()?;
    tokio::time::sleep(SETTLED_AFTER).await;
    Ok(())
}

pub(crate) fn format_count(count: u64) -> String {
    u32::try_from(count).map_or_else(|_| count.to_string(), |count| thousands(count.into()))
}

fn format_results(all: &[GrowthResults]) -> String {
    let heading = [
        "store",
        "stored",
        "orders/s",
        "p50 ms",
        "p99 ms",
        "cpu us/order",
        "all us/order",
        "after MiB",
        "ratio",
    ];
    let row = |store: &str, Stage { stored, measured }: &Stage, ratio: f64| {
        [
            store.to_owned(),
            format_count(*stored),
            thousands(measured.orders_per_second),
            format!("{:.1}", measured.p50_ms),
            format!("{:.1}", measured.p99_ms),
            format!("{:.1}", measured.processor_us_per_order),
            format!("{:.1}", measured.machine_us_per_order),
            format!("{:.1}", measured.memory_after_mib),
            if STORED.last() == Some(stored) { format!("{ratio:.2}") } else { String::new() },
        ]
    };
    let rows: Vec<_> = all
        .iter()
        .flat_map(|GrowthResults { store, growth, ratio }| {
            growth.iter().map(move |stage| row(store, stage, *ratio))
        })
        .collect();
    format_table(heading, &rows)
}
