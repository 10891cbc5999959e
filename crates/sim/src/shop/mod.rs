//! What the merchant sells, and the orders that exchange it.

pub(crate) mod catalog;
pub(crate) mod exchange;
pub(crate) mod picture;
