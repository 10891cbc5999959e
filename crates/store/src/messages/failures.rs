//! The failure queue: messages that failed all attempts, until an operator retries or discards
//! them.

use std::collections::{BTreeSet, HashSet};

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        cursor::Cursor,
        value::{Row, Value, params},
    },
};

/// A message in the failure queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureRow {
    pub merchant: String,
    pub kind: MessageKind,
    pub message_id: i64,
    pub lane: i64,
    pub reference: String,
    pub created_us: i64,
    pub failed_us: i64,
    pub status: Option<i64>,
    pub error: Option<String>,
}

impl FailureRow {
    /// Its position in the failure queue.
    pub fn cursor(&self) -> Cursor<i64> {
        Cursor { at_us: self.failed_us, merchant: self.merchant.clone(), id: self.message_id }
    }
}

/// Names a message in the failure queue.
#[derive(Clone, Copy, Debug)]
pub struct FailureKey<'a> {
    pub merchant: &'a MerchantId,
    pub kind: MessageKind,
    pub message_id: i64,
}

/// An endpoint with messages in the failure queue, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingEndpoint {
    pub merchant: String,
    pub kind: MessageKind,
    pub failures: i64,
}

/// Names a message and the thing it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageKey {
    pub merchant: String,
    pub kind: MessageKind,
    pub reference: String,
    pub message_id: i64,
}

/// Which failures to list: of one merchant or all, one kind or all, in a period of time.
#[derive(Clone, Debug)]
pub struct FailureFilter {
    pub merchant: Option<MerchantId>,
    pub kind: Option<MessageKind>,
    pub status: Option<i64>,
    pub from_us: i64,
    pub to_us: i64,
}

/// How many failures an endpoint has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureCount {
    pub merchant: String,
    pub kind: MessageKind,
    pub failures: i64,
    /// When the first of them failed.
    pub since_us: i64,
}

impl Transaction {
    /// Moves a failed message back to the deliveries, with all of its attempts ahead of it. A
    /// conflict when it is not in the failure queue any more.
    pub fn retry_failure(&mut self, key: FailureKey<'_>, now_us: i64) {
        self.one_row(
            "INSERT INTO deliveries
                 (merchant_id, kind, message_id, lane, cycle, attempt, due_us, replay)
             SELECT merchant_id, kind, message_id, lane, cycle + 1, 0, $4, replay FROM failures
             WHERE merchant_id = $1 AND kind = $2 AND message_id = $3
             ON CONFLICT DO NOTHING",
            params![key.merchant, key.kind, key.message_id, now_us],
        );
        self.remove_failure(key);
    }

    /// Removes a failed message from the queue for good. The index must contain the message
    /// ([`Store::update_message_index`]): if it is all that was to be sent about a thing, its head
    /// is removed.
    pub fn discard_failure(&mut self, key: FailureKey<'_>, reason: &str, now_us: i64) {
        self.remove_failure(key);
        self.remove_head_of_undelivered(key);
        self.one_row(
            "INSERT INTO discards (merchant_id, message_id, discarded_us, reason)
             VALUES ($1, $2, $3, $4)",
            params![key.merchant, key.message_id, now_us, reason],
        );
    }

    fn remove_failure(&mut self, key: FailureKey<'_>) {
        self.one_row(
            "DELETE FROM failures WHERE merchant_id = $1 AND kind = $2 AND message_id = $3",
            params![key.merchant, key.kind, key.message_id],
        );
    }
}

impl FailureFilter {
    /// The values of `matching!`.
    fn values(&self) -> Vec<Value> {
        params![
            self.from_us,
            self.to_us,
            self.merchant.as_ref().map_or("", MerchantId::as_str),
            self.kind.map_or("", MessageKind::name),
            // A negative number stands for any status.
            self.status.unwrap_or(-1)
        ]
    }
}

