//! `bench pallet`: a pallet of very many units, from its announcement to the last message about it.
//!
//! One ASN announces the units, the warehouse receives a thousand of them per request, and one
//! shipment ships them in as many messages as it needs. A sink in this process acknowledges every
//! message. Each step is compared with what a bare loop writes to the same database: the same
//! number of rows of the same size, in transactions of the same number of units. The memory is the
//! server's peak up to the end of the step.

mod bare;
mod documents;

use std::time::{Duration, Instant};

use anyhow::bail;
use serde::Serialize;

use self::bare::BareRate;
use self::documents::{build_announcement, build_receipts, build_shipment};
use crate::{
    benchmark::{Benchmark, Run},
    delivery::Sink,
    http::{Connection, post_head},
    process::{MachineTime, memory_peak_mib},
    report::{format_table, number, start_step, thousands},
    server::{MERCHANT, Server, add_merchant, add_warehouse, run_command},
    storage::Storage,
};

/// Received units in one request.
const RECEIPTS_PER_REQUEST: usize = 1_000;
/// Shipped units in one message.
const UNITS_PER_MESSAGE: usize = 500;
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const DELIVERY_TIME_MAX: Duration = Duration::from_secs(600);

#[derive(Debug, clap::Args)]
pub(crate) struct Pallet {
    /// Units of the pallet
    #[arg(long, default_value_t = 100_000)]
    units: usize,
}

#[derive(Serialize)]
pub(crate) struct PalletResults {
    store: &'static str,
    units: usize,
    steps: Vec<PalletStep>,
}

#[derive(Clone, Debug, Serialize)]
struct PalletStep {
    step: &'static str,
    seconds: f64,
    units_per_second: f64,
    /// The rate of a bare loop. None if the step writes nothing itself.
    bare_per_second: Option<f64>,
    /// Processor time of the whole machine per unit: with the database and the sink.
    machine_us_per_unit: f64,
    /// The same of a bare loop.
    bare_us_per_unit: Option<f64>,
    memory_peak_mib: f64,
}

impl Benchmark for Pallet {
    type Results = PalletResults;

    async fn measure(&self, run: Run<'_>) -> anyhow::Result<PalletResults> {
        let steps = measure_steps(run, self.units).await?;
        Ok(PalletResults { store: run.engine.name(), units: self.units, steps })
    }

    fn describe(all: &[PalletResults]) -> String {
        format_results(all)
    }
}

async fn measure_steps(run: Run<'_>, units: usize) -> anyhow::Result<Vec<PalletStep>> {
    let Run { engine, options, .. } = run;
    let binary = run.binary()?;
    let text = format!("{}: a pallet of {units} units", engine.name());
    let progress = start_step(&text);
    let bare = bare::measure_rates(run, units).await?;
    let storage = Storage::new(engine, options.keep).await?;
    let merchant = add_merchant(binary, &storage)?;
    let warehouse_client = add_warehouse(binary, &storage)?;
    let sink = Sink::start()?;
    let loopback = ["--allow-network", "*@127.0.0.0/8:*"];
    let server = Server::start_with(binary, &storage, &loopback).await?;
    let url = format!("http://{}", sink.address);
    run_command(binary, &storage, &["endpoint", "set", MERCHANT, "--url", &url])?;
    let mut warehouse = WarehouseRun {
        connection: Connection::open(&server.address).await?,
        merchant: server.token(&merchant).await?,
        warehouse: server.token(&warehouse_client).await?,
        server: &server,
        sink: &sink,
        units,
        steps: Vec::new(),
    };
    warehouse.announce(bare.announced).await?;
    warehouse.receive(bare.received).await?;
    warehouse.ship(bare.shipped).await?;
    progress.done(&text);
    Ok(warehouse.steps)
}

/// The steps of one pallet.
struct WarehouseRun<'a> {
    connection: Connection,
    merchant: String,
    warehouse: String,
    server: &'a Server,
    sink: &'a Sink,
    units: usize,
    steps: Vec<PalletStep>,
}

