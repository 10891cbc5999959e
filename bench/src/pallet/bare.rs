//! What the database can do: the rows of a step, written by a loop that does nothing else, in as
//! many commits as the product needs.

use std::{path::Path, time::Instant};

use rusqlite::Connection;

use crate::{
    benchmark::Run,
    limit::{postgres::SESSION, sqlite::write_while},
    process::MachineTime,
    report::number,
    storage::{Engine, Storage, connect},
};

/// Units that the product receives in one commit.
const RECEIVED_PER_COMMIT: usize = 250;
/// Rows that one statement inserts on PostgreSQL.
const ROWS_AT_ONCE: usize = 1_000;

/// How much a step writes per unit, approximately, and how many units per transaction.
#[derive(Clone, Copy)]
struct StepShape {
    rows: usize,
    bytes: usize,
    units_per_commit: usize,
}

/// The rate of a bare loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct BareRate {
    pub(super) units_per_second: f64,
    /// Processor time of the whole machine.
    pub(super) machine_us_per_unit: f64,
}

pub(super) struct Rates {
    pub(super) announced: BareRate,
    pub(super) received: BareRate,
    pub(super) shipped: BareRate,
}

/// Measures a bare loop, with all units in one transaction if the product does so.
pub(super) async fn measure_rates(run: Run<'_>, units: usize) -> anyhow::Result<Rates> {
    let rate = |shape| measure_rate(run, units, shape);
    Ok(Rates {
        // One line of the ASN.
        announced: rate(StepShape { rows: 1, bytes: 400, units_per_commit: units }).await?,
        // The unit, its line, its message, and the message's delivery.
        received: rate(StepShape { rows: 4, bytes: 600, units_per_commit: RECEIVED_PER_COMMIT })
            .await?,
        // The event of the unit, and its part of a message.
        shipped: rate(StepShape { rows: 2, bytes: 200, units_per_commit: units }).await?,
    })
}

async fn measure_rate(run: Run<'_>, units: usize, shape: StepShape) -> anyhow::Result<BareRate> {
    let storage = Storage::new(run.engine, run.options.keep).await?;
    let machine = MachineTime::start()?;
    let started = Instant::now();
    match run.engine {
        Engine::Sqlite => {
            let path = storage.directory().join("bare.db");
            let writing = move || write_to_sqlite(&path, units, shape);
            tokio::task::spawn_blocking(writing).await??;
        }
        Engine::Postgres(_) | Engine::Citus(_) => {
            write_to_postgres(storage.store(), units, shape).await?;
        }
    }
    Ok(BareRate {
        units_per_second: number(units) / started.elapsed().as_secs_f64(),
        machine_us_per_unit: machine.us_per(units)?,
    })
}

fn write_to_sqlite(path: &Path, units: usize, shape: StepShape) -> anyhow::Result<()> {
    let body = "x".repeat(shape.bytes);
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.execute_batch(
        "CREATE TABLE bare (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
    )?;
    let mut written = 0;
    write_while(path, |connection| {
        let last = units.min(written + shape.units_per_commit);
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut statement = connection.prepare_cached("INSERT INTO bare VALUES (?1, ?2)")?;
        for row in written * shape.rows..last * shape.rows {
            statement.execute((row_name(row), &body))?;
        }
        connection.execute_batch("COMMIT")?;
        written = last;
        Ok(written < units)
    })
}

async fn write_to_postgres(url: &str, units: usize, shape: StepShape) -> anyhow::Result<()> {
    let client = connect(url).await?;
    client.batch_execute(SESSION).await?;
    let table = "CREATE TABLE bare (name TEXT COLLATE \"C\" PRIMARY KEY, body TEXT NOT NULL)";
    client.batch_execute(table).await?;
    let sql = "INSERT INTO bare SELECT r.name, $2 FROM unnest($1::text[]) AS r(name)";
    let insert = client.prepare(sql).await?;
    let body = "x".repeat(shape.bytes);
    let mut written = 0;
    while written < units {
        let last = units.min(written + shape.units_per_commit);
        client.batch_execute("BEGIN").await?;
        let rows: Vec<String> = (written * shape.rows..last * shape.rows).map(row_name).collect();
        for some in rows.chunks(ROWS_AT_ONCE) {
            client.execute(&insert, &[&some, &body]).await?;
        }
        client.batch_execute("COMMIT").await?;
        written = last;
    }
    Ok(())
}

fn row_name(row: usize) -> String {
    format!("LP-{row:08}")
}
