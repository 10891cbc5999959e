//! Connections that only read, beside the writer.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use rusqlite::{Connection, types::ValueRef};
use tokio::sync::Semaphore;

use super::{Statements, bind, connect, lock};
use crate::core::{
    error::EngineError,
    value::{Kind, Row, Value},
};

const READERS_MAX: usize = 4;
/// Each commit of the writer makes a reader forget what it has cached, and the system has it all the same.
const CACHE_KIB: i64 = 4 * 1024;

pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
    statements: Statements,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            idle: Mutex::default(),
            permits: Semaphore::new(READERS_MAX),
            statements: Statements::default(),
        }
    }

    pub(super) async fn answer(
        self: &Arc<Self>,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, EngineError> {
        let _permit = self.permits.acquire().await.map_err(|_| EngineError::Closed)?;
        let readers = Arc::clone(self);
        tokio::task::spawn_blocking(move || readers.answer_now(sql, &rows))
            .await
            .map_err(|_| EngineError::Closed)?
    }

    pub(super) fn clear(&self) {
        lock(&self.idle).clear();
    }

    fn answer_now(&self, sql: &'static str, rows: &[Vec<Value>]) -> Result<Vec<Row>, EngineError> {
        let idle = lock(&self.idle).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        let answer = self.ask(&connection, sql, rows);
        lock(&self.idle).push(connection);
        answer
    }

    fn connect(&self) -> Result<Connection, EngineError> {
        let connection = connect(&self.path)?;
        connection.pragma_update(None, "query_only", 1)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        Ok(connection)
    }

    fn ask(
        &self,
        connection: &Connection,
        sql: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<Vec<Row>, EngineError> {
        // What one statement finds is of one moment by itself; several need a transaction around them.
        let moment = if rows.len() > 1 { Some(connection.unchecked_transaction()?) } else { None };
        let mut found = Vec::new();
        {
            let mut statement = self.statements.prepared(connection, sql)?;
            for row in rows {
                bind(&mut statement, row)?;
                collect(&mut statement, &mut found)?;
            }
        }
        if let Some(moment) = moment {
            moment.commit()?;
        }
        Ok(found)
    }
}

/// Runs a bound statement and adds the rows it gives to `found`.
pub(super) fn collect(
    statement: &mut rusqlite::CachedStatement<'_>,
    found: &mut Vec<Row>,
) -> Result<(), EngineError> {
    let columns = statement.column_count();
    let mut answers = statement.raw_query();
    while let Some(answer) = answers.next()? {
        let cells: Result<_, _> =
            (0..columns).map(|column| answer.get_ref(column).map(read)).collect();
        found.push(Row(cells?));
    }
    Ok(())
}

fn read(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null(Kind::Text),
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(Bytes::copy_from_slice(bytes)),
        // No column of the schema holds floating-point numbers.
        ValueRef::Real(_) => Value::Null(Kind::Int),
    }
}
