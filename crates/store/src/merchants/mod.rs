//! Merchants and their portals.

pub(crate) mod portals;
pub(crate) mod records;
pub(crate) mod retention;
