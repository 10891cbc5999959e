//! What every area builds on.

mod audit;
mod database;
mod day_counts;
mod idempotency;
mod upgrades;
mod work_lists;
