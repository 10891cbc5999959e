//! Exchange orders.

pub(crate) mod exchange_orders;
