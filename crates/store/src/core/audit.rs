//! The trail of what operators changed: who, what, when.

use domain::identifier::MerchantId;

use crate::{
    Store, StoreError, Transaction,
    core::{
        error::During,
        value::{Row, params},
    },
};

/// One change. `merchant` is the platform for changes that concern no single merchant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    pub merchant: String,
    pub at_us: i64,
    pub id: String,
    /// The client, or the person at the console, that asked for it.
    pub actor: String,
    pub action: String,
    /// A JSON object with what was changed; never a secret.
    pub detail: String,
}

impl Transaction {
    pub fn insert_audit(&mut self, record: &AuditRecord) {
        self.one_row(
            "INSERT INTO audit (merchant_id, at_us, audit_id, actor, action, detail)
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                record.merchant.as_str(),
                record.at_us,
                record.id.as_str(),
                record.actor.as_str(),
                record.action.as_str(),
                record.detail.as_str()
            ],
        );
    }
}

impl Store {
    /// Changes before the one at (`before_us`, `before_id`), newest first.
    pub async fn audit(
        &self,
        before_us: i64,
        before_id: &str,
        limit: i64,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT merchant_id, at_us, audit_id, actor, action, detail FROM audit
                 WHERE (at_us, audit_id) < ($1, $2)
                 ORDER BY at_us DESC, audit_id DESC LIMIT $3",
                params![before_us, before_id, limit],
            )
            .await?;
        rows.iter().map(record).collect()
    }

    /// The same for one merchant.
    pub async fn audit_of(
        &self,
        merchant: &MerchantId,
        before_us: i64,
        before_id: &str,
        limit: i64,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT merchant_id, at_us, audit_id, actor, action, detail FROM audit
                 WHERE merchant_id = $1 AND (at_us, audit_id) < ($2, $3)
                 ORDER BY at_us DESC, audit_id DESC LIMIT $4",
                params![merchant, before_us, before_id, limit],
            )
            .await?;
        rows.iter().map(record).collect()
    }

    /// The same for one actor, at one merchant or at all.
    pub async fn audit_by(
        &self,
        actor: &str,
        merchant: Option<&MerchantId>,
        (before_us, before_id): (i64, &str),
        limit: i64,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        let rows = self
            .query(
                OPERATION,
                "SELECT merchant_id, at_us, audit_id, actor, action, detail FROM audit
                 WHERE actor = $1 AND (at_us, audit_id) < ($2, $3)
                     AND ($4 = '' OR merchant_id = $4)
                 ORDER BY at_us DESC, audit_id DESC LIMIT $5",
                params![
                    actor,
                    before_us,
                    before_id,
                    merchant.map(MerchantId::as_str).unwrap_or_default(),
                    limit
                ],
            )
            .await?;
        rows.iter().map(record).collect()
    }
}

const OPERATION: &str = "reading the audit trail";

fn record(row: &Row) -> Result<AuditRecord, StoreError> {
    let read = || {
        Ok(AuditRecord {
            merchant: row.text(0)?.to_owned(),
            at_us: row.int(1)?,
            id: row.text(2)?.to_owned(),
            actor: row.text(3)?.to_owned(),
            action: row.text(4)?.to_owned(),
            detail: row.text(5)?.to_owned(),
        })
    };
    read().during(OPERATION)
}
