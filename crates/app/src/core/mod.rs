//! What every use case builds on: the optimistic commit, the audit trail, metrics.

pub mod audit_trail;
pub mod commit_once;
pub mod metrics;
pub mod notice;
pub mod overview;
pub mod search;
