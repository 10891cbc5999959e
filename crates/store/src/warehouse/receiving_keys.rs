//! What finds a return that still awaits units: articles, orders, people. The bench looks goods up
//! by these keys if they came without the label of their return.

use std::collections::BTreeSet;

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    returns::identifier::RmaId,
    warehouse::{ReferenceType, asn::AsnCarton},
};

use crate::{
    Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_body, parse_merchant},
        value::params,
    },
};

impl Transaction {
    /// Makes a return findable by these keys.
    pub fn put_receiving_keys(
        &mut self,
        merchant: &MerchantId,
        rma: &RmaId,
        keys: &BTreeSet<String>,
    ) {
        self.any_rows_each(
            "INSERT INTO receiving_keys (merchant_id, rma_id, lookup_key)
             SELECT r.merchant_id, r.rma_id, r.lookup_key
             FROM ROWS(merchant_id, rma_id, lookup_key) WHERE true ON CONFLICT DO NOTHING",
            keys.iter().map(|key| params![merchant, rma.as_str(), key.as_str()]).collect(),
        );
    }

    /// The return awaits no more units.
    pub fn delete_receiving_keys(&mut self, merchant: &MerchantId, rma: &RmaId) {
        self.any_rows(
            "DELETE FROM receiving_keys WHERE merchant_id = $1 AND rma_id = $2",
            params![merchant, rma.as_str()],
        );
    }
}

impl Store {
    /// Returns that await units and have this key, of one merchant or of all.
    #[boxed]
    pub async fn returns_by_receiving_key(
        &self,
        merchant: Option<&MerchantId>,
        key: &str,
        limit: usize,
    ) -> Result<Vec<(MerchantId, RmaId)>, StoreError> {
        let named = merchant.map(MerchantId::as_str).unwrap_or_default();
        self.read_all(
            "looking up returns that await units",
            "SELECT merchant_id, rma_id FROM receiving_keys
             WHERE lookup_key = $1 AND ($2 = '' OR merchant_id = $2)
             ORDER BY merchant_id, rma_id LIMIT $3",
            params![key, named, limit],
            |row| {
                let merchant = parse_merchant("receiving_keys", row.text(0)?)?;
                let id = RmaId::parse(row.text(1)?);
                let id = id.ok_or_else(|| corrupt("receiving_keys", key, &"not a return"))?;
                Ok((merchant, id))
            },
        )
        .await
    }
}

impl Store {
    /// Returns that announced units with this serial number belong to.
    #[boxed]
    pub async fn returns_by_serial(
        &self,
        merchant: Option<&MerchantId>,
        serial_number: &str,
        limit: usize,
    ) -> Result<Vec<(MerchantId, RmaId)>, StoreError> {
        let named = merchant.map(MerchantId::as_str).unwrap_or_default();
        let found = self
            .read_all(
                "looking up units by their serial number",
                "SELECT merchant_id, carton FROM asn_lines
                 WHERE serial_number = $1 AND serial_number <> ''
                     AND ($2 = '' OR merchant_id = $2)
                 ORDER BY merchant_id, asn_number, program_id, place LIMIT $3",
                params![serial_number, named, limit],
                |row| {
                    let merchant = parse_merchant("asn_lines", row.text(0)?)?;
                    let carton: AsnCarton = parse_body("asn_lines", serial_number, row.text(1)?)?;
                    let reference = carton.reference.filter(|it| it.kind == ReferenceType::Rma);
                    let id = reference.and_then(|it| RmaId::parse(&it.identifier));
                    Ok(id.map(|id| (merchant, id)))
                },
            )
            .await?;
        Ok(found.into_iter().flatten().collect())
    }
}
