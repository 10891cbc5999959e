//! Merchants' endpoints: addresses and credentials. The secrets in them are sealed.

use boxed::boxed;
use domain::{bodies::WriteJson, identifier::MerchantId, messages::endpoint::Endpoints};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{body::read_versioned, value::params},
};

impl Transaction {
    /// Replaces a merchant's endpoints that were read at `version`; 0 when there were none.
    pub fn put_endpoints(
        &mut self,
        merchant: &MerchantId,
        endpoints: &Endpoints<String>,
        version: i64,
    ) {
        self.one_row(
            "INSERT INTO endpoints (merchant_id, version, body) VALUES ($1, 1, $2)
             ON CONFLICT (merchant_id) DO UPDATE
                 SET version = endpoints.version + 1, body = excluded.body
                 WHERE endpoints.version = $3",
            params![merchant, endpoints.to_json(), version],
        );
    }
}

impl Store {
    /// A merchant's endpoints; empty until some are set.
    #[boxed]
    pub async fn endpoints(
        &self,
        merchant: &MerchantId,
    ) -> Result<Versioned<Endpoints<String>>, StoreError> {
        let endpoints = self
            .read_first(
                "reading endpoints",
                "SELECT version, body FROM endpoints WHERE merchant_id = $1",
                params![merchant],
                |row| read_versioned("endpoints", merchant.as_str(), row),
            )
            .await?;
        Ok(endpoints.unwrap_or(Versioned { value: Endpoints::default(), version: 0 }))
    }
}
