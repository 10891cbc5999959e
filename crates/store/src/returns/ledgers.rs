//! Ledgers: what of each order is spent. Every change that spends a unit changes this row, so that
//! two of them cannot spend the same unit.

use boxed::boxed;
use domain::{bodies::WriteJson, identifier::MerchantId, returns::ledger::Ledger};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_merchant, read_versioned},
        value::params,
    },
};

/// A ledger with its key.
#[derive(Clone, Debug)]
pub struct LedgerRow {
    pub merchant: MerchantId,
    pub order_id: String,
    pub ledger: Versioned<Ledger>,
}

impl Transaction {
    /// Replaces an order's ledger that was read at `version`; 0 when there was none.
    pub fn put_ledger(
        &mut self,
        merchant: &MerchantId,
        order_id: &str,
        ledger: &Ledger,
        version: i64,
    ) {
        let body = ledger.to_json();
        if version == 0 {
            self.one_row_each(
                "INSERT INTO ledgers (merchant_id, order_id, version, body)
                 SELECT r.merchant_id, r.order_id, 1, r.body
                 FROM ROWS(merchant_id, order_id, body) WHERE true ON CONFLICT DO NOTHING",
                vec![params![merchant, order_id, body]],
            );
        } else {
            self.one_row_each(
                "UPDATE ledgers SET version = ledgers.version + 1, body = r.body
                 FROM ROWS(merchant_id, order_id, version, body)
                 WHERE ledgers.merchant_id = r.merchant_id AND ledgers.order_id = r.order_id
                     AND ledgers.version = r.version",
                vec![params![merchant, order_id, version, body]],
            );
        }
    }
}

impl Store {
    /// The ledgers after a merchant and an order, in order, each with its key.
    #[boxed]
    pub async fn ledger_page(
        &self,
        merchant: &str,
        order_id: &str,
        limit: usize,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        self.read_all(
            "listing ledgers",
            "SELECT version, body, merchant_id, order_id FROM ledgers
             WHERE (merchant_id, order_id) > ($1, $2) ORDER BY merchant_id, order_id LIMIT $3",
            params![merchant, order_id, limit],
            |row| {
                let order_id = row.text(3)?.to_owned();
                Ok(LedgerRow {
                    merchant: parse_merchant("ledgers", row.text(2)?)?,
                    ledger: read_versioned("ledgers", &order_id, row)?,
                    order_id,
                })
            },
        )
        .await
    }

    /// An order's ledger; empty while nothing is spent.
    #[boxed]
    pub async fn ledger(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Versioned<Ledger>, StoreError> {
        let ledger = self
            .read_first(
                "reading a ledger",
                "SELECT version, body FROM ledgers WHERE merchant_id = $1 AND order_id = $2",
                params![merchant, order_id],
                |row| read_versioned("ledgers", order_id, row),
            )
            .await?;
        Ok(ledger.unwrap_or(Versioned { value: Ledger::default(), version: 0 }))
    }
}
