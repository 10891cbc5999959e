//! The store itself: an engine, and the ways to read from it and to commit to it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use boxed::boxed;
use tracing::{Instrument, Span, field::Empty, trace_span};
use world::KeyedTurns;

use crate::{
    core::{
        error::{During, EngineError, StoreError},
        metrics::StoreMetrics,
        transaction::Transaction,
        value::{Row, Value},
    },
    engine::{Engine, Location},
    messages::outbox::PendingMessage,
    returns::parsed_policies::ParsedPolicies,
};

/// Enough to follow a message from its commit to its attempts. More are not named in a span.
const NAMED_MESSAGES_MAX: usize = 8;

#[derive(Clone)]
pub struct Store {
    pub(crate) engine: Engine,
    changes: Arc<AtomicU64>,
    metrics: StoreMetrics,
    /// One task at a time indexes a merchant's messages.
    pub(crate) index_turns: Arc<KeyedTurns<String>>,
    pub(crate) parsed_policies: Arc<ParsedPolicies>,
}

impl Store {
    /// Opens the database without changing its schema.
    #[boxed]
    pub async fn open(location: &Location, metrics: &StoreMetrics) -> Result<Self, StoreError> {
        let engine = Engine::open(location, metrics).await.during("opening the store")?;
        Ok(Self::new(engine, metrics))
    }

    /// Opens the database to read from it, also while a server uses it. Commits fail.
    #[boxed]
    pub async fn open_for_reading(
        location: &Location,
        metrics: &StoreMetrics,
    ) -> Result<Self, StoreError> {
        let engine = Engine::open_for_reading(location, metrics).await;
        let engine = engine.during("opening the store")?;
        Ok(Self::new(engine, metrics))
    }

    fn new(engine: Engine, metrics: &StoreMetrics) -> Self {
        Self {
            engine,
            changes: Arc::default(),
            metrics: metrics.clone(),
            index_turns: KeyedTurns::new(1),
            parsed_policies: Arc::default(),
        }
    }

    pub fn engine_name(&self) -> &'static str {
        self.engine.name()
    }

    /// Makes everything in `transaction` durable, or nothing of it.
    ///
    /// Returns after the fsync that covers it, with the messages that it enqueued.
    /// [`StoreError::Conflict`] when a guard did not hold.
    #[boxed]
    pub async fn commit(
        &self,
        transaction: Transaction,
    ) -> Result<Vec<PendingMessage>, StoreError> {
        if transaction.is_empty() {
            return Ok(Vec::new());
        }
        let operation = transaction.operation;
        let span = trace_span!(
            target: "spans",
            "commit",
            homeward.operation = operation,
            homeward.message_ids = Empty,
            failed = Empty,
        );
        let committed = self.engine.commit(transaction).instrument(span.clone()).await;
        note_result(&span, &committed);
        let pending = committed.during(operation)?;
        self.changes.fetch_add(1, Ordering::Relaxed);
        self.index_in_background(&pending);
        Ok(pending)
    }

    /// The number of commits made through this process. While it does not rise, nothing was changed
    /// here.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Finishes the waiting commits and releases the database.
    #[boxed]
    pub async fn close(&self) {
        self.engine.close().await;
    }

    /// The engine for a query, which is counted.
    fn engine_for_query(&self) -> &Engine {
        self.metrics.record_query();
        &self.engine
    }

    /// Runs a query. `operation` completes the sentence "the database failed while ...".
    pub(crate) async fn query(
        &self,
        operation: &'static str,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        self.engine_for_query().query(sql, values).await.during(operation)
    }

    /// Runs a query and reads every row.
    pub(crate) async fn read_all<T>(
        &self,
        operation: &'static str,
        sql: &'static str,
        values: Vec<Value>,
        read: impl Fn(&Row) -> Result<T, EngineError>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.query(operation, sql, values).await?;
        rows.iter().map(read).collect::<Result<_, _>>().during(operation)
    }

    /// Runs a query and reads the first row, if there is one.
    pub(crate) async fn read_first<T>(
        &self,
        operation: &'static str,
        sql: &'static str,
        values: Vec<Value>,
        read: impl Fn(&Row) -> Result<T, EngineError>,
    ) -> Result<Option<T>, StoreError> {
        let rows = self.query(operation, sql, values).await?;
        rows.first().map(read).transpose().during(operation)
    }

    /// Runs a query with `ROWS(..)` in its text, for all `rows` together.
    pub(crate) async fn query_each(
        &self,
        operation: &'static str,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, StoreError> {
        self.engine_for_query().query_each(sql, rows).await.during(operation)
    }

    /// The same for a question that many ask at the same time; see [`Engine::query_shared`].
    pub(crate) async fn query_shared(
        &self,
        operation: &'static str,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<Row>, StoreError> {
        self.engine_for_query().query_shared(sql, rows).await.during(operation)
    }

    /// Like [`Self::query_each`], and reads every row.
    pub(crate) async fn read_each<T>(
        &self,
        operation: &'static str,
        sql: &'static str,
        rows: Vec<Vec<Value>>,
        read: impl Fn(&Row) -> Result<T, EngineError>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.query_each(operation, sql, rows).await?;
        rows.iter().map(read).collect::<Result<_, _>>().during(operation)
    }
}

/// Names what a commit enqueued in its span, if it is collected.
fn note_result(span: &Span, committed: &Result<Vec<PendingMessage>, EngineError>) {
    if span.is_disabled() {
        return;
    }
    span.record("failed", committed.is_err());
    let pending = committed.as_deref().unwrap_or_default();
    let named = pending.iter().take(NAMED_MESSAGES_MAX).map(|message| message.id().to_string());
    let named: Vec<String> = named.collect();
    if !named.is_empty() {
        span.record("homeward.message_ids", named.join(","));
    }
}
