//! HTTP: from a port to the answer of a call.

pub(crate) mod control;
pub(crate) mod receive;
pub(crate) mod reply;
pub(crate) mod serve;
