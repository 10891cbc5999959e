//! Statements of withdrawal.

pub(crate) mod records;
