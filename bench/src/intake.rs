//! `bench intake`: orders per second that the server accepts, compared with what a bare loop can
//! write.
//!
//! Each measurement has its own server and database.

use serde::Serialize;

use crate::{
    benchmark::{Benchmark, Run},
    limit::{self, Limit},
    load::{IntakeRate, Shape, Target, measure},
    orders::merchants::add_merchants,
    report::{format_table, start_step, thousands},
    server::{Server, add_admin},
    storage::Storage,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Intake {
    /// Orders per message, one measurement for each number
    #[arg(long, value_delimiter = ',', default_values_t = [1, 100])]
    orders_per_message: Vec<usize>,

    /// Connections that send messages, one measurement for each number
    #[arg(long, value_delimiter = ',', default_values_t = [16, 128])]
    connections: Vec<usize>,

    /// Merchants that publish orders in turn
    #[arg(long, default_value_t = 100)]
    merchants: usize,

    /// Measure only the server
    #[arg(long)]
    without_limit: bool,
}

#[derive(Serialize)]
pub(crate) struct IntakeResults {
    store: &'static str,
    merchants: usize,
    intake: Vec<ComparedIntake>,
}

#[derive(Serialize)]
struct ComparedIntake {
    #[serde(flatten)]
    measured: IntakeRate,
    /// A bare loop that writes the same.
    limit: Option<Limit>,
    ratio_to_limit: Option<f64>,
}

impl Benchmark for Intake {
    type Results = IntakeResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<IntakeResults> {
        let mut intake = Vec::new();
        for shape in self.shapes() {
            let limit = if self.without_limit {
                None
            } else {
                Some(limit::measure(run, shape, self.merchants).await?)
            };
            let measured = measure_shape(run, shape, self.merchants).await?;
            let ratio_to_limit =
                limit.map(|limit| measured.orders_per_second / limit.rows_per_second);
            intake.push(ComparedIntake { measured, limit, ratio_to_limit });
        }
        Ok(IntakeResults { store: run.engine.name(), merchants: self.merchants, intake })
    }

    fn describe(all: &[IntakeResults]) -> String {
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
            "all us/order",
            "limit us/order",
            "idle MiB",
            "after MiB",
        ];
        let absent = || "-".to_owned();
        let row =
            |results: &IntakeResults,
             ComparedIntake { measured, limit, ratio_to_limit }: &ComparedIntake| {
                [
                    results.store.to_owned(),
                    measured.shape.orders_per_message.to_string(),
                    measured.shape.connections.to_string(),
                    thousands(measured.orders_per_second),
                    thousands(measured.messages_per_second),
                    limit.map_or_else(absent, |limit| thousands(limit.rows_per_second)),
                    ratio_to_limit.map_or_else(absent, |ratio| format!("{ratio:.2}")),
                    format!("{:.1}", measured.p50_ms),
                    format!("{:.1}", measured.p99_ms),
                    format!("{:.0}", measured.max_ms),
                    format!("{:.1}", measured.processor_us_per_order),
                    format!("{:.1}", measured.machine_us_per_order),
                    limit.map_or_else(absent, |limit| format!("{:.1}", limit.machine_us_per_row)),
                    format!("{:.1}", measured.memory_before_mib),
                    format!("{:.1}", measured.memory_after_mib),
                ]
            };
        let rows: Vec<_> = all
            .iter()
            .flat_map(|results| results.intake.iter().map(move |compared| row(results, compared)))
            .collect();
        format!("{}\n\n{NOTE}", format_table(heading, &rows))
    }
}

/// What the columns mean.
const NOTE: &str = "One message in ten is followed by an update of its orders, each with a refund. \
    cpu: the processor time of the server. all: that of the whole machine, with the database and \
    the load. limit: a bare loop with as many connections and rows per transaction; on SQLite, \
    with the rows of all connections in one transaction.";

impl Intake {
    fn shapes(&self) -> impl Iterator<Item = Shape> {
        let numbers = self.orders_per_message.iter();
        numbers.flat_map(|&orders_per_message| {
            let shape = move |&connections| Shape { orders_per_message, connections };
            self.connections.iter().map(shape)
        })
    }
}

async fn measure_shape(run: Run<'_>, shape: Shape, merchants: usize) -> anyhow::Result<IntakeRate> {
    let Run { engine, options, .. } = run;
    let binary = run.binary()?;
    let Shape { orders_per_message, connections } = shape;
    let text = format!(
        "{}: {orders_per_message} orders per message, {connections} connections",
        engine.name()
    );
    let progress = start_step(&text);
    let storage = Storage::new(engine, options.keep).await?;
    let admin = add_admin(binary, &storage)?;
    let server = Server::start(binary, &storage).await?;
    let tokens = add_merchants(&server, &admin, merchants).await?;
    let target = Target { server: &server, storage: &storage, tokens: &tokens };
    let measured = measure(&target, shape, 0, options).await?;
    progress.done(&format!("{text}: {} orders/s", thousands(measured.orders_per_second)));
    Ok(measured)
}
