//! The receiving bench, units, and exceptions.

pub(crate) mod exceptions;
pub(crate) mod receive;
pub(crate) mod units;
