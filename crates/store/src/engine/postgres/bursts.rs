//! Steps that travel to the server together.
//!
//! If each step does all it must or fails, `COMMIT` travels with them: after a failure the server
//! rolls back instead. Most inserts are like that ([`PreparedStep::is_certain`]), and on one server
//! the others are made so ([`Execution::checked`]). A single step needs no `BEGIN`: it is a
//! transaction of its own. Otherwise `COMMIT` waits until all responses are here and every guard
//! holds.

use std::{
    future::poll_fn,
    mem,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    task::Poll,
};

use deadpool_postgres::Object;
use futures_util::future::{join, join_all, join3};
use tokio_postgres::{Statement, error::SqlState};

use super::{
    bulk::{Bulk, BulkError},
    conflicts::{conflict_or_error, is_connection_lost},
    executions::Execution,
    read_row,
};
use crate::{
    core::{error::EngineError, value::Row},
    engine::group::MergedStep,
};

/// Why a group was not committed.
pub(super) enum Failure {
    /// The transaction is to be rolled back.
    Refused(EngineError),
    /// The server has rolled it back.
    RolledBack(EngineError),
    /// Requests and responses no longer belong together, so the connection must not be used again.
    OutOfStep(EngineError),
    /// The connection was lost when `COMMIT` was on its way: the group may be committed.
    Unknown(EngineError),
}

impl Failure {
    /// The same, after the server has ended the transaction.
    fn rolled_back(self) -> Self {
        match self {
            Self::Refused(error) => Self::RolledBack(error),
            Self::RolledBack(_) | Self::OutOfStep(_) | Self::Unknown(_) => self,
        }
    }

    /// The same, of a request that commits.
    pub(super) fn of_commit(self) -> Self {
        match self {
            Self::Refused(error) | Self::RolledBack(error) | Self::OutOfStep(error)
                if is_connection_lost(&error) =>
            {
                Self::Unknown(error)
            }
            Self::Refused(_) | Self::RolledBack(_) | Self::OutOfStep(_) | Self::Unknown(_) => self,
        }
    }
}

impl<E: Into<EngineError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// What is sent before a burst.
#[derive(Clone, Copy)]
pub(super) enum Start {
    Transaction,
    Nothing,
}

/// The steps of a group, ready to be sent.
pub(super) struct Burst<'a, 'b>(pub(super) Vec<PreparedStep<'a, 'b>>);

pub(super) struct PreparedStep<'a, 'b> {
    pub(super) step: &'b MergedStep<'a>,
    pub(super) parts: Vec<Prepared<'a>>,
    /// Whether its statement by itself does all it must, or fails.
    pub(super) is_certain: bool,
}

pub(super) struct Prepared<'a> {
    pub(super) work: Work<'a>,
    pub(super) statement: Statement,
}

