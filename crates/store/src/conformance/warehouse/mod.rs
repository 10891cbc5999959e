//! The warehouse.

mod asns;
mod dispositions;
mod outbound;
mod settings;
mod units;
