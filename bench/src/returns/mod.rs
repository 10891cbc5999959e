//! `bench returns`: returns per second that the server starts, compared with bare transactions of
//! the same rows.
//!
//! Every return is for another order. The bare loop of the intake writes the orders. The merchant's
//! carrier is external and it has no endpoint, so that only the returns themselves are measured:
//! the ledger, the return, the first event of its journal, what it posts, the label request, and
//! the message with its number and its delivery.

mod limit;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::bail;
use futures_util::future::try_join_all;
use serde::Serialize;

use self::limit::BareReturns;
use crate::{
    benchmark::{Benchmark, Run},
    http::{Connection, post_head},
    limit::{Rows, write_rows},
    load::percentile_ms,
    options::Options,
    orders::drafts::Numbers,
    orders::own_email,
    process::{MachineTime, processor_seconds},
    report::{format_table, number, start_step, thousands},
    server::{Credentials, MERCHANT, Server, add_merchant, run_command},
    storage::Storage,
    window::{Until, Window},
};

/// More returns per second than any server reaches. There is an order for each.
const RETURNS_PER_SECOND_MAX: u32 = 8_000;
/// After this number the orders repeat, except for their numbers.
const DIFFERENT_ORDERS: usize = 1_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Returns {
    /// Connections that start returns, one measurement for each number
    #[arg(long, value_delimiter = ',', default_values_t = [16, 64])]
    connections: Vec<usize>,
    /// Only the rates, to compare binaries or databases
    #[arg(long)]
    without_limit: bool,
}

#[derive(Serialize)]
pub(crate) struct ReturnResults {
    store: &'static str,
    /// One return per transaction, on the best number of connections for the engine.
    bare: Option<BareReturns>,
    /// As many returns per transaction as there are connections.
    grouped: Option<BareReturns>,
    returns: Vec<ReturnRate>,
}

#[derive(Clone, Debug, Serialize)]
struct ReturnRate {
    connections: usize,
    returns_per_second: f64,
    ratio_to_bare: Option<f64>,
    ratio_to_grouped: Option<f64>,
    p50_ms: f64,
    p99_ms: f64,
    processor_us_per_return: f64,
    /// Processor time of the whole machine: with the database and the load.
    machine_us_per_return: f64,
}

impl Benchmark for Returns {
    type Results = ReturnResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<ReturnResults> {
        let most = self.connections.iter().copied().max().unwrap_or(1);
        let (bare, grouped) = if self.without_limit {
            (None, None)
        } else {
            let bare = limit::measure_best(run, 1).await?;
            (Some(bare), Some(limit::measure_best(run, most).await?))
        };
        let mut returns = Vec::new();
        for &connections in &self.connections {
            let mut measured = measure_connections(run, connections).await?;
            let ratio_to = |limit: &Option<BareReturns>| {
                limit.as_ref().map(|it| measured.returns_per_second / it.returns_per_second)
            };
            (measured.ratio_to_bare, measured.ratio_to_grouped) =
                (ratio_to(&bare), ratio_to(&grouped));
            returns.push(measured);
        }
        let store = run.engine.name();
        Ok(ReturnResults { store, bare, grouped, returns })
    }

    fn describe(all: &[ReturnResults]) -> String {
        format_results(all)
    }
}

async fn measure_connections(run: Run<'_>, connections: usize) -> anyhow::Result<ReturnRate> {
    let Run { engine, options, .. } = run;
    let binary = run.binary()?;
    let text = format!("{}: returns over {connections} connections", engine.name());
    let progress = start_step(&text);
    let storage = Storage::new(engine, options.keep).await?;
    let credentials = add_patient_merchant(binary, &storage)?;
    let orders = u64::from(RETURNS_PER_SECOND_MAX * (options.warm_up_seconds + options.seconds));
    let rows = Rows::new(DIFFERENT_ORDERS, options.seed, &Numbers::default());
    write_rows(&storage, vec![rows], Until::Number(orders)).await?;
    let server = Server::start(binary, &storage).await?;
    let token = server.token(&credentials).await?;
    let load = Load { server: &server, token: &token, orders };
    let measured = load.measure(connections, options).await?;
    let rate = thousands(measured.returns_per_second);
    progress.done(&format!("{text}: {rate} returns/s"));
    Ok(measured)
}

/// Adds the merchant, with a very long return window and an external carrier.
pub(crate) fn add_patient_merchant(
    binary: &Path,
    storage: &Storage,
) -> anyhow::Result<Credentials> {
    let credentials = add_merchant(binary, storage)?;
    run_command(binary, storage, &["merchant", "set", MERCHANT, "--carrier", "external"])?;
    let policy = storage.directory().join("policy.json");
    std::fs::write(&policy, r#"{"window_days":3650}"#)?;
    run_command(binary, storage, &["policy", "set", MERCHANT, &policy.to_string_lossy()])?;
    Ok(credentials)
}

struct Load<'a> {
    server: &'a Server,
    token: &'a str,
    orders: u64,
}

