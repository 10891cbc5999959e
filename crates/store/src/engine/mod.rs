//! The boundary between the two engines. It lies below the SQL: everything above this folder is
//! written once and does not know which engine runs.
//!
//! An engine can do five things: commit a [`Transaction`], run a query, run the same query for many
//! rows, run schema text, and be copied to a file. The shared dialect needs three translations, all
//! made here: placeholders, `ROWS(..)`, and the words BYTES, CLUSTERED, SPARSE and TEXT in schema
//! text.

mod dialect;
mod group;
mod postgres;
mod sqlite;

use std::path::{Path, PathBuf};

use futures_util::future::{self, BoxFuture};
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

/// Libraries that warn of every connection that is lost. The errors of the store say what failed
/// because of it.
pub const CONNECTION_LIBRARIES: [&str; 3] = ["deadpool", "deadpool_postgres", "tokio_postgres"];

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file; the process that uses it holds the lock of its directory.
    Sqlite(PathBuf),
    /// A connection address; many processes may use it.
    Postgres(String),
}

/// What an engine returns. The body of an `async fn` is compiled again in every crate that polls
/// it; behind a box, an engine is compiled once, here.
type EngineFuture<'a, T> = BoxFuture<'a, Result<T, EngineError>>;
type FoundRows<'a> = EngineFuture<'a, Vec<Row>>;

