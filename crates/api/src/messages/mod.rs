//! Messages to merchants: the log, the failure queue, endpoints and reports.

pub(crate) mod certify;
pub(crate) mod endpoints;
pub(crate) mod explain;
pub(crate) mod failures;
pub(crate) mod log;
pub(crate) mod mail;
pub(crate) mod operator_log;
pub(crate) mod reconciliation;
pub(crate) mod replay;
pub(crate) mod reports;
