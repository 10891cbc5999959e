//! The warehouse.

mod asns;
mod outbound;
mod units;
