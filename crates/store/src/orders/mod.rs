//! Orders: snapshots as merchants sent them, lists of them, and all that is stored about one.

pub(crate) mod order_lists;
pub(crate) mod snapshots;
pub(crate) mod stored_orders;
