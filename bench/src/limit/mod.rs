//! The bare limit: how many of the product's rows a loop without the product can make durable.
//!
//! The schema is the product's own (created by its `migrate`), and so are the columns, the sizes of
//! their values and the durability of commits. Everything else is absent: no network, no
//! validation, no hash to compute, no check for existing rows. This crate is the only one besides
//! the store that contains SQL, because here SQL is what is measured.

pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::time::Instant;

use serde::Serialize;

use crate::{
    benchmark::Run,
    orders::{Generator, Numbers, Row},
    process::processor_seconds,
    report::{number, start_step, thousands},
    server,
    storage::{Engine, Storage},
    window::{Until, Window},
};

/// The sizes of batches to measure.
const ROWS_PER_COMMIT: [usize; 3] = [100, 1_000, 5_000];
/// The numbers of connections to measure, if the engine can use more than one.
const CONNECTIONS: [usize; 3] = [1, 2, 4];

/// How a bare loop writes, and how fast that is.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Limit {
    pub(crate) rows_per_second: f64,
    pub(crate) rows_per_commit: usize,
    pub(crate) connections: usize,
    /// Processor time of the loop's process per row. On SQLite that is everything.
    pub(crate) processor_us_per_row: f64,
}

impl Limit {
    /// A way to write that was not measured yet.
    fn unmeasured(rows_per_commit: usize, connections: usize) -> Self {
        Self { rows_per_second: 0.0, rows_per_commit, connections, processor_us_per_row: 0.0 }
    }
}

/// The rows of a bare loop, created before it starts and reused with new numbers.
pub(crate) struct Rows {
    batch: Vec<Row>,
    numbers: Numbers,
    until: Until,
    counted: usize,
}

impl Rows {
    pub(crate) fn new(rows_per_commit: usize, seed: u64, numbers: &Numbers) -> Self {
        let mut generator = Generator::new(seed);
        let batch = (0..rows_per_commit).map(|_| generator.row()).collect();
        Self { batch, numbers: numbers.clone(), until: Until::Number(0), counted: 0 }
    }

    /// The rows of the next commit. None when the loop must stop.
    pub(crate) fn next(&mut self) -> Option<&[Row]> {
        if let Until::EndOf(window) = self.until
            && Instant::now() >= window.end
        {
            return None;
        }
        let first = self.numbers.take(self.batch.len());
        if let Until::Number(last) = self.until {
            let left = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX);
            self.batch.truncate(left);
        }
        for (number, row) in (first..).zip(&mut self.batch) {
            row.set_number(number);
        }
        (!self.batch.is_empty()).then_some(&self.batch)
    }

    /// Counts the last rows, which are durable now.
    pub(crate) fn count_committed(&mut self) {
        match self.until {
            Until::EndOf(window) if !window.contains(Instant::now()) => (),
            Until::EndOf(_) | Until::Number(_) => self.counted += self.batch.len(),
        }
    }

    pub(crate) fn counted(&self) -> usize {
        self.counted
    }
}

/// Measures the best rate of a bare loop.
pub(crate) async fn measure_best(run: Run<'_>) -> anyhow::Result<Limit> {
    let mut best = Limit::unmeasured(0, 1);
    for rows_per_commit in ROWS_PER_COMMIT {
        let limit = Limit::unmeasured(rows_per_commit, 1);
        best = faster(best, measure(run, limit).await?);
    }
    if let Engine::Postgres(_) = run.engine {
        for connections in CONNECTIONS.into_iter().skip(1) {
            let limit = Limit::unmeasured(best.rows_per_commit, connections);
            best = faster(best, measure(run, limit).await?);
        }
    }
    Ok(best)
}

fn faster(one: Limit, other: Limit) -> Limit {
    if other.rows_per_second > one.rows_per_second { other } else { one }
}

async fn measure(run: Run<'_>, limit: Limit) -> anyhow::Result<Limit> {
    let Run { engine, options, .. } = run;
    let Limit { rows_per_commit, connections, .. } = limit;
    let text = format!("{}: bare loop, {rows_per_commit} rows per commit", engine.name());
    let progress = start_step(&text);
    let storage = Storage::new(engine, options.keep).await?;
    server::migrate(run.binary()?, &storage)?;
    let numbers = Numbers::default();
    let seeds = (options.seed..).take(connections);
    let rows = seeds.map(|seed| Rows::new(rows_per_commit, seed, &numbers)).collect();
    let used_before_s = processor_seconds(std::process::id())?;
    let counted = write_rows(&storage, rows, Until::EndOf(Window::from_now(options))).await?;
    let used_s = processor_seconds(std::process::id())? - used_before_s;
    let processor_us_per_row = used_s * 1e6 / number(usize::try_from(numbers.next())?);
    let rows_per_second = number(counted) / f64::from(options.seconds);
    let rate = thousands(rows_per_second);
    progress.done(&format!(
        "{text} over {connections} connection(s): {rate} rows/s, {processor_us_per_row:.1} us of \
         processor time per row"
    ));
    Ok(Limit { rows_per_second, processor_us_per_row, ..limit })
}

/// Writes rows to `storage`, over one connection for each of `rows`. Returns how many counted.
pub(crate) async fn write_rows(
    storage: &Storage,
    mut rows: Vec<Rows>,
    until: Until,
) -> anyhow::Result<usize> {
    for rows in &mut rows {
        rows.until = until;
    }
    if storage.store() == "sqlite" {
        sqlite::write(storage.sqlite_file(), rows).await
    } else {
        postgres::write(storage.store(), rows).await
    }
}
