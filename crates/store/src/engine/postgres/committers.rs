//! Tasks that commit waiting transactions, many with one `COMMIT`.
//!
//! A committer takes a group of waiting transactions ([`Waiting`]) and sends all of their steps in
//! one burst, without waiting for one before the next ([`Burst`]). An idle store commits at once,
//! and load makes its own groups. Equal steps of different transactions are one statement. When one
//! transaction of a group fails, the group is rolled back and its halves are committed, so that the
//! others need a few commits more, and not one each. If the connection is lost during `COMMIT`, all
//! may be committed already, so none is run again: each caller gets an error.
//!
//! Through the coordinator of a distributed database, a group has the transactions of one merchant,
//! so that it commits on one server. Citus cannot look up the number of a message while it inserts
//! the message; so messages follow in a burst of their own, when their numbers are known.
//!
//! Because they are tasks of their own, they finish a commit even when its caller is gone.

use std::{collections::HashMap, sync::Arc, time::Instant};

use deadpool_postgres::{Object, Pool};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio_postgres::Statement;

#[cfg(test)]
use super::plans;
use super::{
    bulk::Bulk,
    bursts::{Burst, Failure, Prepared, PreparedStep, Start, Work},
    change_numbers::ChangeNumbers,
    conflicts::conflict_or_error,
    pool_error,
    statements::{Layout, Statements},
    statistics::WrittenRows,
    waiting::{Grouping, Job, Waiting},
};
use crate::{
    StoreMetrics,
    core::{
        error::EngineError,
        transaction::{Guard, Transaction},
    },
    engine::{
        dialect::certain::without_skipping,
        group::{CommitResult, Counters, Group, MergedStep, Numbering, Steps},
    },
};

/// Transactions that may wait before callers wait to enqueue theirs.
const QUEUE_MAX: usize = 4096;

#[derive(Clone)]
pub(super) struct Committers(mpsc::Sender<Job>);

