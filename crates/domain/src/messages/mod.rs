//! Messages to merchants: their kinds, where they go, and when an attempt is repeated.

pub mod endpoint;
pub mod kind;
pub mod retry;
pub mod state;
