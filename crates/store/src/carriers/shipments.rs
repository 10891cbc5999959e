//! Which shipment at a carrier each label is bought for.

use boxed::boxed;
use domain::identifier::MerchantId;

use crate::{Store, StoreError, Transaction, core::value::params};

impl Transaction {
    /// Remembers the shipment of a label. The first one counts.
    pub fn remember_carrier_shipment(
        &mut self,
        merchant: &MerchantId,
        reference: &str,
        shipment_id: &str,
        now_us: i64,
    ) {
        self.any_rows(
            "INSERT INTO carrier_shipments (merchant_id, reference, shipment_id, created_us)
             VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            params![merchant, reference, shipment_id, now_us],
        );
    }
}

impl Store {
    /// The shipment that was remembered for a label.
    #[boxed]
    pub async fn carrier_shipment(
        &self,
        merchant: &MerchantId,
        reference: &str,
    ) -> Result<Option<String>, StoreError> {
        self.read_first(
            "looking up a shipment at a carrier",
            "SELECT shipment_id FROM carrier_shipments WHERE merchant_id = $1 AND reference = $2",
            params![merchant, reference],
            |row| Ok(row.text(0)?.to_owned()),
        )
        .await
    }

    /// Whether a label is bought for this shipment.
    #[boxed]
    pub async fn knows_carrier_shipment(
        &self,
        merchant: &MerchantId,
        shipment_id: &str,
    ) -> Result<bool, StoreError> {
        let found = self
            .read_first(
                "looking up a shipment at a carrier",
                "SELECT reference FROM carrier_shipments
                 WHERE merchant_id = $1 AND shipment_id = $2 ORDER BY reference LIMIT 1",
                params![merchant, shipment_id],
                |_| Ok(()),
            )
            .await?;
        Ok(found.is_some())
    }
}
