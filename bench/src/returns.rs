//! `bench returns`: returns a second that the server starts, beside what a bare transaction with the
//! same rows can do.
//!
//! Every return is of another order. The orders are put there by the bare loop of the intake; the
//! merchant's carrier is external and it has no endpoint, so that nothing but the returns
//! themselves is measured: their ledger, the return, the wish for a label, and the message
//! that is owed with its number and its delivery.

mod limit;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use futures_util::future::try_join_all;
use serde::Serialize;
use serde_json::Value;

use crate::{
    Options,
    http::{Connection, head},
    limit::{Rows, Until, write},
    load::{Window, milliseconds},
    orders::{Generator, Numbers},
    place::{Engine, Place},
    process::processor_seconds,
    report::{number, print, step, table, thousands},
    server::{Credentials, MERCHANT, Server, add_merchant, run},
};

/// More returns a second than are to be expected; there is an order for each.
const RETURNS_PER_SECOND_MAX: u32 = 8_000;
/// The orders repeat after so many, but for their numbers.
const DIFFERENT_ORDERS: usize = 1_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Returns {
    /// Connections that start returns, one measurement for each number
    #[arg(long, value_delimiter = ',', default_values_t = [16, 64])]
    connections: Vec<usize>,
}

#[derive(Serialize)]
struct Results {
    store: &'static str,
    /// One return in each transaction, on as many connections as suit the engine.
    bare_per_second: f64,
    /// As many returns in each transaction as there are connections at most.
    grouped_per_second: f64,
    returns: Vec<Measured>,
}

#[derive(Clone, Debug, Serialize)]
struct Measured {
    connections: usize,
    returns_per_second: f64,
    ratio_to_bare: f64,
    ratio_to_grouped: f64,
    p50_ms: f64,
    p99_ms: f64,
    processor_us_per_return: f64,
}

impl Returns {
    pub(crate) async fn run(
        self,
        engines: &[Engine],
        binary: &Path,
        options: &Options,
    ) -> anyhow::Result<()> {
        let mut all = Vec::new();
        for engine in engines {
            let bare_per_second = limit::best(engine, binary, 1, options).await?;
            let most = self.connections.iter().copied().max().unwrap_or(1);
            let grouped_per_second = limit::best(engine, binary, most, options).await?;
            let mut returns = Vec::new();
            for &connections in &self.connections {
                let mut measured = one(engine, binary, connections, options).await?;
                measured.ratio_to_bare = measured.returns_per_second / bare_per_second;
                measured.ratio_to_grouped = measured.returns_per_second / grouped_per_second;
                returns.push(measured);
            }
            all.push(Results {
                store: engine.name(),
                bare_per_second,
                grouped_per_second,
                returns,
            });
        }
        print(&all, &words(&all), options.json)
    }
}

async fn one(
    engine: &Engine,
    binary: &Path,
    connections: usize,
    options: &Options,
) -> anyhow::Result<Measured> {
    let words = format!("{}: returns over {connections} connections", engine.name());
    let progress = step(&words);
    let place = Place::new(engine, options.keep).await?;
    let credentials = add_patient_merchant(binary, &place)?;
    let orders = u64::from(RETURNS_PER_SECOND_MAX * (options.warm_up_seconds + options.seconds));
    let rows = Rows::new(DIFFERENT_ORDERS, options.seed, &Numbers::default());
    write(&place, vec![rows], Until::Number(orders)).await?;
    let server = Server::start(binary, &place).await?;
    let token = server.token(&credentials).await?;
    let emails = emails(options.seed)?;
    let load = Load { server: &server, token: &token, emails: &emails, orders };
    let measured = load.measure(connections, options).await?;
    let rate = thousands(measured.returns_per_second);
    progress.done(&format!("{words}: {rate} returns/s"));
    Ok(measured)
}

