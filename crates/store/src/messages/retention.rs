//! Finished messages are removed after the retention period, in small batches.
//!
//! The counts of attempts say which merchants had messages in which hour, so only those are looked
//! at, and only once: the hour up to which all are done is stored. A message that was finished
//! without an attempt was discarded, which has its own time.

use boxed::boxed;
use domain::identifier::MerchantId;

use crate::{
    Store, StoreError, Transaction,
    core::{body::parse_merchant, value::params},
};

impl Transaction {
    /// Removes finished messages with everything about them. They are removed in their order, so
    /// what was delivered before the last one goes with it. A message that was put back since it
    /// was found to be finished stays.
    pub fn remove_messages(&mut self, merchant: &MerchantId, message_ids: &[i64]) {
        let rows = || message_ids.iter().map(|id| params![merchant, *id]).collect();
        self.any_rows_each(
            "DELETE FROM message_references WHERE (merchant_id, reference, message_id) IN (
             SELECT m.merchant_id, m.reference, m.message_id
             FROM messages m, ROWS(merchant_id, message_id)
             WHERE m.merchant_id = r.merchant_id AND m.message_id = r.message_id
                 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.merchant_id = r.merchant_id
                     AND d.kind = m.kind AND d.message_id = r.message_id))",
            rows(),
        );
        self.any_rows_each(
            "DELETE FROM messages USING ROWS(merchant_id, message_id)
             WHERE messages.merchant_id = r.merchant_id AND messages.message_id = r.message_id
                 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.merchant_id = r.merchant_id
                     AND d.kind = messages.kind AND d.message_id = r.message_id)",
            rows(),
        );
        self.any_rows_each(
            "DELETE FROM attempts USING ROWS(merchant_id, message_id)
             WHERE attempts.merchant_id = r.merchant_id AND attempts.message_id = r.message_id
                 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.merchant_id = r.merchant_id
                     AND m.message_id = r.message_id)",
            rows(),
        );
        self.any_rows_each(
            "DELETE FROM discards USING ROWS(merchant_id, message_id)
             WHERE discards.merchant_id = r.merchant_id AND discards.message_id = r.message_id
                 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.merchant_id = r.merchant_id
                     AND m.message_id = r.message_id)",
            rows(),
        );
        if let Some(last) = message_ids.iter().max() {
            self.remove_packed_attempts(merchant, *last);
        }
    }
}

/// Which of the examined messages are finished.
#[derive(Debug, PartialEq, Eq)]
pub struct FinishedMessages {
    pub finished: Vec<i64>,
    /// The last message that was examined; None when there is none left that is old enough.
    pub last_examined: Option<i64>,
}

impl Transaction {
    /// Takes over the work of this round, until `next_us`; a conflict when another node has.
    pub fn begin_retention(&mut self, now_us: i64, next_us: i64) {
        self.one_row(
            "UPDATE retention SET next_us = $2 WHERE id = 1 AND next_us <= $1",
            params![now_us, next_us],
        );
    }

    /// All that is older than `done_us` was examined.
    pub fn end_retention(&mut self, done_us: i64) {
        self.one_row("UPDATE retention SET done_us = $1 WHERE id = 1", params![done_us]);
    }

    /// Removes up to `limit` counts of attempts in the hours before `before_us`.
    pub fn delete_old_attempt_counts(&mut self, before_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM attempt_counts WHERE (merchant_id, hour_us, kind, status, bucket) IN (
             SELECT merchant_id, hour_us, kind, status, bucket FROM attempt_counts
             WHERE hour_us < $1 ORDER BY hour_us, merchant_id, kind, status, bucket LIMIT $2)",
            params![before_us, limit],
        );
    }

    /// Removes up to `limit` counts of the days before `before_us`.
    pub fn delete_old_day_counts(&mut self, before_us: i64, limit: usize) {
        self.any_rows(
            "DELETE FROM day_counts WHERE (merchant_id, day_us, what, slot) IN (
             SELECT merchant_id, day_us, what, slot FROM day_counts
             WHERE day_us < $1 ORDER BY day_us, merchant_id, what, slot LIMIT $2)",
            params![before_us, limit],
        );
    }
}

const LOOKING: &str = "looking for finished messages";

impl Store {
    /// The time before which all messages were examined.
    #[boxed]
    pub async fn retention_done_us(&self) -> Result<i64, StoreError> {
        let sql = "SELECT done_us FROM retention WHERE id = 1";
        let done_us = self.read_first(LOOKING, sql, params![], |row| row.int(0)).await?;
        Ok(done_us.unwrap_or(0))
    }

    /// Merchants after `after` with attempts or discarded messages in a period, by name.
    #[boxed]
    pub async fn merchants_with_attempts(
        &self,
        after: &str,
        from_us: i64,
        to_us: i64,
        limit: usize,
    ) -> Result<Vec<MerchantId>, StoreError> {
        self.read_all(
            LOOKING,
            "SELECT merchant_id FROM (
                 SELECT merchant_id FROM attempt_counts
                 WHERE hour_us >= $2 AND hour_us < $3 AND merchant_id > $1
                 UNION SELECT merchant_id FROM discards
                 WHERE discarded_us >= $2 AND discarded_us < $3 AND merchant_id > $1) AS busy
             ORDER BY merchant_id LIMIT $4",
            params![after, from_us, to_us, limit],
            |row| parse_merchant("attempt_counts", row.text(0)?),
        )
        .await
    }

    /// Whether there are counts of attempts or days before `before_us`.
    #[boxed]
    pub async fn has_old_counts(&self, before_us: i64) -> Result<bool, StoreError> {
        let old = self.read_all(
            "looking for old counts",
            "SELECT * FROM (SELECT hour_us FROM attempt_counts WHERE hour_us < $1 LIMIT 1) AS hours
             UNION ALL
             SELECT * FROM (SELECT day_us FROM day_counts WHERE day_us < $1 LIMIT 1) AS days",
            params![before_us],
            |_| Ok(()),
        );
        Ok(!old.await?.is_empty())
    }

    /// Examines up to `limit` messages after `after`, up to the first one that was not created
    /// before `before_us`: numbers rise with time, so all later ones are too young as well.
    #[boxed]
    pub async fn finished_messages(
        &self,
        merchant: &MerchantId,
        after: i64,
        before_us: i64,
        limit: usize,
    ) -> Result<FinishedMessages, StoreError> {
        let examined = self
            .read_all(
                LOOKING,
                "SELECT m.message_id,
                     CASE WHEN d.message_id IS NULL AND f.message_id IS NULL
                         THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END, m.created_us
                 FROM (
                     SELECT merchant_id, message_id, kind, created_us FROM messages
                     WHERE merchant_id = $1 AND message_id > $2
                     ORDER BY message_id LIMIT $3) m
                 LEFT JOIN deliveries d ON d.merchant_id = m.merchant_id
                     AND d.kind = m.kind AND d.message_id = m.message_id
                 LEFT JOIN failures f ON f.merchant_id = m.merchant_id
                     AND f.kind = m.kind AND f.message_id = m.message_id
                 ORDER BY m.message_id",
                params![merchant, after, limit],
                |row| Ok((row.int(0)?, row.int(1)? == 1, row.int(2)?)),
            )
            .await?;
        let total = examined.len();
        let old: Vec<_> = examined.into_iter().take_while(|it| it.2 < before_us).collect();
        let last_examined = old.last().filter(|_| old.len() == total).map(|(id, ..)| *id);
        let finished = old.into_iter().filter(|(_, finished, _)| *finished).map(|(id, ..)| id);
        Ok(FinishedMessages { finished: finished.collect(), last_examined })
    }
}
