//! The console, as a browser without scripts sees it.

mod finance;
pub(crate) mod fixture;
mod guessing;
mod login;
pub(crate) mod merchants;
mod orders;
mod overview;
pub(crate) mod problems;
mod receive;
mod replays;
mod secrets;