impl Committers {
    /// They end when no caller can enqueue a transaction any more.
    pub(super) fn start(
        pool: &Pool,
        statements: &Arc<Statements>,
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
                statements: Arc::clone(statements),
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
    statements: Arc<Statements>,
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
                        let _ = reply.send(Err(pool_error(&error)));
                    }
                    continue;
                }
            };
            match self.attempt(client, &part.transactions).await {
                Ok(counters) => part.report_committed(&counters),
                Err(Failure::Unknown(error)) => part.report_unknown(&error),
                Err(
                    Failure::Refused(error)
                    | Failure::RolledBack(error)
                    | Failure::OutOfStep(error),
                ) => match part.halves() {
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
    async fn attempt(&self, client: Object, group: &[Transaction]) -> Result<Counters, Failure> {
        let result = self.run_group(&client, group).await;
        match &result {
            Ok(_) | Err(Failure::RolledBack(_)) => {}
            Err(Failure::Refused(_)) => {
                // If even this fails the connection is closed, which ends the transaction as well.
                let _ = client.batch_execute("ROLLBACK").await;
            }
            Err(Failure::OutOfStep(_) | Failure::Unknown(_)) => drop(Object::take(client)),
        }
        result
    }

    async fn run_group(&self, client: &Object, group: &[Transaction]) -> Result<Counters, Failure> {
        let numbering = match self.statements.layout {
            Layout::OneServer => Numbering::InTheStatement,
            Layout::Distributed => Numbering::BeforeTheStatement,
        };
        let steps = Steps::new(group, self.slot, numbering);
        let burst = steps.merged();
        #[cfg(test)]
        plans::check_group(client, self.statements.layout, group, &steps).await;
        let prepared = self.prepare_all(client, &burst).await?;
        // Messages that are numbered first follow in a burst of their own.
        let numbers_wanted = numbering == Numbering::BeforeTheStatement;
        let counters = if prepared.is_certain() && !(numbers_wanted && prepared.returns_rows()) {
            Counters::read(&prepared.run_and_commit(client).await.map_err(Failure::of_commit)?)?
        } else {
            let counters = Counters::read(&prepared.run(client, Start::Transaction).await?)?;
            if numbers_wanted {
                let numbered = steps.numbered_messages(&counters);
                let messages: Vec<MergedStep<'_>> = numbered.iter().map(MergedStep::new).collect();
                let messages = self.prepare_all(client, &messages).await?;
                messages.run(client, Start::Nothing).await?;
            }
            let committed = client.batch_execute("COMMIT").await;
            let refused = |error| Failure::Refused(conflict_or_error(error)).of_commit();
            committed.map_err(refused)?;
            counters
        };
        self.written.add(burst.iter().map(|step| step.rows.len()).sum());
        Ok(counters)
    }

    /// What is sent for each step, with its statements; each text is prepared once.
    async fn prepare_all<'a, 'b>(
        &self,
        client: &Object,
        steps: &'b [MergedStep<'a>],
    ) -> Result<Burst<'a, 'b>, EngineError> {
        let mut prepared: HashMap<usize, Statement> = HashMap::new();
        let mut all = Vec::with_capacity(steps.len());
        for step in steps {
            if let Some(bulk) = self.bulk(step) {
                let statement = client.prepare_cached(&bulk.text()).await?;
                let parts = vec![Prepared { work: Work::Bulk(bulk), statement }];
                all.push(PreparedStep { step, parts, is_certain: false });
                continue;
            }
            let sql = without_skipping(step.sql, step.guard);
            let is_certain =
                step.guard == Guard::Any || self.statements.known(sql).inserts_each_row;
            let needs_check = !is_certain && !step.returns;
            let mut parts = Vec::new();
            for execution in self.statements.executions(sql, step.rows.clone()) {
                let mut execution = match self.statements.layout {
                    Layout::OneServer if needs_check => execution.checked(),
                    Layout::OneServer | Layout::Distributed => execution,
                };
                execution.text = self.numbers.write(client, &execution.text).await?;
                let text = Arc::as_ptr(&execution.text).addr();
                let statement = if let Some(statement) = prepared.get(&text) {
                    statement.clone()
                } else {
                    let statement = client.prepare_cached(execution.text.sql()).await?;
                    prepared.insert(text, statement.clone());
                    statement
                };
                parts.push(Prepared { work: Work::Execution(execution), statement });
            }
            all.push(PreparedStep { step, parts, is_certain });
        }
        Ok(Burst(all))
    }

    /// What is sent for a step as a `COPY`.
    fn bulk<'a>(&self, step: &MergedStep<'a>) -> Option<Bulk<'a>> {
        match (self.statements.layout, self.grouping) {
            (Layout::Distributed, Grouping::Together) => Bulk::new(step),
            // The coordinator does not say which error of a worker is a conflict.
            (Layout::Distributed, Grouping::ByMerchant) | (Layout::OneServer, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{mem, net::SocketAddr};

    use domain::{identifier::MerchantId, returns::ledger::Ledger};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, copy},
        net::{TcpListener, TcpStream},
    };

    use super::*;
    use crate::{
        Location,
        conformance::{Subject, metrics, postgres},
        core::counted_events::CountedEvent,
        engine::postgres::{create_pool, tls::connection_settings},
    };

    /// Passes connections on to `server`. When it commits for the first time, the connection is
    /// closed instead of the response.
    async fn lose_first_commit(server: SocketAddr) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let mut is_lost = false;
            while let Ok((client, _)) = listener.accept().await {
                let (mut requests, mut to_client) = client.into_split();
                let (mut responses, mut to_server) =
                    TcpStream::connect(server).await.unwrap().into_split();
                let sending =
                    tokio::spawn(async move { copy(&mut requests, &mut to_server).await });
                let mut piece = vec![0; 1 << 16];
                while let Ok(length @ 1..) = responses.read(&mut piece).await {
                    let response = &piece[..length];
                    let commits = response.windows(7).any(|it| it == b"COMMIT\0");
                    if commits && !mem::replace(&mut is_lost, true) {
                        break;
                    }
                    to_client.write_all(response).await.unwrap();
                }
                sending.abort();
            }
        });
        address
    }

    #[tokio::test]
    async fn a_group_whose_commit_got_no_response_is_not_run_again() {
        let Some(Subject { store, location, .. }) = postgres("no_response").await else { return };
        let Location::Postgres(url) = &location else { panic!("{location:?}") };
        let (before, rest) = url.split_once("127.0.0.1:").expect("a server on this machine");
        let (port, rest) = rest.split_once('/').unwrap();
        let server = SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap()));
        let url = format!("{before}{}/{rest}", lose_first_commit(server).await);
        let committer = Committer {
            slot: 0,
            statements: Statements::new(Layout::OneServer),
            grouping: Grouping::Together,
            pool: create_pool(connection_settings(&url).unwrap(), 1).unwrap(),
            metrics: metrics(),
            numbers: Arc::default(),
            written: WrittenRows::default(),
        };
        let merchant = MerchantId::parse("acme").unwrap();
        let (mut group, mut replies) = (Group::default(), Vec::new());
        for order in ["one", "two"] {
            let mut transaction = Transaction::new("spending a unit");
            transaction.put_ledger(&merchant, order, &Ledger::default(), 0);
            transaction.count(&merchant, CountedEvent::OrdersTakenIn, 0, 1);
            let (sender, reply) = oneshot::channel();
            group.push(transaction, sender);
            replies.push(reply);
        }

        committer.commit(group).await;

        for reply in replies {
            let result = reply.await.unwrap();
            assert!(matches!(result, Err(EngineError::CommitUnknown(_))), "{result:?}");
        }
        let counts = store.day_counts(0).await.unwrap();
        assert_eq!(counts.iter().map(|count| count.number).collect::<Vec<_>>(), [2]);
    }
}