/// The failures that match a filter.
macro_rules! matching {
    () => {
        "FROM failures f
         WHERE f.failed_us >= $1 AND f.failed_us <= $2
             AND ($3 = '' OR f.merchant_id = $3) AND ($4 = '' OR f.kind = $4)
             AND (CAST($5 AS BIGINT) < 0 OR coalesce(f.status, 0) = $5)"
    };
}

impl Store {
    /// Failures after `after`, oldest first.
    #[boxed]
    pub async fn failures(
        &self,
        filter: &FailureFilter,
        after: &Cursor<i64>,
        limit: usize,
    ) -> Result<Vec<FailureRow>, StoreError> {
        self.read_all(
            "listing the failure queue",
            "SELECT f.merchant_id, f.kind, f.message_id, f.lane, m.reference, m.created_us,
                 f.failed_us, f.status, f.error
             FROM failures f
             LEFT JOIN messages m ON m.merchant_id = f.merchant_id AND m.message_id = f.message_id
             WHERE (f.failed_us, f.merchant_id, f.message_id) > ($1, $2, $3)
                 AND f.failed_us >= $4 AND f.failed_us <= $5
                 AND ($6 = '' OR f.merchant_id = $6) AND ($7 = '' OR f.kind = $7)
                 AND (CAST($8 AS BIGINT) < 0 OR coalesce(f.status, 0) = $8)
             ORDER BY f.failed_us, f.merchant_id, f.message_id LIMIT $9",
            params![
                after.at_us,
                after.merchant.as_str(),
                after.id,
                filter.from_us,
                filter.to_us,
                filter.merchant.as_ref().map_or("", MerchantId::as_str),
                filter.kind.map_or("", MessageKind::name),
                filter.status.unwrap_or(-1),
                limit
            ],
            read_failure,
        )
        .await
    }

    /// The messages among `keys`, by merchant and number, that are older than a delivered message
    /// about the same thing. CROSS JOIN keeps SQLite from scanning all later messages of the
    /// merchant, of which few are about that thing.
    #[boxed]
    pub async fn superseded(
        &self,
        keys: &[MessageKey],
    ) -> Result<HashSet<(String, i64)>, StoreError> {
        let merchants: BTreeSet<&str> = keys.iter().map(|key| key.merchant.as_str()).collect();
        for merchant in merchants {
            self.update_message_index(merchant).await?;
        }
        let wanted = keys.iter().map(|key| {
            params![key.merchant.as_str(), key.kind, key.reference.as_str(), key.message_id]
        });
        let superseded = self
            .read_each(
                "looking for superseded messages",
                "SELECT r.merchant_id, r.message_id
                 FROM ROWS(merchant_id, kind, reference, message_id)
                 WHERE EXISTS (
                     SELECT 1 FROM message_references i CROSS JOIN messages l
                     WHERE i.merchant_id = r.merchant_id AND i.reference = r.reference
                         AND i.message_id > r.message_id
                         AND l.merchant_id = i.merchant_id AND l.message_id = i.message_id
                         AND l.kind = r.kind
                         AND NOT EXISTS (SELECT 1 FROM deliveries d
                             WHERE d.merchant_id = l.merchant_id AND d.kind = l.kind
                                 AND d.message_id = l.message_id)
                         AND NOT EXISTS (SELECT 1 FROM failures g
                             WHERE g.merchant_id = l.merchant_id AND g.kind = l.kind
                                 AND g.message_id = l.message_id)
                         AND NOT EXISTS (SELECT 1 FROM discards x
                             WHERE x.merchant_id = l.merchant_id
                                 AND x.message_id = l.message_id))",
                wanted.collect(),
                |row| Ok((row.text(0)?.to_owned(), row.int(1)?)),
            )
            .await?;
        Ok(superseded.into_iter().collect())
    }

