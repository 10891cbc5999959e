//! Returns, from the shopper's choice to the closed RMA: what the merchant's systems are told at
//! every step, and what everybody else who takes part is answered.
//!
//! Bodies are compared whole. What differs from run to run (the return's identifier, the number of
//! the parcel, times) is replaced by a fixed word before.

mod carrier;
mod carrier_labels;
mod commands;
mod contradictions;
mod documents;
mod expected;
mod history;
mod journeys;
mod labels;
mod mail_back;
mod methods;
mod policy;
mod receiving;
mod refunds;
mod refusals;
mod repeats;
mod rivals;
pub(crate) mod scene;
