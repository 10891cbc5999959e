//! The seam between the two engines. It lies under the SQL: everything above
//! this folder is written once and does not know which engine runs.
//!
//! An engine can do five things: commit a [`Transaction`], answer a question,
//! answer the same question for many rows, run schema text, and be copied to a
//! file. The dialect both share needs three translations, all made here:
//! placeholders, `ROWS(..)`, and the words BYTES, CLUSTERED and TEXT in schema text.

mod dialect;
mod group;
mod postgres;
mod sqlite;

use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use crate::{
    StoreMetrics,
    core::{
        error::EngineError,
        transaction::Transaction,
        value::{Row, Value},
    },
    messages::outbox::PendingMessage,
};

use postgres::Postgres;
use sqlite::Sqlite;

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file; the process that uses it holds the lock of its directory.
    Sqlite(PathBuf),
    /// A connection address; many processes may use it.
    Postgres(String),
}

#[derive(Clone)]
pub(crate) enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Engine {
    pub(crate) async fn open(
        location: &Location,
        metrics: &StoreMetrics,
    ) -> Result<Self, EngineError> {
        match location {
            Location::Sqlite(path) => Ok(Self::Sqlite(Sqlite::open(path, metrics)?)),
            Location::Postgres(url) => Ok(Self::Postgres(Postgres::open(url, metrics).await?)),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }

    /// Commits, and returns the messages that it enqueued.
    pub(crate) async fn commit(
        &self,
        transaction: Transaction,
    ) -> Result<Vec<PendingMessage>, EngineError> {
        match self {
            Self::Sqlite(engine) => engine.commit(transaction).await,
            Self::Postgres(engine) => engine.commit(transaction).await,
        }
    }

    pub(crate) async fn query(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, EngineError> {
        match self {
            Self::Sqlite(engine) => engine.query_each(sql, vec![values]).await,
            Self::Postgres(engine) => engine.query(sql, values).await,
        }
    }

    /// Answers a question whose text says `ROWS(..)`, for all `rows` together.
    pub(crate) async fn query_each(
        &self,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, EngineError> {
        match self {
            _ if rows.is_empty() => Ok(Vec::new()),
            Self::Sqlite(engine) => engine.query_each(sql, rows).await,
            Self::Postgres(engine) => engine.query_each(sql, rows).await,
        }
    }

    /// Runs schema text when `version` is the one before it, in one transaction.
    pub(crate) async fn migrate(&self, text: &str, to_version: i64) -> Result<(), EngineError> {
        match self {
            Self::Sqlite(engine) => engine.migrate(text, to_version).await,
            Self::Postgres(engine) => engine.migrate(text, to_version).await,
        }
    }

    /// The number of the newest migration that was applied; 0 for an empty database.
    pub(crate) async fn schema_version(&self) -> Result<i64, EngineError> {
        match self {
            Self::Sqlite(engine) => engine.schema_version().await,
            Self::Postgres(engine) => engine.schema_version().await,
        }
    }

    /// The time of a database that others may use too; None when this process has it alone.
    pub(crate) async fn shared_clock_us(&self) -> Result<Option<i64>, EngineError> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(engine) => engine.clock_us().await.map(Some),
        }
    }

    pub(crate) async fn notify(&self, text: &str) -> Result<(), EngineError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(engine) => engine.notify(text).await,
        }
    }

    pub(crate) async fn listen(&self) -> Result<mpsc::Receiver<String>, EngineError> {
        match self {
            Self::Sqlite(_) => Ok(mpsc::channel(1).1),
            Self::Postgres(engine) => engine.listen().await,
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(engine) => engine.close().await,
            Self::Postgres(engine) => engine.close(),
        }
    }
}

/// Copies everything at `location`, as of one moment, into a new SQLite file, while others write.
pub(crate) async fn copy(
    location: &Location,
    to: &Path,
    schema: &[&str],
) -> Result<(), EngineError> {
    match location {
        Location::Sqlite(from) => {
            let (from, to) = (from.clone(), to.to_owned());
            let copied = tokio::task::spawn_blocking(move || sqlite::copy_file(&from, &to));
            copied.await.map_err(|_| EngineError::Closed)?
        }
        Location::Postgres(url) => postgres::copy_into(url, sqlite::new_file(to, schema)?).await,
    }
}
