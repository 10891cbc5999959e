//! Tasks that commit waiting transactions, many with one `COMMIT`.
//!
//! A committer takes the first waiting transaction and all others that are already in the queue,
//! and sends them in two bursts: `BEGIN` and every step travel together without waiting for each
//! other; when every guard holds, `COMMIT` follows. There is no timer: an idle store commits at
//! once, and load makes its own groups. When one transaction of a group fails, the group is rolled
//! back and each transaction is committed by itself, so that only the rare conflict is slow.
//!
//! Because they are tasks of their own, they finish a commit even when its caller is gone.

use std::{collections::HashMap, sync::Arc, time::Instant};

use deadpool_postgres::{Object, Pool};
use futures_util::future::{join, join_all};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio_postgres::{Statement, types::ToSql};

use super::{as_parameters, conflict_or_error, is_batch, prepare, read_row, to_columns};
use crate::{
    StoreMetrics,
    core::{
        error::{EngineError, with_causes},
        transaction::{Guard, Step, Transaction},
        value::Value,
    },
    engine::group::{CommitResult, Counters, Group, ReplySender, Steps, pending_by_transaction},
};

/// While one waits for the disk, the next sends its steps.
const COMMITTERS: i64 = 3;
/// Transactions that may wait before callers wait to enqueue theirs.
const QUEUE_MAX: usize = 4096;

#[derive(Clone)]
pub(super) struct Committers(mpsc::Sender<Job>);

type Job = (Transaction, ReplySender);

impl Committers {
    /// They end when no caller can enqueue a transaction any more.
    pub(super) fn start(pool: &Pool, metrics: &StoreMetrics) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE_MAX);
        let waiting = Arc::new(Mutex::new(waiting));
        for slot in 0..COMMITTERS {
            let committer = Committer { slot, pool: pool.clone(), metrics: metrics.clone() };
            tokio::spawn(committer.run(Arc::clone(&waiting)));
        }
        Self(jobs)
    }

    pub(super) async fn commit(&self, transaction: Transaction) -> CommitResult {
        let (sender, reply) = oneshot::channel();
        self.0.send((transaction, sender)).await.map_err(|_| EngineError::Closed)?;
        reply.await.map_err(|_| EngineError::Closed)?
    }
}

struct Committer {
    slot: i64,
    pool: Pool,
    metrics: StoreMetrics,
}

impl Committer {
    async fn run(self, waiting: Arc<Mutex<mpsc::Receiver<Job>>>) {
        while let Some(group) = next_group(&waiting).await {
            let started = Instant::now();
            let transactions = u32::try_from(group.transactions.len()).unwrap_or(u32::MAX);
            self.commit(group).await;
            self.metrics.record_commit(transactions, started.elapsed());
        }
    }

    async fn commit(&self, group: Group) {
        let client = match self.pool.get().await {
            Ok(client) => client,
            Err(error) => {
                for (_, reply) in group.into_parts() {
                    let _ = reply.send(Err(EngineError::Pool(with_causes(&error))));
                }
                return;
            }
        };
        match self.attempt(&client, &group.transactions).await {
            Ok(counters) => group.report_committed(&counters),
            Err(error) if group.transactions.len() == 1 => {
                if let Some((_, reply)) = group.into_parts().next() {
                    let _ = reply.send(Err(error));
                }
            }
            Err(_) => {
                for (transaction, reply) in group.into_parts() {
                    let done = self.attempt(&client, std::slice::from_ref(&transaction)).await;
                    let pending =
                        done.map(|counters| pending_by_transaction(vec![transaction], &counters));
                    let _ =
                        reply.send(pending.map(|pending| pending.into_iter().flatten().collect()));
                }
            }
        }
    }

    /// Commits all of them or none.
    async fn attempt(
        &self,
        client: &Object,
        group: &[Transaction],
    ) -> Result<Counters, EngineError> {
        let steps = Steps::new(group, self.slot);
        let steps: Vec<&Step> = steps.iter().collect();
        let outcome = run(client, &steps).await;
        // If even this fails the connection is closed, which ends the transaction as well.
        if outcome.is_err() {
            let _ = client.batch_execute("ROLLBACK").await;
        }
        outcome
    }
}

/// All waiting transactions, as soon as there is one.
async fn next_group(waiting: &Mutex<mpsc::Receiver<Job>>) -> Option<Group> {
    let mut waiting = waiting.lock().await;
    let (transaction, reply) = waiting.recv().await?;
    let mut group = Group::default();
    group.push(transaction, reply);
    while !group.is_full()
        && let Ok((transaction, reply)) = waiting.try_recv()
    {
        group.push(transaction, reply);
    }
    Some(group)
}

async fn run(client: &Object, steps: &[&Step]) -> Result<Counters, EngineError> {
    let prepared = prepare_all(client, steps).await?;
    let sent = steps.iter().zip(&prepared).map(|(step, text)| execute(client, step, text));
    let sent = join_all(sent);
    let (begin, touched) = join(client.batch_execute("BEGIN"), sent).await;
    begin?;
    let mut returned = Vec::new();
    for (step, touched) in steps.iter().zip(touched) {
        let (touched, rows) = touched.map_err(conflict_or_error)?;
        let expected = u64::try_from(step.rows.len()).unwrap_or(u64::MAX);
        if touched != expected && step.guard == Guard::OneEach {
            return Err(EngineError::Conflict);
        }
        for row in &rows {
            returned.push(read_row(row)?);
        }
    }
    let counters = Counters::read(&returned)?;
    client.batch_execute("COMMIT").await.map_err(conflict_or_error)?;
    Ok(counters)
}

/// The prepared statement of each step; each text is prepared once.
async fn prepare_all(client: &Object, steps: &[&Step]) -> Result<Vec<Statement>, EngineError> {
    let mut by_text: HashMap<&str, Statement> = HashMap::new();
    let mut all = Vec::with_capacity(steps.len());
    for step in steps {
        let statement = match by_text.get(step.sql) {
            Some(statement) => statement.clone(),
            None => prepare(client, step.sql, &step.rows).await?,
        };
        all.push(statement.clone());
        by_text.insert(step.sql, statement);
    }
    Ok(all)
}

/// Runs a step: how many rows it touched, and those it returned.
async fn execute(
    client: &Object,
    step: &Step,
    statement: &Statement,
) -> Result<(u64, Vec<tokio_postgres::Row>), tokio_postgres::Error> {
    if !is_batch(step.sql) {
        let each = join_all(step.rows.iter().map(|row| execute_one(client, row, statement)));
        let touched = each.await.into_iter().sum::<Result<u64, _>>()?;
        return Ok((touched, Vec::new()));
    }
    let batch = to_columns(&step.rows);
    if step.returns {
        let rows = client.query(statement, &as_parameters(&batch)).await?;
        Ok((u64::try_from(rows.len()).unwrap_or(u64::MAX), rows))
    } else {
        Ok((client.execute(statement, &as_parameters(&batch)).await?, Vec::new()))
    }
}

async fn execute_one(
    client: &Object,
    row: &[Value],
    statement: &Statement,
) -> Result<u64, tokio_postgres::Error> {
    let values: Vec<&(dyn ToSql + Sync)> =
        row.iter().map(|value| -> &(dyn ToSql + Sync) { value }).collect();
    client.execute(statement, &values).await
}
