//! Exchanges and gift cards: what a shopper gets in the place of money.
//!
//! The merchant sends the goods: it is asked which [`variants`] there are, and gets an exchange
//! [`order`] with the new variant, the gift card, or both. There is one such order for an
//! original order, ever. What is known of it is its [`record`]; when its goods come back in
//! turn, [`chain`] keeps the refund within what was paid.

pub mod answer;
pub mod chain;
pub mod order;
#[cfg(test)]
mod properties;
pub mod record;
pub mod variants;
