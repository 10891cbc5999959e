//! Homeward from outside: the real binary, started as a process, spoken to over sockets.
//!
//! Nothing here links the service; `domain` lends its sample messages and that is all. One server
//! on each engine is shared by the tests that do not disturb each other, because each has a
//! merchant of its own; a test that stops, limits or kills a server starts its own. See
//! [`harness`] for how the binary is found and how PostgreSQL is reached.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on should stop"
)]

mod harness;

mod access;
mod browser;
mod carriers;
mod commands;
mod console;
mod core;
mod demo;
mod exchanges;
mod messages;
mod money;
mod orders;
mod portal;
mod returns;
mod tidy;
mod warehouse;
