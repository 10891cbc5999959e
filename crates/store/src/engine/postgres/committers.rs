//! Tasks that commit waiting transactions, many with one `COMMIT`.
//!
//! A committer takes a group of waiting transactions ([`Waiting`]) and sends them in two bursts:
//! `BEGIN` and every step travel together without waiting for each other; when every guard holds,
//! `COMMIT` follows. Only a `COPY` is sent alone, when everything before it succeeded ([`Bulk`]).
//! An idle store commits at once, and load makes its own groups. Equal steps of different
//! transactions are one statement. When one transaction of a group fails, the group is rolled back
//! and its halves are committed, so that the others need a few commits more, and not one each.
//!
//! Through the coordinator of a distributed database, a group has the transactions of one merchant,
//! so that it commits on one server. Citus cannot look up the number of a message while it inserts
//! the message; so messages follow in a burst of their own, when their numbers are known.
//!
//! Because they are tasks of their own, they finish a commit even when its caller is gone.

use std::{borrow::Cow, collections::HashMap, mem, sync::Arc, time::Instant};

use deadpool_postgres::{Object, Pool};
use futures_util::future::{join, join_all};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio_postgres::Statement;

#[cfg(test)]
use super::plans;
use super::{
    bulk::{Bulk, BulkError},
    change_numbers::ChangeNumbers,
    conflict_or_error,
    executions::{Execution, Layout},
    read_row,
    statistics::WrittenRows,
    waiting::{Grouping, Job, Waiting},
};
use crate::{
    StoreMetrics,
    core::{
        error::{EngineError, with_causes},
        transaction::{Guard, Transaction},
        value::Row,
    },
    engine::group::{CommitResult, Counters, Group, MergedStep, Numbering, Steps},
};

/// Transactions that may wait before callers wait to enqueue theirs.
const QUEUE_MAX: usize = 4096;

#[derive(Clone)]
pub(super) struct Committers(mpsc::Sender<Job>);

impl Committers {
    /// They end when no caller can enqueue a transaction any more.
    pub(super) fn start(
        pool: &Pool,
        layout: Layout,
        grouping: Grouping,
        metrics: &StoreMetrics,
        written: &WrittenRows,
    ) -> Self {
        let (jobs, receiver) = mpsc::channel(QUEUE_MAX);
        let waiting = Arc::new(Mutex::new(Waiting::new(receiver, grouping)));
        let numbers = Arc::new(ChangeNumbers::default());
        for slot in (0_i64..).take(grouping.committers()) {
            let committer = Committer {
                slot,
                layout,
                grouping,
                pool: pool.clone(),
                metrics: metrics.clone(),
                numbers: numbers.clone(),
                written: written.clone(),
            };
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
    layout: Layout,
    grouping: Grouping,
    pool: Pool,
    metrics: StoreMetrics,
    numbers: Arc<ChangeNumbers>,
    written: WrittenRows,
}

impl Committer {
    async fn run(self, waiting: Arc<Mutex<Waiting>>) {
        loop {
            let next = waiting.lock().await.next_group().await;
            let Some((group, turn)) = next else { return };
            let started = Instant::now();
            let transactions = u32::try_from(group.transactions.len()).unwrap_or(u32::MAX);
            self.commit(group).await;
            drop(turn);
            self.metrics.record_commit(transactions, started.elapsed());
        }
    }

    async fn commit(&self, group: Group) {
        // The last one is next: transactions keep their order.
        let mut parts = vec![group];
        while let Some(part) = parts.pop() {
            let client = match self.pool.get().await {
                Ok(client) => client,
                Err(error) => {
                    for (_, reply) in part.into_parts() {
                        let _ = reply.send(Err(EngineError::Pool(with_causes(&error))));
                    }
                    continue;
                }
            };
            match self.attempt(client, &part.transactions).await {
                Ok(counters) => part.report_committed(&counters),
                Err(error) => match part.halves() {
                    Ok([first, second]) => parts.extend([second, first]),
                    Err(alone) => {
                        if let Some((_, reply)) = alone.into_parts().next() {
                            let _ = reply.send(Err(error));
                        }
                    }
                },
            }
        }
    }

    /// Commits all of them or none.
    async fn attempt(
        &self,
        client: Object,
        group: &[Transaction],
    ) -> Result<Counters, EngineError> {
        match self.run_group(&client, group).await {
            Ok(counters) => Ok(counters),
            Err(Failure::Refused(error)) => {
                // If even this fails the connection is closed, which ends the transaction as well.
                let _ = client.batch_execute("ROLLBACK").await;
                Err(error)
            }
            Err(Failure::OutOfStep(error)) => {
                drop(Object::take(client));
                Err(error)
            }
        }
    }

    async fn run_group(&self, client: &Object, group: &[Transaction]) -> Result<Counters, Failure> {
        let numbering = match self.layout {
            Layout::OneServer => Numbering::InTheStatement,
            Layout::Distributed => Numbering::BeforeTheStatement,
        };
        let steps = Steps::new(group, self.slot, numbering);
        let burst = steps.merged();
        #[cfg(test)]
        plans::check_group(client, self.layout, group, &steps).await;
        let returned = self.send(client, &burst, Start::Transaction).await?;
        let counters = Counters::read(&returned)?;
        if numbering == Numbering::BeforeTheStatement {
            let numbered = steps.numbered_messages(&counters);
            let burst: Vec<MergedStep<'_>> = numbered.iter().map(MergedStep::new).collect();
            self.send(client, &burst, Start::Nothing).await?;
        }
        let committed = client.batch_execute("COMMIT").await;
        committed.map_err(|error| Failure::Refused(conflict_or_error(error)))?;
        self.written.add(burst.iter().map(|step| step.rows.len()).sum());
        Ok(counters)
    }

    /// Sends all steps, waiting in between only for a `COPY`, checks their guards, and returns the
    /// rows that are wanted.
    async fn send(
        &self,
        client: &Object,
        steps: &[MergedStep<'_>],
        mut start: Start,
    ) -> Result<Vec<Row>, Failure> {
        let prepared = self.prepare_all(client, steps).await?;
        let sent: Vec<_> = steps.iter().zip(&prepared).collect();
        let mut returned = Vec::new();
        for part in sent.chunk_by(|(_, one), (_, next)| !is_bulk(one) && !is_bulk(next)) {
            let answers = part.iter().map(|(step, executions)| {
                join_all(executions.iter().map(|one| execute(client, step, one)))
            });
            let begin = async {
                match mem::replace(&mut start, Start::Nothing) {
                    Start::Transaction => client.batch_execute("BEGIN").await,
                    Start::Nothing => Ok(()),
                }
            };
            let (begin, answers) = join(begin, join_all(answers)).await;
            begin.map_err(EngineError::from)?;
            for ((step, _), answers) in part.iter().zip(answers) {
                check_step(step, answers, &mut returned)?;
            }
        }
        Ok(returned)
    }

    /// What is sent for each step, with its statements; each text is prepared once.
    async fn prepare_all<'a>(
        &self,
        client: &Object,
        steps: &[MergedStep<'a>],
    ) -> Result<Vec<Vec<Prepared<'a>>>, EngineError> {
        let mut by_text: HashMap<String, Statement> = HashMap::new();
        let mut all = Vec::with_capacity(steps.len());
        for step in steps {
            let mut prepared = Vec::new();
            for mut work in self.work(step) {
                if let Work::Execution(execution) = &mut work {
                    let text = mem::take(&mut execution.text);
                    execution.text = self.numbers.write(client, text).await?;
                }
                let text = work.text();
                let statement = if let Some(statement) = by_text.get(text.as_ref()) {
                    statement.clone()
                } else {
                    let statement = client.prepare_cached(&text).await?;
                    by_text.insert(text.to_string(), statement.clone());
                    statement
                };
                prepared.push(Prepared { work, statement });
            }
            all.push(prepared);
        }
        Ok(all)
    }

    fn work<'a>(&self, step: &MergedStep<'a>) -> Vec<Work<'a>> {
        let bulk = match (self.layout, self.grouping) {
            (Layout::Distributed, Grouping::Together) => Bulk::new(step),
            // The coordinator does not say which error of a worker is a conflict.
            (Layout::Distributed, Grouping::ByMerchant) | (Layout::OneServer, _) => None,
        };
        if let Some(bulk) = bulk {
            return vec![Work::Bulk(bulk)];
        }
        let executions = self.layout.executions(step.sql, step.rows.clone());
        executions.into_iter().map(Work::Execution).collect()
    }
}

