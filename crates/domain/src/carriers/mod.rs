//! Carriers: what they need to make a label, accounts at their APIs, and the work that is done
//! there.

pub mod account;
pub mod job;
pub mod label_request;
pub mod rate;
