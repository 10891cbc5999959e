//! `bench pages`: how long the pages that people look at take, with few and with many orders stored.
//!
//! One server takes in ten thousand orders, then all the others, each of a shopper of its own. After each
//! step every page is asked for again and again over one connection, every time with another order where
//! it has one. Beside the pages stands a bare answer of the same server: what is above it is the page.
//!
//! Some hundred returns are started first. Their messages go where nobody listens, so that the failure
//! queue has something to show.

mod visit;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::bail;
use serde::Serialize;

use self::visit::{Page, Visitor};
use crate::{
    Options,
    growth::{settle, thousands_of},
    http::Connection,
    load::{Target, Window, fill, milliseconds},
    orders::{Numbers, own_email},
    place::{Engine, Place},
    report::{print, step, table},
    returns::{add_patient_merchant, start_request},
    server::{MERCHANT, Server, add_operator, run},
};

const FEW: u64 = 10_000;
const RETURNS: u64 = 300;
const OPERATOR: &str = "bench";
/// A port that nothing listens at.
const NOBODY: &str = "http://127.0.0.1:9/rmas";
/// Shoppers come from different addresses, and messages are given up at once.
const SETTINGS: [&str; 8] = [
    "--trusted-proxy-hops",
    "1",
    "--allow-network",
    "127.0.0.0/8",
    "--retry-base-ms",
    "1",
    "--retry-factor",
    "1",
];

#[derive(Debug, clap::Args)]
pub(crate) struct Pages {
    /// Orders that are stored in the end
    #[arg(long, default_value_t = 1_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(FEW..))]
    orders: u64,
}

#[derive(Serialize)]
struct Results {
    store: &'static str,
    few: u64,
    many: u64,
    returns: u64,
    pages: Vec<Compared>,
}

#[derive(Serialize)]
struct Compared {
    page: &'static str,
    with_few: Times,
    with_many: Times,
    /// How many times longer half of the answers take at most.
    p50_growth: f64,
    p99_growth: f64,
}

#[derive(Clone, Copy, Serialize)]
struct Times {
    answers: usize,
    p50_ms: f64,
    p99_ms: f64,
}

impl Pages {
    pub(crate) async fn run(
        self,
        engines: &[Engine],
        binary: &Path,
        options: &Options,
    ) -> anyhow::Result<()> {
        let mut all = Vec::new();
        for engine in engines {
            all.push(one(engine, binary, self.orders, options).await?);
        }
        print(&all, &words(&all), options.json)
    }
}

async fn one(
    engine: &Engine,
    binary: &Path,
    orders: u64,
    options: &Options,
) -> anyhow::Result<Results> {
    let place = Place::new(engine, options.keep).await?;
    let credentials = add_patient_merchant(binary, &place)?;
    let password = add_operator(binary, &place, OPERATOR)?;
    let server = Server::start_with(binary, &place, &SETTINGS).await?;
    run(binary, &place, &["endpoint", "set", MERCHANT, "rma", "--url", NOBODY])?;
    let token = server.token(&credentials).await?;
    let target = Target { server: &server, place: &place, token: &token };
    let numbers = Numbers::default();
    let mut visitor = Visitor::log_in(&server, OPERATOR, &password).await?;

    store(&target, &numbers, FEW, options).await?;
    start_returns(&target).await?;
    visitor.wait_for_failures(RETURNS).await?;
    let few = numbers.next();
    let with_few = measure_all(&mut visitor, few, options).await?;
    store(&target, &numbers, orders, options).await?;
    let many = numbers.next();
    let with_many = measure_all(&mut visitor, many, options).await?;

    let compared = |((page, with_few), with_many): ((Page, Times), Times)| Compared {
        page: page.name(),
        with_few,
        with_many,
        p50_growth: with_many.p50_ms / with_few.p50_ms,
        p99_growth: with_many.p99_ms / with_few.p99_ms,
    };
    let pages = Page::ALL.into_iter().zip(with_few).zip(with_many).map(compared).collect();
    Ok(Results { store: engine.name(), few, many, returns: RETURNS, pages })
}

/// Has the server take in orders until there are `last`.
async fn store(
    target: &Target<'_>,
    numbers: &Numbers,
    last: u64,
    options: &Options,
) -> anyhow::Result<()> {
    let _progress = step(&format!("storing {} orders", thousands_of(last)));
    fill(target, numbers, last, options.seed).await?;
    settle(target.place).await
}

async fn start_returns(target: &Target<'_>) -> anyhow::Result<()> {
    let _progress = step(&format!("starting {RETURNS} returns"));
    let mut connection = Connection::open(&target.server.address).await?;
    for order in 0..RETURNS {
        let request = start_request(target.server, target.token, order, &own_email(order));
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
    visitor.meet_shoppers(stored).await?;
    let mut all = Vec::new();
    for page in Page::ALL {
        let words = format!("{} orders: {}", thousands_of(stored), page.name());
        let progress = step(&words);
        let times = measure(visitor, page, options).await?;
        progress.done(&format!("{words}: p50 {:.2} ms, p99 {:.2} ms", times.p50_ms, times.p99_ms));
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
        let answer = connection.ask(request.as_bytes()).await?;
        let answered = Instant::now();
        if answer.status != page.status() {
            bail!("{}: {}", page.name(), answer.told());
        }
        if window.contains(answered) {
            waits.push(answered - sent);
        }
    }
    waits.sort_unstable();
    let (p50_ms, p99_ms) = (milliseconds(&waits, 50)?, milliseconds(&waits, 99)?);
    Ok(Times { answers: waits.len(), p50_ms, p99_ms })
}

fn words(all: &[Results]) -> String {
    let heading = [
        "store", "page", "orders", "p50 ms", "p99 ms", "orders", "p50 ms", "p99 ms", "p50 x",
        "p99 x",
    ];
    let row = |results: &Results, it: &Compared| {
        [
            results.store.to_owned(),
            it.page.to_owned(),
            thousands_of(results.few),
            format!("{:.2}", it.with_few.p50_ms),
            format!("{:.2}", it.with_few.p99_ms),
            thousands_of(results.many),
            format!("{:.2}", it.with_many.p50_ms),
            format!("{:.2}", it.with_many.p99_ms),
            format!("{:.2}", it.p50_growth),
            format!("{:.2}", it.p99_growth),
        ]
    };
    let rows: Vec<_> =
        all.iter().flat_map(|results| results.pages.iter().map(|it| row(results, it))).collect();
    table(heading, &rows)
}
