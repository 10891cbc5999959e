//! `bench intake`: orders per second that the server accepts, compared with what a bare loop can
//! write.
//!
//! Each measurement has its own server and database.

use serde::Serialize;

use crate::{
    benchmark::{Benchmark, Run},
    limit::{self, Limit},
    load::{IntakeRate, Shape, Target, measure},
    report::{format_table, start_step, thousands},
    server::{Server, add_merchant},
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

    /// Measure only the server
    #[arg(long)]
    without_limit: bool,
}

#[derive(Serialize)]
pub(crate) struct IntakeResults {
    store: &'static str,
    limit: Option<Limit>,
    intake: Vec<ComparedIntake>,
}

#[derive(Serialize)]
struct ComparedIntake {
    #[serde(flatten)]
    measured: IntakeRate,
    ratio_to_limit: Option<f64>,
}

impl Benchmark for Intake {
    type Results = IntakeResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<IntakeResults> {
        let limit = if self.without_limit { None } else { Some(limit::measure_best(run).await?) };
        let mut intake = Vec::new();
        for shape in self.shapes() {
            let measured = measure_shape(run, shape).await?;
            let ratio_to_limit =
                limit.map(|limit| measured.orders_per_second / limit.rows_per_second);
            intake.push(ComparedIntake { measured, ratio_to_limit });
        }
        Ok(IntakeResults { store: run.engine.name(), limit, intake })
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
            "idle MiB",
            "after MiB",
        ];
        let absent = || "-".to_owned();
        let row = |results: &IntakeResults,
                   ComparedIntake { measured, ratio_to_limit }: &ComparedIntake| {
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
        let limits = all.iter().filter_map(|IntakeResults { store, limit, .. }| {
            let Limit { rows_per_commit, connections, .. } = (*limit)?;
            let how = format!("{rows_per_commit} rows per commit, {connections} connection(s)");
            Some(format!("\nThe limit of {store}: {how}."))
        });
        format!("{}\n{}", format_table(heading, &rows), limits.collect::<String>())
    }
}

impl Intake {
    fn shapes(&self) -> impl Iterator<Item = Shape> {
        let numbers = self.orders_per_message.iter();
        numbers.flat_map(|&orders_per_message| {
            let shape = move |&connections| Shape { orders_per_message, connections };
            self.connections.iter().map(shape)
        })
    }
}

async fn measure_shape(run: Run<'_>, shape: Shape) -> anyhow::Result<IntakeRate> {
    let Run { engine, options, .. } = run;
    let binary = run.binary()?;
    let Shape { orders_per_message, connections } = shape;
    let text = format!(
        "{}: {orders_per_message} orders per message, {connections} connections",
        engine.name()
    );
    let progress = start_step(&text);
    let storage = Storage::new(engine, options.keep).await?;
    let credentials = add_merchant(binary, &storage)?;
    let server = Server::start(binary, &storage).await?;
    let token = server.token(&credentials).await?;
    let target = Target { server: &server, storage: &storage, token: &token };
    let measured = measure(&target, shape, 0, options).await?;
    progress.done(&format!("{text}: {} orders/s", thousands(measured.orders_per_second)));
    Ok(measured)
}
