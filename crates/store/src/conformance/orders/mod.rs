//! Orders.

mod lists;
mod shoppers;
mod snapshots;

use bytes::Bytes;
use domain::orders::order::OrderStatus;

use crate::OrderRow;

pub(super) fn order_row(order_id: &str, replaces: i64) -> OrderRow {
    OrderRow {
        order_id: order_id.to_owned(),
        replaces,
        updated_us: 7,
        status: OrderStatus::Shipped,
        shopper_hash: 5,
        secondary_id: String::new(),
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(b"body"),
    }
}
