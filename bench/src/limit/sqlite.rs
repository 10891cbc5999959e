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

use super::Rows;
use crate::{orders::Row, server::MERCHANT};

const CACHE_KIB: i64 = 16 * 1024;
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);
const LOG_PAGES_MAX: i64 = 65_536;

/// Writes each of `rows` in turn to the database at `path`. There is only one writer.
pub(super) async fn write(path: PathBuf, rows: Vec<Rows>) -> anyhow::Result<usize> {
    let writing = tokio::task::spawn_blocking(move || {
        let mut counted = 0;
        for rows in rows {
            counted += write_now(&path, rows)?;
        }
        Ok(counted)
    });
    writing.await?
}

fn write_now(path: &Path, mut rows: Rows) -> anyhow::Result<usize> {
    write_while(path, |connection| {
        let Some(batch) = rows.next() else { return Ok(false) };
        insert(connection, batch)?;
        rows.count_committed();
        Ok(true)
    })?;
    Ok(rows.counted())
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
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO orders (merchant_id, order_id, version, created_us, updated_us, received_us,
             status, shopper_hash, secondary_id, hash, body)
         VALUES (?1, ?2, 1, ?3, ?3, ?3, 'Shipped', ?6, '', ?4, ?5)",
    )?;
    for row in rows {
        let (hash, shopper) = (&row.hash, row.shopper_hash());
        let values = params![MERCHANT, row.order_id, row.updated_us, hash, row.body(), shopper];
        statement.execute(values)?;
    }
    connection.execute_batch("COMMIT")
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
