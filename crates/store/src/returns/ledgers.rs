//! What of each order is spent: the row by which two spendings of one unit notice each other.

use domain::{identifier::MerchantId, returns::ledger::Ledger};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, to_json},
        error::During,
        value::params,
    },
};

impl Transaction {
    /// Stores an order's ledger in the place of the one read at `version`; 0 when there was none.
    pub fn put_ledger(
        &mut self,
        merchant: &MerchantId,
        order_id: &str,
        ledger: &Ledger,
        version: i64,
    ) {
        self.one_row(
            "INSERT INTO ledgers (merchant_id, order_id, version, body) VALUES ($1, $2, 1, $3)
             ON CONFLICT (merchant_id, order_id) DO UPDATE
                 SET version = ledgers.version + 1, body = excluded.body
                 WHERE ledgers.version = $4",
            params![merchant, order_id, to_json(ledger), version],
        );
    }
}

impl Store {
    /// An order's ledger; empty while nothing is spent.
    pub async fn ledger(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Versioned<Ledger>, StoreError> {
        let operation = "reading a ledger";
        let rows = self
            .query(
                operation,
                "SELECT version, body FROM ledgers WHERE merchant_id = $1 AND order_id = $2",
                params![merchant, order_id],
            )
            .await?;
        let Some(row) = rows.first() else {
            return Ok(Versioned { value: Ledger::default(), version: 0 });
        };
        let (version, body) = row.int(0).and_then(|it| Ok((it, row.text(1)?))).during(operation)?;
        Ok(Versioned { value: parse_body("ledgers", order_id, body)?, version })
    }
}