/// What is sent for a step, or for a part of it.
pub(super) enum Work<'a> {
    Execution(Execution<'a>),
    Bulk(Bulk<'a>),
}

impl Burst<'_, '_> {
    /// Whether the steps do all they must, or fail.
    pub(super) fn is_certain(&self) -> bool {
        self.0.iter().all(PreparedStep::is_certain)
    }

    /// Whether rows are wanted that a step returns.
    pub(super) fn returns_rows(&self) -> bool {
        self.0.iter().any(|it| it.step.returns)
    }

    /// Sends all steps, waiting in between only for a `COPY`, checks their guards, and returns the
    /// rows that are wanted.
    pub(super) async fn run(&self, client: &Object, mut start: Start) -> Result<Vec<Row>, Failure> {
        let mut returned = Vec::new();
        for part in self.0.chunk_by(|one, next| !one.is_bulk() && !next.is_bulk()) {
            let begin = async {
                match mem::replace(&mut start, Start::Nothing) {
                    Start::Transaction => client.batch_execute("BEGIN").await,
                    Start::Nothing => Ok(()),
                }
            };
            let answers = join_all(part.iter().map(|step| step.send(client)));
            let (begin, answers) = join(begin, answers).await;
            begin.map_err(EngineError::from)?;
            for (step, answers) in part.iter().zip(answers) {
                let touched = collect_rows(answers, &mut returned)?;
                step.check(touched)?;
            }
        }
        Ok(returned)
    }

    /// Sends all steps, which must be certain, and commits them. Returns the rows that are wanted.
    pub(super) async fn run_and_commit(&self, client: &Object) -> Result<Vec<Row>, Failure> {
        let parts = self.0.iter().flat_map(|it| it.parts.iter().map(move |part| (it.step, part)));
        let parts: Vec<(&MergedStep<'_>, &Prepared<'_>)> = parts.collect();
        let mut returned = Vec::new();
        if let [(step, part)] = parts.as_slice() {
            let answer = execute(client, step, part).await;
            collect_rows(vec![answer], &mut returned).map_err(Failure::rolled_back)?;
            return Ok(returned);
        }
        let begin = client.batch_execute("BEGIN");
        let requests = Requests { unsent: parts.len().into(), refused: false.into() };
        let answers = parts.iter().map(|(step, part)| requests.note(execute(client, step, part)));
        let commit = async {
            if requests.all_sent().await {
                client.batch_execute("COMMIT").await.map(|()| true)
            } else {
                Ok(false)
            }
        };
        // Each is sent when it is first polled, which is in this order.
        let (begin, answers, committed) = join3(begin, join_all(answers), commit).await;
        begin.map_err(EngineError::from)?;
        collect_rows(answers, &mut returned).map_err(|failure| {
            if matches!(committed, Ok(true)) { failure.rolled_back() } else { failure }
        })?;
        committed.map_err(|error| Failure::Refused(conflict_or_error(error)))?;
        Ok(returned)
    }
}

/// Which requests of a burst are on their way. `COMMIT` must be behind all of them, and must not be
/// sent if one could not be: the server would commit the others.
struct Requests {
    unsent: AtomicUsize,
    refused: AtomicBool,
}

impl Requests {
    /// The same answer, with a note when its request is sent: before it first waits for anything.
    fn note<'a>(
        &'a self,
        answer: impl Future<Output = Answer> + Send + 'a,
    ) -> impl Future<Output = Answer> + Send + 'a {
        let mut answer = Box::pin(answer);
        let mut is_unsent = true;
        poll_fn(move |context| {
            let polled = answer.as_mut().poll(context);
            if mem::take(&mut is_unsent) {
                let is_refused = matches!(polled, Poll::Ready(Err(_)));
                self.refused.fetch_or(is_refused, Ordering::Relaxed);
                self.unsent.fetch_sub(1, Ordering::Relaxed);
            }
            polled
        })
    }

    /// Waits until no request is left to be sent; false if one was refused. It is polled after the
    /// requests, and again whenever one of them is.
    fn all_sent(&self) -> impl Future<Output = bool> + Send {
        poll_fn(|_| match self.unsent.load(Ordering::Relaxed) {
            0 => Poll::Ready(!self.refused.load(Ordering::Relaxed)),
            _ => Poll::Pending,
        })
    }
}

impl PreparedStep<'_, '_> {
    fn is_bulk(&self) -> bool {
        self.parts.iter().any(|one| matches!(one.work, Work::Bulk(_)))
    }

    fn is_certain(&self) -> bool {
        self.parts.iter().all(|part| match &part.work {
            Work::Execution(execution) => self.is_certain || execution.is_checked,
            Work::Bulk(_) => false,
        })
    }

    async fn send(&self, client: &Object) -> Vec<Answer> {
        join_all(self.parts.iter().map(|part| execute(client, self.step, part))).await
    }

    /// Checks the guard of the step.
    fn check(&self, rows_touched: u64) -> Result<(), EngineError> {
        let expected = u64::try_from(self.step.rows.len()).unwrap_or(u64::MAX);
        let is_met = self.is_certain() || rows_touched == expected;
        if is_met { Ok(()) } else { Err(EngineError::Conflict) }
    }
}

/// What an execution of a step answers: how many rows it touched, and those it returned.
type Answer = Result<(u64, Vec<tokio_postgres::Row>), Failure>;

/// Collects the rows that a step returned, and returns how many it touched.
fn collect_rows(answers: Vec<Answer>, returned: &mut Vec<Row>) -> Result<u64, Failure> {
    let mut rows_touched = 0;
    for answer in answers {
        let (number, rows) = answer?;
        rows_touched += number;
        for row in &rows {
            returned.push(read_row(row)?);
        }
    }
    Ok(rows_touched)
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
            let number = number.map_err(|error| match error.code() {
                Some(&SqlState::INVALID_TEXT_REPRESENTATION) if execution.is_checked => {
                    EngineError::Conflict
                }
                _ => conflict_or_error(error),
            });
            Ok((number?, Vec::new()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use futures_util::FutureExt;

    use super::*;

    fn of_length(number: usize) -> Requests {
        Requests { unsent: number.into(), refused: false.into() }
    }

    #[test]
    fn a_commit_waits_until_every_request_is_sent() {
        let requests = of_length(2);
        assert!(requests.note(pending()).now_or_never().is_none(), "sent, without an answer yet");
        assert_eq!(requests.all_sent().now_or_never(), None);
        assert!(requests.note(pending()).now_or_never().is_none());
        assert_eq!(requests.all_sent().now_or_never(), Some(true));
    }

    #[test]
    fn nothing_is_committed_when_a_request_could_not_be_sent() {
        let requests = of_length(2);
        let refused = || Err(Failure::Refused(EngineError::Closed));
        assert!(requests.note(pending()).now_or_never().is_none());
        assert!(requests.note(ready(refused())).now_or_never().is_some());
        assert_eq!(requests.all_sent().now_or_never(), Some(false));
    }
}
