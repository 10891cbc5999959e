//! The audit trail: who changed what, and when.

use boxed::boxed;
use domain::identifier::MerchantId;

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        cursor::Cursor,
        error::During,
        value::{Row, params},
    },
};

const OPERATION: &str = "reading the audit trail";

/// One change. `merchant` is the platform for changes that do not concern a single merchant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    pub merchant: String,
    pub at_us: i64,
    pub id: String,
    /// The client, or the person at the console, that asked for it.
    pub actor: String,
    /// The address that the request came from; empty if no request asked for the change.
    pub address: String,
    pub action: String,
    /// A JSON object with what was changed; never a secret.
    pub detail: String,
}

impl AuditRecord {
    /// Its position in the trail.
    pub fn cursor(&self) -> Cursor {
        Cursor { at_us: self.at_us, merchant: self.merchant.clone(), id: self.id.clone() }
    }
}

impl Transaction {
    /// Adds a record that is about `references`.
    pub fn insert_audit<'a>(
        &mut self,
        record: &AuditRecord,
        references: impl Iterator<Item = &'a str>,
    ) {
        self.any_rows_each(
            "INSERT INTO audit_references (merchant_id, reference, at_us, audit_id)
             SELECT r.merchant_id, r.reference, r.at_us, r.audit_id
             FROM ROWS(merchant_id, reference, at_us, audit_id)
             WHERE true ON CONFLICT DO NOTHING",
            references
                .map(|it| params![record.merchant.as_str(), it, record.at_us, record.id.as_str()])
                .collect(),
        );
        self.one_row(
            "INSERT INTO audit (merchant_id, at_us, audit_id, actor, address, action, detail)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                record.merchant.as_str(),
                record.at_us,
                record.id.as_str(),
                record.actor.as_str(),
                record.address.as_str(),
                record.action.as_str(),
                record.detail.as_str()
            ],
        );
    }
}

impl Transaction {
    /// Replaces what a record says about its change.
    pub fn erase_audit_detail(&mut self, record: &AuditRecord) {
        self.any_rows(
            "UPDATE audit SET detail = $4
             WHERE merchant_id = $1 AND at_us = $2 AND audit_id = $3",
            params![
                record.merchant.as_str(),
                record.at_us,
                record.id.as_str(),
                record.detail.as_str()
            ],
        );
    }
}

/// Which changes to list, newest first.
#[derive(Clone, Copy, Debug)]
pub struct AuditFilter<'a> {
    /// Of one merchant, or of all.
    pub merchant: Option<&'a MerchantId>,
    /// By one actor, or by all.
    pub actor: Option<&'a str>,
    pub before: &'a Cursor,
    pub limit: usize,
}

impl Store {
    /// The first changes that are about `reference`.
    #[boxed]
    pub async fn audit_about(
        &self,
        merchant: &MerchantId,
        reference: &str,
        limit: usize,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        self.read_all(
            OPERATION,
            "SELECT a.merchant_id, a.at_us, a.audit_id, a.actor, a.address, a.action, a.detail
             FROM audit_references i JOIN audit a ON a.merchant_id = i.merchant_id
                 AND a.at_us = i.at_us AND a.audit_id = i.audit_id
             WHERE i.merchant_id = $1 AND i.reference = $2
             ORDER BY i.at_us, i.audit_id LIMIT $3",
            params![merchant, reference, limit],
            read_record,
        )
        .await
    }

    /// Changes, newest first.
    #[boxed]
    pub async fn audit(&self, filter: &AuditFilter<'_>) -> Result<Vec<AuditRecord>, StoreError> {
        let AuditFilter { merchant, actor, before, limit } = *filter;
        let (at_us, id) = (before.at_us, before.id.as_str());
        let rows = match (actor, merchant) {
            (None, None) => {
                self.query(
                    OPERATION,
                    "SELECT merchant_id, at_us, audit_id, actor, address, action, detail
                     FROM audit
                     WHERE (at_us, audit_id) < ($1, $2)
                     ORDER BY at_us DESC, audit_id DESC LIMIT $3",
                    params![at_us, id, limit],
                )
                .await?
            }
            (None, Some(merchant)) => {
                self.query(
                    OPERATION,
                    "SELECT merchant_id, at_us, audit_id, actor, address, action, detail
                     FROM audit
                     WHERE merchant_id = $1 AND (at_us, audit_id) < ($2, $3)
                     ORDER BY at_us DESC, audit_id DESC LIMIT $4",
                    params![merchant, at_us, id, limit],
                )
                .await?
            }
            (Some(actor), _) => {
                let merchant = merchant.map_or("", MerchantId::as_str);
                self.query(
                    OPERATION,
                    "SELECT merchant_id, at_us, audit_id, actor, address, action, detail
                     FROM audit
                     WHERE actor = $1 AND (at_us, audit_id) < ($2, $3)
                         AND ($4 = '' OR merchant_id = $4)
                     ORDER BY at_us DESC, audit_id DESC LIMIT $5",
                    params![actor, at_us, id, merchant, limit],
                )
                .await?
            }
        };
        rows.iter().map(read_record).collect::<Result<_, _>>().during(OPERATION)
    }
}

fn read_record(row: &Row) -> Result<AuditRecord, EngineError> {
    Ok(AuditRecord {
        merchant: row.text(0)?.to_owned(),
        at_us: row.int(1)?,
        id: row.text(2)?.to_owned(),
        actor: row.text(3)?.to_owned(),
        address: row.text(4)?.to_owned(),
        action: row.text(5)?.to_owned(),
        detail: row.text(6)?.to_owned(),
    })
}
