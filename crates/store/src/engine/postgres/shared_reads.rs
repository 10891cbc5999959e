//! Queries of several callers that are sent as one.
//!
//! Looking up one row by its key costs the server and both ends of the connection far more for the
//! query than for the row. So callers that ask while a query is under way share the next one. A
//! caller that is alone is answered at once, and load makes its own groups. The next query does not
//! wait for a slow one for long, so that a connection that hangs holds up only its own callers.
//!
//! The last value of each row is the number of the caller, which is set here, and the last column
//! of each result returns it.

use std::{collections::BTreeMap, pin::pin, sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, mpsc, oneshot},
    time::timeout,
};

use super::{Reads, as_slices, contains_nul};
use crate::{
    EngineError,
    core::value::{Row, Value},
};

/// Queries that may be under way at the same time, if the first ones are slow.
const SHARERS: usize = 4;
const SLOW_AFTER: Duration = Duration::from_millis(50);
/// A caller with more rows than this has a query of its own, and a shared query at most so many
/// callers.
const ROWS_MAX: usize = 64;
const CALLERS_MAX: usize = 64;
/// Callers that may wait in the queue before others wait to get into it.
const QUEUE_MAX: usize = 1024;

#[derive(Clone)]
pub(super) struct SharedReads {
    reads: Reads,
    waiting: mpsc::Sender<SharedQuery>,
}

struct SharedQuery {
    sql: &'static str,
    rows: Vec<Vec<Value>>,
    reply: oneshot::Sender<Result<Vec<Row>, EngineError>>,
}

impl SharedReads {
    /// The tasks end when no caller can ask any more.
    pub(super) fn start(reads: &Reads) -> Self {
        let (waiting, receiver) = mpsc::channel(QUEUE_MAX);
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..SHARERS {
            tokio::spawn(share(reads.clone(), Arc::clone(&receiver)));
        }
        Self { reads: reads.clone(), waiting }
    }

    pub(super) async fn query(
        &self,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, EngineError> {
        if rows.len() > ROWS_MAX {
            return self.reads.query_each(sql, as_slices(&rows)).await;
        }
        // It would make the answer of all others empty, too.
        if rows.iter().flatten().any(contains_nul) {
            return Ok(Vec::new());
        }
        let (reply, answer) = oneshot::channel();
        let query = SharedQuery { sql, rows, reply };
        self.waiting.send(query).await.map_err(|_| EngineError::Closed)?;
        answer.await.map_err(|_| EngineError::Closed)?
    }
}

async fn share(reads: Reads, waiting: Arc<Mutex<mpsc::Receiver<SharedQuery>>>) {
    loop {
        let mut receiver = waiting.lock().await;
        let Some(queries) = next_queries(&mut receiver).await else { return };
        let mut answers = pin!(answer_all(&reads, queries));
        let slow = timeout(SLOW_AFTER, &mut answers).await.is_err();
        drop(receiver);
        if slow {
            answers.await;
        }
    }
}

async fn answer_all(reads: &Reads, queries: BTreeMap<&'static str, Vec<SharedQuery>>) {
    for (sql, mut queries) in queries {
        number_callers(&mut queries);
        let rows = queries.iter().flat_map(|query| as_slices(&query.rows)).collect();
        match reads.query_each(sql, rows).await {
            Ok(rows) => answer_callers(queries, rows),
            // Each gets its own error, and only those that have one.
            Err(_) => {
                for SharedQuery { sql, rows, reply } in queries {
                    let _ = reply.send(reads.query_each(sql, as_slices(&rows)).await);
                }
            }
        }
    }
}

/// Everything that is asked, by question, as soon as something is.
async fn next_queries(
    waiting: &mut mpsc::Receiver<SharedQuery>,
) -> Option<BTreeMap<&'static str, Vec<SharedQuery>>> {
    let first = waiting.recv().await?;
    let others = std::iter::from_fn(|| waiting.try_recv().ok()).take(CALLERS_MAX - 1);
    let mut queries: BTreeMap<&'static str, Vec<SharedQuery>> = BTreeMap::new();
    for query in std::iter::once(first).chain(others) {
        queries.entry(query.sql).or_default().push(query);
    }
    Some(queries)
}

fn number_callers(queries: &mut [SharedQuery]) {
    for (number, query) in (0_i64..).zip(queries) {
        for last in query.rows.iter_mut().filter_map(|row| row.last_mut()) {
            *last = Value::Int(number);
        }
    }
}

fn answer_callers(queries: Vec<SharedQuery>, rows: Vec<Row>) {
    let mut answers: Vec<Vec<Row>> = queries.iter().map(|_| Vec::new()).collect();
    for row in rows {
        let caller = row.0.last().and_then(|last| {
            if let Value::Int(number) = last { usize::try_from(*number).ok() } else { None }
        });
        if let Some(answer) = caller.and_then(|caller| answers.get_mut(caller)) {
            answer.push(row);
        }
    }
    for (query, answer) in queries.into_iter().zip(answers) {
        // The caller may be gone.
        let _ = query.reply.send(Ok(answer));
    }
}
