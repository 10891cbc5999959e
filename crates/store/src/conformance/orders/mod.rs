//! Orders.

mod lists;
mod shoppers;
mod snapshots;
