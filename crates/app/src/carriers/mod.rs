//! Carriers: what they are asked for, the accounts at their APIs, the work there, and what they
//! report.

pub mod accounts;
pub mod desk;
pub mod jobs;
pub mod label_requests;
pub mod webhooks;
