//! The log of messages: their state, their bytes, and every attempt.

use boxed::boxed;
use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::{kind::MessageKind, state::MessageState},
};

use crate::{
    EngineError, Store, StoreError,
    core::{
        pages::PageSize,
        value::{Row, params},
    },
};

/// A message without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRow {
    pub merchant: String,
    pub message_id: i64,
    pub kind: MessageKind,
    pub reference: String,
    pub sequence: i64,
    pub created_us: i64,
    pub state: MessageState,
    /// When the next attempt is due, while it waits.
    pub due_us: Option<i64>,
    pub discard_reason: Option<String>,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRow {
    pub cycle: i64,
    pub attempt: i64,
    pub at_us: i64,
    pub latency_us: i64,
    pub status: Option<i64>,
    pub error: Option<String>,
    pub answer: Option<Bytes>,
}

/// Numbers of messages rise with time, except for commits at the same time.
const DISORDER_US: i64 = 60_000_000;

/// Which messages of a merchant to list: those before `before`, newest first.
#[derive(Clone, Debug)]
pub struct MessageFilter {
    pub before: i64,
    pub state: Option<MessageState>,
    pub kind: Option<MessageKind>,
    pub reference: Option<String>,
    /// The period in which it was created.
    pub from_us: i64,
    pub to_us: i64,
    pub limit: usize,
}

impl Default for MessageFilter {
    /// All messages, a hundred at a time.
    fn default() -> Self {
        Self {
            before: i64::MAX,
            state: None,
            kind: None,
            reference: None,
            from_us: i64::MIN,
            to_us: i64::MAX,
            limit: 100,
        }
    }
}

impl MessageFilter {
    fn includes(&self, row: &MessageRow) -> bool {
        self.state.is_none_or(|state| row.state == state)
            && self.kind.is_none_or(|kind| row.kind == kind)
            && (self.from_us..=self.to_us).contains(&row.created_us)
    }
}

/// A query for messages with their state, as [`read_message`] reads them. The state is looked up
/// for each message by its key: in a join, PostgreSQL might read all deliveries for each message
/// while its statistics say that there are none.
macro_rules! messages_where {
    ($more_columns:literal, $tables:literal, $condition:literal) => {
        concat!(
            "SELECT m.merchant_id, m.message_id, m.kind, m.reference, m.sequence, m.created_us,
             (SELECT d.due_us FROM deliveries d WHERE d.merchant_id = $1
                 AND d.kind = m.kind AND d.message_id = m.message_id),
             (SELECT f.failed_us FROM failures f WHERE f.merchant_id = $1
                 AND f.kind = m.kind AND f.message_id = m.message_id),
             (SELECT x.reason FROM discards x WHERE x.merchant_id = $1
                 AND x.message_id = m.message_id)",
            $more_columns,
            " FROM ",
            $tables,
            " WHERE ",
            $condition
        )
    };
}

impl Store {
    /// Messages of a merchant, newest first, and the number to continue before when there may be
    /// more.
    ///
    /// Examines a bounded number of messages, so a page may be short although more follow.
    #[boxed]
    pub async fn messages(
        &self,
        merchant: &MerchantId,
        filter: &MessageFilter,
    ) -> Result<(Vec<MessageRow>, Option<i64>), StoreError> {
        let mut filter = filter.clone();
        if filter.to_us < i64::MAX {
            let end_us = filter.to_us.saturating_add(DISORDER_US);
            let last = self.last_message_before(merchant, end_us).await?;
            filter.before = filter.before.min(last.saturating_add(1));
        }
        let filtered = filter.state.is_some() || filter.kind.is_some() || filter.from_us > i64::MIN;
        let size = PageSize::new(filter.limit, filtered || filter.to_us < i64::MAX);
        let examined = self.message_page(merchant, &filter, size.rows()).await?;
        let begin_us = filter.from_us.saturating_sub(DISORDER_US);
        let is_over = examined.last().is_some_and(|row| row.created_us < begin_us);
        let (matching, end) = size.cut(examined, |row| filter.includes(row));
        let is_cut = matching.len() == filter.limit;
        Ok((matching, end.filter(|_| is_cut || !is_over).map(|row| row.message_id)))
    }

    async fn message_page(
        &self,
        merchant: &MerchantId,
        filter: &MessageFilter,
        limit: usize,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let operation = "listing messages";
        let before = filter.before;
        if let Some(reference) = &filter.reference {
            self.index_messages_before(merchant.as_str(), before).await?;
            let sql = messages_where!(
                "",
                "message_references i CROSS JOIN messages m",
                "i.merchant_id = $1 AND i.reference = $2 AND i.message_id < $3
                     AND m.merchant_id = i.merchant_id AND m.message_id = i.message_id
                 ORDER BY i.message_id DESC LIMIT $4"
            );
            let values = params![merchant, reference.as_str(), before, limit];
            self.read_all(operation, sql, values, read_message).await
        } else {
            let sql = messages_where!(
                "",
                "messages m",
                "m.merchant_id = $1 AND m.message_id < $2
                 ORDER BY m.message_id DESC LIMIT $3"
            );
            self.read_all(operation, sql, params![merchant, before, limit], read_message).await
        }
    }

    /// One message with its bytes.
    #[boxed]
    pub async fn message(
        &self,
        merchant: &MerchantId,
        message_id: i64,
    ) -> Result<Option<(MessageRow, Bytes)>, StoreError> {
        self.read_first(
            "reading a message",
            messages_where!(", m.body", "messages m", "m.merchant_id = $1 AND m.message_id = $2"),
            params![merchant, message_id],
            |row| Ok((read_message(row)?, row.bytes(9)?)),
        )
        .await
    }

    /// Every attempt of a message, in order.
    #[boxed]
    pub async fn attempts(
        &self,
        merchant: &MerchantId,
        message_id: i64,
    ) -> Result<Vec<AttemptRow>, StoreError> {
        let (attempts, packed) = tokio::try_join!(
            self.read_all(
                "reading attempts",
                "SELECT cycle, attempt, at_us, latency_us, status, error, answer FROM attempts
                 WHERE merchant_id = $1 AND message_id = $2 ORDER BY cycle, attempt",
                params![merchant, message_id],
                read_attempt,
            ),
            self.packed_attempt(merchant, message_id),
        )?;
        Ok(packed.into_iter().chain(attempts).collect())
    }
}

fn read_message(row: &Row) -> Result<MessageRow, EngineError> {
    let due_us = row.optional_int(6)?;
    let discard_reason = row.optional_text(8)?.map(str::to_owned);
    let state = match (due_us, row.optional_int(7)?, &discard_reason) {
        (Some(_), _, _) => MessageState::Waiting,
        (None, Some(_), _) => MessageState::Failed,
        (None, None, Some(_)) => MessageState::Discarded,
        (None, None, None) => MessageState::Delivered,
    };
    Ok(MessageRow {
        merchant: row.text(0)?.to_owned(),
        message_id: row.int(1)?,
        kind: row.message_kind(2)?,
        reference: row.text(3)?.to_owned(),
        sequence: row.int(4)?,
        created_us: row.int(5)?,
        state,
        due_us,
        discard_reason,
    })
}

pub(crate) fn read_attempt(row: &Row) -> Result<AttemptRow, EngineError> {
    Ok(AttemptRow {
        cycle: row.int(0)?,
        attempt: row.int(1)?,
        at_us: row.int(2)?,
        latency_us: row.int(3)?,
        status: row.optional_int(4)?,
        error: row.optional_text(5)?.map(str::to_owned),
        answer: row.optional_bytes(6)?,
    })
}
