//! The index of messages by what they are about.
//!
//! If it grew with every message it would touch another page each time: half of all that SQLite
//! writes for a message. So messages are added to the index later, many together and in the order
//! of the index, which touches few pages. `message_index_progress` holds the number of the last
//! message that is in the index. A query by reference first indexes what it may find, and so
//! misses nothing; in addition, every [`BATCH`] messages of a merchant are indexed in the
//! background. The last message about each thing is written in the same steps.

use std::collections::BTreeSet;

use boxed::boxed;

use crate::{
    Store, StoreError, Transaction,
    core::value::{Row, params},
    messages::{message_heads::MessagesToIndex, outbox::PendingMessage},
};

/// Messages that one transaction adds to the index.
const BATCH: i64 = 4_096;
const OPERATION: &str = "indexing messages by reference";

/// How far the index of a merchant's messages is.
struct Progress {
    /// The number of the last message.
    last: i64,
    /// The number of the last message in the index.
    indexed: i64,
}

impl Progress {
    /// Whether messages before number `before` are not in the index.
    fn is_behind(&self, before: i64) -> bool {
        self.indexed < self.last && self.indexed + 1 < before
    }
}

impl Store {
    /// Indexes every message of `merchant` that is committed now.
    #[boxed]
    pub async fn update_message_index(&self, merchant: &str) -> Result<(), StoreError> {
        self.index_messages_before(merchant, i64::MAX).await
    }

    /// Indexes at least the messages of `merchant` whose number is lower than `before`.
    pub(super) async fn index_messages_before(
        &self,
        merchant: &str,
        before: i64,
    ) -> Result<(), StoreError> {
        if !self.message_index_progress(merchant).await?.is_behind(before) {
            return Ok(());
        }
        // A task that had to wait finds the messages indexed.
        let _turn = self.index_turns.wait(merchant.to_owned()).await;
        let mut progress = self.message_index_progress(merchant).await?;
        while progress.is_behind(before) {
            let Progress { last, indexed } = progress;
            let end = last.min(indexed.saturating_add(BATCH));
            let found = self.messages_to_index(merchant, indexed, end).await?;
            let step = index_step(merchant, indexed, end, found);
            progress.indexed = match self.commit(step).await {
                Ok(_) => end,
                // Another node is indexing the same messages, and is further ahead.
                Err(StoreError::Conflict) => self.message_index_progress(merchant).await?.indexed,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    /// Starts a task that indexes the messages of each merchant for which `pending` completes a
    /// batch.
    pub(crate) fn index_in_background(&self, pending: &[PendingMessage]) {
        let completed = pending.iter().filter(|it| it.message_id % BATCH == 0);
        let merchants: BTreeSet<&str> = completed.map(|it| it.merchant.as_str()).collect();
        for merchant in merchants {
            let (store, merchant) = (self.clone(), merchant.to_owned());
            tokio::spawn(async move {
                if let Err(error) = store.update_message_index(&merchant).await {
                    tracing::warn!("indexing messages of {merchant} failed, will retry: {error}");
                }
            });
        }
    }

    async fn message_index_progress(&self, merchant: &str) -> Result<Progress, StoreError> {
        let sql = "SELECT c.last, coalesce(f.last, 0) FROM message_counters c
             LEFT JOIN message_index_progress f ON f.merchant_id = c.merchant_id
             WHERE c.merchant_id = $1";
        let read = |row: &Row| Ok(Progress { last: row.int(0)?, indexed: row.int(1)? });
        let progress = self.read_first(OPERATION, sql, params![merchant], read).await?;
        Ok(progress.unwrap_or(Progress { last: 0, indexed: 0 }))
    }
}

/// Indexes the messages after number `indexed`, up to `end`, which are `found`; a conflict when
/// `indexed` is out of date. What was read is written, because the messages are not next to each
/// other in their table: to read them again would cost as much as to index them.
fn index_step(merchant: &str, indexed: i64, end: i64, found: MessagesToIndex) -> Transaction {
    let MessagesToIndex { mut references, heads } = found;
    references.sort_unstable();
    let mut transaction = Transaction::new(OPERATION);
    transaction.one_row(
        "INSERT INTO message_index_progress (merchant_id, last) VALUES ($1, $3)
         ON CONFLICT (merchant_id) DO UPDATE SET last = excluded.last
             WHERE message_index_progress.last = $2",
        params![merchant, indexed, end],
    );
    transaction.any_rows_each(
        "INSERT INTO message_references (merchant_id, reference, message_id)
         SELECT r.merchant_id, r.reference, r.message_id
         FROM ROWS(merchant_id, reference, message_id) WHERE true",
        references.into_iter().map(|(reference, id)| params![merchant, reference, id]).collect(),
    );
    transaction.put_heads(merchant, &heads);
    transaction
}
