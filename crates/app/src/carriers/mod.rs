//! Carriers: what they are asked for.

pub mod label_requests;
