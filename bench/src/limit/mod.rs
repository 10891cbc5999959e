//! The bare limit: how many of the product's rows a loop without a product around it can make durable.
//!
//! The schema is the product's own (made by its `migrate`), and so are the columns, the sizes of
//! their values and the promise that what was committed survives a crash. Everything else is absent:
//! no network, no validation, no hash to compute, no look for what is already there. This crate
//! is the one place besides the store that has SQL in it, because here SQL is what is measured.

pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::{path::Path, time::Instant};

use serde::Serialize;

use crate::{
    Options,
    load::Window,
    orders::{Generator, Numbers, Row},
    place::{Engine, Place},
    process::processor_seconds,
    report::{number, step, thousands},
    server,
};

/// Batches that are tried.
const ROWS_PER_COMMIT: [usize; 3] = [100, 1_000, 5_000];
/// Connections that are tried where an engine can use more than one.
const CONNECTIONS: [usize; 3] = [1, 2, 4];

/// How a bare loop writes, and how fast that is.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Limit {
    pub(crate) rows_per_second: f64,
    pub(crate) rows_per_commit: usize,
    pub(crate) connections: usize,
    /// What the loop's process used for a row; on SQLite that is all there is.
    pub(crate) processor_us_per_row: f64,
}

impl Limit {
    /// A way to write whose speed is not known yet.
    fn of(rows_per_commit: usize, connections: usize) -> Self {
        Self { rows_per_second: 0.0, rows_per_commit, connections, processor_us_per_row: 0.0 }
    }
}

/// When a bare loop stops.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// At the end of a measured time.
    EndOf(Window),
    /// When rows up to this number are stored.
    Number(u64),
}

/// The rows of a bare loop, made before it starts and used over and over with new numbers.
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

    /// The rows of the next commit, or nothing when it is time to stop.
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
            row.number(number);
        }
        (!self.batch.is_empty()).then_some(&self.batch)
    }

    /// Says that the rows last given out are durable.
    pub(crate) fn committed(&mut self) {
        match self.until {
            Until::EndOf(window) if !window.contains(Instant::now()) => (),
            Until::EndOf(_) | Until::Number(_) => self.counted += self.batch.len(),
        }
    }

    pub(crate) fn counted(&self) -> usize {
        self.counted
    }
}

/// The best that a bare loop reaches on `engine`.
pub(crate) async fn best(
    engine: &Engine,
    binary: &Path,
    options: &Options,
) -> anyhow::Result<Limit> {
    let mut best = Limit::of(0, 1);
    for rows_per_commit in ROWS_PER_COMMIT {
        let tried = Limit::of(rows_per_commit, 1);
        best = better(best, measure(engine, binary, tried, options).await?);
    }
    if let Engine::Postgres(_) = engine {
        for connections in CONNECTIONS.into_iter().skip(1) {
            let tried = Limit::of(best.rows_per_commit, connections);
            best = better(best, measure(engine, binary, tried, options).await?);
        }
    }
    Ok(best)
}

fn better(one: Limit, other: Limit) -> Limit {
    if other.rows_per_second > one.rows_per_second { other } else { one }
}

async fn measure(
    engine: &Engine,
    binary: &Path,
    tried: Limit,
    options: &Options,
) -> anyhow::Result<Limit> {
    let Limit { rows_per_commit, connections, .. } = tried;
    let words = format!("{}: bare loop, {rows_per_commit} rows per commit", engine.name());
    let progress = step(&words);
    let place = Place::new(engine, options.keep).await?;
    server::migrate(binary, &place)?;
    let numbers = Numbers::default();
    let seeds = (options.seed..).take(connections);
    let rows = seeds.map(|seed| Rows::new(rows_per_commit, seed, &numbers)).collect();
    let used_before_s = processor_seconds(std::process::id())?;
    let counted = write(&place, rows, Until::EndOf(Window::from_now(options))).await?;
    let used_s = processor_seconds(std::process::id())? - used_before_s;
    let processor_us_per_row = used_s * 1e6 / number(usize::try_from(numbers.next())?);
    let rows_per_second = number(counted) / f64::from(options.seconds);
    let rate = thousands(rows_per_second);
    progress.done(&format!(
        "{words} over {connections} connection(s): {rate} rows/s, {processor_us_per_row:.1} us of \
         processor time each"
    ));
    Ok(Limit { rows_per_second, processor_us_per_row, ..tried })
}

/// Writes rows to `place`, over one connection for each of `rows`, and tells how many counted.
pub(crate) async fn write(
    place: &Place,
    mut rows: Vec<Rows>,
    until: Until,
) -> anyhow::Result<usize> {
    for rows in &mut rows {
        rows.until = until;
    }
    if place.store() == "sqlite" {
        sqlite::write(place.sqlite_file(), rows).await
    } else {
        postgres::write(place.store(), rows).await
    }
}
