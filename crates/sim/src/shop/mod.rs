//! The merchant's articles and exchange orders.

pub(crate) mod catalog;
pub(crate) mod exchange;
pub(crate) mod picture;
