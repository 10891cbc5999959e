//! The calls that were received, and what they say about the caller.

pub(crate) mod book;
pub(crate) mod call;
pub(crate) mod lane;
pub(crate) mod recent;
pub(crate) mod summary;
