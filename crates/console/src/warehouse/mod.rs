//! The receiving bench, license plates, units, and exceptions.

pub(crate) mod disposition;
pub(crate) mod exceptions;
pub(crate) mod plates;
pub(crate) mod receive;
pub(crate) mod units;
