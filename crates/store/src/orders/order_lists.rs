//! Lists of orders: newest first, by number alone, and by shopper.

use boxed::boxed;
use bytes::Bytes;
use domain::orders::order::OrderStatus;

use domain::identifier::MerchantId;

use crate::{
    EngineError, Store, StoreError,
    core::{
        cursor::Cursor,
        pages::{ListFilter, ListSql},
        value::{Row, params},
    },
    orders::compressed::decompress_order,
};

/// What a list shows of an order without reading its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOrder {
    pub merchant: String,
    pub order_id: String,
    /// When it first arrived.
    pub created_us: i64,
    /// When its newest snapshot arrived.
    pub received_us: i64,
    pub status: String,
}

impl ListedOrder {
    /// Its position in lists.
    pub fn cursor(&self) -> Cursor {
        let (merchant, id) = (self.merchant.clone(), self.order_id.clone());
        Cursor { at_us: self.created_us, merchant, id }
    }
}

/// Which orders to list.
pub type OrderFilter = ListFilter<OrderStatus>;

const OPERATION: &str = "listing orders";
const ORDERS: ListSql = ListSql {
    of_all: "SELECT merchant_id, order_id, created_us, received_us, status FROM orders
             WHERE (created_us, merchant_id, order_id) < ($1, $2, $3)
             ORDER BY created_us DESC, merchant_id DESC, order_id DESC LIMIT $4",
    of_one: "SELECT merchant_id, order_id, created_us, received_us, status FROM orders
             WHERE merchant_id = $1 AND (created_us, order_id) < ($2, $3)
             ORDER BY created_us DESC, order_id DESC LIMIT $4",
};
/// The most orders of one shopper, or with one number, that are listed.
const ALIKE_MAX: i64 = 100;

impl Store {
    /// Orders, newest first, and the last one examined when there may be more.
    #[boxed]
    pub async fn orders(
        &self,
        filter: &OrderFilter,
    ) -> Result<(Vec<ListedOrder>, Option<ListedOrder>), StoreError> {
        let (sql, values) = filter.statement(&ORDERS);
        let orders = self.read_all(OPERATION, sql, values, read_listed).await?;
        let status = filter.status.map(OrderStatus::name);
        Ok(filter.page_size().cut(orders, |it| status.is_none_or(|status| it.status == status)))
    }

    /// The orders with this number, of every merchant that has one. The key of orders starts with
    /// the number, so that no index by number alone has to be maintained while orders come in.
    #[boxed]
    pub async fn orders_numbered(&self, order_id: &str) -> Result<Vec<ListedOrder>, StoreError> {
        self.read_all(
            OPERATION,
            "SELECT merchant_id, order_id, created_us, received_us, status FROM orders
             WHERE order_id = $1 ORDER BY merchant_id LIMIT $2",
            params![order_id, ALIKE_MAX],
            read_listed,
        )
        .await
    }

    /// The order with this number of one merchant.
    #[boxed]
    pub async fn listed_order(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Option<ListedOrder>, StoreError> {
        self.read_first(
            OPERATION,
            "SELECT merchant_id, order_id, created_us, received_us, status FROM orders
             WHERE merchant_id = $1 AND order_id = $2",
            params![merchant.as_str(), order_id],
            read_listed,
        )
        .await
    }

    /// Orders with this hash of a shopper, newest first. Another shopper may have the same hash.
    #[boxed]
    pub async fn orders_of_shopper(
        &self,
        shopper_hash: i64,
    ) -> Result<Vec<ListedOrder>, StoreError> {
        self.read_all(
            OPERATION,
            "SELECT merchant_id, order_id, created_us, received_us, status
             FROM (SELECT merchant_id, order_id, created_us, received_us, status FROM orders
                 WHERE shopper_hash = $1 LIMIT $2) AS alike
             ORDER BY created_us DESC, merchant_id, order_id",
            params![shopper_hash, ALIKE_MAX],
            read_listed,
        )
        .await
    }

    /// The newest snapshots of these orders, given by merchant and identifier, in any order.
    pub async fn order_bodies(
        &self,
        orders: impl Iterator<Item = [&str; 2]>,
    ) -> Result<Vec<(String, String, Bytes)>, StoreError> {
        let wanted = orders.map(|[merchant, order_id]| params![merchant, order_id]);
        self.read_each(
            OPERATION,
            "SELECT o.merchant_id, o.order_id, o.body FROM ROWS(merchant_id, order_id)
             JOIN orders o ON o.merchant_id = r.merchant_id AND o.order_id = r.order_id",
            wanted.collect(),
            |row| {
                Ok((
                    row.text(0)?.to_owned(),
                    row.text(1)?.to_owned(),
                    decompress_order(row.text(1)?, row.bytes(2)?)?,
                ))
            },
        )
        .await
    }
}

pub(super) fn read_listed(row: &Row) -> Result<ListedOrder, EngineError> {
    Ok(ListedOrder {
        merchant: row.text(0)?.to_owned(),
        order_id: row.text(1)?.to_owned(),
        created_us: row.int(2)?,
        received_us: row.int(3)?,
        status: row.text(4)?.to_owned(),
    })
}
