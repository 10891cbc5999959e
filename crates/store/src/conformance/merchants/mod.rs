//! Merchants and their portals.

mod portals;
mod records;