#[derive(Clone)]
pub(crate) enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Engine {
    pub(crate) fn open<'a>(
        location: &'a Location,
        metrics: &'a StoreMetrics,
    ) -> EngineFuture<'a, Self> {
        match location {
            Location::Sqlite(path) => {
                Box::pin(future::ready(Sqlite::open(path, metrics).map(Self::Sqlite)))
            }
            Location::Postgres(url) => {
                Box::pin(async move { Postgres::open(url, metrics).await.map(Self::Postgres) })
            }
        }
    }

    /// On SQLite without a writer, so that nothing can be written.
    pub(crate) fn open_for_reading<'a>(
        location: &'a Location,
        metrics: &'a StoreMetrics,
    ) -> EngineFuture<'a, Self> {
        match location {
            Location::Sqlite(path) => {
                Box::pin(future::ok(Self::Sqlite(Sqlite::open_for_reading(path, metrics))))
            }
            Location::Postgres(_) => Self::open(location, metrics),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(engine) => engine.name(),
        }
    }

    /// Commits, and returns the messages that it enqueued.
    pub(crate) fn commit(&self, transaction: Transaction) -> EngineFuture<'_, Vec<PendingMessage>> {
        match self {
            Self::Sqlite(engine) => Box::pin(engine.commit(transaction)),
            Self::Postgres(engine) => Box::pin(engine.commit(transaction)),
        }
    }

    pub(crate) fn query(&self, sql: &'static str, values: Vec<Value>) -> FoundRows<'_> {
        match self {
            Self::Sqlite(engine) => Box::pin(engine.query_each(sql, vec![values])),
            Self::Postgres(engine) => Box::pin(engine.query(sql, values)),
        }
    }

    /// Runs a query that must not wait for other queries.
    pub(crate) fn query_apart(&self, sql: &'static str, values: Vec<Value>) -> FoundRows<'_> {
        match self {
            Self::Sqlite(engine) => Box::pin(engine.query_each(sql, vec![values])),
            Self::Postgres(engine) => Box::pin(engine.query_apart(sql, values)),
        }
    }

    /// Runs a query with `ROWS(..)` in its text, for all `rows` together.
    pub(crate) fn query_each(&self, sql: &'static str, rows: Vec<Vec<Value>>) -> FoundRows<'_> {
        match self {
            _ if rows.is_empty() => Box::pin(future::ok(Vec::new())),
            Self::Sqlite(engine) => Box::pin(engine.query_each(sql, rows)),
            Self::Postgres(engine) => Box::pin(engine.query_each(sql, rows)),
        }
    }

    /// The same for a question that many ask at the same time, who may then share a query. The
    /// last value of each row, and the last column of each result, belong to the engine.
    pub(crate) fn query_shared(&self, sql: &'static str, rows: Vec<Vec<Value>>) -> FoundRows<'_> {
        match self {
            _ if rows.is_empty() => Box::pin(future::ok(Vec::new())),
            Self::Sqlite(engine) => Box::pin(engine.query_each(sql, rows)),
            Self::Postgres(engine) => Box::pin(engine.query_shared(sql, rows)),
        }
    }

    /// Runs schema text in one transaction and records that the schema is at `to_version`.
    pub(crate) fn migrate<'a>(&'a self, text: &'a str, to_version: i64) -> EngineFuture<'a, ()> {
        match self {
            Self::Sqlite(engine) => Box::pin(engine.migrate(text, to_version)),
            Self::Postgres(engine) => Box::pin(engine.migrate(text, to_version)),
        }
    }

    /// After migrations: distributes the tables where the database can do that, and returns how
    /// many.
    pub(crate) fn place_tables(&self) -> EngineFuture<'_, usize> {
        match self {
            Self::Sqlite(_) => Box::pin(future::ok(0)),
            Self::Postgres(engine) => Box::pin(engine.place_tables()),
        }
    }

    /// After migrations: makes sure that the numbers of changes go on rising.
    pub(crate) fn prepare_change_numbers(&self) -> EngineFuture<'_, ()> {
        match self {
            Self::Sqlite(_) => Box::pin(future::ok(())),
            Self::Postgres(engine) => Box::pin(engine.prepare_change_numbers()),
        }
    }

    /// Every change with a smaller number is committed, and can be read from now on.
    pub(crate) fn settled_change(&self) -> EngineFuture<'_, i64> {
        match self {
            // The writer gives numbers in the order of its commits.
            Self::Sqlite(_) => Box::pin(future::ok(i64::MAX)),
            Self::Postgres(engine) => Box::pin(engine.settled_change()),
        }
    }

    /// Whether the tables are on several servers.
    pub(crate) fn is_distributed(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            Self::Postgres(engine) => engine.is_distributed(),
        }
    }

    /// How long a change may stay invisible although later ones are visible already. Only on Citus,
    /// where a change that concerns several servers becomes visible on one after the other.
    pub(crate) fn visible_late_us(&self) -> Option<i64> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(engine) => engine.visible_late_us(),
        }
    }

    /// The number of the newest migration that was applied; 0 for an empty database.
    pub(crate) fn schema_version(&self) -> EngineFuture<'_, i64> {
        match self {
            Self::Sqlite(engine) => Box::pin(engine.schema_version()),
            Self::Postgres(engine) => Box::pin(engine.schema_version()),
        }
    }

    /// The time of a database that several nodes may use; None when only this process uses it.
    pub(crate) fn shared_clock_us(&self) -> EngineFuture<'_, Option<i64>> {
        match self {
            Self::Sqlite(_) => Box::pin(future::ok(None)),
            Self::Postgres(engine) => Box::pin(async { engine.clock_us().await.map(Some) }),
        }
    }

    pub(crate) fn notify<'a>(&'a self, text: &'a str) -> EngineFuture<'a, ()> {
        match self {
            Self::Sqlite(_) => Box::pin(future::ok(())),
            Self::Postgres(engine) => Box::pin(engine.notify(text)),
        }
    }

    pub(crate) fn listen(&self) -> EngineFuture<'_, mpsc::Receiver<String>> {
        match self {
            Self::Sqlite(_) => Box::pin(future::ok(mpsc::channel(1).1)),
            Self::Postgres(engine) => Box::pin(engine.listen()),
        }
    }

    /// Removes what replaced and removed data leaves behind in the files of the database.
    /// PostgreSQL does that by itself, with its vacuum and its checkpoints.
    pub(crate) fn remove_traces(&self) -> EngineFuture<'_, ()> {
        match self {
            Self::Sqlite(engine) => Box::pin(engine.remove_traces()),
            Self::Postgres(_) => Box::pin(future::ok(())),
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(engine) => engine.close().await,
            Self::Postgres(engine) => engine.close(),
        }
    }
}

/// What a copy of a database shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopiedMoment {
    /// Everything as of one moment.
    One,
    /// Each merchant as of one moment; the database is on several servers, and each was read as of
    /// a moment of its own.
    OneForEachMerchant,
}

/// Copies everything at `location` into a new SQLite file, while writes continue.
pub(crate) async fn copy(
    location: &Location,
    to: &Path,
    schema: &[&str],
) -> Result<CopiedMoment, EngineError> {
    match location {
        Location::Sqlite(from) => {
            let (from, to) = (from.clone(), to.to_owned());
            let copied = tokio::task::spawn_blocking(move || sqlite::copy_file(&from, &to));
            copied.await.map_err(|_| EngineError::Closed)??;
            Ok(CopiedMoment::One)
        }
        Location::Postgres(url) => postgres::copy_into(url, sqlite::create_file(to, schema)?).await,
    }
}

/// Reads a whole SQLite file, fails if it is damaged, and returns the version of its schema and
/// the number of its merchants.
pub(crate) async fn examine(path: &Path) -> Result<(i64, i64), EngineError> {
    let path = path.to_owned();
    let examined = tokio::task::spawn_blocking(move || sqlite::examine_file(&path));
    examined.await.map_err(|_| EngineError::Closed)?
}
