//! Replays: messages that are put back to the deliveries although they were finished.

use std::collections::HashSet;

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::value::{Row, params},
};

const SCANNING: &str = "looking for messages to replay";

/// A message to send again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedMessage {
    pub kind: MessageKind,
    pub message_id: i64,
    /// A number that is the same for messages that must stay in order.
    pub lane: i64,
}

/// A message that was found by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedMessage {
    pub kind: MessageKind,
    pub reference: String,
    pub message_id: i64,
    pub created_us: i64,
}

impl Transaction {
    /// Puts messages back to the deliveries, with all of their attempts ahead of them. One that
    /// waits already, or is removed, is left as it is.
    pub fn replay_messages(
        &mut self,
        merchant: &MerchantId,
        messages: &[ReplayedMessage],
        now_us: i64,
    ) {
        self.any_rows_each(
            "INSERT INTO deliveries
                 (merchant_id, kind, message_id, lane, cycle, attempt, due_us, replay)
             SELECT m.merchant_id, m.kind, m.message_id, CAST($3 AS BIGINT),
                 coalesce((SELECT max(a.cycle) FROM attempts a
                     WHERE a.merchant_id = $1 AND a.message_id = $2), 1) + 1,
                 0, CAST($4 AS BIGINT), 1
             FROM messages m WHERE m.merchant_id = $1 AND m.message_id = $2
             ON CONFLICT DO NOTHING",
            messages.iter().map(|it| params![merchant, it.message_id, it.lane, now_us]).collect(),
        );
        self.any_rows_each(
            "DELETE FROM failures WHERE merchant_id = $1 AND kind = $2 AND message_id = $3",
            messages.iter().map(|it| params![merchant, it.kind, it.message_id]).collect(),
        );
    }
}

impl Store {
    /// Those of the messages that still wait in their queues.
    #[boxed]
    pub async fn waiting_messages(
        &self,
        merchant: &MerchantId,
        messages: &[ReplayedMessage],
    ) -> Result<HashSet<i64>, StoreError> {
        let rows = messages.iter().map(|it| params![merchant, it.kind, it.message_id]);
        let waiting = self
            .read_each(
                "looking for replays that wait",
                "SELECT r.message_id FROM ROWS(merchant_id, kind, message_id)
                 WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.merchant_id = r.merchant_id
                     AND d.kind = r.kind AND d.message_id = r.message_id)",
                rows.collect(),
                |row| row.int(0),
            )
            .await?;
        Ok(waiting.into_iter().collect())
    }

    /// Those of the messages that are in the failure queue.
    #[boxed]
    pub async fn failed_messages(
        &self,
        merchant: &MerchantId,
        messages: &[ReplayedMessage],
    ) -> Result<HashSet<i64>, StoreError> {
        let rows = messages.iter().map(|it| params![merchant, it.kind, it.message_id]);
        let failed = self
            .read_each(
                "looking for failed messages",
                "SELECT r.message_id FROM ROWS(merchant_id, kind, message_id)
                 WHERE EXISTS (SELECT 1 FROM failures f WHERE f.merchant_id = r.merchant_id
                     AND f.kind = r.kind AND f.message_id = r.message_id)",
                rows.collect(),
                |row| row.int(0),
            )
            .await?;
        Ok(failed.into_iter().collect())
    }

    /// Those of the messages that are not removed.
    pub async fn stored_messages(
        &self,
        merchant: &MerchantId,
        numbers: impl Iterator<Item = i64>,
    ) -> Result<HashSet<i64>, StoreError> {
        let stored = self
            .read_each(
                SCANNING,
                "SELECT m.message_id FROM ROWS(merchant_id, message_id)
                 JOIN messages m ON m.merchant_id = r.merchant_id AND m.message_id = r.message_id",
                numbers.map(|number| params![merchant, number]).collect(),
                |row| row.int(0),
            )
            .await?;
        Ok(stored.into_iter().collect())
    }

    /// The messages of a merchant after number `after`, up to `end`, in order.
    #[boxed]
    pub async fn scan_messages(
        &self,
        merchant: &MerchantId,
        after: i64,
        end: i64,
        limit: usize,
    ) -> Result<Vec<ScannedMessage>, StoreError> {
        self.read_all(
            SCANNING,
            "SELECT kind, reference, message_id, created_us FROM messages
             WHERE merchant_id = $1 AND message_id > $2 AND message_id <= $3
             ORDER BY message_id LIMIT $4",
            params![merchant, after, end, limit],
            read_scanned,
        )
        .await
    }

    /// The number of the last message of a merchant, or 0.
    #[boxed]
    pub async fn last_message_id(&self, merchant: &MerchantId) -> Result<i64, StoreError> {
        let sql = "SELECT last FROM message_counters WHERE merchant_id = $1";
        let last = self.read_first(SCANNING, sql, params![merchant], |row| row.int(0)).await?;
        Ok(last.unwrap_or(0))
    }

    /// The number of the last message that was created before `before_us`, or 0. Numbers rise with
    /// time, so it is found by halving the range of numbers.
    #[boxed]
    pub async fn last_message_before(
        &self,
        merchant: &MerchantId,
        before_us: i64,
    ) -> Result<i64, StoreError> {
        let (mut before, mut after) = (0, self.last_message_id(merchant).await? + 1);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            let found = self.scan_messages(merchant, middle - 1, after - 1, 1).await?;
            match found.first() {
                Some(it) if it.created_us < before_us => before = it.message_id,
                Some(_) | None => after = middle,
            }
        }
        Ok(before)
    }
}

fn read_scanned(row: &Row) -> Result<ScannedMessage, EngineError> {
    Ok(ScannedMessage {
        kind: row.message_kind(0)?,
        reference: row.text(1)?.to_owned(),
        message_id: row.int(2)?,
        created_us: row.int(3)?,
    })
}
