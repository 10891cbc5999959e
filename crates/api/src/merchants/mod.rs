//! Merchants and their portals.

pub(crate) mod accounts;
pub(crate) mod portal;
