//! Finished messages are removed after the retention period, in small batches.

use domain::identifier::MerchantId;

use crate::{Store, StoreError, Transaction, core::value::params};

impl Transaction {
    /// Removes finished messages with everything about them. They are removed in their order, so
    /// what was delivered before the last one goes with it.
    pub fn remove_messages(&mut self, merchant: &MerchantId, message_ids: &[i64]) {
        let rows = || message_ids.iter().map(|id| params![merchant, *id]).collect();
        self.any_rows_each(
            "DELETE FROM message_references WHERE (merchant_id, reference, message_id) IN (
             SELECT m.merchant_id, m.reference, m.message_id
             FROM messages m, ROWS(merchant_id, message_id)
             WHERE m.merchant_id = r.merchant_id AND m.message_id = r.message_id)",
            rows(),
        );
        self.any_rows_each(
            "DELETE FROM messages USING ROWS(merchant_id, message_id)
             WHERE messages.merchant_id = r.merchant_id AND messages.message_id = r.message_id",
            rows(),
        );
        self.any_rows_each(
            "DELETE FROM attempts USING ROWS(merchant_id, message_id)
             WHERE attempts.merchant_id = r.merchant_id AND attempts.message_id = r.message_id",
            rows(),
        );
        self.any_rows_each(
            "DELETE FROM discards USING ROWS(merchant_id, message_id)
             WHERE discards.merchant_id = r.merchant_id AND discards.message_id = r.message_id",
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
    /// The last message that was examined; None when there was none.
    pub last_examined: Option<i64>,
}

impl Store {
    /// Examines up to `limit` messages after `after` that were created before `before_us`.
    pub async fn finished_messages(
        &self,
        merchant: &MerchantId,
        after: i64,
        before_us: i64,
        limit: usize,
    ) -> Result<FinishedMessages, StoreError> {
        let examined = self
            .read_all(
                "looking for finished messages",
                "SELECT m.message_id,
                     CASE WHEN d.message_id IS NULL AND f.message_id IS NULL
                         THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END
                 FROM messages m
                 LEFT JOIN deliveries d ON d.merchant_id = m.merchant_id
                     AND d.kind = m.kind AND d.message_id = m.message_id
                 LEFT JOIN failures f ON f.merchant_id = m.merchant_id
                     AND f.kind = m.kind AND f.message_id = m.message_id
                 WHERE m.merchant_id = $1 AND m.message_id > $2 AND m.created_us < $3
                 ORDER BY m.message_id LIMIT $4",
                params![merchant, after, before_us, limit],
                |row| Ok((row.int(0)?, row.int(1)? == 1)),
            )
            .await?;
        let last_examined = examined.last().map(|(id, _)| *id);
        let finished = examined.into_iter().filter(|(_, finished)| *finished).map(|(id, _)| id);
        Ok(FinishedMessages { finished: finished.collect(), last_examined })
    }
}
