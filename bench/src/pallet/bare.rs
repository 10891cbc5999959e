//! What the disk bears: as many rows as a step stores, written by a loop that does nothing else.

use std::{path::Path, time::Instant};

use rusqlite::Connection;

use crate::{
    Options,
    limit::sqlite::write_while,
    place::{Engine, Place},
    report::number,
};

/// How much a step writes for each unit, about, and for how many units in one transaction.
struct Shape {
    rows: usize,
    bytes: usize,
    units_per_commit: usize,
}

/// Units a second.
pub(super) struct Rates {
    pub(super) announced: f64,
    pub(super) received: f64,
    pub(super) shipped: f64,
}

/// The rates of a bare loop on SQLite, for all units in one transaction where the product does so.
pub(super) async fn rates(units: usize, options: &Options) -> anyhow::Result<Rates> {
    let place = Place::new(&Engine::Sqlite, options.keep).await?;
    let path = place.directory().join("bare.db");
    let all = tokio::task::spawn_blocking(move || {
        let rate = |shape: &Shape| rate(&path, units, shape);
        // A line of the ASN.
        let announced = rate(&Shape { rows: 1, bytes: 400, units_per_commit: units })?;
        // The unit, its message, and the message's delivery.
        let received = rate(&Shape { rows: 3, bytes: 700, units_per_commit: 1 })?;
        // What happened to the unit, and its part of a message.
        let shipped = rate(&Shape { rows: 2, bytes: 200, units_per_commit: units })?;
        anyhow::Ok(Rates { announced, received, shipped })
    });
    all.await?
}

/// Units a second, of as many as are written within a few seconds.
fn rate(path: &Path, units: usize, shape: &Shape) -> anyhow::Result<f64> {
    let most = if shape.units_per_commit == 1 { units.min(5_000) } else { units };
    let body = "x".repeat(shape.bytes);
    Connection::open(path)?.pragma_update(None, "journal_mode", "WAL")?;
    let mut written = 0;
    let begun = Instant::now();
    write_while(path, |connection| {
        if written == 0 {
            connection.execute_batch(
                "DROP TABLE IF EXISTS bare;
                 CREATE TABLE bare (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
            )?;
        }
        let last = most.min(written + shape.units_per_commit);
        write(connection, written * shape.rows..last * shape.rows, &body)?;
        written = last;
        Ok(written < most)
    })?;
    Ok(number(most) / begun.elapsed().as_secs_f64())
}

fn write(
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
