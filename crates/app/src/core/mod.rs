//! What every use case builds on: the optimistic commit, the audit trail, metrics.

pub mod audit_trail;
pub(crate) mod commit_once;
pub(crate) mod idempotency;
pub mod list_query;
pub mod metrics;
pub mod notice;
pub mod overview;
pub mod scope;
pub mod search;
pub(crate) mod time;
pub mod work_lists;
