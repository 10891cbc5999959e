//! Which messages are about which thing.
//!
//! An index by reference that grew with every message would touch another page for each: half of
//! all that SQLite writes for a message. So messages are filed later, many together and in the order of
//! the index, which touches few pages. `message_filings` has the number of the last message that is
//! filed. Whoever asks by reference has the rest filed first, and so misses nothing; meanwhile
//! every [`FILED_AT_ONCE`] messages of a merchant are filed behind the commit that completes them.

use std::collections::BTreeSet;

use crate::{
    Store, StoreError, Transaction,
    core::{
        error::During,
        value::{Row, params},
    },
    messages::outbox::PendingMessage,
};

/// Messages that one transaction files.
const FILED_AT_ONCE: i64 = 4_096;
const OPERATION: &str = "filing messages by what they are about";

impl Store {
    /// Files every message of `merchant` that is committed now.
    pub(crate) async fn file_references(&self, merchant: &str) -> Result<(), StoreError> {
        let (last, mut filed) = self.counters(merchant).await?;
        while filed < last {
            let end = last.min(filed.saturating_add(FILED_AT_ONCE));
            filed = match self.commit(filing(merchant, filed, end)).await {
                Ok(_) => end,
                // Somebody else does the same, and has come further.
                Err(StoreError::Conflict) => self.counters(merchant).await?.1,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    /// Has the messages of these merchants filed, beside everything else, that `pending` completes
    /// a batch of.
    pub(crate) fn file_behind(&self, pending: &[PendingMessage]) {
        let completed = pending.iter().filter(|it| it.message_id % FILED_AT_ONCE == 0);
        let merchants: BTreeSet<&str> = completed.map(|it| it.merchant.as_str()).collect();
        for merchant in merchants {
            let (store, merchant) = (self.clone(), merchant.to_owned());
            tokio::spawn(async move {
                if let Err(error) = store.file_references(&merchant).await {
                    tracing::warn!(merchant, "messages are not filed yet: {error}");
                }
            });
        }
    }

    /// The numbers of the last message, and of the last one that is filed.
    async fn counters(&self, merchant: &str) -> Result<(i64, i64), StoreError> {
        let sql = "SELECT c.last, coalesce(f.last, 0) FROM message_counters c
             LEFT JOIN message_filings f ON f.merchant_id = c.merchant_id
             WHERE c.merchant_id = $1";
        let rows = self.query(OPERATION, sql, params![merchant]).await?;
        let read = |row: &Row| Ok((row.int(0)?, row.int(1)?));
        rows.first().map_or(Ok((0, 0)), read).during(OPERATION)
    }
}

/// Files the messages behind number `filed`, up to `end`; a conflict when `filed` is not true any more.
fn filing(merchant: &str, filed: i64, end: i64) -> Transaction {
    let mut transaction = Transaction::new(OPERATION);
    transaction.one_row(
        "INSERT INTO message_filings (merchant_id, last) VALUES ($1, $3)
         ON CONFLICT (merchant_id) DO UPDATE SET last = excluded.last
             WHERE message_filings.last = $2",
        params![merchant, filed, end],
    );
    transaction.any_rows(
        "INSERT INTO message_references (merchant_id, reference, message_id)
         SELECT merchant_id, reference, message_id FROM messages
         WHERE merchant_id = $1 AND message_id > $2 AND message_id <= $3
         ORDER BY reference, message_id",
        params![merchant, filed, end],
    );
    transaction
}
