//! The bare limit of SQLite: one connection, one prepared statement, one transaction after another.
//!
//! The settings are those of the store's writer. As there, a second thread checkpoints the log once
//! per second, or the writer does when the log is too long.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use rusqlite::{Connection, params};

use super::{Rows, Write, Written};
use crate::orders::{LEDGER_BODY, Row};

const CACHE_KIB: i64 = 16 * 1024;
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);
const LOG_PAGES_MAX: i64 = 65_536;

/// Writes each of `rows` in turn to the database at `path`. There is only one writer.
pub(super) async fn write(path: PathBuf, rows: Vec<Rows>) -> anyhow::Result<Written> {
    let writing = tokio::task::spawn_blocking(move || {
        let mut written = Written::default();
        for rows in rows {
            written = written.plus(write_now(&path, rows)?);
        }
        Ok(written)
    });
    writing.await?
}

fn write_now(path: &Path, mut rows: Rows) -> anyhow::Result<Written> {
    write_while(path, |connection| {
        let Some(write) = rows.next() else { return Ok(false) };
        connection.execute_batch("BEGIN IMMEDIATE")?;
        match write {
            Write::Insert(batch) => insert(connection, batch)?,
            Write::Update(batch) => update(connection, batch)?,
        }
        connection.execute_batch("COMMIT")?;
        rows.count_committed();
        Ok(true)
    })?;
    Ok(rows.written())
}

/// Calls `commit` until it returns false.
pub(crate) fn write_while(
    path: &Path,
    mut commit: impl FnMut(&Connection) -> anyhow::Result<bool>,
) -> anyhow::Result<()> {
    let (connection, beside) = (connect(path)?, connect(path)?);
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    let log_pages = Arc::new(AtomicI64::new(0));
    let (alive, writer_ended) = mpsc::channel();
    let pages = Arc::clone(&log_pages);
    let checkpointer = thread::spawn(move || checkpoint_regularly(&beside, &pages, &writer_ended));
    while commit(&connection)? {
        if log_pages.load(Ordering::Relaxed) > LOG_PAGES_MAX {
            log_pages.store(checkpoint(&connection, "RESTART")?, Ordering::Relaxed);
        }
    }
    drop::<mpsc::Sender<()>>(alive);
    checkpointer.join().map_err(|_| anyhow::anyhow!("the checkpoint thread panicked"))??;
    Ok(())
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

fn insert(connection: &Connection, rows: &[Row]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO orders (merchant_id, order_id, version, created_us, updated_us, received_us,
             status, shopper_hash, secondary_id, hash, body)
         VALUES (?1, ?2, 1, ?3, ?3, ?3, 'Shipped', ?6, '', ?4, ?5)",
    )?;
    for row in rows {
        let (hash, shopper) = (&row.hash, row.shopper_hash());
        let values = params![row.merchant, row.order_id, row.updated_us, hash, row.body(), shopper];
        statement.execute(values)?;
    }
    Ok(())
}

fn update(connection: &Connection, rows: &[Row]) -> rusqlite::Result<()> {
    let mut order = connection.prepare_cached(
        "UPDATE orders SET version = version + 1, updated_us = ?3, received_us = ?3, hash = ?4,
             body = ?5
         WHERE merchant_id = ?1 AND order_id = ?2",
    )?;
    let mut refund = connection.prepare_cached(
        "INSERT INTO refunds (merchant_id, refund_id, order_id, received_us, hash, body)
         VALUES (?1, ?2, ?2, ?3, ?4, ?5)",
    )?;
    let mut ledger = connection.prepare_cached(
        "INSERT INTO ledgers (merchant_id, order_id, version, body) VALUES (?1, ?2, 1, ?3)",
    )?;
    for row in rows {
        let (merchant, id, at, hash) = (&row.merchant, &row.order_id, row.updated_us, &row.hash);
        order.execute(params![merchant, id, at, hash, row.body()])?;
        refund.execute(params![merchant, id, at, hash, row.refund_body()])?;
        ledger.execute(params![merchant, id, LEDGER_BODY])?;
    }
    Ok(())
}

fn checkpoint_regularly(
    connection: &Connection,
    log_pages: &AtomicI64,
    writer_ended: &mpsc::Receiver<()>,
) -> rusqlite::Result<()> {
    let timeout = Err(mpsc::RecvTimeoutError::Timeout);
    while writer_ended.recv_timeout(CHECKPOINT_INTERVAL) == timeout {
        log_pages.store(checkpoint(connection, "PASSIVE")?, Ordering::Relaxed);
    }
    checkpoint(connection, "TRUNCATE").map(|_| ())
}

/// Checkpoints the log. Returns its number of pages.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get(1))
}