impl WarehouseRun<'_> {
    async fn announce(&mut self, bare: BareRate) -> anyhow::Result<()> {
        let body = build_announcement(self.units);
        let started = StepClock::start()?;
        let token = self.merchant.clone();
        self.post("/asns", &token, &body).await?;
        self.record("announced", &started, Some(bare))
    }

    async fn receive(&mut self, bare: BareRate) -> anyhow::Result<()> {
        let started = StepClock::start()?;
        let token = self.warehouse.clone();
        for first in (0..self.units).step_by(RECEIPTS_PER_REQUEST) {
            let last = self.units.min(first + RECEIPTS_PER_REQUEST);
            self.post("/receipts", &token, &build_receipts(first..last)).await?;
        }
        self.record("received", &started, Some(bare))?;
        self.wait_for_messages(self.units).await?;
        self.record("receipts acknowledged", &started, None)
    }

    async fn ship(&mut self, bare: BareRate) -> anyhow::Result<()> {
        let body = build_shipment(self.units, UNITS_PER_MESSAGE);
        // The old connection was idle while the receipts were delivered, and may be closed.
        self.connection = Connection::open(&self.server.address).await?;
        let started = StepClock::start()?;
        let path = format!("/shipments?merchant={MERCHANT}");
        let token = self.warehouse.clone();
        self.post(&path, &token, &body).await?;
        self.record("shipped", &started, Some(bare))?;
        self.wait_for_messages(self.units + self.units.div_ceil(UNITS_PER_MESSAGE)).await?;
        self.record("shipment acknowledged", &started, None)
    }

    async fn post(&mut self, path: &str, token: &str, body: &str) -> anyhow::Result<()> {
        let more = format!("authorization: Bearer {token}\r\n");
        let head = post_head(&self.server.address, path, &more, body.len());
        let response = self.connection.exchange(format!("{head}{body}").as_bytes()).await?;
        if response.body.windows(EXCEPTION.len()).any(|bytes| bytes == EXCEPTION) {
            bail!("a unit was an exception: {}", String::from_utf8_lossy(response.body));
        }
        Ok(())
    }

    /// Waits until the sink has received this number of messages.
    async fn wait_for_messages(&self, messages: usize) -> anyhow::Result<()> {
        let started = Instant::now();
        while self.sink.received() < u64::try_from(messages)? {
            if started.elapsed() > DELIVERY_TIME_MAX {
                bail!("{} of {messages} messages arrived", self.sink.received());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    fn record(
        &mut self,
        step: &'static str,
        clock: &StepClock,
        bare: Option<BareRate>,
    ) -> anyhow::Result<()> {
        let seconds = clock.started.elapsed().as_secs_f64();
        self.steps.push(PalletStep {
            step,
            seconds,
            units_per_second: number(self.units) / seconds,
            bare_per_second: bare.map(|it| it.units_per_second),
            machine_us_per_unit: clock.machine.us_per(self.units)?,
            bare_us_per_unit: bare.map(|it| it.machine_us_per_unit),
            memory_peak_mib: memory_peak_mib(self.server.pid())?,
        });
        Ok(())
    }
}

/// When a step started, and the processor time until then.
struct StepClock {
    started: Instant,
    machine: MachineTime,
}

impl StepClock {
    fn start() -> anyhow::Result<Self> {
        Ok(Self { started: Instant::now(), machine: MachineTime::start()? })
    }
}

/// In the response to a receipt that does not match.
const EXCEPTION: &[u8] = b"\"exception\"";

fn format_results(all: &[PalletResults]) -> String {
    let heading = [
        "store",
        "units",
        "step",
        "seconds",
        "units/s",
        "bare/s",
        "ratio",
        "all us/unit",
        "bare us/unit",
        "peak MiB",
    ];
    let row = |results: &PalletResults, it: &PalletStep| {
        let ratio = it.bare_per_second.map(|bare| format!("{:.2}", it.units_per_second / bare));
        [
            results.store.to_owned(),
            results.units.to_string(),
            it.step.to_owned(),
            format!("{:.1}", it.seconds),
            thousands(it.units_per_second),
            it.bare_per_second.map(thousands).unwrap_or_default(),
            ratio.unwrap_or_default(),
            format!("{:.0}", it.machine_us_per_unit),
            it.bare_us_per_unit.map(|us| format!("{us:.0}")).unwrap_or_default(),
            format!("{:.0}", it.memory_peak_mib),
        ]
    };
    let rows: Vec<_> =
        all.iter().flat_map(|results| results.steps.iter().map(|it| row(results, it))).collect();
    format_table(heading, &rows)
}
