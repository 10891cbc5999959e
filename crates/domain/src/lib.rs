//! What Homeward knows about orders, apart from any machine it runs on.
//!
//! Everything here is a pure function of its arguments: no clock, no randomness,
//! no database, no network. Bytes from outside become a [`json`] document, a
//! [`reader`] walks it and notes every fault at once, and what passes is a domain
//! type such as [`order::Order`] that nobody needs to check again. The time is
//! handed in where a rule needs it.

pub mod client;
pub mod currency;
pub mod endpoint;
pub mod exchange;
pub mod faults;
pub mod identifier;
pub mod intake;
pub mod json;
pub mod kind;
pub mod language;
pub mod merchant;
pub mod operator;
pub mod order;
pub mod order_message;
pub mod picture;
pub mod portal;
pub mod reader;
pub mod retry;
pub mod returns;
pub mod samples;
pub mod scope;
pub mod time;
pub mod warehouse;
