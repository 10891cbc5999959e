//! Merchants: their names, addresses and settings.

use boxed::boxed;
use domain::{bodies::WriteJson, identifier::MerchantId, merchants::merchant::Merchant};

use crate::{
    EngineError, Store, StoreError, Transaction, Versioned,
    core::{
        body::parse_body,
        value::{Row, params},
    },
};

impl Transaction {
    /// Adds a merchant; a conflict when the identifier is taken.
    pub fn insert_merchant(&mut self, merchant: &Merchant) {
        self.one_row(
            "INSERT INTO merchants (merchant_id, version, body) VALUES ($1, 1, $2)
             ON CONFLICT DO NOTHING",
            params![merchant.id.as_str(), merchant.to_json()],
        );
    }

    /// Replaces a merchant read at `version`.
    pub fn update_merchant(&mut self, merchant: &Merchant, version: i64) {
        self.one_row(
            "UPDATE merchants SET version = version + 1, body = $3
             WHERE merchant_id = $1 AND version = $2",
            params![merchant.id.as_str(), version, merchant.to_json()],
        );
    }
}

impl Store {
    #[boxed]
    pub async fn merchant(
        &self,
        id: &MerchantId,
    ) -> Result<Option<Versioned<Merchant>>, StoreError> {
        self.read_first(
            "reading a merchant",
            "SELECT merchant_id, version, body FROM merchants WHERE merchant_id = $1",
            params![id.as_str()],
            read_merchant,
        )
        .await
    }

    /// Merchants after `after`, in the order of their identifiers.
    #[boxed]
    pub async fn merchants(&self, after: &str, limit: usize) -> Result<Vec<Merchant>, StoreError> {
        self.read_all(
            "listing merchants",
            "SELECT merchant_id, version, body FROM merchants
             WHERE merchant_id > $1 ORDER BY merchant_id LIMIT $2",
            params![after, limit],
            |row| Ok(read_merchant(row)?.value),
        )
        .await
    }
}

fn read_merchant(row: &Row) -> Result<Versioned<Merchant>, EngineError> {
    let value = parse_body("merchants", row.text(0)?, row.text(2)?)?;
    Ok(Versioned { value, version: row.int(1)? })
}
