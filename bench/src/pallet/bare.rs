//! What the disk can do: the rows of a step, written by a loop that does nothing else.

use std::{path::Path, time::Instant};

use rusqlite::Connection;

use crate::{
    limit::sqlite::write_while,
    options::Options,
    report::number,
    storage::{Engine, Storage},
};

/// How much a step writes per unit, approximately, and how many units per transaction.
struct StepShape {
    rows: usize,
    bytes: usize,
    units_per_commit: usize,
}

/// Units per second.
pub(super) struct Rates {
    pub(super) announced: f64,
    pub(super) received: f64,
    pub(super) shipped: f64,
}

/// Measures a bare loop on SQLite, with all units in one transaction if the product does so.
pub(super) async fn measure_rates(units: usize, options: &Options) -> anyhow::Result<Rates> {
    let storage = Storage::new(&Engine::Sqlite, options.keep).await?;
    let path = storage.directory().join("bare.db");
    let all = tokio::task::spawn_blocking(move || {
        let rate = |shape: &StepShape| measure_rate(&path, units, shape);
        // One line of the ASN.
        let announced = rate(&StepShape { rows: 1, bytes: 400, units_per_commit: units })?;
        // The unit, its message, and the message's delivery.
        let received = rate(&StepShape { rows: 3, bytes: 700, units_per_commit: 1 })?;
        // The event of the unit, and its part of a message.
        let shipped = rate(&StepShape { rows: 2, bytes: 200, units_per_commit: units })?;
        anyhow::Ok(Rates { announced, received, shipped })
    });
    all.await?
}

/// Measures the units per second, for as many as can be written in a few seconds.
fn measure_rate(path: &Path, units: usize, shape: &StepShape) -> anyhow::Result<f64> {
    let most = if shape.units_per_commit == 1 { units.min(5_000) } else { units };
    let body = "x".repeat(shape.bytes);
    Connection::open(path)?.pragma_update(None, "journal_mode", "WAL")?;
    let mut written = 0;
    let started = Instant::now();
    write_while(path, |connection| {
        if written == 0 {
            connection.execute_batch(
                "DROP TABLE IF EXISTS bare;
                 CREATE TABLE bare (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
            )?;
        }
        let last = most.min(written + shape.units_per_commit);
        write_rows(connection, written * shape.rows..last * shape.rows, &body)?;
        written = last;
        Ok(written < most)
    })?;
    Ok(number(most) / started.elapsed().as_secs_f64())
}

fn write_rows(
    connection: &Connection,
    rows: std::ops::Range<usize>,
    body: &str,
) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let mut statement = connection.prepare_cached("INSERT INTO bare VALUES (?1, ?2)")?;
    for row in rows {
        statement.execute((format!("LP-{row:08}"), body))?;
    }
    connection.execute_batch("COMMIT")
}
