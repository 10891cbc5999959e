//! Messages to merchants: their kinds, where they go, and when a failed attempt is retried.

pub mod alert;
pub mod certificate;
pub mod endpoint;
pub mod kind;
pub mod mail;
pub mod reconciliation;
pub mod replay;
pub mod retry;
pub mod signature;
pub mod state;
