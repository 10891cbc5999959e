//! `bench growth`: the rate of intake with ten thousand and with a million orders already stored.
//!
//! The orders are put there by the bare loop, under the merchant that then publishes more: the rows are
//! those that the product would have written, sooner.

use std::{path::Path, process::Command, time::Duration};

use serde::Serialize;

use crate::{
    Options,
    limit::{Rows, Until, write},
    load::{Measured, Shape, Target, measure},
    orders::Numbers,
    place::{Engine, Place, connect},
    report::{print, step, table, thousands},
    server::{Server, add_merchant},
};

const STORED: [u64; 2] = [10_000, 1_000_000];
const SHAPE: Shape = Shape { orders_per_message: 100, connections: 16 };
const ROWS_PER_COMMIT: usize = 1_000;
/// Disks that were just written to at full speed stay busy for a while.
const SETTLED_AFTER: Duration = Duration::from_secs(10);

#[derive(Serialize)]
struct Results {
    store: &'static str,
    growth: Vec<Stage>,
    /// The last rate as a part of the first.
    ratio: f64,
}

#[derive(Serialize)]
struct Stage {
    stored: u64,
    #[serde(flatten)]
    measured: Measured,
}

pub(crate) async fn run(
    engines: &[Engine],
    binary: &Path,
    options: &Options,
) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for engine in engines {
        let mut growth = Vec::new();
        for stored in STORED {
            let measured = one(engine, binary, stored, options).await?;
            growth.push(Stage { stored, measured });
        }
        let rate = |stage: Option<&Stage>| stage.map_or(0.0, |it| it.measured.orders_per_second);
        let ratio = rate(growth.last()) / rate(growth.first());
        all.push(Results { store: engine.name(), growth, ratio });
    }
    print(&all, &words(&all), options.json)
}

async fn one(
    engine: &Engine,
    binary: &Path,
    stored: u64,
    options: &Options,
) -> anyhow::Result<Measured> {
    let place = Place::new(engine, options.keep).await?;
    let credentials = add_merchant(binary, &place)?;
    fill(&place, stored, options).await?;
    let words = format!("{}: {} stored", engine.name(), thousands_of(stored));
    let progress = step(&words);
    let server = Server::start(binary, &place).await?;
    let token = server.token(&credentials).await?;
    let target = Target { server: &server, place: &place, token: &token };
    let measured = measure(&target, SHAPE, stored, options).await?;
    progress.done(&format!("{words}: {} orders/s", thousands(measured.orders_per_second)));
    Ok(measured)
}

/// Stores orders with the numbers below `stored`, and leaves no work behind that would be done
/// in the measured time.
async fn fill(place: &Place, stored: u64, options: &Options) -> anyhow::Result<()> {
    let _progress = step(&format!("storing {} orders", thousands_of(stored)));
    let rows = Rows::new(ROWS_PER_COMMIT, options.seed, &Numbers::default());
    write(place, vec![rows], Until::Number(stored)).await?;
    settle(place).await
}

/// Waits until what was written is where it stays.
pub(crate) async fn settle(place: &Place) -> anyhow::Result<()> {
    if place.store() != "sqlite" {
        connect(place.store()).await?.batch_execute("CHECKPOINT").await?;
    }
    // What the system still holds back in memory is written now, for the files of both stores.
    Command::new("sync").status()?;
    tokio::time::sleep(SETTLED_AFTER).await;
    Ok(())
}

pub(crate) fn thousands_of(count: u64) -> String {
    u32::try_from(count).map_or_else(|_| count.to_string(), |count| thousands(count.into()))
}

fn words(all: &[Results]) -> String {
    let heading =
        ["store", "stored", "orders/s", "p50 ms", "p99 ms", "cpu us/order", "after MiB", "ratio"];
    let row = |store: &str, Stage { stored, measured }: &Stage, ratio: f64| {
        [
            store.to_owned(),
            thousands_of(*stored),
            thousands(measured.orders_per_second),
            format!("{:.1}", measured.p50_ms),
            format!("{:.1}", measured.p99_ms),
            format!("{:.1}", measured.processor_us_per_order),
            format!("{:.1}", measured.memory_after_mib),
            if STORED.last() == Some(stored) { format!("{ratio:.2}") } else { String::new() },
        ]
    };
    let rows: Vec<_> = all
        .iter()
        .flat_map(|Results { store, growth, ratio }| {
            growth.iter().map(move |stage| row(store, stage, *ratio))
        })
        .collect();
    table(heading, &rows)
}
