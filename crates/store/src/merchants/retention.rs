//! How long the data of merchants' shoppers is kept, and how far it was examined.
//!
//! Orders and returns are examined in the order of their changes. What changes later has a higher
//! number, so it is examined again, and nothing has to be examined twice without a change. Messages
//! do not change, so each is examined once.
//!
//! What must wait for something else, such as a message, is deferred: it is examined again without
//! a change of its own. The progress of a deferred order or return is a row whose class ends in its
//! reference.

use boxed::boxed;
use domain::{bodies::WriteJson, identifier::MerchantId, merchants::retention::RetentionPeriods};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        body::{parse_body, parse_merchant},
        value::{Row, params},
    },
};

/// A class of data with a retention period of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetentionClass {
    Orders,
    Returns,
    /// Messages of all kinds are examined; `reference` is their kind.
    Mails,
}

impl RetentionClass {
    const fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Returns => "returns",
            Self::Mails => "mails",
        }
    }

    /// The class of a deferred order or return.
    fn deferred(self, reference: &str) -> String {
        format!("{} {reference}", self.name())
    }
}

/// An order, a return or a message that may be old enough, at its place in the order of changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionCandidate {
    pub changed: i64,
    pub reference: String,
    pub changed_us: i64,
}

/// An order or a return that was deferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredCandidate {
    pub reference: String,
    /// Then it is examined because of its change.
    pub has_changed: bool,
}

const OPERATION: &str = "looking for old data of shoppers";

impl Transaction {
    /// Sets the periods of a merchant.
    pub fn put_retention_periods(&mut self, merchant: &MerchantId, periods: &RetentionPeriods) {
        self.one_row(
            "INSERT INTO retention_periods (merchant_id, body) VALUES ($1, $2)
             ON CONFLICT (merchant_id) DO UPDATE SET body = excluded.body",
            params![merchant, periods.to_json()],
        );
        // Shorter periods concern what was examined already.
        self.any_rows("DELETE FROM retention_progress WHERE merchant_id = $1", params![merchant]);
    }

    /// Everything up to `last` was examined.
    pub fn put_retention_progress(
        &mut self,
        merchant: &MerchantId,
        class: RetentionClass,
        last: &RetentionCandidate,
    ) {
        self.one_row(
            "INSERT INTO retention_progress (merchant_id, class, changed, reference)
             VALUES ($1, $2, $3, $4) ON CONFLICT (merchant_id, class) DO UPDATE
                 SET changed = excluded.changed, reference = excluded.reference",
            params![merchant, class.name(), last.changed, last.reference.as_str()],
        );
    }

    /// An order or a return must be examined again, although it may not change.
    pub fn defer_retention(
        &mut self,
        merchant: &MerchantId,
        class: RetentionClass,
        candidate: &RetentionCandidate,
    ) {
        self.one_row(
            "INSERT INTO retention_progress (merchant_id, class, changed, reference)
             VALUES ($1, $2, $3, $4) ON CONFLICT (merchant_id, class) DO UPDATE
                 SET changed = excluded.changed, reference = excluded.reference",
            params![
                merchant,
                class.deferred(&candidate.reference),
                candidate.changed,
                candidate.reference.as_str()
            ],
        );
    }

    /// A deferred order or return needs no other look.
    pub fn end_deferral(&mut self, merchant: &MerchantId, class: RetentionClass, reference: &str) {
        self.any_rows(
            "DELETE FROM retention_progress WHERE merchant_id = $1 AND class = $2",
            params![merchant, class.deferred(reference)],
        );
    }

    /// Removes up to `limit` audit records of a merchant from before a time.
    pub fn delete_old_audit(&mut self, merchant: &MerchantId, before_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM audit_references WHERE merchant_id = $1 AND (at_us, audit_id) IN (
                 SELECT at_us, audit_id FROM audit WHERE merchant_id = $1 AND at_us < $2
                 ORDER BY at_us, audit_id LIMIT $3)",
            params![merchant, before_us, limit],
        );
        self.any_rows(
            "DELETE FROM audit WHERE merchant_id = $1 AND (at_us, audit_id) IN (
                 SELECT at_us, audit_id FROM audit WHERE merchant_id = $1 AND at_us < $2
                 ORDER BY at_us, audit_id LIMIT $3)",
            params![merchant, before_us, limit],
        );
    }
}

impl Store {
    /// The periods of a merchant; without any, everything is kept.
    #[boxed]
    pub async fn retention_periods(
        &self,
        merchant: &MerchantId,
    ) -> Result<RetentionPeriods, StoreError> {
        let periods = self
            .read_first(
                "reading retention periods",
                "SELECT merchant_id, body FROM retention_periods WHERE merchant_id = $1",
                params![merchant],
                read_periods,
            )
            .await?;
        Ok(periods.map(|(_, periods)| periods).unwrap_or_default())
    }

