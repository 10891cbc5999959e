//! Exchange orders and variants.

pub(crate) mod exchange_orders;
