//! What Homeward knows about orders, apart from any machine it runs on.
//!
//! Everything here is a pure function of its arguments: no clock, no randomness,
//! no database, no network. Bytes from outside become a [`json`] document, a
//! [`reader`] walks it and notes every fault at once, and what passes is a domain
//! type such as [`order::Order`] that nobody needs to check again. The time is
//! handed in where a rule needs it.

pub mod access;
pub mod currency;
pub mod exchanges;
pub mod faults;
pub mod identifier;
pub mod json;
pub mod merchants;
pub mod messages;
pub mod orders;
pub mod random;
pub mod reader;
pub mod returns;
pub mod samples;
pub mod time;
pub mod warehouse;
