//! Orders: publish, import, read and list them, and find out which units can be returned.

pub mod erase_shopper;
pub(crate) mod eraser;
pub mod import_orders;
pub(crate) mod incoming_order;
pub(crate) mod intake_conflict;
pub mod load_order;
pub(crate) mod order_intake;
pub mod order_list;
pub mod order_view;
pub mod publish_orders;
pub(crate) mod return_messages;
pub mod returnability;
pub mod shopper_data;
pub(crate) mod shopper_keys;
