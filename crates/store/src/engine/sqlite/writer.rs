//! The thread that writes, and the thread that checkpoints the log.
//!
//! When one transaction of a group fails its guard, the group is rolled back and run again with a
//! savepoint for each transaction, so that only the rare conflict is slow.
//!
//! The log is checkpointed by a thread of its own, because all callers would have to wait for a
//! checkpoint inside a commit. Only when the log outgrows [`LOG_PAGES_MAX`] does the writer stop to
//! checkpoint it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
        mpsc as blocking,
    },
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::mpsc;

use super::{BUSY_TIMEOUT, Job, Statements, bind, readers::collect};
use crate::engine::group::{
    CommitResult, Counters, Group, Numbering, Steps, pending_by_transaction,
};
use crate::{
    StoreMetrics,
    core::{
        error::EngineError,
        transaction::{Guard, Step, Transaction},
        value::{Row, Value},
    },
};

const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);
/// 512 MiB of log at 8 KiB a page.
const LOG_PAGES_MAX: i64 = 65_536;
/// How long the writer waits for queries under way before it gives up starting the log over.
const QUERY_TIME: Duration = Duration::from_millis(100);

/// There is one writer.
const SLOT: i64 = 0;

/// The next number of a change: the time in microseconds, if that is larger. So numbers also rise
/// when an older backup was restored, and a reader who continues misses no change.
const NEXT_CHANGE: &str = "UPDATE change_counter
     SET last = max(last + 1, CAST(unixepoch('subsec') * 1000000 AS INTEGER)) WHERE id = 1
     RETURNING last";

/// The two threads' work; the checkpointer ends when the writer has ended.
pub(super) fn writer_and_checkpointer(
    connection: Connection,
    beside: Connection,
    metrics: &StoreMetrics,
) -> (Writer, Checkpointer) {
    let log_pages = Arc::new(AtomicI64::new(0));
    let (alive, writer_ended) = blocking::channel();
    let writer = Writer {
        connection,
        statements: Statements::default(),
        log_pages: Arc::clone(&log_pages),
        metrics: metrics.clone(),
        _alive: alive,
    };
    (writer, Checkpointer { connection: beside, log_pages, writer_ended })
}

pub(super) struct Writer {
    connection: Connection,
    statements: Statements,
    log_pages: Arc<AtomicI64>,
    metrics: StoreMetrics,
    /// Dropped with the writer; the checkpointer ends when it is gone.
    _alive: blocking::Sender<()>,
}

impl Writer {
    pub(super) fn run(self, mut waiting: mpsc::Receiver<Job>) {
        while let Some(first) = waiting.blocking_recv() {
            let mut group = Group::default();
            let mut next = Some(first);
            while let Some(job) = next.take() {
                match job {
                    Job::Commit { transaction, reply } => group.push(transaction, reply),
                    Job::Migrate { text, to_version, reply } => {
                        let _ = reply.send(self.migrate(&text, to_version).map(|()| Vec::new()));
                    }
                    Job::RemoveTraces { reply } => {
                        self.commit(std::mem::take(&mut group));
                        let _ = reply.send(self.empty_log().map(|()| Vec::new()));
                    }
                    Job::Close => {
                        self.commit(group);
                        return;
                    }
                }
                if !group.is_full() {
                    next = waiting.try_recv().ok();
                }
            }
            self.commit(group);
            self.limit_log();
        }
    }

    fn commit(&self, group: Group) {
        if group.transactions.is_empty() {
            return;
        }
        let started = Instant::now();
        let number = u32::try_from(group.transactions.len()).unwrap_or(u32::MAX);
        if let Ok(counters) = self.commit_together(&group.transactions) {
            self.metrics.record_commit(number, started.elapsed());
            return group.report_committed(&counters);
        }
        let (transactions, replies): (Vec<_>, Vec<_>) = group.into_parts().unzip();
        let results = self.commit_one_by_one(transactions);
        self.metrics.record_commit(number, started.elapsed());
        for (reply, result) in replies.into_iter().zip(results) {
            let _ = reply.send(result);
        }
    }

