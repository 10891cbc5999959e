//! SQLite: one writer thread that commits waiting transactions together, connections for reading,
//! and a thread that checkpoints the write-ahead log.
//!
//! The writer takes the first waiting transaction and all others that are already in the queue, and
//! commits them with one fsync. There is no timer: an idle store commits at once, and load makes
//! its own groups ([`writer`]).

use std::{
    collections::HashMap,
    fs::{OpenOptions, Permissions},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
    thread,
    time::Duration,
};

use rusqlite::{
    CachedStatement, Connection, OpenFlags, config::DbConfig, types::ToSqlOutput, types::ValueRef,
};
use tokio::sync::{mpsc, oneshot};

use super::{
    dialect::{self, Address, CHANGE_NUMBER},
    group::{CommitResult, ReplySender},
};
use crate::{
    StoreMetrics,
    core::{
        error::EngineError,
        transaction::Transaction,
        value::{Row, Value},
    },
};
use readers::Readers;

#[cfg(test)]
mod plans;
mod readers;
mod writer;

/// Transactions that may wait for the writer before callers wait to enqueue theirs.
const QUEUE_MAX: usize = 4096;
/// A few messages or returns of one to three kilobytes fit on a page.
const PAGE_BYTES: u32 = 8192;
/// How long a connection waits for another.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Holds most pages of the indexes of ten thousand merchants.
const CACHE_KIB: u32 = 24 * 1024;

#[derive(Clone)]
pub(crate) struct Sqlite {
    jobs: mpsc::Sender<Job>,
    readers: Arc<Readers>,
    threads: Arc<Mutex<Vec<thread::JoinHandle<()>>>>,
}

enum Job {
    Commit { transaction: Transaction, reply: ReplySender },
    Migrate { text: String, to_version: i64, reply: ReplySender },
    RemoveTraces { reply: ReplySender },
    Close,
}

/// Creates the file if it does not exist, and lets only its owner read it. The log and the shared
/// memory beside it get the same mode. If it fails, opening the database reports why.
fn make_private(path: &Path) {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let _ = file.and_then(|file| file.set_permissions(Permissions::from_mode(0o600)));
}

impl Sqlite {
    pub(crate) fn open(path: &Path, metrics: &StoreMetrics) -> Result<Self, EngineError> {
        make_private(path);
        let connection = connect(path)?;
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY);",
        )?;
        let (jobs, waiting) = mpsc::channel(QUEUE_MAX);
        let (writer, checkpointer) =
            writer::writer_and_checkpointer(connection, connect(path)?, metrics);
        let threads = vec![
            spawn("store-writer", move || writer.run(waiting))?,
            spawn("store-checkpoint", move || checkpointer.run())?,
        ];
        let readers = Arc::new(Readers::new(path, metrics));
        Ok(Self { jobs, readers, threads: Arc::new(Mutex::new(threads)) })
    }

    /// Without a writer. A reader does not need the lock of the directory.
    pub(crate) fn open_for_reading(path: &Path, metrics: &StoreMetrics) -> Self {
        let (jobs, _) = mpsc::channel(1);
        Self { jobs, readers: Arc::new(Readers::new(path, metrics)), threads: Arc::default() }
    }

    pub(crate) async fn commit(&self, transaction: Transaction) -> CommitResult {
        self.send_job(|reply| Job::Commit { transaction, reply }).await
    }

    pub(crate) async fn migrate(&self, text: &str, to_version: i64) -> Result<(), EngineError> {
        let text = dialect::schema_for_sqlite(text);
        self.send_job(|reply| Job::Migrate { text, to_version, reply }).await.map(drop)
    }

    pub(crate) async fn schema_version(&self) -> Result<i64, EngineError> {
        let rows = self
            .query_each("SELECT coalesce(max(version), 0) FROM schema_versions", vec![Vec::new()])
            .await?;
        rows.first().ok_or(EngineError::Closed)?.int(0)
    }

    pub(crate) async fn query_each(
        &self,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, EngineError> {
        self.readers.query(sql, rows).await
    }

    /// Empties the log, which still has the pages as they were before. Removed data is overwritten
    /// in the database itself (`secure_delete`).
    pub(crate) async fn remove_traces(&self) -> Result<(), EngineError> {
        self.send_job(|reply| Job::RemoveTraces { reply }).await.map(drop)
    }

    /// Finishes the waiting jobs, checkpoints the log and closes the file.
    pub(crate) async fn close(&self) {
        let _ = self.jobs.send(Job::Close).await;
        let threads = std::mem::take(&mut *lock(&self.threads));
        let joined = tokio::task::spawn_blocking(move || {
            for thread in threads {
                let _ = thread.join();
            }
        });
        let _ = joined.await;
        self.readers.clear();
    }

    async fn send_job(&self, job: impl FnOnce(ReplySender) -> Job) -> CommitResult {
        let (sender, reply) = oneshot::channel();
        self.jobs.send(job(sender)).await.map_err(|_| EngineError::Closed)?;
        reply.await.map_err(|_| EngineError::Closed)?
    }
}

fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<thread::JoinHandle<()>, EngineError> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|_| EngineError::Closed)
}

/// A poisoned lock only means that another thread panicked; the list behind it is intact.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(path: &Path) -> Result<Connection, EngineError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -i64::from(CACHE_KIB))?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // What is removed or replaced is overwritten, so that the file keeps nothing of what a shopper
    // had erased.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.set_prepared_statement_cache_capacity(128);
    // Plans must not depend on the values, or statements would be prepared again whenever those
    // change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Statements in the dialect of SQLite, translated once.
#[derive(Default)]
struct Statements(RwLock<HashMap<Address, Arc<Translated>>>);

struct Translated {
    text: String,
    has_change_number: bool,
}

impl Statements {
    /// A statement that is ready for its parameters.
    fn prepare<'a>(
        &self,
        connection: &'a Connection,
        sql: &'static str,
    ) -> Result<CachedStatement<'a>, EngineError> {
        let translated = self.translate(sql);
        #[cfg(test)]
        plans::check_plan(connection, &translated.text);
        Ok(connection.prepare_cached(&translated.text)?)
    }

    /// Whether the number of the change is the last parameter of a statement.
    fn has_change_number(&self, sql: &'static str) -> bool {
        self.translate(sql).has_change_number
    }

    fn translate(&self, sql: &'static str) -> Arc<Translated> {
        let address = dialect::address(sql);
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&address).cloned();
        known.unwrap_or_else(|| {
            let has_change_number = sql.contains(CHANGE_NUMBER);
            let text = dialect::statement_for_sqlite(sql);
            let new = Arc::new(Translated { text, has_change_number });
            let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(address).or_insert(new))
        })
    }
}

/// Binds the values of a row, except for those that are still bound because they are the same in
/// the previous row: most rows of a batch are of the same merchant. SQLite copies what is bound.
fn bind(
    statement: &mut CachedStatement<'_>,
    row: &[Value],
    previous_row: &[Value],
) -> Result<(), EngineError> {
    for (index, value) in row.iter().enumerate() {
        if previous_row.get(index) != Some(value) {
            statement.raw_bind_parameter(index + 1, value)?;
        }
    }
    Ok(())
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Shared(text) => ValueRef::Text(text.as_bytes()),
            Self::Fixed(text) => ValueRef::Text(text.as_bytes()),
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Null(_) => ValueRef::Null,
        }))
    }
}

/// Copies the database at `from`, as of one moment, into a new file, while writes continue.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<(), EngineError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(from, flags)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.execute("VACUUM INTO ?1", [to.to_string_lossy().as_ref()])?;
    Ok(())
}

/// Reads the whole file, and returns the version of its schema and the number of its merchants.
pub(super) fn examine_file(path: &Path) -> Result<(i64, i64), EngineError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        let (table, id) = ("all", path.display().to_string());
        return Err(EngineError::Corrupt { table, id, why: found });
    }
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let version = count("SELECT coalesce(max(version), 0) FROM schema_versions")?;
    Ok((version, count("SELECT count(*) FROM merchants")?))
}

/// A new database with every migration in `schema`, to copy into.
pub(super) fn create_file(path: &Path, schema: &[&str]) -> Result<Connection, EngineError> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.execute_batch("CREATE TABLE schema_versions (version BIGINT PRIMARY KEY);")?;
    for text in schema {
        connection.execute_batch(&dialect::schema_for_sqlite(text))?;
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::value::Kind;

    #[test]
    fn a_value_that_differs_from_the_previous_row_is_bound_anew() {
        let text = |it: &str| Value::from(it);
        let rows = [
            vec![text("acme"), Value::Null(Kind::Int)],
            vec![text("acme"), Value::Int(1)],
            vec![text("globex"), Value::Int(1)],
            vec![text("globex"), Value::Null(Kind::Int)],
        ];
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare_cached("SELECT ?1, ?2").unwrap();
        let (mut previous_row, mut found): (&[Value], Vec<Row>) = (&[], Vec::new());
        for row in &rows {
            bind(&mut statement, row, previous_row).unwrap();
            readers::collect(&mut statement, &mut found).unwrap();
            previous_row = row;
        }
        let read = |row: &Row| (row.text(0).unwrap().to_owned(), row.optional_int(1).unwrap());
        let expected = [("acme", None), ("acme", Some(1)), ("globex", Some(1)), ("globex", None)];
        let expected = expected.map(|(merchant, number)| (merchant.to_owned(), number));
        assert_eq!(found.iter().map(read).collect::<Vec<_>>(), expected);
    }
}
