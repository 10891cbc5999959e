//! Orders: the newest snapshot of each, as the merchant sent it.

use bytes::Bytes;
use domain::{identifier::MerchantId, orders::order::OrderStatus};

use crate::{
    CountedEvent, Store, StoreError, Transaction,
    core::{
        error::During,
        value::{Row, params},
    },
};

/// What is known of a stored order without reading its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderHead {
    pub order_id: String,
    pub version: i64,
    pub updated_us: i64,
    pub hash: Bytes,
}

/// A snapshot to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderRow {
    pub order_id: String,
    /// The version that this snapshot replaces; 0 for a new order.
    pub replaces: i64,
    pub updated_us: i64,
    pub status: OrderStatus,
    /// A number that follows from the e-mail address of whoever bought, and is the same for all its orders.
    pub shopper_hash: i64,
    pub hash: Bytes,
    pub body: Bytes,
}

impl Transaction {
    /// Stores snapshots; a conflict when any order is not at the version it replaces.
    pub fn put_orders(&mut self, merchant: &MerchantId, mut orders: Vec<OrderRow>, now_us: i64) {
        // Always in one order, so that two messages about the same orders cannot wait for each other.
        orders.sort_by(|a, b| a.order_id.cmp(&b.order_id));
        let (fresh, known) = orders.into_iter().partition::<Vec<_>, _>(|order| order.replaces == 0);
        if let Ok(new @ 1..) = i64::try_from(fresh.len()) {
            self.count(merchant, CountedEvent::OrdersTakenIn, now_us, new);
        }
        self.one_row_each(
            "INSERT INTO orders (merchant_id, order_id, version, created_us, updated_us,
                 received_us, status, shopper_hash, hash, body)
             SELECT r.merchant_id, r.order_id, 1, r.received_us, r.updated_us, r.received_us,
                 r.status, r.shopper_hash, r.hash, r.body
             FROM ROWS(merchant_id, order_id, updated_us, received_us, status, shopper_hash,
                 hash, body)
             WHERE true ON CONFLICT DO NOTHING",
            fresh
                .into_iter()
                .map(|order| {
                    params![
                        merchant,
                        order.order_id,
                        order.updated_us,
                        now_us,
                        order.status.name(),
                        order.shopper_hash,
                        order.hash,
                        order.body
                    ]
                })
                .collect(),
        );
        self.move_to_other_shoppers(merchant, &known);
        self.one_row_each(
            "UPDATE orders SET version = orders.version + 1, updated_us = r.updated_us,
                 received_us = r.received_us, status = r.status, hash = r.hash, body = r.body
             FROM ROWS(merchant_id, order_id, version, updated_us, received_us, status, hash, body)
             WHERE orders.merchant_id = r.merchant_id AND orders.order_id = r.order_id
                 AND orders.version = r.version",
            known
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
                        order.body
                    ]
                })
                .collect(),
        );
    }

    /// A new snapshot hardly ever has another e-mail address, and an index is only touched when it has.
    fn move_to_other_shoppers(&mut self, merchant: &MerchantId, orders: &[OrderRow]) {
        self.any_rows_each(
            "UPDATE orders SET shopper_hash = r.shopper_hash
             FROM ROWS(merchant_id, order_id, version, shopper_hash)
             WHERE orders.merchant_id = r.merchant_id AND orders.order_id = r.order_id
                 AND orders.version = r.version AND orders.shopper_hash <> r.shopper_hash",
            orders
                .iter()
                .map(|order| {
                    params![merchant, order.order_id.as_str(), order.replaces, order.shopper_hash]
                })
                .collect(),
        );
    }
}

impl Store {
    /// Whether a merchant has published anything yet.
    pub async fn has_orders(&self, merchant: &MerchantId) -> Result<bool, StoreError> {
        let rows = self
            .query(
                "looking for orders",
                "SELECT order_id FROM orders WHERE merchant_id = $1 LIMIT 1",
                params![merchant],
            )
            .await?;
        Ok(!rows.is_empty())
    }

    /// The heads of those of `order_ids` that are stored, in any order.
    pub async fn order_heads(
        &self,
        merchant: &MerchantId,
        order_ids: impl Iterator<Item = &str>,
    ) -> Result<Vec<OrderHead>, StoreError> {
        let wanted = order_ids.map(|id| params![merchant, id]).collect();
        let operation = "looking up orders";
        let rows = self
            .query_each(
                operation,
                "SELECT o.order_id, o.version, o.updated_us, o.hash
                 FROM ROWS(merchant_id, order_id)
                 JOIN orders o ON o.merchant_id = r.merchant_id AND o.order_id = r.order_id",
                wanted,
            )
            .await?;
        rows.iter().map(head).collect::<Result<_, _>>().during(operation)
    }
}

fn head(row: &Row) -> Result<OrderHead, crate::EngineError> {
    Ok(OrderHead {
        order_id: row.text(0)?.to_owned(),
        version: row.int(1)?,
        updated_us: row.int(2)?,
        hash: row.bytes(3)?,
    })
}