impl Load<'_> {
    async fn measure(&self, connections: usize, options: &Options) -> anyhow::Result<ReturnRate> {
        let numbers = Numbers::default();
        let mut open = Vec::with_capacity(connections);
        for _ in 0..connections {
            open.push(Connection::open(&self.server.address).await?);
        }
        let pid = self.server.pid();
        let used_before_s = processor_seconds(pid)?;
        let machine = MachineTime::start()?;
        let window = Window::from_now(options);
        let shoppers =
            open.iter_mut().map(|connection| self.start_returns(connection, &numbers, window));
        let mut waits: Vec<Duration> =
            try_join_all(shoppers).await?.into_iter().flatten().collect();
        let used_s = processor_seconds(pid)? - used_before_s;
        let started = usize::try_from(numbers.next())?;
        let machine_us_per_return = machine.us_per(started)?;
        waits.sort_unstable();
        Ok(ReturnRate {
            connections,
            returns_per_second: number(waits.len()) / f64::from(options.seconds),
            ratio_to_bare: None,
            ratio_to_grouped: None,
            p50_ms: percentile_ms(&waits, 50)?,
            p99_ms: percentile_ms(&waits, 99)?,
            processor_us_per_return: used_s * 1e6 / number(started),
            machine_us_per_return,
        })
    }

    /// Starts one return after another. Returns the latency of each in the measured time.
    async fn start_returns(
        &self,
        connection: &mut Connection,
        numbers: &Numbers,
        window: Window,
    ) -> anyhow::Result<Vec<Duration>> {
        let mut waits = Vec::new();
        loop {
            let sent = Instant::now();
            if sent >= window.end {
                return Ok(waits);
            }
            let request = self.build_request(numbers.take(1))?;
            connection.exchange(request.as_bytes()).await?;
            let received = Instant::now();
            if window.contains(received) {
                waits.push(received - sent);
            }
        }
    }

    /// The request to return a unit of the order with this number.
    fn build_request(&self, order: u64) -> anyhow::Result<String> {
        if order >= self.orders {
            bail!("all {} orders were returned", self.orders);
        }
        Ok(start_request(self.server, self.token, order, &own_email(order)))
    }
}

/// The request to return a unit of an order, of a shopper with this email address.
pub(crate) fn start_request(server: &Server, token: &str, order: u64, email: &str) -> String {
    let body = format!(
        "{{\"email\":\"{email}\",\"return_method\":\"mail-back\",\"items\":[{{\
         \"order_identifier\":\"ORD-{order:010}\",\
         \"order_line_item_identifier\":\"ORD-{order:010}-1\",\
         \"quantity\":1,\"return_reason\":\"too_small\",\"resolution\":\"refund\"}}]}}"
    );
    let more = format!("authorization: Bearer {token}\r\n");
    let head = post_head(&server.address, "/returns", &more, body.len());
    format!("{head}{body}")
}

fn format_results(all: &[ReturnResults]) -> String {
    let heading = [
        "store",
        "connections",
        "returns/s",
        "bare/s",
        "ratio",
        "grouped/s",
        "ratio",
        "p50 ms",
        "p99 ms",
        "cpu us/return",
        "all us/return",
        "bare us/return",
        "grouped us/return",
    ];
    let ratio = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |it| format!("{it:.2}"));
    let rate = |limit: &Option<BareReturns>| {
        limit.as_ref().map_or("-".to_owned(), |it| thousands(it.returns_per_second))
    };
    let time = |limit: &Option<BareReturns>| {
        limit.as_ref().map_or("-".to_owned(), |it| format!("{:.0}", it.machine_us_per_return))
    };
    let row = |results: &ReturnResults, measured: &ReturnRate| {
        [
            results.store.to_owned(),
            measured.connections.to_string(),
            thousands(measured.returns_per_second),
            rate(&results.bare),
            ratio(measured.ratio_to_bare),
            rate(&results.grouped),
            ratio(measured.ratio_to_grouped),
            format!("{:.1}", measured.p50_ms),
            format!("{:.1}", measured.p99_ms),
            format!("{:.0}", measured.processor_us_per_return),
            format!("{:.0}", measured.machine_us_per_return),
            time(&results.bare),
            time(&results.grouped),
        ]
    };
    let rows: Vec<_> =
        all.iter().flat_map(|results| results.returns.iter().map(|it| row(results, it))).collect();
    format_table(heading, &rows)
}
