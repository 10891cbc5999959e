//! Merchants, their portals, and how long data is kept.

pub(crate) mod accounts;
pub(crate) mod portal;
pub(crate) mod retention;