    /// The merchants after `after` that have periods, by name.
    #[boxed]
    pub async fn merchants_with_retention(
        &self,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(MerchantId, RetentionPeriods)>, StoreError> {
        self.read_all(
            "reading retention periods",
            "SELECT merchant_id, body FROM retention_periods WHERE merchant_id > $1
             ORDER BY merchant_id LIMIT $2",
            params![after, limit],
            read_periods,
        )
        .await
    }

    /// The next orders, returns or messages that were not examined since their last change.
    #[boxed]
    pub async fn retention_candidates(
        &self,
        merchant: &MerchantId,
        class: RetentionClass,
        limit: usize,
    ) -> Result<Vec<RetentionCandidate>, StoreError> {
        let done = self
            .read_first(
                OPERATION,
                "SELECT changed, reference FROM retention_progress
                 WHERE merchant_id = $1 AND class = $2",
                params![merchant, class.name()],
                |row| Ok((row.int(0)?, row.text(1)?.to_owned())),
            )
            .await?;
        let (changed, reference) = done.unwrap_or((-1, String::new()));
        let (sql, values) = match class {
            RetentionClass::Orders => (
                "SELECT changed, order_id, changed_us FROM orders
                 WHERE merchant_id = $1 AND (changed, order_id) > ($2, $3)
                 ORDER BY changed, order_id LIMIT $4",
                params![merchant, changed, reference, limit],
            ),
            RetentionClass::Returns => (
                "SELECT changed, rma_id, changed_us FROM returns
                 WHERE merchant_id = $1 AND (changed, rma_id) > ($2, $3)
                 ORDER BY changed, rma_id LIMIT $4",
                params![merchant, changed, reference, limit],
            ),
            RetentionClass::Mails => (
                "SELECT message_id, kind, created_us FROM messages
                 WHERE merchant_id = $1 AND message_id > $2 ORDER BY message_id LIMIT $3",
                params![merchant, changed, limit],
            ),
        };
        self.read_all(OPERATION, sql, values, |row| {
            Ok(RetentionCandidate {
                changed: row.int(0)?,
                reference: row.text(1)?.to_owned(),
                changed_us: row.int(2)?,
            })
        })
        .await
    }

    /// The deferred orders or returns after `after`, by reference.
    #[boxed]
    pub async fn deferred_candidates(
        &self,
        merchant: &MerchantId,
        class: RetentionClass,
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeferredCandidate>, StoreError> {
        let sql = match class {
            RetentionClass::Orders => {
                "SELECT p.reference, COUNT(o.changed)
                 FROM retention_progress p LEFT JOIN orders o ON o.merchant_id = p.merchant_id
                     AND o.order_id = p.reference AND o.changed = p.changed
                 WHERE p.merchant_id = $1 AND p.class LIKE 'orders %' AND p.reference > $2
                 GROUP BY p.reference ORDER BY p.reference LIMIT $3"
            }
            RetentionClass::Returns => {
                "SELECT p.reference, COUNT(o.changed)
                 FROM retention_progress p LEFT JOIN returns o ON o.merchant_id = p.merchant_id
                     AND o.rma_id = p.reference AND o.changed = p.changed
                 WHERE p.merchant_id = $1 AND p.class LIKE 'returns %' AND p.reference > $2
                 GROUP BY p.reference ORDER BY p.reference LIMIT $3"
            }
            // Those that are not finished are kept until they are removed.
            RetentionClass::Mails => return Ok(Vec::new()),
        };
        self.read_all(OPERATION, sql, params![merchant, after, limit], |row| {
            let reference = row.text(0)?.to_owned();
            Ok(DeferredCandidate { reference, has_changed: row.int(1)? == 0 })
        })
        .await
    }

    /// Whether a merchant has audit records from before a time.
    #[boxed]
    pub async fn has_old_audit(
        &self,
        merchant: &MerchantId,
        before_us: i64,
    ) -> Result<bool, StoreError> {
        let sql = "SELECT at_us FROM audit WHERE merchant_id = $1 AND at_us < $2 LIMIT 1";
        Ok(!self.query(OPERATION, sql, params![merchant, before_us]).await?.is_empty())
    }
}

fn read_periods(row: &Row) -> Result<(MerchantId, RetentionPeriods), EngineError> {
    let merchant = parse_merchant("retention_periods", row.text(0)?)?;
    let periods = parse_body("retention_periods", merchant.as_str(), row.text(1)?)?;
    Ok((merchant, periods))
}
