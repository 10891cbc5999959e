//! The returns portal, as a browser without scripts uses it.

mod codes;
mod journeys;
mod looks;
mod pictures;
mod proof;
mod security;
mod shop;
mod statement;
mod withdrawal;
