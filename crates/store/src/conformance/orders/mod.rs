//! Orders.

mod lists;
mod snapshots;
