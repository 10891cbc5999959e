//! Everything that is stored about one order, read in one query as of one moment: a return is
//! decided on all of it.

use boxed::boxed;
use bytes::Bytes;
use domain::{exchanges::record::ExchangeRecord, identifier::MerchantId, returns::ledger::Ledger};

use crate::{
    EngineError, Store, StoreError, Versioned,
    core::{
        body::parse_body,
        error::During,
        value::{Row, params},
    },
    orders::compressed::decompress_order,
};

/// Everything that is stored about an order.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredOrder {
    /// The newest snapshot.
    pub body: Bytes,
    /// How often it was changed: by a snapshot, or by a refund that came with an older one.
    pub version: i64,
    /// Every refund that was reported for it, in the order of arrival.
    pub refunds: Vec<Bytes>,
    /// Empty and at version 0 while nothing is spent.
    pub ledger: Versioned<Ledger>,
    /// Whether there is an exchange order for it.
    pub exchanged: bool,
    /// The exchange that created it, if it is itself an exchange order.
    pub origin: Option<ExchangeRecord>,
}

/// Marks the row of the order; the other rows are refunds.
const ORDER: i64 = 0;
const OPERATION: &str = "reading an order";

impl Store {
    #[boxed]
    pub async fn stored_order(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Option<StoredOrder>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT CAST(0 AS BIGINT), CAST(0 AS BIGINT), '', o.body, o.version, l.version,
                     l.body, e.original_order_id, n.body
                 FROM orders o
                 LEFT JOIN ledgers l
                     ON l.merchant_id = o.merchant_id AND l.order_id = o.order_id
                 LEFT JOIN exchange_orders e
                     ON e.merchant_id = o.merchant_id AND e.original_order_id = o.order_id
                 LEFT JOIN exchange_orders n
                     ON n.merchant_id = o.merchant_id AND n.exchange_order_id = o.order_id
                 WHERE o.merchant_id = $1 AND o.order_id = $2
                 UNION ALL
                 SELECT 1, received_us, refund_id, body, NULL, NULL, NULL, NULL, NULL
                 FROM refunds WHERE merchant_id = $1 AND order_id = $2
                 ORDER BY 1, 2, 3",
                params![merchant, order_id],
            )
            .await?;
        read_order(order_id, &rows).during(OPERATION)
    }
}

fn read_order(order_id: &str, rows: &[Row]) -> Result<Option<StoredOrder>, EngineError> {
    let is_order = |row: &&Row| row.int(0).is_ok_and(|part| part == ORDER);
    let Some(order) = rows.first().filter(is_order) else { return Ok(None) };
    let ledger = match order.optional_int(5)?.zip(order.optional_text(6)?) {
        Some((version, body)) => {
            Versioned { value: parse_body("ledgers", order_id, body)?, version }
        }
        None => Versioned { value: Ledger::default(), version: 0 },
    };
    let origin = order.optional_text(8)?;
    let refunds = rows.iter().filter(|row| !is_order(row)).map(|row| row.bytes(3));
    Ok(Some(StoredOrder {
        body: decompress_order(order_id, order.bytes(3)?)?,
        version: order.int(4)?,
        refunds: refunds.collect::<Result<_, _>>()?,
        ledger,
        exchanged: order.optional_text(7)?.is_some(),
        origin: origin.map(|body| parse_body("exchange_orders", order_id, body)).transpose()?,
    }))
}