    fn commit_together(&self, transactions: &[Transaction]) -> Result<Counters, EngineError> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let done = self.apply(transactions).and_then(|counters| {
            self.connection.execute_batch("COMMIT")?;
            Ok(counters)
        });
        if done.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        done
    }

    /// The slow way, with a result for each transaction.
    fn commit_one_by_one(&self, transactions: Vec<Transaction>) -> Vec<CommitResult> {
        let number = transactions.len();
        let mut results = Vec::with_capacity(number);
        let committed = self.apply_one_by_one(transactions, &mut results);
        let Err(error) = committed else { return results };
        tracing::error!("committing {number} transactions failed, none is stored: {error}");
        if !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        results.resize_with(number, || Ok(Vec::new()));
        let cause = error.to_string();
        let not_committed = || Err(EngineError::NotCommitted(cause.clone()));
        results.into_iter().map(|result| result.and_then(|_| not_committed())).collect()
    }

    fn apply_one_by_one(
        &self,
        transactions: Vec<Transaction>,
        results: &mut Vec<CommitResult>,
    ) -> Result<(), EngineError> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        for transaction in transactions {
            let result = self.apply_in_savepoint(transaction);
            // After an error such as a full disk SQLite may have ended the whole transaction. What
            // followed would be a transaction of its own.
            if self.connection.is_autocommit() {
                return Err(result.err().unwrap_or(EngineError::Closed));
            }
            results.push(result);
        }
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    fn apply_in_savepoint(&self, transaction: Transaction) -> CommitResult {
        self.connection.execute_batch("SAVEPOINT one")?;
        let applied = self.apply(std::slice::from_ref(&transaction));
        if applied.is_err() {
            if self.connection.is_autocommit() {
                return applied.map(|_| Vec::new());
            }
            self.connection.execute_batch("ROLLBACK TO one")?;
        }
        self.connection.execute_batch("RELEASE one")?;
        let pending = pending_by_transaction(vec![transaction], &applied?);
        Ok(pending.into_iter().flatten().collect())
    }

    /// Runs the steps and reads the message counters that they return.
    fn apply(&self, transactions: &[Transaction]) -> Result<Counters, EngineError> {
        let needs_change = |step: &Step| self.statements.has_change_number(step.sql);
        let needs_change = transactions.iter().any(|one| one.steps.iter().any(needs_change));
        let change = if needs_change { self.next_change()? } else { 0 };
        let steps = Steps::new(transactions, SLOT, Numbering::BeforeTheStatement);
        let mut returned = Vec::new();
        for step in steps.iter() {
            self.run_step(step, change, &mut returned)?;
        }
        let counters = Counters::read(&returned)?;
        for step in steps.numbered_messages(&counters) {
            self.run_step(&step, change, &mut returned)?;
        }
        Ok(counters)
    }

    fn next_change(&self) -> Result<i64, EngineError> {
        let mut statement = self.connection.prepare_cached(NEXT_CHANGE)?;
        Ok(statement.query_row([], |row| row.get(0))?)
    }

    fn run_step(
        &self,
        step: &Step,
        change: i64,
        returned: &mut Vec<Row>,
    ) -> Result<(), EngineError> {
        let mut statement = self.statements.prepare(&self.connection, step.sql)?;
        if self.statements.has_change_number(step.sql) {
            // It stays bound when the statement runs again with another row.
            let last = statement.parameter_count();
            statement.raw_bind_parameter(last, change)?;
        }
        let mut previous_row: &[Value] = &[];
        for row in &step.rows {
            bind(&mut statement, row, previous_row)?;
            previous_row = row;
            let touched = if step.returns {
                let before = returned.len();
                collect(&mut statement, returned)?;
                returned.len() - before
            } else {
                statement.raw_execute()?
            };
            if step.guard == Guard::OneEach && touched != 1 {
                return Err(EngineError::Conflict);
            }
        }
        Ok(())
    }

    fn migrate(&self, text: &str, to_version: i64) -> Result<(), EngineError> {
        let run = self.connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             INSERT INTO schema_versions (version) VALUES ({to_version});
             {text}
             COMMIT;"
        ));
        if run.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        Ok(run?)
    }

    /// A reader that still needs the log keeps it for now; the next start empties it.
    fn empty_log(&self) -> Result<(), EngineError> {
        let busy = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))?;
        if busy == 0 {
            return Ok(());
        }
        let cause = "a reader still needs it";
        tracing::warn!("emptying the log failed, it is emptied when the server stops: {cause}");
        Ok(())
    }

    /// The checkpointer keeps up by itself unless load never pauses. Then the log would grow
    /// forever, because it starts over only when all of it has been checkpointed and no query still
    /// reads it. Those under way are waited for, but not one that takes long, such as a backup.
    /// The next attempt follows when the checkpointer has looked at the log again.
    fn limit_log(&self) {
        if self.log_pages.load(Ordering::Relaxed) <= LOG_PAGES_MAX {
            return;
        }
        self.log_pages.store(0, Ordering::Relaxed);
        let restart = |it: &Connection| checkpoint(it, "RESTART");
        if let Err(error) = waiting_at_most(QUERY_TIME, &self.connection, restart) {
            tracing::error!("checkpointing the full log failed, will retry: {error}");
        }
    }
}

pub(super) struct Checkpointer {
    connection: Connection,
    log_pages: Arc<AtomicI64>,
    writer_ended: blocking::Receiver<()>,
}

impl Checkpointer {
    pub(super) fn run(self) {
        let timeout = Err(blocking::RecvTimeoutError::Timeout);
        while self.writer_ended.recv_timeout(CHECKPOINT_EVERY) == timeout {
            match checkpoint(&self.connection, "PASSIVE") {
                Ok(pages) => self.log_pages.store(pages, Ordering::Relaxed),
                Err(error) => tracing::warn!("checkpointing the log failed, will retry: {error}"),
            }
        }
        if let Err(error) = checkpoint(&self.connection, "TRUNCATE") {
            tracing::warn!("the last checkpoint failed, the log file remains: {error}");
        }
    }
}

/// Runs something that waits for other connections no longer than `limit`.
fn waiting_at_most<T>(
    limit: Duration,
    connection: &Connection,
    run: impl FnOnce(&Connection) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    connection.busy_timeout(limit)?;
    let done = run(connection);
    connection.busy_timeout(BUSY_TIMEOUT)?;
    done
}

/// Moves pages of the log into the database and returns the number of pages in the log.
fn checkpoint(connection: &Connection, mode: &str) -> Result<i64, EngineError> {
    let pages = connection
        .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get::<_, i64>(1))?;
    Ok(pages)
}
