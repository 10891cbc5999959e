//! What is finished is removed after a while, in small batches.

use domain::identifier::MerchantId;

use crate::{
    Store, StoreError, Transaction,
    core::{
        error::During,
        value::{Row, params},
    },
};

impl Transaction {
    /// Removes finished messages with everything about them. One that waits or has failed stays.
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
    }
}

impl Store {
    /// Looks at up to `limit` messages behind `after` that were made before `before_us`: which of them
    /// are finished, and the last one looked at.
    pub async fn finished_messages(
        &self,
        merchant: &MerchantId,
        after: i64,
        before_us: i64,
        limit: i64,
    ) -> Result<(Vec<i64>, Option<i64>), StoreError> {
        let operation = "looking for finished messages";
        let rows = self
            .query(
                operation,
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
            )
            .await?;
        let read = |row: &Row| Ok((row.int(0)?, row.int(1)? == 1));
        let looked_at: Vec<(i64, bool)> =
            rows.iter().map(read).collect::<Result<_, _>>().during(operation)?;
        let last = looked_at.last().map(|(id, _)| *id);
        let finished = looked_at.into_iter().filter(|(_, finished)| *finished).map(|(id, _)| id);
        Ok((finished.collect(), last))
    }
}
