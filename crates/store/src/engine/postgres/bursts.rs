//! Steps that travel to the server together.
//!
//! Usually `COMMIT` waits until all responses are here and every guard holds. If all steps are
//! certain ([`is_certain`]), it need not: a step that fails makes the server roll back instead. So
//! it travels with them, and a single step even without `BEGIN`, as a transaction of its own.

use std::{
    borrow::Cow,
    mem,
    sync::atomic::{AtomicBool, Ordering},
};

use deadpool_postgres::Object;
use futures_util::future::{join, join_all, join3};
use tokio_postgres::Statement;

use super::{
    bulk::{Bulk, BulkError},
    conflict_or_error,
    executions::Execution,
    read_row,
};
use crate::{
    core::{error::EngineError, transaction::Guard, value::Row},
    engine::{dialect::certain::is_certain, group::MergedStep},
};

/// Why a group was not committed.
pub(super) enum Failure {
    /// The transaction is to be rolled back.
    Refused(EngineError),
    /// The server has rolled it back.
    RolledBack(EngineError),
    /// Requests and responses no longer belong together, so the connection must not be used again.
    OutOfStep(EngineError),
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

impl Work<'_> {
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Execution(execution) => Cow::Borrowed(&execution.text),
            Self::Bulk(bulk) => bulk.text().into(),
        }
    }
}

impl Burst<'_, '_> {
    /// Whether the steps do all they must, or fail.
    pub(super) fn is_certain(&self) -> bool {
        self.0.iter().all(|it| !it.is_bulk() && is_certain(it.step.sql, it.step.guard))
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
        let is_alone = self.0.iter().map(|step| step.parts.len()).sum::<usize>() == 1;
        let begin = async { if is_alone { Ok(()) } else { client.batch_execute("BEGIN").await } };
        // What the client could not send the server does not know of, and it would commit the rest.
        let unsent = AtomicBool::new(false);
        let answers = join_all(self.0.iter().map(|step| async {
            let answers = step.send(client).await;
            unsent.fetch_or(answers.iter().any(Result::is_err), Ordering::Relaxed);
            answers
        }));
        let commit = async {
            let is_sent = !is_alone && !unsent.load(Ordering::Relaxed);
            if is_sent { client.batch_execute("COMMIT").await.map(|()| true) } else { Ok(false) }
        };
        // Each is sent when it is first polled, which is in this order.
        let (begin, answers, committed) = join3(begin, answers, commit).await;
        begin.map_err(EngineError::from)?;
        let mut returned = Vec::new();
        for answers in answers {
            collect_rows(answers, &mut returned).map_err(|failure| match failure {
                Failure::Refused(error) if is_alone || matches!(committed, Ok(true)) => {
                    Failure::RolledBack(error)
                }
                failure => failure,
            })?;
        }
        committed.map_err(|error| Failure::Refused(conflict_or_error(error)))?;
        Ok(returned)
    }
}

impl PreparedStep<'_, '_> {
    fn is_bulk(&self) -> bool {
        self.parts.iter().any(|one| matches!(one.work, Work::Bulk(_)))
    }

    async fn send(&self, client: &Object) -> Vec<Answer> {
        join_all(self.parts.iter().map(|part| execute(client, self.step, part))).await
    }

    /// Checks the guard of the step.
    fn check(&self, rows_touched: u64) -> Result<(), EngineError> {
        let expected = u64::try_from(self.step.rows.len()).unwrap_or(u64::MAX);
        if rows_touched != expected && self.step.guard == Guard::OneEach {
            return Err(EngineError::Conflict);
        }
        Ok(())
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
            Ok((number.map_err(conflict_or_error)?, Vec::new()))
        }
    }
}
