//! The warehouse.

mod asns;
mod outbound;
mod settings;
mod units;