/// Why a group was not committed.
enum Failure {
    /// The transaction is to be rolled back.
    Refused(EngineError),
    /// Requests and responses no longer belong together, so the connection must not be used again.
    OutOfStep(EngineError),
}

impl<E: Into<EngineError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// What an execution of a step answers: how many rows it touched, and those it returned.
type Answer = Result<(u64, Vec<tokio_postgres::Row>), Failure>;

/// Checks the guard of a step, and collects the rows that it returned.
fn check_step(
    step: &MergedStep<'_>,
    answers: Vec<Answer>,
    returned: &mut Vec<Row>,
) -> Result<(), Failure> {
    let mut rows_touched = 0;
    for answer in answers {
        let (number, rows) = answer?;
        rows_touched += number;
        for row in &rows {
            returned.push(read_row(row)?);
        }
    }
    let expected = u64::try_from(step.rows.len()).unwrap_or(u64::MAX);
    if rows_touched != expected && step.guard == Guard::OneEach {
        return Err(EngineError::Conflict.into());
    }
    Ok(())
}

fn is_bulk(prepared: &[Prepared<'_>]) -> bool {
    prepared.iter().any(|one| matches!(one.work, Work::Bulk(_)))
}

struct Prepared<'a> {
    work: Work<'a>,
    statement: Statement,
}

/// What is sent for a step, or for a part of it.
enum Work<'a> {
    Execution(Execution<'a>),
    Bulk(Bulk<'a>),
}

impl Work<'_> {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Execution(execution) => Cow::Borrowed(&execution.text),
            Self::Bulk(bulk) => bulk.text().into(),
        }
    }
}

/// What is sent before a burst of steps.
#[derive(Clone, Copy)]
enum Start {
    Transaction,
    Nothing,
}

/// Runs a part of a step.
async fn execute(
    client: &Object,
    step: &MergedStep<'_>,
    Prepared { work, statement }: &Prepared<'_>,
) -> Answer {
    match work {
        Work::Bulk(bulk) => {
            let sent = bulk.send(client, statement).await.map_err(|error| match error {
                BulkError::Refused(error) => Failure::Refused(conflict_or_error(error)),
                BulkError::OutOfStep(error) => Failure::OutOfStep(conflict_or_error(error)),
            });
            Ok((sent?, Vec::new()))
        }
        Work::Execution(execution) if step.returns => {
            let rows = client.query(statement, &execution.parameters()).await;
            let rows = rows.map_err(conflict_or_error)?;
            Ok((u64::try_from(rows.len()).unwrap_or(u64::MAX), rows))
        }
        Work::Execution(execution) => {
            let number = client.execute(statement, &execution.parameters()).await;
            Ok((number.map_err(conflict_or_error)?, Vec::new()))
        }
    }
}
