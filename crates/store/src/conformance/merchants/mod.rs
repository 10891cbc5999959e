//! Merchants and their portals.

mod portals;
mod records;
mod retention;
