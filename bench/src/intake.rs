//! `bench intake`: orders a second that the server takes in, beside what a bare loop can write.
//!
//! Each measurement has a server and a database of its own, so that none inherits from another.

use std::path::Path;

use serde::Serialize;

use crate::{
    Options,
    limit::{self, Limit},
    load::{Measured, Shape, Target, measure},
    place::{Engine, Place},
    report::{print, step, table, thousands},
    server::{Server, add_merchant},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Intake {
    /// Orders in a message, one measurement for each number
    #[arg(long, value_delimiter = ',', default_values_t = [1, 100])]
    orders_per_message: Vec<usize>,

    /// Connections that send messages, one measurement for each number
    #[arg(long, value_delimiter = ',', default_values_t = [16, 128])]
    connections: Vec<usize>,

    /// Measure the server alone
    #[arg(long)]
    without_limit: bool,
}

#[derive(Serialize)]
struct Results {
    store: &'static str,
    limit: Option<Limit>,
    intake: Vec<Compared>,
}

#[derive(Serialize)]
struct Compared {
    #[serde(flatten)]
    measured: Measured,
    ratio_to_limit: Option<f64>,
}

impl Intake {
    pub(crate) async fn run(
        self,
        engines: &[Engine],
        binary: &Path,
        options: &Options,
    ) -> anyhow::Result<()> {
        let mut all = Vec::new();
        for engine in engines {
            let limit = if self.without_limit {
                None
            } else {
                Some(limit::best(engine, binary, options).await?)
            };
            let mut intake = Vec::new();
            for shape in self.shapes() {
                let measured = one(engine, binary, shape, options).await?;
                let ratio_to_limit =
                    limit.map(|limit| measured.orders_per_second / limit.rows_per_second);
                intake.push(Compared { measured, ratio_to_limit });
            }
            all.push(Results { store: engine.name(), limit, intake });
        }
        print(&all, &words(&all), options.json)
    }

    fn shapes(&self) -> impl Iterator<Item = Shape> {
        let numbers = self.orders_per_message.iter();
        numbers.flat_map(|&orders_per_message| {
            let shape = move |&connections| Shape { orders_per_message, connections };
            self.connections.iter().map(shape)
        })
    }
}

async fn one(
    engine: &Engine,
    binary: &Path,
    shape: Shape,
    options: &Options,
) -> anyhow::Result<Measured> {
    let Shape { orders_per_message, connections } = shape;
    let words = format!(
        "{}: {orders_per_message} orders per message, {connections} connections",
        engine.name()
    );
    let progress = step(&words);
    let place = Place::new(engine, options.keep).await?;
    let credentials = add_merchant(binary, &place)?;
    let server = Server::start(binary, &place).await?;
    let token = server.token(&credentials).await?;
    let target = Target { server: &server, place: &place, token: &token };
    let measured = measure(&target, shape, 0, options).await?;
    progress.done(&format!("{words}: {} orders/s", thousands(measured.orders_per_second)));
    Ok(measured)
}

fn words(all: &[Results]) -> String {
    let heading = [
        "store",
        "orders/message",
        "connections",
        "orders/s",
        "messages/s",
        "limit rows/s",
        "ratio",
        "p50 ms",
        "p99 ms",
        "max ms",
        "cpu us/order",
        "idle MiB",
        "after MiB",
    ];
    let absent = || "-".to_owned();
    let row = |results: &Results, Compared { measured, ratio_to_limit }: &Compared| {
        [
            results.store.to_owned(),
            measured.shape.orders_per_message.to_string(),
            measured.shape.connections.to_string(),
            thousands(measured.orders_per_second),
            thousands(measured.messages_per_second),
            results.limit.map_or_else(absent, |limit| thousands(limit.rows_per_second)),
            ratio_to_limit.map_or_else(absent, |ratio| format!("{ratio:.2}")),
            format!("{:.1}", measured.p50_ms),
            format!("{:.1}", measured.p99_ms),
            format!("{:.0}", measured.max_ms),
            format!("{:.1}", measured.processor_us_per_order),
            format!("{:.1}", measured.memory_before_mib),
            format!("{:.1}", measured.memory_after_mib),
        ]
    };
    let rows: Vec<_> = all
        .iter()
        .flat_map(|results| results.intake.iter().map(move |compared| row(results, compared)))
        .collect();
    let limits = all.iter().filter_map(|Results { store, limit, .. }| {
        let Limit { rows_per_commit, connections, .. } = (*limit)?;
        let how = format!("{rows_per_commit} rows per commit, {connections} connection(s)");
        Some(format!("\nThe limit of {store}: {how}."))
    });
    format!("{}\n{}", table(heading, &rows), limits.collect::<String>())
}
