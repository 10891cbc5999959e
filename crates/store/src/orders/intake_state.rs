//! What the orders of a message are compared with, in one query for all of them.

use std::collections::BTreeMap;

use boxed::boxed;
use bytes::Bytes;
use domain::{exchanges::record::ExchangeRecord, identifier::MerchantId, returns::ledger::Ledger};

use crate::{
    EngineError, Store, StoreError, Versioned,
    core::{
        body::parse_body,
        error::During,
        value::{Row, Value, params},
    },
};

const OPERATION: &str = "looking up orders";

/// An order of a message.
#[derive(Clone, Debug)]
pub struct IntakeKey<'a> {
    pub order_id: &'a str,
    pub refund_ids: Vec<&'a str>,
    /// Whether its exchange order is wanted, if it is one.
    pub as_exchange: bool,
}

/// A stored order without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderHead {
    pub order_id: String,
    pub version: i64,
    pub updated_us: i64,
    pub hash: Bytes,
    /// Whether refunds of it were recorded.
    pub refunded: bool,
}

/// A stored refund without its body; the hash shows whether one that is sent again is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundHead {
    pub refund_id: String,
    pub order_id: String,
    pub hash: Bytes,
}

/// What is stored about the orders of a message.
#[derive(Clone, Debug, Default)]
pub struct IntakeState {
    /// By order.
    pub heads: BTreeMap<String, OrderHead>,
    /// The recorded refunds that the message contains, by their identifiers.
    pub refunds: BTreeMap<String, RefundHead>,
    /// The exchange orders that the message contains, by their identifiers at the merchant.
    pub exchanges: BTreeMap<String, Versioned<ExchangeRecord>>,
    /// The ledgers of orders, by order. An order of which nothing was ever spent has none.
    pub ledgers: BTreeMap<String, Versioned<Ledger>>,
}

/// What a row is about.
const ORDER: i64 = 1;
const EXCHANGE_ORDER: i64 = 2;
const REFUND: i64 = 3;
const LEDGER: i64 = 4;
/// The caller of a query that is not shared.
const ALONE: i64 = 0;

const ALL_TABLES: &str =
    "SELECT few.what, few.id, few.version, few.updated_us, few.hash, few.other, r.caller
     FROM ROWS(merchant_id, order_id, refund_id, as_exchange, caller), LATERAL (
         SELECT CAST(1 AS BIGINT) AS what, o.order_id AS id, o.version AS version,
             o.updated_us AS updated_us, o.hash AS hash, k.refund_id AS other
         FROM orders o
         LEFT JOIN refunds k ON k.merchant_id = r.merchant_id AND k.order_id = o.order_id
         WHERE o.merchant_id = r.merchant_id AND o.order_id = r.order_id
             AND r.order_id <> ''
         UNION ALL
         SELECT 2, e.exchange_order_id, e.version, 0, NULL, e.body
         FROM exchange_orders e
         WHERE e.merchant_id = r.merchant_id AND e.exchange_order_id = r.order_id
             AND r.as_exchange = 1
         UNION ALL
         SELECT 3, f.refund_id, 0, 0, f.hash, f.order_id
         FROM refunds f
         WHERE f.merchant_id = r.merchant_id AND f.refund_id = r.refund_id
             AND r.refund_id <> ''
         UNION ALL
         SELECT 4, l.order_id, l.version, 0, NULL, l.body
         FROM ledgers l
         WHERE l.merchant_id = r.merchant_id AND l.order_id = r.order_id
             AND r.order_id <> '') few";

/// For a distributed database, which plans a query of several tables anew each time: one query for
/// each table. Most messages have new orders, and so need only the first.
const HEADS: &str = "SELECT CAST(1 AS BIGINT), o.order_id, o.version, o.updated_us, o.hash,
         CAST(NULL AS TEXT)
     FROM ROWS(merchant_id, order_id)
     JOIN orders o ON o.merchant_id = r.merchant_id AND o.order_id = r.order_id";
const REFUNDED: &str = "SELECT f.order_id FROM ROWS(merchant_id, order_id)
     JOIN refunds f ON f.merchant_id = r.merchant_id AND f.order_id = r.order_id";
const EXCHANGE_ORDERS: &str = "SELECT CAST(2 AS BIGINT), e.exchange_order_id, e.version,
         CAST(0 AS BIGINT), CAST(NULL AS BYTEA), e.body
     FROM ROWS(merchant_id, exchange_order_id)
     JOIN exchange_orders e ON e.merchant_id = r.merchant_id
         AND e.exchange_order_id = r.exchange_order_id";
