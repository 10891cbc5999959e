//! The returns portal, as a browser without scripts walks through it.

mod journeys;
mod looks;
mod pictures;
mod security;
mod shop;
