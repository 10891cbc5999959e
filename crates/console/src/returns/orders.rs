//! The orders that the units of a return belong to.

use domain::returns::rma::Rma;

use crate::core::urls::order_url;

pub(super) struct ReturnedOrder {
    pub(super) identifier: String,
    pub(super) url: String,
}

/// Each order once, sorted by identifier.
pub(super) fn returned_orders(merchant: &str, rma: &Rma) -> Vec<ReturnedOrder> {
    let mut orders: Vec<&str> =
        rma.units.iter().map(|unit| unit.goods.order_identifier.as_str()).collect();
    orders.sort_unstable();
    orders.dedup();
    let link = |it: &str| ReturnedOrder { identifier: it.to_owned(), url: order_url(merchant, it) };
    orders.into_iter().map(link).collect()
}
