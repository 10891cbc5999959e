//! Orders: published, imported, read and listed, and what of them can be returned.

pub mod import_orders;
pub mod load_order;
pub(crate) mod order_intake;
pub mod order_list;
pub mod order_view;
pub mod publish_orders;
pub mod returnability;
