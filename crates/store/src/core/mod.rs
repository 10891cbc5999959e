//! What every area builds on: the store itself, transactions, errors, cursors, schema, audit trail.

pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod body;
pub(crate) mod counted_events;
pub(crate) mod cursor;
pub(crate) mod day_counts;
pub(crate) mod error;
pub(crate) mod idempotency;
pub(crate) mod lasting_failure;
pub(crate) mod lock;
pub(crate) mod metrics;
pub(crate) mod pages;
pub(crate) mod schema;
pub(crate) mod store;
pub(crate) mod transaction;
pub(crate) mod value;
pub(crate) mod work_lists;
