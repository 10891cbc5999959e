//! Exchanges and gift cards: what a shopper gets instead of money.
//!
//! The merchant sends the goods. Its server lists the [`variants`], and gets an exchange [`order`]
//! with the new variant, the gift card, or both. There is at most one such order for each original
//! order. Its state is stored in its [`record`]. If its goods are returned, [`chain`] limits the
//! refund to what was paid.

pub mod answer;
pub mod chain;
pub mod order;
#[cfg(test)]
mod properties;
pub mod record;
pub mod variants;
