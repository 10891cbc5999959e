//! Accounts at carriers, and what carriers report with webhooks.

pub(crate) mod accounts;
pub(crate) mod webhooks;
