//! Connections that only read, while the writer writes.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Instant,
};

use bytes::Bytes;
use rusqlite::{Connection, types::ValueRef};
use tokio::sync::Semaphore;

use super::{Statements, bind, connect, lock};
use crate::{
    StoreMetrics,
    core::{
        error::EngineError,
        value::{Kind, Row, Value},
    },
};

const READERS_MAX: usize = 4;
/// Small, because each commit of the writer empties it; the operating system caches the pages as
/// well.
const CACHE_KIB: i64 = 4 * 1024;

pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
    statements: Statements,
    metrics: StoreMetrics,
}

impl Readers {
    pub(super) fn new(path: &Path, metrics: &StoreMetrics) -> Self {
        Self {
            metrics: metrics.clone(),
            path: path.to_owned(),
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(READERS_MAX)),
            statements: Statements::default(),
        }
    }

    pub(super) async fn query(
        self: &Arc<Self>,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, EngineError> {
        let started = Instant::now();
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| EngineError::Closed)?;
        self.metrics.record_wait(started.elapsed());
        let readers = Arc::clone(self);
        let reading = tokio::task::spawn_blocking(move || {
            let found = readers.query_now(sql, &rows);
            // Held until the end, even if the caller has gone away.
            drop(permit);
            found
        });
        reading.await.map_err(|_| EngineError::Closed)?
    }

    pub(super) fn clear(&self) {
        lock(&self.idle).clear();
    }

    fn query_now(&self, sql: &'static str, rows: &[Vec<Value>]) -> Result<Vec<Row>, EngineError> {
        let idle = lock(&self.idle).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        let found = self.run(&connection, sql, rows);
        // In a transaction that could not be ended it would never see anything new.
        if connection.is_autocommit() {
            lock(&self.idle).push(connection);
        }
        found
    }

    fn connect(&self) -> Result<Connection, EngineError> {
        let connection = connect(&self.path)?;
        connection.pragma_update(None, "query_only", 1)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        Ok(connection)
    }

    fn run(
        &self,
        connection: &Connection,
        sql: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<Vec<Row>, EngineError> {
        // One statement sees one moment by itself; several need a transaction around them.
        if rows.len() <= 1 {
            return self.run_each(connection, sql, rows);
        }
        connection.prepare_cached("BEGIN")?.execute([])?;
        let found = self.run_each(connection, sql, rows);
        let ended = connection.prepare_cached("COMMIT")?.execute([]);
        let found = found?;
        ended?;
        Ok(found)
    }

    fn run_each(
        &self,
        connection: &Connection,
        sql: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<Vec<Row>, EngineError> {
        let mut found = Vec::new();
        let mut statement = self.statements.prepare(connection, sql)?;
        let mut previous_row: &[Value] = &[];
        for row in rows {
            bind(&mut statement, row, previous_row)?;
            previous_row = row;
            collect(&mut statement, &mut found)?;
        }
        Ok(found)
    }
}

/// Runs a bound statement and adds its rows to `found`.
pub(super) fn collect(
    statement: &mut rusqlite::CachedStatement<'_>,
    found: &mut Vec<Row>,
) -> Result<(), EngineError> {
    let columns = statement.column_count();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let cells: Result<_, _> =
            (0..columns).map(|column| row.get_ref(column).map(read_cell)).collect();
        found.push(Row(cells?));
    }
    Ok(())
}

fn read_cell(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null(Kind::Text),
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Text(text) => Value::Text(read_text(text)),
        ValueRef::Blob(bytes) => Value::Bytes(Bytes::copy_from_slice(bytes)),
        // No column of the schema has floating-point numbers.
        ValueRef::Real(_) => Value::Null(Kind::Int),
    }
}

/// The check comes first because it is several times as fast as looking for what must be replaced.
fn read_text(text: &[u8]) -> String {
    match str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(text).into_owned(),
    }
}
