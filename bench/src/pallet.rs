//! `bench pallet`: a pallet of very many units, from its announcement to the last message about it.
//!
//! One ASN announces the units, the warehouse receives them a thousand in a request, and one shipment takes them away
//! in as many messages as it needs; every message is acknowledged by a sink in this process. Beside each step
//! stands what a bare loop writes on the same disk: as many rows of the size that the step stores, in
//! transactions of the same number of units. The memory is the most that the server held up to the end of the step.

mod bare;
mod documents;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::bail;
use serde::Serialize;

use self::documents::{announcement, receipts, shipment};
use crate::{
    Options,
    delivery::Sink,
    http::{Connection, head},
    place::{Engine, Place},
    process::memory_peak_mib,
    report::{number, print, step, table, thousands},
    server::{MERCHANT, Server, add_merchant, add_warehouse, run},
};

/// Units that one request tells of as received.
const RECEIPTS_PER_REQUEST: usize = 1_000;
/// Units that one message tells of as gone.
const UNITS_PER_MESSAGE: usize = 500;
const LOOK_EVERY: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Debug, clap::Args)]
pub(crate) struct Pallet {
    /// How many units the pallet has
    #[arg(long, default_value_t = 100_000)]
    units: usize,
}

#[derive(Serialize)]
struct Results {
    store: &'static str,
    units: usize,
    steps: Vec<Measured>,
}

#[derive(Clone, Debug, Serialize)]
struct Measured {
    step: &'static str,
    seconds: f64,
    units_per_second: f64,
    /// What a bare loop writes; nothing where a step writes nothing of its own.
    bare_per_second: Option<f64>,
    memory_peak_mib: f64,
}

impl Pallet {
    pub(crate) async fn run(
        self,
        engines: &[Engine],
        binary: &Path,
        options: &Options,
    ) -> anyhow::Result<()> {
        let mut all = Vec::new();
        for engine in engines {
            let steps = one(engine, binary, self.units, options).await?;
            all.push(Results { store: engine.name(), units: self.units, steps });
        }
        print(&all, &words(&all), options.json)
    }
}

async fn one(
    engine: &Engine,
    binary: &Path,
    units: usize,
    options: &Options,
) -> anyhow::Result<Vec<Measured>> {
    let words = format!("{}: a pallet of {units} units", engine.name());
    let progress = step(&words);
    let bare = bare::rates(units, options).await?;
    let place = Place::new(engine, options.keep).await?;
    let merchant = add_merchant(binary, &place)?;
    let warehouse = add_warehouse(binary, &place)?;
    let sink = Sink::start()?;
    let loopback = ["--allow-network", "127.0.0.0/8"];
    let server = Server::start_with(binary, &place, &loopback).await?;
    let url = format!("http://{}", sink.address);
    run(binary, &place, &["endpoint", "set", MERCHANT, "--url", &url])?;
    let mut floor = Floor {
        connection: Connection::open(&server.address).await?,
        merchant: server.token(&merchant).await?,
        warehouse: server.token(&warehouse).await?,
        server: &server,
        sink: &sink,
        units,
        steps: Vec::new(),
    };
    floor.announce(bare.announced).await?;
    floor.receive(bare.received).await?;
    floor.ship(bare.shipped).await?;
    progress.done(&words);
    Ok(floor.steps)
}

/// The warehouse at work.
struct Floor<'a> {
    connection: Connection,
    merchant: String,
    warehouse: String,
    server: &'a Server,
    sink: &'a Sink,
    units: usize,
    steps: Vec<Measured>,
}

impl Floor<'_> {
    async fn announce(&mut self, bare_per_second: f64) -> anyhow::Result<()> {
        let body = announcement(self.units);
        let begun = Instant::now();
        let token = self.merchant.clone();
        self.post("/asns", &token, &body).await?;
        self.note("announced", begun, Some(bare_per_second))
    }

    async fn receive(&mut self, bare_per_second: f64) -> anyhow::Result<()> {
        let begun = Instant::now();
        let token = self.warehouse.clone();
        for first in (0..self.units).step_by(RECEIPTS_PER_REQUEST) {
            let last = self.units.min(first + RECEIPTS_PER_REQUEST);
            self.post("/receipts", &token, &receipts(first..last)).await?;
        }
        self.note("received", begun, Some(bare_per_second))?;
        self.told(self.units).await?;
        self.note("receipts acknowledged", begun, None)
    }

    async fn ship(&mut self, bare_per_second: f64) -> anyhow::Result<()> {
        let body = shipment(self.units, UNITS_PER_MESSAGE);
        // The other was idle for as long as the receipts took, and may be closed.
        self.connection = Connection::open(&self.server.address).await?;
        let begun = Instant::now();
        let path = format!("/shipments?merchant={MERCHANT}");
        let token = self.warehouse.clone();
        self.post(&path, &token, &body).await?;
        self.note("shipped", begun, Some(bare_per_second))?;
        self.told(self.units + self.units.div_ceil(UNITS_PER_MESSAGE)).await?;
        self.note("shipment acknowledged", begun, None)
    }

    async fn post(&mut self, path: &str, token: &str, body: &str) -> anyhow::Result<()> {
        let more = format!("authorization: Bearer {token}\r\n");
        let head = head(&self.server.address, path, &more, body.len());
        let answer = self.connection.exchange(format!("{head}{body}").as_bytes()).await?;
        if answer.body.windows(EXCEPTION.len()).any(|bytes| bytes == EXCEPTION) {
            bail!("a unit did not fit: {}", String::from_utf8_lossy(answer.body));
        }
        Ok(())
    }

    /// Waits until the sink has so many messages.
    async fn told(&self, messages: usize) -> anyhow::Result<()> {
        let begun = Instant::now();
        while self.sink.received() < u64::try_from(messages)? {
            if begun.elapsed() > PATIENCE {
                bail!("{} of {messages} messages arrived", self.sink.received());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    fn note(
        &mut self,
        step: &'static str,
        begun: Instant,
        bare: Option<f64>,
    ) -> anyhow::Result<()> {
        let seconds = begun.elapsed().as_secs_f64();
        self.steps.push(Measured {
            step,
            seconds,
            units_per_second: number(self.units) / seconds,
            bare_per_second: bare,
            memory_peak_mib: memory_peak_mib(self.server.pid())?,
        });
        Ok(())
    }
}

/// Stands in the answer to a receipt that did not fit.
const EXCEPTION: &[u8] = b"\"exception\"";

fn words(all: &[Results]) -> String {
    let heading = ["store", "units", "step", "seconds", "units/s", "bare/s", "ratio", "peak MiB"];
    let row = |results: &Results, it: &Measured| {
        let ratio = it.bare_per_second.map(|bare| format!("{:.2}", it.units_per_second / bare));
        [
            results.store.to_owned(),
            results.units.to_string(),
            it.step.to_owned(),
            format!("{:.1}", it.seconds),
            thousands(it.units_per_second),
            it.bare_per_second.map(thousands).unwrap_or_default(),
            ratio.unwrap_or_default(),
            format!("{:.0}", it.memory_peak_mib),
        ]
    };
    let rows: Vec<_> =
        all.iter().flat_map(|results| results.steps.iter().map(|it| row(results, it))).collect();
    table(heading, &rows)
}
