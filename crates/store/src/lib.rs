//! The only place that knows SQL.
//!
//! There is one store for two engines. Everything here is written once, in the
//! SQL that SQLite and PostgreSQL share; what differs is in [`engine`], and a
//! `match` on the engine anywhere else is a mistake. Rules for the shared SQL:
//! columns are TEXT, BIGINT or BYTES; times are microseconds since the epoch; no
//! BOOLEAN, no JSON operators, no `sum` without a cast; every `ORDER BY` ends in a unique
//! column; compare-and-set on `version` instead of row locks. What a page filters, sorts or joins by is
//! a column; everything else is in the body.
//!
//! Reading is a method of [`Store`]; writing is a method of [`Transaction`], so
//! that a use case commits everything it decided at once.
//! `conformance` is the contract: it runs each operation on both engines.

#[cfg(test)]
mod conformance;

mod access;
mod core;
mod engine;
mod exchanges;
mod merchants;
mod messages;
mod orders;
mod returns;
mod warehouse;

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

pub use crate::core::{
    answers::Answer,
    audit::AuditRecord,
    backup::backup,
    day_counts::{Counted, DayCount},
    error::{EngineError, StoreError, with_causes},
    lock::{DirectoryLock, LockError},
    meters::Meters,
    transaction::Transaction,
};
pub use access::{operators::SessionRow, tokens::TokenOwner};
pub use exchanges::exchange_orders::ExchangeFilter;
pub use merchants::portals::StoredPortal;
pub use messages::{
    deliveries::{Attempted, Conclusion, Verdict, WaitingRow},
    failures::{FailureCount, FailureCursor, FailureFilter, FailureRow, MessageKey},
    message_files::MessageFile,
    outbox::{AttemptRow, MessageFilter, MessageRow, NewMessage, Owed, State},
    reports::{AnswerCount, AttemptCount, bucket_end_us},
};
pub use orders::{
    order_files::OrderFile,
    order_lists::{OrderFilter, OrderPlace},
    snapshots::{OrderHead, OrderRow},
};
pub use returns::{
    policies::PolicyVersion,
    refund_problems::{ProblemCursor, RefundProblem},
    refunds::{RefundHead, RefundRow},
    return_lists::{ReturnFilter, ReturnPlace},
    rmas::LabelRequest,
};
pub use warehouse::{
    asns::LinesWanted,
    units::{UnitRow, UnitSteps},
};

use crate::core::{
    error::Doing,
    value::{Row, Value},
};
use engine::Engine;

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A file; the process that uses it holds the lock of its directory.
    Sqlite(PathBuf),
    /// A connection address; many processes may use it.
    Postgres(String),
}

/// Something read, with the version that guards its next change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    pub value: T,
    pub version: i64,
}

#[derive(Clone)]
pub struct Store {
    engine: Engine,
    changes: Arc<AtomicU64>,
}

impl Store {
    /// Opens the database without changing its schema.
    pub async fn open(location: &Location, meters: &Meters) -> Result<Self, StoreError> {
        let engine = Engine::open(location, meters).await.doing("opening the store")?;
        Ok(Self { engine, changes: Arc::default() })
    }

    pub fn engine_name(&self) -> &'static str {
        self.engine.name()
    }

    /// Makes everything in `transaction` durable, or nothing of it.
    ///
    /// Returns after the fsync that covers it, with the messages that are owed now.
    /// [`StoreError::Conflict`] when a guard did not hold.
    pub async fn commit(&self, transaction: Transaction) -> Result<Vec<Owed>, StoreError> {
        if transaction.is_empty() {
            return Ok(Vec::new());
        }
        let doing = transaction.doing;
        let owed = self.engine.commit(transaction).await.doing(doing)?;
        self.changes.fetch_add(1, Ordering::Relaxed);
        self.file_behind(&owed);
        Ok(owed)
    }

    /// How often something was committed through this process. When it stands still, nothing here changed.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Finishes what is waiting and lets the database go.
    pub async fn close(&self) {
        self.engine.close().await;
    }

    async fn rows(
        &self,
        doing: &'static str,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        self.engine.query(sql, values).await.doing(doing)
    }
}

/// A stored JSON body as the type it was written from.
fn parsed<T: serde::de::DeserializeOwned>(
    table: &'static str,
    id: &str,
    body: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(|error| corrupt(table, id, &error))
}

fn corrupt(table: &'static str, id: &str, why: &dyn std::fmt::Display) -> StoreError {
    StoreError::Corrupt { table, id: id.to_owned(), why: why.to_string() }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("domain types have string keys and finite numbers")
}
