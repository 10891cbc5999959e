//! The received calls, and what they say about the sender.

pub(crate) mod book;
pub(crate) mod call;
pub(crate) mod lane;
pub(crate) mod recent;
pub(crate) mod summary;
