//! Where merchants' systems are reached; secrets in it are sealed.

use domain::{identifier::MerchantId, messages::endpoint::Endpoints};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{
        body::{parse_body, to_json},
        error::During,
        value::params,
    },
};

impl Transaction {
    /// Stores a merchant's endpoints in the place of those read at `version`; 0 when there were none.
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
            params![merchant, to_json(endpoints), version],
        );
    }
}

impl Store {
    /// A merchant's endpoints; nothing is said in them while nobody set any.
    pub async fn endpoints(
        &self,
        merchant: &MerchantId,
    ) -> Result<Versioned<Endpoints<String>>, StoreError> {
        let operation = "reading endpoints";
        let rows = self
            .query(
                operation,
                "SELECT version, body FROM endpoints WHERE merchant_id = $1",
                params![merchant],
            )
            .await?;
        let Some(row) = rows.first() else {
            return Ok(Versioned { value: Endpoints::default(), version: 0 });
        };
        let (version, body) = row.int(0).and_then(|it| Ok((it, row.text(1)?))).during(operation)?;
        Ok(Versioned { value: parse_body("endpoints", merchant.as_str(), body)?, version })
    }
}
