//! Orders as people look for them: newest first, by their number alone, by who bought.

use bytes::Bytes;
use domain::{identifier::MerchantId, orders::order::OrderStatus};

use crate::{
    EngineError, Store, StoreError,
    core::{
        cursor::Cursor,
        error::During,
        pages::Extent,
        value::{Row, params},
    },
};

/// Where an order is, and what is known without reading it.
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

/// Which orders to list, newest first.
#[derive(Clone, Debug)]
pub struct OrderFilter {
    pub before: Cursor,
    pub merchant: Option<MerchantId>,
    pub status: Option<OrderStatus>,
    pub limit: usize,
}

const OPERATION: &str = "listing orders";
/// How many orders of one shopper, or of one number, are looked at.
const ALIKE_MAX: i64 = 100;

impl Store {
    /// Orders, newest first, and the last one looked at when there may be more.
    pub async fn orders(
        &self,
        filter: &OrderFilter,
    ) -> Result<(Vec<ListedOrder>, Option<ListedOrder>), StoreError> {
        let extent = Extent::new(filter.limit, filter.status.is_some());
        let Cursor { at_us, merchant, id } = &filter.before;
        let rows = match &filter.merchant {
            None => {
                self.query(
                    OPERATION,
                    "SELECT merchant_id, order_id, created_us, received_us, status FROM orders
                     WHERE (created_us, merchant_id, order_id) < ($1, $2, $3)
                     ORDER BY created_us DESC, merchant_id DESC, order_id DESC LIMIT $4",
                    params![*at_us, merchant.as_str(), id.as_str(), extent.most()],
                )
                .await?
            }
            Some(owner) => {
                self.query(
                    OPERATION,
                    "SELECT merchant_id, order_id, created_us, received_us, status FROM orders
                     WHERE merchant_id = $1 AND (created_us, order_id) < ($2, $3)
                     ORDER BY created_us DESC, order_id DESC LIMIT $4",
                    params![owner.as_str(), *at_us, id.as_str(), extent.most()],
                )
                .await?
            }
        };
        let wanted = filter.status.map(OrderStatus::name);
        Ok(extent.cut(places(&rows)?, |order| wanted.is_none_or(|it| order.status == it)))
    }

    /// The orders with this number, of every merchant that has one. Each merchant is asked, so that no index by
    /// number alone has to be kept while orders come in.
    pub async fn orders_numbered(&self, order_id: &str) -> Result<Vec<ListedOrder>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT o.merchant_id, o.order_id, o.created_us, o.received_us, o.status
                 FROM merchants CROSS JOIN orders o
                 WHERE o.merchant_id = merchants.merchant_id AND o.order_id = $1
                 ORDER BY merchants.merchant_id LIMIT $2",
                params![order_id, ALIKE_MAX],
            )
            .await?;
        places(&rows)
    }

    /// Orders with this number of a shopper, newest first. Another shopper may have the same number.
    pub async fn orders_of_shopper(
        &self,
        shopper_hash: i64,
    ) -> Result<Vec<ListedOrder>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT merchant_id, order_id, created_us, received_us, status
                 FROM (SELECT merchant_id, order_id, created_us, received_us, status FROM orders
                     WHERE shopper_hash = $1 LIMIT $2) AS alike
                 ORDER BY created_us DESC, merchant_id, order_id",
                params![shopper_hash, ALIKE_MAX],
            )
            .await?;
        places(&rows)
    }

    /// The newest snapshots of these orders, in any order.
    pub async fn order_bodies(
        &self,
        orders: &[ListedOrder],
    ) -> Result<Vec<(String, String, Bytes)>, StoreError> {
        let wanted = orders.iter().map(|it| params![it.merchant.as_str(), it.order_id.as_str()]);
        let rows = self
            .query_each(
                OPERATION,
                "SELECT o.merchant_id, o.order_id, o.body FROM ROWS(merchant_id, order_id)
                 JOIN orders o ON o.merchant_id = r.merchant_id AND o.order_id = r.order_id",
                wanted.collect(),
            )
            .await?;
        let read =
            |row: &Row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned(), row.bytes(2)?));
        rows.iter().map(read).collect::<Result<_, _>>().during(OPERATION)
    }
}

fn places(rows: &[Row]) -> Result<Vec<ListedOrder>, StoreError> {
    rows.iter().map(place).collect::<Result<_, _>>().during(OPERATION)
}

fn place(row: &Row) -> Result<ListedOrder, EngineError> {
    Ok(ListedOrder {
        merchant: row.text(0)?.to_owned(),
        order_id: row.text(1)?.to_owned(),
        created_us: row.int(2)?,
        received_us: row.int(3)?,
        status: row.text(4)?.to_owned(),
    })
}
