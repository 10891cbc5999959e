//! `bench growth`: orders per second with few merchants and orders, and with many.
//!
//! The bare loop writes the stored orders for the merchants that then publish more. The rows are
//! the same as the product's, but are written faster.

use std::{process::Command, time::Duration};

use serde::Serialize;

use crate::{
    benchmark::{Benchmark, Run},
    limit::{Rows, write_rows},
    load::{IntakeRate, Shape, Target, measure},
    options::Options,
    orders::drafts::Numbers,
    orders::merchants::add_merchants,
    report::{format_table, start_step, thousands},
    server::{Server, add_admin},
    storage::{Storage, connect},
    window::Until,
};

const FEW: Size = Size { merchants: 100, stored: 10_000 };
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
    #[serde(flatten)]
    size: Size,
    #[serde(flatten)]
    measured: IntakeRate,
}

/// How many merchants there are, and orders of them all together.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
struct Size {
    merchants: usize,
    stored: u64,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Growth {
    /// Orders to store, after a measurement with ten thousand
    #[arg(long, default_value_t = 1_000_000)]
    orders: u64,

    /// Merchants to whom they belong, after a measurement with a hundred
    #[arg(long, default_value_t = 10_000)]
    merchants: usize,
}

impl Benchmark for Growth {
    type Results = GrowthResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<GrowthResults> {
        let mut growth = Vec::new();
        for size in [FEW, Size { merchants: self.merchants, stored: self.orders }] {
            let measured = measure_stage(run, size).await?;
            growth.push(Stage { size, measured });
        }
        let rate = |stage: Option<&Stage>| stage.map_or(0.0, |it| it.measured.orders_per_second);
        let ratio = rate(growth.last()) / rate(growth.first());
        Ok(GrowthResults { store: run.engine.name(), growth, ratio })
    }

    fn describe(all: &[GrowthResults]) -> String {
        format_results(all)
    }
}

async fn measure_stage(run: Run<'_>, size: Size) -> anyhow::Result<IntakeRate> {
    let Run { engine, options, .. } = run;
    let binary = run.binary()?;
    let storage = Storage::new(engine, options.keep).await?;
    let admin = add_admin(binary, &storage)?;
    let tokens = {
        let _progress = start_step(&format!("adding {} merchants", size.merchants));
        let server = Server::start(binary, &storage).await?;
        add_merchants(&server, &admin, size.merchants).await?
    };
    fill(&storage, size, options).await?;
    let (engine, stored) = (engine.name(), format_count(size.stored));
    let text = format!("{engine}: {stored} orders stored of {} merchants", size.merchants);
    let progress = start_step(&text);
    let server = Server::start(binary, &storage).await?;
    let target = Target { server: &server, storage: &storage, tokens: &tokens };
    let measured = measure(&target, SHAPE, size.stored, options).await?;
    progress.done(&format!("{text}: {} orders/s", thousands(measured.orders_per_second)));
    Ok(measured)
}

/// Stores orders with the numbers below `size.stored`. Leaves no work that would be done in the
/// measured time.
async fn fill(storage: &Storage, size: Size, options: &Options) -> anyhow::Result<()> {
    let _progress = start_step(&format!("storing {} orders", format_count(size.stored)));
    let rows = Rows::new(ROWS_PER_COMMIT, options.seed, &Numbers::default());
    let rows = rows.of(size.merchants, SHAPE.orders_per_message);
    write_rows(storage, vec![rows], Until::Number(size.stored)).await?;
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
        "merchants",
        "stored",
        "orders/s",
        "p50 ms",
        "p99 ms",
        "cpu us/order",
        "all us/order",
        "after MiB",
        "ratio",
    ];
    let row = |store: &str, Stage { size, measured }: &Stage, ratio: f64| {
        [
            store.to_owned(),
            size.merchants.to_string(),
            format_count(size.stored),
            thousands(measured.orders_per_second),
            format!("{:.1}", measured.p50_ms),
            format!("{:.1}", measured.p99_ms),
            format!("{:.1}", measured.processor_us_per_order),
            format!("{:.1}", measured.machine_us_per_order),
            format!("{:.1}", measured.memory_after_mib),
            if *size == FEW { String::new() } else { format!("{ratio:.2}") },
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
