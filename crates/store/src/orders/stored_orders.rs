//! Everything that is held about one order, as of one moment, in one question: a return is decided on all of it.

use bytes::Bytes;
use domain::{exchanges::record::ExchangeRecord, identifier::MerchantId, returns::ledger::Ledger};

use crate::{
    Store, StoreError, Versioned,
    core::{body::parse_body, error::During, value::params},
};

/// What is held about an order.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredOrder {
    /// The newest snapshot.
    pub body: Bytes,
    /// How many snapshots there were.
    pub version: i64,
    /// Every refund that was ever reported for it, in the order they were seen.
    pub refunds: Vec<Bytes>,
    /// Empty, of version 0, while nothing is spent.
    pub ledger: Versioned<Ledger>,
    /// Whether there is an exchange order for what was bought with it.
    pub exchanged: bool,
    /// How it came about, if it is itself an exchange order.
    pub origin: Option<ExchangeRecord>,
}

/// What a row of the answer is about; the others are refunds.
const ORDER: i64 = 0;
const OPERATION: &str = "reading all about an order";

impl Store {
    pub async fn stored_order(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Option<StoredOrder>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT CAST(0 AS BIGINT), CAST(0 AS BIGINT), '', o.body, o.version, l.version, l.body,
                     e.original_order_id, n.body
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
        let Some(order) = rows.first().filter(|row| row.int(0).is_ok_and(|part| part == ORDER))
        else {
            return Ok(None);
        };
        let read = || {
            let ledger = order.optional_int(5)?.zip(order.optional_text(6)?);
            let exchanged = order.optional_text(7)?.is_some();
            Ok((order.bytes(3)?, order.int(4)?, ledger, exchanged, order.optional_text(8)?))
        };
        let (body, version, ledger, exchanged, origin) = read().during(OPERATION)?;
        let ledger = match ledger {
            Some((version, body)) => {
                Versioned { value: parse_body("ledgers", order_id, body)?, version }
            }
            None => Versioned { value: Ledger::default(), version: 0 },
        };
        let origin =
            origin.map(|body| parse_body("exchange_orders", order_id, body)).transpose()?;
        let refunds = rows.iter().filter(|row| row.int(0).is_ok_and(|part| part != ORDER));
        let refunds =
            refunds.map(|row| row.bytes(3)).collect::<Result<_, _>>().during(OPERATION)?;
        Ok(Some(StoredOrder { body, version, refunds, ledger, exchanged, origin }))
    }
}
