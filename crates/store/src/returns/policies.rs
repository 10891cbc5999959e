//! Merchants' return policies: every version, because returns name the one that judged them.

use domain::{identifier::MerchantId, returns::policy::Policy};

use crate::{
    Store, StoreError, Transaction,
    core::{
        body::{parse_body, to_json},
        error::During,
        value::{Row, params},
    },
};

/// A policy as it stood from one change to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyVersion {
    /// From 1; every change adds one.
    pub version: i64,
    pub created_us: i64,
    /// Who set it.
    pub actor: String,
    pub policy: Policy,
}

impl Transaction {
    /// Adds a version of a policy; a conflict when there is one of that number.
    pub fn insert_policy(&mut self, merchant: &MerchantId, policy: &PolicyVersion) {
        self.one_row(
            "INSERT INTO policies (merchant_id, version, created_us, actor, body)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
            params![
                merchant,
                policy.version,
                policy.created_us,
                policy.actor.as_str(),
                to_json(&policy.policy)
            ],
        );
    }
}

impl Store {
    /// The newest versions of a merchant's policy below `before`, newest first.
    pub async fn policies(
        &self,
        merchant: &MerchantId,
        before: i64,
        limit: usize,
    ) -> Result<Vec<PolicyVersion>, StoreError> {
        let rows = self
            .query(
                "reading policies",
                "SELECT version, created_us, actor, body FROM policies
                 WHERE merchant_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3",
                params![merchant, before, limit],
            )
            .await?;
        rows.iter().map(|row| policy(merchant, row)).collect()
    }
}

fn policy(merchant: &MerchantId, row: &Row) -> Result<PolicyVersion, StoreError> {
    let read = || Ok((row.int(0)?, row.int(1)?, row.text(2)?, row.text(3)?));
    let (version, created_us, actor, body) = read().during("reading policies")?;
    let policy = parse_body("policies", merchant.as_str(), body)?;
    Ok(PolicyVersion { version, created_us, actor: actor.to_owned(), policy })
}
