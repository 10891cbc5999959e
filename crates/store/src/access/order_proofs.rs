//! The codes that were sent to prove an e-mail address, and the attempts to enter them.

use boxed::boxed;
use domain::{access::proof::ProofState, bodies::WriteJson, identifier::MerchantId};

use crate::{
    Store, StoreError, Transaction, Versioned,
    core::{body::read_versioned, value::params},
};

impl Transaction {
    /// Replaces the state of an order that was read at `version`; 0 when there was none.
    pub fn put_order_proof(
        &mut self,
        merchant: &MerchantId,
        order_id: &str,
        state: &Versioned<ProofState>,
        now_us: i64,
    ) {
        self.one_row(
            "INSERT INTO order_proofs (merchant_id, order_id, version, changed_us, body)
             VALUES ($1, $2, 1, $3, $4)
             ON CONFLICT (merchant_id, order_id) DO UPDATE
                 SET version = order_proofs.version + 1, changed_us = excluded.changed_us,
                     body = excluded.body
                 WHERE order_proofs.version = $5",
            params![merchant, order_id, now_us, state.value.to_json(), state.version],
        );
    }

    /// Removes up to `limit` states that did not change since `before_us`.
    pub fn delete_old_proofs(&mut self, before_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM order_proofs WHERE (merchant_id, order_id) IN (
             SELECT merchant_id, order_id FROM order_proofs WHERE changed_us < $1
             ORDER BY changed_us, merchant_id, order_id LIMIT $2)",
            params![before_us, limit],
        );
    }
}

impl Store {
    /// The state of an order, and its version; 0 when there is none.
    #[boxed]
    pub async fn order_proof(
        &self,
        merchant: &MerchantId,
        order_id: &str,
    ) -> Result<Versioned<ProofState>, StoreError> {
        let found = self.read_first(
            "reading the proof of an order",
            "SELECT version, body FROM order_proofs WHERE merchant_id = $1 AND order_id = $2",
            params![merchant, order_id],
            |row| read_versioned("order_proofs", order_id, row),
        );
        let none = Versioned { value: ProofState::default(), version: 0 };
        Ok(found.await?.unwrap_or(none))
    }

    /// Whether there are states that did not change since `before_us`.
    #[boxed]
    pub async fn has_old_proofs(&self, before_us: i64) -> Result<bool, StoreError> {
        let found = self.read_first(
            "looking for old proofs",
            "SELECT order_id FROM order_proofs WHERE changed_us < $1 LIMIT 1",
            params![before_us],
            |_| Ok(()),
        );
        Ok(found.await?.is_some())
    }
}
