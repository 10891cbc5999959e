//! Pending messages of a queue, page by page.
//!
//! A page is read from where the last one ended, never from the beginning. The size of its bodies
//! is limited, too: a return may have ten thousand units.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    messages::kind::{MessageKind, QueueKind},
};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::value::{Row, params},
    messages::outbox::PendingMessage,
};

const READING: &str = "loading pending deliveries";
/// Enough to be worth a statement.
const PAGE_BYTES: usize = 8 * 1_024 * 1_024;

/// Where a page ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimit {
    pub messages: usize,
    /// The page ends when its bodies are this large together. A single one may be of any size.
    pub bytes: usize,
}

/// Deliveries of a queue, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingPage {
    pub messages: Vec<PendingMessage>,
    /// Whether none follow.
    pub is_last: bool,
}

/// A delivery whose message was removed, with its number.
struct Orphan(MessageKind, i64);

/// A query for a page of deliveries. A delivery without its message is found, too. The subquery
/// `$found` finds the deliveries first: a planner that takes the table for small would otherwise
/// read all messages of the merchant. Bodies are read last, up to the one with which they are
/// larger together than `$bytes`.
macro_rules! page_of {
    ($found:literal, $bytes:literal) => {
        concat!(
            "SELECT d.message_id, d.lane, d.cycle, d.attempt, d.due_us,
                 m.sequence, m.created_us, m.body, d.kind, d.replay, d.found
             FROM (
                 SELECT e.*, count(*) OVER () AS found,
                     CAST(sum(length(l.body)) OVER (ORDER BY e.message_id
                         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS BIGINT)
                         AS bytes_before
                 FROM (",
            $found,
            ") e
                 LEFT JOIN messages l
                     ON l.merchant_id = e.merchant_id AND l.message_id = e.message_id) d
             LEFT JOIN messages m ON m.merchant_id = d.merchant_id AND m.message_id = d.message_id
             WHERE coalesce(d.bytes_before, 0) < ",
            $bytes,
            " ORDER BY d.message_id"
        )
    };
}

const PENDING_OF_ONE: &str = page_of!(
    "SELECT * FROM deliveries
     WHERE merchant_id = $1 AND kind = $2 AND message_id > $3
     ORDER BY message_id LIMIT $4",
    "$5"
);

/// In one statement, so that no message of one kind can be added while another kind is read: a
/// reader that has read up to a number has missed nothing.
const PENDING_OF_THREE: &str = page_of!(
    "SELECT * FROM (
         SELECT * FROM (
             SELECT * FROM deliveries
             WHERE merchant_id = $1 AND kind = $2 AND message_id > $5
             ORDER BY message_id LIMIT $6) a
         UNION ALL SELECT * FROM (
             SELECT * FROM deliveries
             WHERE merchant_id = $1 AND kind = $3 AND message_id > $5
             ORDER BY message_id LIMIT $6) b
         UNION ALL SELECT * FROM (
             SELECT * FROM deliveries
             WHERE merchant_id = $1 AND kind = $4 AND message_id > $5
             ORDER BY message_id LIMIT $6) c) f
     ORDER BY message_id LIMIT $6",
    "$7"
);

impl Store {
    /// The next deliveries of a queue after the message `after`, in order.
    #[boxed]
    pub async fn pending_page(
        &self,
        merchant: &MerchantId,
        queue: QueueKind,
        after: i64,
        limit: PageLimit,
    ) -> Result<PendingPage, StoreError> {
        loop {
            let rows = self.pending_rows(merchant, queue, after, limit).await?;
            let found = rows.first().map_or(0, |(_, found)| usize::try_from(*found).unwrap_or(0));
            let (mut messages, mut orphans) = (Vec::with_capacity(rows.len()), Vec::new());
            let is_last = found < limit.messages && found == rows.len();
            for (row, _) in rows {
                match row {
                    Ok(message) => messages.push(message),
                    Err(orphan) => orphans.push(orphan),
                }
            }
            if orphans.is_empty() {
                return Ok(PendingPage { messages, is_last });
            }
            self.remove_orphans(merchant, &orphans).await?;
        }
    }

    /// The messages of such a page: up to `limit`, or fewer large ones.
    #[boxed]
    pub async fn pending_messages(
        &self,
        merchant: &MerchantId,
        queue: QueueKind,
        after: i64,
        limit: usize,
    ) -> Result<Vec<PendingMessage>, StoreError> {
        let limit = PageLimit { messages: limit, bytes: PAGE_BYTES };
        Ok(self.pending_page(merchant, queue, after, limit).await?.messages)
    }

    /// Each with the number of deliveries that were found, with or without their bodies.
    async fn pending_rows(
        &self,
        merchant: &MerchantId,
        queue: QueueKind,
        after: i64,
        limit: PageLimit,
    ) -> Result<Vec<(Result<PendingMessage, Orphan>, i64)>, StoreError> {
        let read = |row: &Row| Ok((read_pending(row, merchant)?, row.int(10)?));
        let PageLimit { messages, bytes } = limit;
        if let [first, second, third] = *queue.kinds() {
            let values = params![merchant, first, second, third, after, messages, bytes];
            self.read_all(READING, PENDING_OF_THREE, values, read).await
        } else {
            let values = params![merchant, queue.name(), after, messages, bytes];
            self.read_all(READING, PENDING_OF_ONE, values, read).await
        }
    }

    /// On PostgreSQL, a message can be put back in the moment in which it is removed by age. The
    /// queue must not wait for it for ever.
    async fn remove_orphans(
        &self,
        merchant: &MerchantId,
        orphans: &[Orphan],
    ) -> Result<(), StoreError> {
        let numbers: Vec<String> = orphans.iter().map(|it| it.1.to_string()).collect();
        tracing::warn!(
            "messages of {merchant} cannot be sent, removing their deliveries, because they were \
             removed by age while they were put back: {}",
            numbers.join(", ")
        );
        let mut transaction = Transaction::new("removing deliveries without a message");
        transaction.any_rows_each(
            "DELETE FROM deliveries USING ROWS(merchant_id, kind, message_id)
             WHERE deliveries.merchant_id = r.merchant_id AND deliveries.kind = r.kind
                 AND deliveries.message_id = r.message_id
                 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.merchant_id = r.merchant_id
                     AND m.message_id = r.message_id)",
            orphans.iter().map(|it| params![merchant, it.0, it.1]).collect(),
        );
        self.commit(transaction).await.map(drop)
    }
}

fn read_pending(
    row: &Row,
    merchant: &MerchantId,
) -> Result<Result<PendingMessage, Orphan>, EngineError> {
    let (message_id, kind) = (row.int(0)?, row.message_kind(8)?);
    let Some(sequence) = row.optional_int(5)? else { return Ok(Err(Orphan(kind, message_id))) };
    Ok(Ok(PendingMessage {
        merchant: merchant.clone(),
        message_id,
        kind,
        lane: row.int(1)?,
        cycle: row.int(2)?,
        attempts: row.int(3)?,
        due_us: row.int(4)?,
        sequence,
        created_us: row.int(6)?,
        replay: row.int(9)? != 0,
        body: row.bytes(7)?,
    }))
}
