//! Orders: the newest snapshot of each, as the merchant sent it.

use boxed::boxed;
use bytes::Bytes;
use domain::{identifier::MerchantId, orders::order::OrderStatus};

use crate::{
    CountedEvent, Store, StoreError, Transaction,
    core::value::params,
    orders::compressed::{compress_order, decompress_order},
};

/// A snapshot to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRow {
    pub order_id: String,
    /// The version that this snapshot replaces; 0 for a new order.
    pub replaces: i64,
    pub updated_us: i64,
    pub status: OrderStatus,
    /// A hash of the shopper's e-mail address, so that all orders of a shopper are found together.
    pub shopper_hash: i64,
    /// The number that the shopper knows, if it is another one; otherwise empty.
    pub secondary_id: String,
    pub hash: Bytes,
    pub body: Bytes,
}

impl Transaction {
    /// Makes the transaction a conflict unless the order still has the version it was read at, and
    /// every other one that is based on that version.
    pub fn guard_order(&mut self, merchant: &MerchantId, order_id: &str, version: i64) {
        self.one_row(
            "UPDATE orders SET version = version + 1
             WHERE merchant_id = $1 AND order_id = $2 AND version = $3",
            params![merchant, order_id, version],
        );
    }

    /// Stores snapshots; a conflict when any order is not at the version it replaces.
    pub fn put_orders(&mut self, merchant: &MerchantId, mut orders: Vec<OrderRow>, now_us: i64) {
        // Always in the same order, so that two requests about the same orders cannot deadlock.
        orders.sort_by(|a, b| a.order_id.cmp(&b.order_id));
        let (new, updated) = orders.into_iter().partition::<Vec<_>, _>(|order| order.replaces == 0);
        if let Ok(number @ 1..) = i64::try_from(new.len()) {
            self.count(merchant, CountedEvent::OrdersTakenIn, now_us, number);
        }
        self.one_row_each(
            "INSERT INTO orders (merchant_id, order_id, version, created_us, updated_us,
                 received_us, status, shopper_hash, secondary_id, hash, body, changed, changed_us)
             SELECT r.merchant_id, r.order_id, 1, r.received_us, r.updated_us, r.received_us,
                 r.status, r.shopper_hash, r.secondary_id, r.hash, r.body, CHANGE_NUMBER,
                 r.received_us
             FROM ROWS(merchant_id, order_id, updated_us, received_us, status, shopper_hash,
                 secondary_id, hash, body)
             WHERE true ON CONFLICT DO NOTHING",
            new.into_iter()
                .map(|order| {
                    params![
                        merchant,
                        order.order_id,
                        order.updated_us,
                        now_us,
                        order.status.name(),
                        order.shopper_hash,
                        order.secondary_id,
                        order.hash,
                        compress_order(order.body)
                    ]
                })
                .collect(),
        );
        self.update_indexed(merchant, &updated);
        self.one_row_each(
            "UPDATE orders SET version = orders.version + 1, updated_us = r.updated_us,
                 received_us = r.received_us, status = r.status, hash = r.hash, body = r.body,
                 changed = CHANGE_NUMBER, changed_us = r.received_us
             FROM ROWS(merchant_id, order_id, version, updated_us, received_us, status, hash, body)
             WHERE orders.merchant_id = r.merchant_id AND orders.order_id = r.order_id
                 AND orders.version = r.version",
            updated
                .into_iter()
                .map(|order| {
                    params![
                        merchant,
                        order.order_id,
                        order.replaces,
                        order.updated_us,
                        now_us,
                        order.status.name(),
                        order.hash,
                        compress_order(order.body)
                    ]
                })
                .collect(),
        );
    }

    /// Marks an order as changed without a new snapshot, because refunds of it are recorded; a
    /// conflict when it is not at `version`.
    pub fn touch_order(
        &mut self,
        merchant: &MerchantId,
        order_id: &str,
        version: i64,
        now_us: i64,
    ) {
        self.one_row(
            "UPDATE orders SET version = version + 1, changed = CHANGE_NUMBER, changed_us = $4
             WHERE merchant_id = $1 AND order_id = $2 AND version = $3",
            params![merchant, order_id, version, now_us],
        );
    }

    /// A statement of its own, because the indexes are then touched only in the rare case that the
    /// e-mail address or the second number of an order changed.
    fn update_indexed(&mut self, merchant: &MerchantId, orders: &[OrderRow]) {
        self.any_rows_each(
            "UPDATE orders SET shopper_hash = r.shopper_hash, secondary_id = r.secondary_id
             FROM ROWS(merchant_id, order_id, version, shopper_hash, secondary_id)
             WHERE orders.merchant_id = r.merchant_id AND orders.order_id = r.order_id
                 AND orders.version = r.version AND (orders.shopper_hash <> r.shopper_hash
                     OR orders.secondary_id <> r.secondary_id)",
            orders
                .iter()
                .map(|order| {
                    params![
                        merchant,
                        order.order_id.as_str(),
                        order.replaces,
                        order.shopper_hash,
                        order.secondary_id.as_str()
                    ]
                })
                .collect(),
        );
    }
}

impl Store {
    /// Whether a merchant has published anything yet.
    #[boxed]
    pub async fn has_orders(&self, merchant: &MerchantId) -> Result<bool, StoreError> {
        let sql = "SELECT order_id FROM orders WHERE merchant_id = $1 LIMIT 1";
        Ok(!self.query("looking for orders", sql, params![merchant]).await?.is_empty())
    }

    /// The newest snapshot of an order, as it was sent.
    #[boxed]
    pub async fn order_body(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Option<Bytes>, StoreError> {
        self.read_first(
            "reading a snapshot",
            "SELECT body FROM orders WHERE merchant_id = $1 AND order_id = $2",
            params![merchant, order_id],
            |row| decompress_order(order_id, row.bytes(0)?),
        )
        .await
    }

    /// The identifiers of the first orders with this second number.
    #[boxed]
    pub async fn orders_by_secondary(
        &self,
        merchant: &MerchantId,
        secondary_id: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT order_id FROM orders
             WHERE merchant_id = $1 AND secondary_id = $2 AND secondary_id <> ''
             ORDER BY order_id LIMIT $3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let values = params![merchant, secondary_id, limit];
        self.read_all("looking up orders", sql, values, |row| Ok(row.text(0)?.to_owned())).await
    }
}
