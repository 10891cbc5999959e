//! The returns portal: a shopper finds an order, chooses what comes back and why, sees what it comes to, and
//! confirms. Pages are rendered here and need no script.
//!
//! Whoever names an order and something that only the buyer knows gets a pass for an hour, in a cookie of the
//! merchant's portal. A return that was started is found by its identifier, which cannot be guessed.

mod choice;
mod money;
mod pages;
mod route;
mod timeline;

pub(crate) use route::{GUESSES_PER_MINUTE, routes};
