//! The rules of Homeward: orders, returns, exchanges, warehouse, messages, merchants, and access.
//!
//! Everything here is a pure function of its arguments: no clock, no randomness, no database, no
//! network. A rule that depends on the time takes it as an argument.
//!
//! Each area has its own module, and all of them read input in the same way: bytes become a
//! [`json`] document, a [`reader`] walks it and collects every fault with its path, and the result
//! is a type such as [`orders::order::Order`] that never needs to be checked again. Areas that
//! change over time are small state machines: `apply(state, event, now)` returns the next state and
//! what follows from it, or why the event is refused. The tables in the module comments specify
//! them.

pub mod access;
pub mod bodies;
pub mod carriers;
pub mod currency;
pub mod exchanges;
pub mod faults;
pub mod identifier;
pub mod json;
pub mod merchants;
pub mod messages;
pub mod money;
pub mod orders;
pub mod random;
pub mod reader;
pub mod returns;
pub mod samples;
pub mod time;
pub mod warehouse;
pub mod withdrawal;

// Only the tests of `api` compile the descriptions of types: see the crate `undescribed`.
#[cfg(not(feature = "describe"))]
extern crate undescribed as utoipa;