/// The merchant, who takes back what it sold long ago and has a carrier that nobody has to ask.
pub(crate) fn add_patient_merchant(binary: &Path, place: &Place) -> anyhow::Result<Credentials> {
    let credentials = add_merchant(binary, place)?;
    run(binary, place, &["merchant", "set", MERCHANT, "--carrier", "external"])?;
    let policy = place.directory().join("policy.json");
    std::fs::write(&policy, r#"{"window_days":3650}"#)?;
    run(binary, place, &["policy", "set", MERCHANT, &policy.to_string_lossy()])?;
    Ok(credentials)
}

/// Whose the orders are, in the order of their numbers, over and over.
fn emails(seed: u64) -> anyhow::Result<Vec<String>> {
    let mut generator = Generator::new(seed);
    let email = |_| {
        let order: Value = serde_json::from_slice(generator.row().body())?;
        let email = order.pointer("/customer/email").and_then(Value::as_str);
        Ok(email.context("an order without an e-mail")?.to_owned())
    };
    (0..DIFFERENT_ORDERS).map(email).collect()
}

struct Load<'a> {
    server: &'a Server,
    token: &'a str,
    emails: &'a [String],
    orders: u64,
}

impl Load<'_> {
    async fn measure(&self, connections: usize, options: &Options) -> anyhow::Result<Measured> {
        let numbers = Numbers::default();
        let mut open = Vec::with_capacity(connections);
        for _ in 0..connections {
            open.push(Connection::open(&self.server.address).await?);
        }
        let pid = self.server.pid();
        let used_before_s = processor_seconds(pid)?;
        let window = Window::from_now(options);
        let shoppers = open.iter_mut().map(|connection| self.shop(connection, &numbers, window));
        let mut waits: Vec<Duration> =
            try_join_all(shoppers).await?.into_iter().flatten().collect();
        let used_s = processor_seconds(pid)? - used_before_s;
        waits.sort_unstable();
        Ok(Measured {
            connections,
            returns_per_second: number(waits.len()) / f64::from(options.seconds),
            ratio_to_bare: 0.0,
            ratio_to_grouped: 0.0,
            p50_ms: milliseconds(&waits, 50)?,
            p99_ms: milliseconds(&waits, 99)?,
            processor_us_per_return: used_s * 1e6 / number(usize::try_from(numbers.next())?),
        })
    }

    /// Starts one return after the other; how long each of the measured time took.
    async fn shop(
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
            let request = self.request(numbers.take(1))?;
            connection.exchange(request.as_bytes()).await?;
            let answered = Instant::now();
            if window.contains(answered) {
                waits.push(answered - sent);
            }
        }
    }

    /// The request to return a unit of the order with this number.
    fn request(&self, order: u64) -> anyhow::Result<String> {
        if order >= self.orders {
            bail!("there are only {} orders to return", self.orders);
        }
        let place = usize::try_from(order)? % DIFFERENT_ORDERS;
        let email = self.emails.get(place).context("an order without an e-mail")?;
        Ok(start_request(self.server, self.token, order, email))
    }
}

/// The request to return a unit of an order, whose shopper has this e-mail address.
pub(crate) fn start_request(server: &Server, token: &str, order: u64, email: &str) -> String {
    let body = format!(
        "{{\"email\":\"{email}\",\"return_method\":\"mail-back\",\"items\":[{{\
         \"order_identifier\":\"ORD-{order:010}\",\
         \"order_line_item_identifier\":\"ORD-{order:010}-1\",\
         \"quantity\":1,\"return_reason\":\"too_small\",\"resolution\":\"refund\"}}]}}"
    );
    let more = format!("authorization: Bearer {token}\r\n");
    let head = head(&server.address, "/returns", &more, body.len());
    format!("{head}{body}")
}

fn words(all: &[Results]) -> String {
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
    ];
    let row = |results: &Results, measured: &Measured| {
        [
            results.store.to_owned(),
            measured.connections.to_string(),
            thousands(measured.returns_per_second),
            thousands(results.bare_per_second),
            format!("{:.2}", measured.ratio_to_bare),
            thousands(results.grouped_per_second),
            format!("{:.2}", measured.ratio_to_grouped),
            format!("{:.1}", measured.p50_ms),
            format!("{:.1}", measured.p99_ms),
            format!("{:.0}", measured.processor_us_per_return),
        ]
    };
    let rows: Vec<_> =
        all.iter().flat_map(|results| results.returns.iter().map(|it| row(results, it))).collect();
    table(heading, &rows)
}
