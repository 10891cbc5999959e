//! Everybody in a demo: a merchant with its shoppers, a carrier and a warehouse, who do by themselves what people
//! and systems would do, through the API and at the demo's own time.
//!
//! What is to be done stands in a [`schedule`] of [`action`]s with their times. [`simulation`] takes the next ones, has them
//! done ([`actors`], [`incidents`]), and listens to what the merchant's server is told: a label means that a parcel will
//! be sent, a scan that the merchant will pay ([`reactions`]). The six months before the first start are lived
//! through the same way, only without waiting for the time between.
//!
//! Random numbers are the same in every demo: they depend on the names of things alone.

mod action;
mod actors;
mod api;
mod incidents;
mod messages;
mod orders;
mod people;
mod random;
mod reactions;
mod sample_orders;
mod schedule;
mod setup;
mod simulation;
mod start;
mod state;
mod stock;

pub use start::{Access, Demo, Parts, clock, earlier, forget};
pub use state::State;

pub(crate) const HOUR_US: i64 = 60 * 60 * 1_000_000;
pub(crate) const DAY_US: i64 = 24 * HOUR_US;

/// A time to the second, as orders carry it.
pub(crate) fn time(at_us: i64) -> String {
    let seconds = at_us.div_euclid(1_000_000);
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
