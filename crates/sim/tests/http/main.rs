//! The simulated merchant as a caller meets it: over HTTP, on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

mod behaviors;
mod calls;
mod client;
mod credentials;
mod exchanges;
mod pages;
mod signatures;
