//! Withdrawals from contracts.

pub(crate) mod list;
