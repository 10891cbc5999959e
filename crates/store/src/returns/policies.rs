//! Merchants' return policies: every version, because returns refer to the one they were decided
//! by.

use boxed::boxed;
use domain::{bodies::WriteJson, identifier::MerchantId, returns::policy::Policy};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::value::{Row, params},
};

/// A policy between one change and the next.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyVersion {
    /// From 1; every change adds one.
    pub version: i64,
    pub created_us: i64,
    /// The client or operator that set it.
    pub actor: String,
    pub policy: Policy,
}

impl Transaction {
    /// Adds a version of a policy; a conflict when the number is taken.
    pub fn insert_policy(&mut self, merchant: &MerchantId, policy: &PolicyVersion) {
        self.one_row(
            "INSERT INTO policies (merchant_id, version, created_us, actor, body)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
            params![
                merchant,
                policy.version,
                policy.created_us,
                policy.actor.as_str(),
                policy.policy.to_json()
            ],
        );
    }
}

impl Store {
    /// The newest versions of a merchant's policy below `before`, newest first.
    #[boxed]
    pub async fn policies(
        &self,
        merchant: &MerchantId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PolicyVersion>, StoreError> {
        self.read_all(
            "reading policies",
            "SELECT version, created_us, actor, body FROM policies
             WHERE merchant_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3",
            params![merchant, before, limit],
            |row| self.read_policy(merchant, row),
        )
        .await
    }

    fn read_policy(&self, merchant: &MerchantId, row: &Row) -> Result<PolicyVersion, EngineError> {
        Ok(PolicyVersion {
            version: row.int(0)?,
            created_us: row.int(1)?,
            actor: row.text(2)?.to_owned(),
            policy: self.parsed_policies.parse(merchant, row.text(3)?)?,
        })
    }
}
