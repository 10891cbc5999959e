//! The thread that writes, and the one that folds the log back into the database.
//!
//! When one transaction of a group fails its guard, the group is rolled back and
//! run again with a savepoint each, so that the rare conflict pays and the common
//! case does not.
//!
//! The log is checkpointed by a thread of its own, because a checkpoint inside a
//! commit makes everybody wait for it. Only when the log outgrows [`LOG_PAGES_MAX`]
//! does the writer stop to fold it in itself.

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

use super::{Job, Statements, bind, readers::collect};
use crate::engine::group::{Counters, Group, Outcome, Steps, pending_by_transaction};
use crate::{
    StoreMetrics,
    core::{
        error::EngineError,
        transaction::{Guard, Transaction},
    },
};

const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);
/// 512 MiB of log at 8 KiB a page.
const LOG_PAGES_MAX: i64 = 65_536;

/// There is one writer.
const SLOT: i64 = 0;

/// The two threads' work; the checkpointer ends when the writer has.
pub(super) fn pair(
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
                    Job::Commit { transaction, answer } => group.push(transaction, answer),
                    Job::Migrate { text, to_version, answer } => {
                        let _ = answer.send(self.migrate(&text, to_version).map(|()| Vec::new()));
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
            self.keep_log_small();
        }
    }

    fn commit(&self, group: Group) {
        if group.transactions.is_empty() {
            return;
        }
        let started = Instant::now();
        let number = u32::try_from(group.transactions.len()).unwrap_or(u32::MAX);
        if let Ok(counters) = self.all_at_once(&group.transactions) {
            self.metrics.committed(number, started.elapsed());
            return group.committed(&counters);
        }
        let (transactions, answers): (Vec<_>, Vec<_>) = group.apart().unzip();
        let outcomes = self.one_by_one(transactions);
        self.metrics.committed(number, started.elapsed());
        for (answer, outcome) in answers.into_iter().zip(outcomes) {
            let _ = answer.send(outcome);
        }
    }

    fn all_at_once(&self, transactions: &[Transaction]) -> Result<Counters, EngineError> {
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

    /// The slow way, in which each transaction has an outcome of its own.
    fn one_by_one(&self, transactions: Vec<Transaction>) -> Vec<Outcome> {
        let number = transactions.len();
        let mut outcomes = Vec::with_capacity(number);
        let committed = self.connection.execute_batch("BEGIN IMMEDIATE").and_then(|()| {
            outcomes.extend(transactions.into_iter().map(|one| self.in_savepoint(one)));
            self.connection.execute_batch("COMMIT")
        });
        let Err(error) = committed else { return outcomes };
        tracing::error!(%error, "a group of transactions was not committed: {error}");
        if !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        outcomes.resize_with(number, || Ok(Vec::new()));
        outcomes.into_iter().map(|outcome| outcome.and(Err(EngineError::NotCommitted))).collect()
    }

    fn in_savepoint(&self, transaction: Transaction) -> Outcome {
        self.connection.execute_batch("SAVEPOINT one")?;
        let applied = self.apply(std::slice::from_ref(&transaction));
        // After an error such as a full disk SQLite may have ended the whole transaction.
        if applied.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK TO one")?;
        }
        self.connection.execute_batch("RELEASE one")?;
        let pending = pending_by_transaction(vec![transaction], &applied?);
        Ok(pending.into_iter().flatten().collect())
    }

    /// Runs the steps and gives what those that return something returned.
    fn apply(&self, transactions: &[Transaction]) -> Result<Counters, EngineError> {
        let mut returned = Vec::new();
        for step in Steps::new(transactions, SLOT).iter() {
            let mut statement = self.statements.prepared(&self.connection, step.sql)?;
            for row in &step.rows {
                bind(&mut statement, row)?;
                let touched = if step.returns {
                    let before = returned.len();
                    collect(&mut statement, &mut returned)?;
                    returned.len() - before
                } else {
                    statement.raw_execute()?
                };
                if step.guard == Guard::OneEach && touched != 1 {
                    return Err(EngineError::Conflict);
                }
            }
        }
        Counters::read(&returned)
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

    /// The checkpointer keeps up by itself unless load never pauses; then the log would grow
    /// for ever, because it starts anew only when all of it has been folded in.
    fn keep_log_small(&self) {
        if self.log_pages.load(Ordering::Relaxed) > LOG_PAGES_MAX {
            match checkpoint(&self.connection, "RESTART") {
                Ok(pages) => self.log_pages.store(pages, Ordering::Relaxed),
                Err(error) => tracing::error!(%error, "the log could not be folded in: {error}"),
            }
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
                Err(error) => tracing::warn!(%error, "checkpoint put off: {error}"),
            }
        }
        if let Err(error) = checkpoint(&self.connection, "TRUNCATE") {
            tracing::warn!(%error, "the log stays beside the database: {error}");
        }
    }
}

/// Folds the log into the database and tells how many pages the log has.
fn checkpoint(connection: &Connection, mode: &str) -> Result<i64, EngineError> {
    let pages = connection
        .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get::<_, i64>(1))?;
    Ok(pages)
}
