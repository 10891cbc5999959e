//! The bare limit: how many of the product's rows a loop without the product can make durable.
//!
//! The schema is the product's own (created by its `migrate`), and so are the columns, their values
//! and the durability of commits. Only orders are written as they were sent, because the product
//! compresses them. Everything else is absent: no network, no validation, no hash to compute, no
//! check for existing rows. This crate is the only one besides the store that contains SQL, because
//! here SQL is what is measured.
//!
//! The loop is as much like the load as it can be. On PostgreSQL, it has as many connections, and a
//! transaction has the orders of one message. SQLite has one writer: at best, one commit has the
//! messages of all connections, because each of them waits for its response.

pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::time::Instant;

use serde::Serialize;

use crate::{
    benchmark::Run,
    load::{Shape, UPDATED_ONE_IN},
    orders::drafts::Numbers,
    orders::merchants::merchant_name,
    orders::{Generator, Row},
    process::MachineTime,
    report::{number, start_step, thousands},
    server,
    storage::{Engine, Storage},
    window::{Until, Window},
};

/// The most rows of a commit of the store.
const ROWS_PER_COMMIT_MAX: usize = 5_000;

/// How a bare loop writes, and how fast that is.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Limit {
    pub(crate) rows_per_second: f64,
    pub(crate) rows_per_commit: usize,
    pub(crate) connections: usize,
    /// Processor time of the whole machine per row, with the database.
    pub(crate) machine_us_per_row: f64,
}

/// The rows of a bare loop, created before it starts and reused with new numbers.
pub(crate) struct Rows {
    batch: Vec<Row>,
    numbers: Numbers,
    until: Until,
    merchants: usize,
    /// How many orders in sequence are of one merchant.
    orders_per_message: usize,
    commits: usize,
    is_update: bool,
    counted: usize,
    written: usize,
}

/// What a commit writes.
pub(crate) enum Write<'a> {
    Insert(&'a [Row]),
    /// The rows of the commit before, each with a refund and a ledger.
    Update(&'a [Row]),
}

impl Rows {
    /// Of one merchant, without updates.
    pub(crate) fn new(rows_per_commit: usize, seed: u64, numbers: &Numbers) -> Self {
        let mut generator = Generator::new(seed);
        let batch = (0..rows_per_commit).map(|_| generator.row()).collect();
        Self {
            batch,
            numbers: numbers.clone(),
            until: Until::Number(0),
            merchants: 1,
            orders_per_message: rows_per_commit,
            commits: 0,
            is_update: false,
            counted: 0,
            written: 0,
        }
    }

    /// The same rows, of so many merchants in turn.
    pub(crate) fn of(self, merchants: usize, orders_per_message: usize) -> Self {
        Self { merchants, orders_per_message, ..self }
    }

    /// What the next commit writes. None when the loop must stop.
    pub(crate) fn next(&mut self) -> Option<Write<'_>> {
        if let Until::EndOf(window) = self.until
            && Instant::now() >= window.end
        {
            return None;
        }
        let is_due = self.commits % UPDATED_ONE_IN == UPDATED_ONE_IN - 1;
        if is_due && !self.is_update && matches!(self.until, Until::EndOf(_)) {
            self.is_update = true;
            return Some(Write::Update(&self.batch));
        }
        self.is_update = false;
        self.commits += 1;
        let first = self.numbers.take(self.batch.len());
        if let Until::Number(last) = self.until {
            let left = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX);
            self.batch.truncate(left);
        }
        for (number, row) in (first..).zip(&mut self.batch) {
            row.set_number(number);
            let message = usize::try_from(number).unwrap_or(0) / self.orders_per_message;
            row.merchant = merchant_name(message % self.merchants, self.merchants);
            if let Until::Number(_) = self.until {
                row.compress();
            }
        }
        (!self.batch.is_empty()).then_some(Write::Insert(&self.batch))
    }

    /// Counts the last rows, which are durable now.
    pub(crate) fn count_committed(&mut self) {
        self.written += self.batch.len();
        match self.until {
            Until::EndOf(window) if !window.contains(Instant::now()) => (),
            Until::EndOf(_) | Until::Number(_) => self.counted += self.batch.len(),
        }
    }

    pub(crate) fn written(&self) -> Written {
        Written { counted: self.counted, all: self.written }
    }
}

/// How many rows were written in the measured time, and in all.
#[derive(Clone, Copy, Default)]
pub(crate) struct Written {
    pub(crate) counted: usize,
    pub(crate) all: usize,
}

impl Written {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { counted: self.counted + other.counted, all: self.all + other.all }
    }
}

/// Measures the rate of a bare loop that writes like a load of this shape, of so many merchants.
pub(crate) async fn measure(run: Run<'_>, shape: Shape, merchants: usize) -> anyhow::Result<Limit> {
    let Run { engine, options, .. } = run;
    let Shape { orders_per_message, connections } = shape;
    let (rows_per_commit, connections) = match engine {
        Engine::Postgres(_) | Engine::Citus(_) => (orders_per_message, connections),
        Engine::Sqlite => ((orders_per_message * connections).min(ROWS_PER_COMMIT_MAX), 1),
    };
    let text = format!(
        "{}: bare loop, {rows_per_commit} row(s) per commit over {connections} connection(s)",
        engine.name()
    );
    let progress = start_step(&text);
    let storage = Storage::new(engine, options.keep).await?;
    server::migrate(run.binary()?, &storage)?;
    let numbers = Numbers::default();
    let rows = (options.seed..).take(connections);
    let rows = rows
        .map(|seed| Rows::new(rows_per_commit, seed, &numbers).of(merchants, orders_per_message));
    let rows = rows.collect();
    let machine = MachineTime::start()?;
    let written = write_rows(&storage, rows, Until::EndOf(Window::from_now(options))).await?;
    let machine_us_per_row = machine.us_per(written.all)?;
    let rows_per_second = number(written.counted) / f64::from(options.seconds);
    let rate = thousands(rows_per_second);
    progress.done(&format!(
        "{text}: {rate} rows/s, {machine_us_per_row:.1} us of processor time per row"
    ));
    Ok(Limit { rows_per_second, rows_per_commit, connections, machine_us_per_row })
}

/// Writes rows to `storage`, over one connection for each of `rows`.
pub(crate) async fn write_rows(
    storage: &Storage,
    mut rows: Vec<Rows>,
    until: Until,
) -> anyhow::Result<Written> {
    for rows in &mut rows {
        rows.until = until;
    }
    if storage.store() == "sqlite" {
        sqlite::write(storage.sqlite_file(), rows).await
    } else {
        postgres::write(storage.store(), rows).await
    }
}
