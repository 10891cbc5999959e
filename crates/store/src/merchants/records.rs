//! Merchants.

use domain::{identifier::MerchantId, merchants::merchant::Merchant};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, to_json},
        error::During,
        value::{Row, params},
    },
};

impl Transaction {
    /// Adds a merchant; a conflict when the identifier is taken.
    pub fn insert_merchant(&mut self, merchant: &Merchant) {
        self.one_row(
            "INSERT INTO merchants (merchant_id, version, body) VALUES ($1, 1, $2)
             ON CONFLICT DO NOTHING",
            params![merchant.id.as_str(), to_json(merchant)],
        );
    }

    /// Replaces a merchant read at `version`.
    pub fn update_merchant(&mut self, merchant: &Merchant, version: i64) {
        self.one_row(
            "UPDATE merchants SET version = version + 1, body = $3
             WHERE merchant_id = $1 AND version = $2",
            params![merchant.id.as_str(), version, to_json(merchant)],
        );
    }
}

impl Store {
    pub async fn merchant(
        &self,
        id: &MerchantId,
    ) -> Result<Option<Versioned<Merchant>>, StoreError> {
        let rows = self
            .query(
                "reading a merchant",
                "SELECT merchant_id, version, body FROM merchants WHERE merchant_id = $1",
                params![id.as_str()],
            )
            .await?;
        rows.first().map(merchant).transpose()
    }

    /// Merchants in the order of their identifiers, from the one behind `after`.
    pub async fn merchants(&self, after: &str, limit: usize) -> Result<Vec<Merchant>, StoreError> {
        let rows = self
            .query(
                "listing merchants",
                "SELECT merchant_id, version, body FROM merchants
                 WHERE merchant_id > $1 ORDER BY merchant_id LIMIT $2",
                params![after, limit],
            )
            .await?;
        rows.iter().map(|row| Ok(merchant(row)?.value)).collect()
    }
}

fn merchant(row: &Row) -> Result<Versioned<Merchant>, StoreError> {
    let read = || Ok((row.text(0)?, row.int(1)?, row.text(2)?));
    let (id, version, body) = read().during("reading a merchant")?;
    Ok(Versioned { value: parse_body("merchants", id, body)?, version })
}
