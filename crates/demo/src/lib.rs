//! The simulated world of a demo: a merchant, its shoppers, a carrier and a warehouse. They use the
//! API, as people and systems would, at the time of the demo's own clock.
//!
//! A [`schedule`] has the next [`action`]s with their times. [`simulation`] takes those that are
//! due, lets the [`actors`] do them (see also [`incidents`]), and reads the messages to the
//! merchant's server: after a label the shopper sends the parcel, after a scan the merchant pays
//! ([`reactions`]). The six months before the first start are simulated in the same way, without
//! waiting.
//!
//! Random numbers are the same in every demo: they depend only on the names of things.

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

pub use start::{Access, Demo, Parts, new_clock, resume};
pub use state::{State, claim, remove, require_demo};

pub(crate) const HOUR_US: i64 = 60 * 60 * 1_000_000;
pub(crate) const DAY_US: i64 = 24 * HOUR_US;

/// A time to the second, as in orders.
pub(crate) fn format_time(at_us: i64) -> String {
    let seconds = at_us.div_euclid(1_000_000);
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