    /// The endpoints with failures, and how many each has, up to `failures_max`. The query goes
    /// from endpoint to endpoint by the key (the next kind of the same merchant, or the first kind
    /// of the next merchant), so its cost does not depend on the length of the queue.
    #[boxed]
    pub async fn failing_endpoints(
        &self,
        failures_max: i64,
        endpoints_max: i64,
    ) -> Result<Vec<FailingEndpoint>, StoreError> {
        self.read_all(
            "counting failures by endpoint",
            "WITH RECURSIVE e(place, merchant_id, kind) AS (
                 SELECT CAST(1 AS BIGINT),
                     (SELECT f.merchant_id FROM failures f WHERE f.merchant_id > ''
                      ORDER BY f.merchant_id LIMIT 1),
                     (SELECT f.kind FROM failures f WHERE f.merchant_id > ''
                      ORDER BY f.merchant_id, f.kind LIMIT 1)
                 UNION ALL
                 SELECT e.place + 1,
                     coalesce(
                         (SELECT f.merchant_id FROM failures f
                          WHERE f.merchant_id = e.merchant_id AND f.kind > e.kind LIMIT 1),
                         (SELECT f.merchant_id FROM failures f
                          WHERE f.merchant_id > e.merchant_id
                          ORDER BY f.merchant_id LIMIT 1)),
                     coalesce(
                         (SELECT f.kind FROM failures f
                          WHERE f.merchant_id = e.merchant_id AND f.kind > e.kind
                          ORDER BY f.kind LIMIT 1),
                         (SELECT f.kind FROM failures f WHERE f.merchant_id > e.merchant_id
                          ORDER BY f.merchant_id, f.kind LIMIT 1))
                 FROM e WHERE e.merchant_id IS NOT NULL AND e.place < CAST($2 AS BIGINT))
             SELECT e.merchant_id, e.kind,
                 (SELECT count(*) FROM (SELECT 1 AS one FROM failures f
                     WHERE f.merchant_id = e.merchant_id AND f.kind = e.kind LIMIT $1) listed)
             FROM e WHERE e.merchant_id IS NOT NULL ORDER BY e.merchant_id, e.kind
             DISTRIBUTED: SELECT merchant_id, kind, least(count(*), $1) FROM failures
             GROUP BY merchant_id, kind ORDER BY merchant_id, kind LIMIT $2",
            params![failures_max, endpoints_max],
            |row| {
                Ok(FailingEndpoint {
                    merchant: row.text(0)?.to_owned(),
                    kind: row.message_kind(1)?,
                    failures: row.int(2)?,
                })
            },
        )
        .await
    }

    /// The number of matching failures at each endpoint, most first.
    #[boxed]
    pub async fn failure_counts(
        &self,
        filter: &FailureFilter,
    ) -> Result<Vec<FailureCount>, StoreError> {
        self.read_all(
            "counting failures by endpoint",
            concat!(
                "SELECT f.merchant_id, f.kind, count(*), min(f.failed_us) ",
                matching!(),
                " GROUP BY f.merchant_id, f.kind ORDER BY count(*) DESC, f.merchant_id, f.kind"
            ),
            filter.values(),
            |row| {
                Ok(FailureCount {
                    merchant: row.text(0)?.to_owned(),
                    kind: row.message_kind(1)?,
                    failures: row.int(2)?,
                    since_us: row.int(3)?,
                })
            },
        )
        .await
    }

    /// The number of matching failures.
    #[boxed]
    pub async fn count_failures(&self, filter: &FailureFilter) -> Result<i64, StoreError> {
        let sql = concat!("SELECT count(*) ", matching!());
        let count = self.read_first("counting failures", sql, filter.values(), |row| row.int(0));
        Ok(count.await?.unwrap_or(0))
    }
}

fn read_failure(row: &Row) -> Result<FailureRow, EngineError> {
    Ok(FailureRow {
        merchant: row.text(0)?.to_owned(),
        kind: row.message_kind(1)?,
        message_id: row.int(2)?,
        lane: row.int(3)?,
        reference: row.text(4)?.to_owned(),
        created_us: row.int(5)?,
        failed_us: row.int(6)?,
        status: row.optional_int(7)?,
        error: row.optional_text(8)?.map(str::to_owned),
    })
}
