//! Orders: snapshots as merchants sent them, lists, and everything that is stored about one.

pub(crate) mod compressed;
pub(crate) mod erasure;
pub(crate) mod intake_state;
pub(crate) mod order_lists;
pub(crate) mod shopper_keys;
pub(crate) mod snapshots;
pub(crate) mod stored_orders;
