//! Exchange orders: what was asked of merchants in the place of money, and what came of it.

use domain::{exchanges::record::ExchangeRecord, identifier::MerchantId, time::micros};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{corrupt, parse_body, to_json},
        cursor::Cursor,
        error::During,
        value::{Row, params},
    },
};

/// Which exchange orders of a merchant to list, newest first.
#[derive(Clone, Debug)]
pub struct ExchangeFilter {
    pub before: Cursor,
    pub state: Option<String>,
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
                to_json(record)
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
                to_json(record)
            ],
        );
    }
}

const OPERATION: &str = "reading exchange orders";

impl Store {
    /// The exchange order for what was bought with an order.
    pub async fn exchange_order(
        &self,
        merchant: &MerchantId,
        original_order_id: &str,
    ) -> Result<Option<Versioned<ExchangeRecord>>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT version, body FROM exchange_orders
                 WHERE merchant_id = $1 AND original_order_id = $2",
                params![merchant, original_order_id],
            )
            .await?;
        rows.first().map(record).transpose()
    }

    /// The exchange order that the merchant knows by this identifier.
    pub async fn exchange_order_named(
        &self,
        merchant: &MerchantId,
        exchange_order_id: &str,
    ) -> Result<Option<Versioned<ExchangeRecord>>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT version, body FROM exchange_orders
                 WHERE merchant_id = $1 AND exchange_order_id = $2
                 ORDER BY original_order_id LIMIT 1",
                params![merchant, exchange_order_id],
            )
            .await?;
        rows.first().map(record).transpose()
    }

    /// The exchange orders that any merchant knows by this identifier. Each merchant is asked.
    pub async fn exchange_orders_named(
        &self,
        exchange_order_id: &str,
    ) -> Result<Vec<(MerchantId, ExchangeRecord)>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT e.version, e.body, e.merchant_id FROM merchants
                 CROSS JOIN exchange_orders e
                 WHERE e.merchant_id = merchants.merchant_id AND e.exchange_order_id = $1
                 ORDER BY e.merchant_id, e.original_order_id LIMIT 100",
                params![exchange_order_id],
            )
            .await?;
        rows.iter().map(|row| Ok((owner(row)?, record(row)?.value))).collect()
    }

    /// Whether a merchant placed any exchange order at all.
    pub async fn has_exchange_orders(&self, merchant: &MerchantId) -> Result<bool, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT original_order_id FROM exchange_orders WHERE merchant_id = $1 LIMIT 1",
                params![merchant],
            )
            .await?;
        Ok(!rows.is_empty())
    }

    /// Exchange orders of every merchant that are being placed, after this merchant and order.
    pub async fn pending_exchange_orders(
        &self,
        after_merchant: &str,
        after_order: &str,
        limit: usize,
    ) -> Result<Vec<(MerchantId, Versioned<ExchangeRecord>)>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT version, body, merchant_id FROM exchange_orders
                 WHERE state = 'pending' AND (merchant_id, original_order_id) > ($1, $2)
                 ORDER BY merchant_id, original_order_id LIMIT $3",
                params![after_merchant, after_order, limit],
            )
            .await?;
        rows.iter().map(|row| Ok((owner(row)?, record(row)?))).collect()
    }

    /// A merchant's exchange orders, newest first.
    pub async fn exchange_orders(
        &self,
        merchant: &MerchantId,
        filter: &ExchangeFilter,
    ) -> Result<Vec<ExchangeRecord>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT version, body FROM exchange_orders
                 WHERE merchant_id = $1 AND (created_us, original_order_id) < ($2, $3)
                     AND ($4 = '' OR state = $4) AND ($5 = '' OR rma_id = $5)
                 ORDER BY created_us DESC, original_order_id DESC LIMIT $6",
                params![
                    merchant,
                    filter.before.at_us,
                    filter.before.id.as_str(),
                    filter.state.as_deref().unwrap_or_default(),
                    filter.rma_id.as_deref().unwrap_or_default(),
                    filter.limit
                ],
            )
            .await?;
        rows.iter().map(|row| Ok(record(row)?.value)).collect()
    }
}

fn owner(row: &Row) -> Result<MerchantId, StoreError> {
    let text = row.text(2).during(OPERATION)?;
    MerchantId::parse_stored(text).map_err(|why| corrupt("exchange_orders", text, &why))
}

fn record(row: &Row) -> Result<Versioned<ExchangeRecord>, StoreError> {
    let (version, body) = row.int(0).and_then(|it| Ok((it, row.text(1)?))).during(OPERATION)?;
    Ok(Versioned { value: parse_body("exchange_orders", "a row", body)?, version })
}
