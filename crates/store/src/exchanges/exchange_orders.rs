//! Exchange orders: what merchants are asked to send instead of a refund, and the result.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    exchanges::record::{ExchangeRecord, ExchangeState},
    identifier::MerchantId,
    time::micros,
};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_merchant, read_versioned},
        cursor::Cursor,
        value::{Row, params},
    },
};

/// Which exchange orders of a merchant to list, newest first.
#[derive(Clone, Debug)]
pub struct ExchangeFilter {
    pub before: Cursor,
    pub state: Option<ExchangeState>,
    pub rma_id: Option<String>,
    pub limit: usize,
}

impl Transaction {
    /// Adds the exchange order of an original order; a conflict when there is one.
    pub fn insert_exchange_order(&mut self, merchant: &MerchantId, record: &ExchangeRecord) {
        self.one_row(
            "INSERT INTO exchange_orders (merchant_id, original_order_id, version, rma_id, state,
                 exchange_order_id, created_us, body)
             VALUES ($1, $2, 1, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
            params![
                merchant,
                record.original_order_id.as_str(),
                record.rma_identifier.as_str(),
                record.state.name(),
                record.exchange_order_identifier.as_deref().unwrap_or_default(),
                micros(record.created_at),
                record.to_json()
            ],
        );
    }

    /// Replaces an exchange order read at `version`.
    pub fn update_exchange_order(
        &mut self,
        merchant: &MerchantId,
        record: &ExchangeRecord,
        version: i64,
    ) {
        self.one_row(
            "UPDATE exchange_orders SET version = version + 1, state = $4,
                 exchange_order_id = $5, body = $6
             WHERE merchant_id = $1 AND original_order_id = $2 AND version = $3",
            params![
                merchant,
                record.original_order_id.as_str(),
                version,
                record.state.name(),
                record.exchange_order_identifier.as_deref().unwrap_or_default(),
                record.to_json()
            ],
        );
    }
}

const OPERATION: &str = "reading exchange orders";

impl Store {
    /// The exchange order for an original order.
    #[boxed]
    pub async fn exchange_order(
        &self,
        merchant: &MerchantId,
        original_order_id: &str,
    ) -> Result<Option<Versioned<ExchangeRecord>>, StoreError> {
        self.read_first(
            OPERATION,
            "SELECT version, body FROM exchange_orders
             WHERE merchant_id = $1 AND original_order_id = $2",
            params![merchant, original_order_id],
            read_record,
        )
        .await
    }

    /// The exchange orders that have this identifier at any merchant.
    #[boxed]
    pub async fn exchange_orders_named(
        &self,
        exchange_order_id: &str,
    ) -> Result<Vec<(MerchantId, ExchangeRecord)>, StoreError> {
        self.read_all(
            OPERATION,
            "SELECT version, body, merchant_id FROM exchange_orders
             WHERE exchange_order_id = $1 ORDER BY merchant_id, original_order_id LIMIT 100",
            params![exchange_order_id],
            |row| Ok((read_owner(row)?, read_record(row)?.value)),
        )
        .await
    }

    /// Exchange orders of every merchant that are being placed, after this merchant and order.
    #[boxed]
    pub async fn pending_exchange_orders(
        &self,
        after_merchant: &str,
        after_order: &str,
        limit: usize,
    ) -> Result<Vec<(MerchantId, Versioned<ExchangeRecord>)>, StoreError> {
        self.read_all(
            OPERATION,
            "SELECT version, body, merchant_id FROM exchange_orders
             WHERE state = 'pending' AND (merchant_id, original_order_id) > ($1, $2)
             ORDER BY merchant_id, original_order_id LIMIT $3",
            params![after_merchant, after_order, limit],
            |row| Ok((read_owner(row)?, read_record(row)?)),
        )
        .await
    }

    /// A merchant's exchange orders, newest first.
    #[boxed]
    pub async fn exchange_orders(
        &self,
        merchant: &MerchantId,
        filter: &ExchangeFilter,
    ) -> Result<Vec<ExchangeRecord>, StoreError> {
        self.read_all(
            OPERATION,
            "SELECT version, body FROM exchange_orders
             WHERE merchant_id = $1 AND (created_us, original_order_id) < ($2, $3)
                 AND ($4 = '' OR state = $4) AND ($5 = '' OR rma_id = $5)
             ORDER BY created_us DESC, original_order_id DESC LIMIT $6",
            params![
                merchant,
                filter.before.at_us,
                filter.before.id.as_str(),
                filter.state.map_or("", ExchangeState::name),
                filter.rma_id.as_deref().unwrap_or_default(),
                filter.limit
            ],
            |row| Ok(read_record(row)?.value),
        )
        .await
    }
}

fn read_owner(row: &Row) -> Result<MerchantId, EngineError> {
    parse_merchant("exchange_orders", row.text(2)?)
}

fn read_record(row: &Row) -> Result<Versioned<ExchangeRecord>, EngineError> {
    read_versioned("exchange_orders", "a row", row)
}
