//! The only crate that contains SQL.
//!
//! There is one store for SQLite, PostgreSQL and Citus. Everything here is written once, in the SQL
//! that they share; the differences are in [`engine`], and a `match` on the engine anywhere else
//! is a mistake. Rules for the shared SQL: columns are TEXT, BIGINT or BYTES; times are
//! microseconds since the epoch; no BOOLEAN, no JSON operators, no `sum` without a cast; every
//! `ORDER BY` ends in a unique column; compare-and-set on `version` instead of row locks. What a
//! query filters, sorts or joins by is a column; everything else is in the body.
//!
//! Reads are methods of [`Store`]; writes are methods of [`Transaction`], so that a use case
//! commits everything it decided at once. `conformance` is the contract: it runs each operation on
//! every engine.

#[cfg(test)]
mod conformance;

mod access;
mod carriers;
mod core;
mod engine;
mod exchanges;
mod merchants;
mod messages;
mod money;
mod orders;
mod returns;
mod warehouse;
mod withdrawal;

pub use crate::core::{
    audit::{AuditFilter, AuditRecord},
    backup::{BackupSummary, backup, verify_backup},
    body::Versioned,
    counted_events::CountedEvent,
    cursor::{Cursor, next_page},
    day_counts::DayCount,
    error::{EngineError, StoreError, with_causes},
    idempotency::{ResponseKey, StoredResponse},
    lasting_failure::LastingFailure,
    lock::{DirectoryLock, LockError},
    metrics::StoreMetrics,
    pages::ListFilter,
    schema::Migration,
    store::Store,
    transaction::Transaction,
    work_lists::{WorkFilter, WorkList, WorkPage, WorkRow},
};
pub use access::{
    lookup_attempts::{AttemptWindow, LookupState},
    operators::SessionRow,
    sealing_keys::SealingKeyRow,
    tokens::TokenOwner,
};
pub use engine::{CONNECTION_LIBRARIES, CopiedMoment, Location};
pub use exchanges::exchange_orders::ExchangeFilter;
pub use merchants::{
    portals::StoredPortal,
    retention::{DeferredCandidate, RetentionCandidate, RetentionClass},
};
pub use messages::{
    alerts::OpenAlert,
    attempt::{Attempt, AttemptOutcome, FailureCause},
    backlog::{Backlog, BacklogCount},
    deliveries::LastDelivery,
    failures::{FailingEndpoint, FailureCount, FailureFilter, FailureKey, FailureRow, MessageKey},
    leases::ShardLease,
    log::{AttemptRow, MessageFilter, MessageRow},
    mail_reminders::DueReminder,
    message_heads::{HeadPosition, MessageHead},
    message_histories::MessageHistory,
    outbox::{NewMessage, PendingMessage},
    pending::{PageLimit, PendingPage},
    replays::{ReplayedMessage, ScannedMessage},
    reports::{AttemptCount, ResponseCount, bucket_end_us},
    retention::FinishedMessages,
};
pub use money::{
    checks::ReturnRow,
    postings::{OwedReturn, OwedSum, Posting, PostingPosition},
};
pub use orders::{
    compressed::compress_order,
    erasure::DocumentRow,
    intake_state::{IntakeKey, IntakeState, OrderHead, RefundHead},
    order_lists::{ListedOrder, OrderFilter},
    shopper_keys::{OrderPosition, ShopperKeyKind, ShopperReference},
    snapshots::OrderRow,
    stored_orders::StoredOrder,
};
pub use returns::{
    journal::EventHeader,
    ledgers::LedgerRow,
    policies::PolicyVersion,
    refund_problems::RefundProblem,
    refunds::RefundRow,
    return_lists::{ListedReturn, ReturnFilter},
    rmas::LabelRequestRow,
};
pub use warehouse::{
    asn_codes::CodedAsn,
    asn_lines::AsnLineFilter,
    asn_scans::{ArticleCode, ScannedArticle, ScannedAsns, ScannedKeys},
    asns::AsnLineRow,
    dispositions::{DisposedGoods, StoredDisposition},
    outbound::ShipmentRow,
    units::{DoubtfulUnit, UnitRow, UnitSteps},
};
pub use withdrawal::records::{WithdrawalFilter, WithdrawalRow};
