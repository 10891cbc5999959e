//! `bench pages`: the latency of pages, with few and with many orders stored.
//!
//! One server accepts ten thousand orders, then all the others, each with its own shopper. After
//! each step every page is requested repeatedly over one connection, each time with another order
//! if it shows one. The health check of the same server is measured too: the difference is the cost
//! of the page.
//!
//! Some hundred returns are started first. Nothing listens at the address of their messages, so
//! that the failure queue has something to show.

mod visit;

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde::Serialize;

use self::visit::{Page, Visitor};
use crate::{
    benchmark::{Benchmark, Run},
    growth::{format_count, settle},
    http::Connection,
    load::{Target, fill, percentile_ms},
    options::Options,
    orders::drafts::Numbers,
    orders::own_email,
    report::{format_table, start_step},
    returns::{add_patient_merchant, start_request},
    server::{MERCHANT, Server, add_operator, run_command},
    storage::Storage,
    window::Window,
};

const FEW: u64 = 10_000;
const RETURNS: u64 = 300;
const OPERATOR: &str = "bench";
/// Nothing listens at this port.
const DEAD_URL: &str = "http://127.0.0.1:9/rmas";
/// Shoppers have different addresses, and messages fail all attempts at once.
const SETTINGS: [&str; 8] = [
    "--trusted-proxies",
    "127.0.0.1",
    "--allow-network",
    "*@127.0.0.0/8:*",
    "--retry-base-ms",
    "1",
    "--retry-factor",
    "1",
];

#[derive(Debug, clap::Args)]
pub(crate) struct Pages {
    /// Orders that are stored at the end
    #[arg(long, default_value_t = 1_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(FEW..))]
    orders: u64,
}

#[derive(Serialize)]
pub(crate) struct PageResults {
    store: &'static str,
    few: u64,
    many: u64,
    returns: u64,
    pages: Vec<ComparedPage>,
}

#[derive(Serialize)]
struct ComparedPage {
    page: &'static str,
    with_few: Times,
    with_many: Times,
    /// The second p50 divided by the first.
    p50_growth: f64,
    p99_growth: f64,
}

#[derive(Clone, Copy, Serialize)]
struct Times {
    answers: usize,
    p50_ms: f64,
    p99_ms: f64,
}

impl Benchmark for Pages {
    type Results = PageResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<PageResults> {
        measure_engine(run, self.orders).await
    }

    fn describe(all: &[PageResults]) -> String {
        format_results(all)
    }
}

async fn measure_engine(run: Run<'_>, orders: u64) -> anyhow::Result<PageResults> {
    let Run { engine, options, .. } = run;
    let binary = run.binary()?;
    let storage = Storage::new(engine, options.keep).await?;
    let credentials = add_patient_merchant(binary, &storage)?;
    let password = add_operator(binary, &storage, OPERATOR)?;
    let server = Server::start_with(binary, &storage, &SETTINGS).await?;
    run_command(binary, &storage, &["endpoint", "set", MERCHANT, "rma", "--url", DEAD_URL])?;
    let token = server.token(&credentials).await?;
    let tokens = [token];
    let target = Target { server: &server, storage: &storage, tokens: &tokens };
    let numbers = Numbers::default();
    let mut visitor = Visitor::log_in(&server, OPERATOR, &password).await?;

    store_orders(&target, &numbers, FEW, options).await?;
    start_returns(&target).await?;
    visitor.wait_for_failures(RETURNS).await?;
    let few = numbers.next();
    let with_few = measure_all(&mut visitor, few, options).await?;
    store_orders(&target, &numbers, orders, options).await?;
    let many = numbers.next();
    let with_many = measure_all(&mut visitor, many, options).await?;

    let mut pages = Vec::new();
    for ((page, with_few), with_many) in Page::ALL.into_iter().zip(with_few).zip(with_many) {
        pages.push(ComparedPage {
            page: page.name(),
            with_few,
            with_many,
            p50_growth: with_many.p50_ms / with_few.p50_ms,
            p99_growth: with_many.p99_ms / with_few.p99_ms,
        });
    }
    Ok(PageResults { store: engine.name(), few, many, returns: RETURNS, pages })
}

/// Publishes orders until there are `last`.
async fn store_orders(
    target: &Target<'_>,
    numbers: &Numbers,
    last: u64,
    options: &Options,
) -> anyhow::Result<()> {
    let _progress = start_step(&format!("storing {} orders", format_count(last)));
    fill(target, numbers, last, options.seed).await?;
    settle(target.storage).await
}

async fn start_returns(target: &Target<'_>) -> anyhow::Result<()> {
    let _progress = start_step(&format!("starting {RETURNS} returns"));
    let mut connection = Connection::open(&target.server.address).await?;
    let token = target.tokens.first().context("there is no token")?;
    for order in 0..RETURNS {
        let request = start_request(target.server, token, order, &own_email(order));
        connection.exchange(request.as_bytes()).await?;
    }
    Ok(())
}

/// In the order of [`Page::ALL`].
async fn measure_all(
    visitor: &mut Visitor<'_>,
    stored: u64,
    options: &Options,
) -> anyhow::Result<Vec<Times>> {
    visitor.log_in_shoppers(stored).await?;
    let mut all = Vec::new();
    for page in Page::ALL {
        let text = format!("{} orders: {}", format_count(stored), page.name());
        let progress = start_step(&text);
        let times = measure(visitor, page, options).await?;
        progress.done(&format!("{text}: p50 {:.2} ms, p99 {:.2} ms", times.p50_ms, times.p99_ms));
        all.push(times);
    }
    Ok(all)
}

async fn measure(
    visitor: &mut Visitor<'_>,
    page: Page,
    options: &Options,
) -> anyhow::Result<Times> {
    let mut connection = Connection::open(visitor.address()).await?;
    let mut waits: Vec<Duration> = Vec::new();
    let window = Window::from_now(options);
    loop {
        let request = visitor.request(page);
        let sent = Instant::now();
        if sent >= window.end {
            break;
        }
        let response = connection.send(request.as_bytes()).await?;
        let received = Instant::now();
        if response.status != page.status() {
            bail!("{}: {}", page.name(), response.describe());
        }
        if window.contains(received) {
            waits.push(received - sent);
        }
    }
    waits.sort_unstable();
    let (p50_ms, p99_ms) = (percentile_ms(&waits, 50)?, percentile_ms(&waits, 99)?);
    Ok(Times { answers: waits.len(), p50_ms, p99_ms })
}

fn format_results(all: &[PageResults]) -> String {
    let heading = [
        "store", "page", "orders", "p50 ms", "p99 ms", "orders", "p50 ms", "p99 ms", "p50 x",
        "p99 x",
    ];
    let row = |results: &PageResults, it: &ComparedPage| {
        [
            results.store.to_owned(),
            it.page.to_owned(),
            format_count(results.few),
            format!("{:.2}", it.with_few.p50_ms),
            format!("{:.2}", it.with_few.p99_ms),
            format_count(results.many),
            format!("{:.2}", it.with_many.p50_ms),
            format!("{:.2}", it.with_many.p99_ms),
            format!("{:.2}", it.p50_growth),
            format!("{:.2}", it.p99_growth),
        ]
    };
    let rows: Vec<_> =
        all.iter().flat_map(|results| results.pages.iter().map(|it| row(results, it))).collect();
    format_table(heading, &rows)
}
