//! Exchange orders, and the variants that a merchant offers.

pub mod exchange_orders;
pub mod finished_messages;
pub mod variants;