const REFUNDS: &str = "SELECT CAST(3 AS BIGINT), f.refund_id, CAST(0 AS BIGINT),
         CAST(0 AS BIGINT), f.hash, f.order_id
     FROM ROWS(merchant_id, refund_id)
     JOIN refunds f ON f.merchant_id = r.merchant_id AND f.refund_id = r.refund_id";
const LEDGERS: &str = "SELECT CAST(4 AS BIGINT), l.order_id, l.version, CAST(0 AS BIGINT),
         CAST(NULL AS BYTEA), l.body
     FROM ROWS(merchant_id, order_id)
     JOIN ledgers l ON l.merchant_id = r.merchant_id AND l.order_id = r.order_id";

impl Store {
    #[boxed]
    pub async fn intake_state(
        &self,
        merchant: &MerchantId,
        orders: &[IntakeKey<'_>],
    ) -> Result<IntakeState, StoreError> {
        if self.engine.is_distributed() {
            return self.distributed_intake_state(merchant, orders).await;
        }
        let wanted = orders.iter().flat_map(|order| order.wanted(merchant)).collect();
        let rows = self.query_shared(OPERATION, ALL_TABLES, wanted).await?;
        let mut state = IntakeState::default();
        rows.iter().try_for_each(|row| state.add(row)).during(OPERATION)?;
        Ok(state)
    }

    async fn distributed_intake_state(
        &self,
        merchant: &MerchantId,
        orders: &[IntakeKey<'_>],
    ) -> Result<IntakeState, StoreError> {
        let refunds = orders.iter().flat_map(|order| order.refund_ids.iter().copied());
        let exchanges = orders.iter().filter(|order| order.as_exchange);
        let mut state = IntakeState::default();
        for (sql, ids) in [
            (HEADS, orders.iter().map(|order| order.order_id).collect::<Vec<_>>()),
            (EXCHANGE_ORDERS, exchanges.map(|order| order.order_id).collect()),
            (REFUNDS, refunds.collect()),
        ] {
            let keys = ids.into_iter().map(|id| params![merchant, id]).collect();
            let rows = self.query_each(OPERATION, sql, keys).await?;
            rows.iter().try_for_each(|row| state.add(row)).during(OPERATION)?;
        }
        let known: Vec<Vec<Value>> =
            state.heads.keys().map(|id| params![merchant, id.as_str()]).collect();
        let rows = self.query_each(OPERATION, LEDGERS, known.clone()).await?;
        rows.iter().try_for_each(|row| state.add(row)).during(OPERATION)?;
        for row in self.query_each(OPERATION, REFUNDED, known).await? {
            if let Some(head) = state.heads.get_mut(row.text(0).during(OPERATION)?) {
                head.refunded = true;
            }
        }
        Ok(state)
    }
}

impl IntakeKey<'_> {
    /// The order, and each of its refunds.
    fn wanted(&self, merchant: &MerchantId) -> Vec<Vec<Value>> {
        let as_exchange = i64::from(self.as_exchange);
        let order = params![merchant, self.order_id, "", as_exchange, ALONE];
        let refund = |id: &&str| params![merchant, "", *id, 0_i64, ALONE];
        std::iter::once(order).chain(self.refund_ids.iter().map(refund)).collect()
    }
}

impl IntakeState {
    fn add(&mut self, row: &Row) -> Result<(), EngineError> {
        let id = row.text(1)?.to_owned();
        match row.int(0)? {
            ORDER => {
                let (version, updated_us) = (row.int(2)?, row.int(3)?);
                let (hash, refunded) = (row.bytes(4)?, row.optional_text(5)?.is_some());
                let head = OrderHead { order_id: id.clone(), version, updated_us, hash, refunded };
                self.heads.insert(id, head);
            }
            EXCHANGE_ORDER => {
                let value: ExchangeRecord = parse_body("exchange_orders", &id, row.text(5)?)?;
                let found = Versioned { value, version: row.int(2)? };
                // If merchants gave an identifier twice, the first original order has it.
                let first = self.exchanges.entry(id).or_insert_with(|| found.clone());
                if found.value.original_order_id < first.value.original_order_id {
                    *first = found;
                }
            }
            REFUND => {
                let (order_id, hash) = (row.text(5)?.to_owned(), row.bytes(4)?);
                self.refunds.insert(id.clone(), RefundHead { refund_id: id, order_id, hash });
            }
            LEDGER => {
                let value = parse_body("ledgers", &id, row.text(5)?)?;
                self.ledgers.insert(id, Versioned { value, version: row.int(2)? });
            }
            _ => {}
        }
        Ok(())
    }
}
