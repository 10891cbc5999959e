//! The outbox: messages to merchants.
//!
//! A message is part of the transaction that decided it. Its number is taken from the merchant's
//! counter inside that transaction, so numbers rise in the order of commits and a reader that has
//! seen a number has seen every smaller one.

use bytes::Bytes;
use domain::{
    identifier::{MerchantId, MessageId},
    messages::{kind::MessageKind, state::MessageState},
};

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        error::During,
        pages::Extent,
        value::{Row, params},
    },
};

/// A message that a use case decided to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    pub merchant: MerchantId,
    pub kind: MessageKind,
    /// The thing it is about, such as an RMA's identifier. Messages about one thing stay in order.
    pub reference: String,
    /// Its number among the messages about that thing, from 1.
    pub sequence: i64,
    /// A number that is the same for messages that must stay in order.
    pub lane: i64,
    pub created_us: i64,
    /// The exact bytes to send.
    pub body: Bytes,
}

/// A message that is committed and not finished: a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingMessage {
    pub merchant: MerchantId,
    pub message_id: i64,
    pub kind: MessageKind,
    /// A number that is the same for messages that must stay in order.
    pub lane: i64,
    /// How often the message was put back from the failure queue, from 1.
    pub cycle: i64,
    /// Attempts made in this cycle.
    pub attempts: i64,
    pub due_us: i64,
    /// Its number among the messages about the same thing, from 1.
    pub sequence: i64,
    pub created_us: i64,
    /// The exact bytes to send.
    pub body: Bytes,
}

impl PendingMessage {
    pub fn id(&self) -> MessageId {
        MessageId { merchant: self.merchant.clone(), number: self.message_id }
    }

    /// `message` as it is when the transaction that decided it has just committed.
    pub(crate) fn committed(message: NewMessage, message_id: i64) -> Self {
        Self {
            merchant: message.merchant,
            message_id,
            kind: message.kind,
            lane: message.lane,
            cycle: 1,
            attempts: 0,
            due_us: message.created_us,
            sequence: message.sequence,
            created_us: message.created_us,
            body: message.body,
        }
    }
}

/// A message as people look at it, without its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRow {
    pub merchant: String,
    pub message_id: i64,
    pub kind: MessageKind,
    pub reference: String,
    pub sequence: i64,
    pub created_us: i64,
    pub state: MessageState,
    /// When it is tried next, while it waits.
    pub due_us: Option<i64>,
    pub discard_reason: Option<String>,
}

/// One try.
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

/// Which messages of a merchant to list: those before `before`, newest first.
#[derive(Clone, Debug)]
pub struct MessageFilter {
    pub before: i64,
    pub state: Option<MessageState>,
    pub kind: Option<MessageKind>,
    pub reference: Option<String>,
    pub limit: usize,
}

impl Transaction {
    /// Enqueues a message: it is stored, and is sent, if and only if this transaction commits.
    pub fn enqueue(&mut self, message: NewMessage) {
        self.messages.push(message);
    }
}

/// A question for messages with their state, as [`message`] reads them. The state is looked up for each message by its
/// key: joined, PostgreSQL might read all deliveries for each, while it believes that there are none.
macro_rules! messages_where {
    ($more_columns:literal, $tables:literal, $condition:literal) => {
        concat!(
            "SELECT m.merchant_id, m.message_id, m.kind, m.reference, m.sequence, m.created_us,
                 (SELECT d.due_us FROM deliveries d WHERE d.merchant_id = m.merchant_id
                     AND d.kind = m.kind AND d.message_id = m.message_id),
                 (SELECT f.failed_us FROM failures f WHERE f.merchant_id = m.merchant_id
                     AND f.kind = m.kind AND f.message_id = m.message_id),
                 (SELECT x.reason FROM discards x WHERE x.merchant_id = m.merchant_id
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
    /// Messages of a merchant, newest first, and where to go on when there may be more.
    ///
    /// Looks at a bounded number of messages, so a page may be short although more follow.
    pub async fn messages(
        &self,
        merchant: &MerchantId,
        filter: &MessageFilter,
    ) -> Result<(Vec<MessageRow>, Option<i64>), StoreError> {
        let picky = filter.state.is_some() || filter.kind.is_some();
        let extent = Extent::new(filter.limit, picky);
        let looked_at = self.message_page(merchant, filter, extent.most()).await?;
        let (matching, end) = extent.cut(looked_at, |row| {
            filter.state.is_none_or(|state| row.state == state)
                && filter.kind.is_none_or(|kind| row.kind == kind)
        });
        Ok((matching, end.map(|row| row.message_id)))
    }

    async fn message_page(
        &self,
        merchant: &MerchantId,
        filter: &MessageFilter,
        most: i64,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let operation = "listing messages";
        let before = filter.before;
        let rows = match &filter.reference {
            Some(reference) => {
                self.update_message_index(merchant.as_str()).await?;
                self.query(
                    operation,
                    messages_where!(
                        "",
                        "message_references i CROSS JOIN messages m",
                        "i.merchant_id = $1 AND i.reference = $2 AND i.message_id < $3
                             AND m.merchant_id = i.merchant_id AND m.message_id = i.message_id
                         ORDER BY i.message_id DESC LIMIT $4"
                    ),
                    params![merchant, reference.as_str(), before, most],
                )
                .await?
            }
            None => {
                self.query(
                    operation,
                    messages_where!(
                        "",
                        "messages m",
                        "m.merchant_id = $1 AND m.message_id < $2
                         ORDER BY m.message_id DESC LIMIT $3"
                    ),
                    params![merchant, before, most],
                )
                .await?
            }
        };
        rows.iter().map(message).collect::<Result<_, _>>().during(operation)
    }

    /// One message with its bytes.
    pub async fn message(
        &self,
        merchant: &MerchantId,
        message_id: i64,
    ) -> Result<Option<(MessageRow, Bytes)>, StoreError> {
        let rows = self
            .query(
                "reading a message",
                messages_where!(
                    ", m.body",
                    "messages m",
                    "m.merchant_id = $1 AND m.message_id = $2"
                ),
                params![merchant, message_id],
            )
            .await?;
        let read = |row: &Row| Ok((message(row)?, row.bytes(9)?));
        rows.first().map(read).transpose().during("reading a message")
    }

    /// Every try of a message, in order.
    pub async fn attempts(
        &self,
        merchant: &MerchantId,
        message_id: i64,
    ) -> Result<Vec<AttemptRow>, StoreError> {
        let operation = "reading attempts";
        let rows = self
            .query(
                operation,
                "SELECT cycle, attempt, at_us, latency_us, status, error, answer FROM attempts
                 WHERE merchant_id = $1 AND message_id = $2 ORDER BY cycle, attempt",
                params![merchant, message_id],
            )
            .await?;
        rows.iter().map(attempt).collect::<Result<_, _>>().during(operation)
    }
}

fn message(row: &Row) -> Result<MessageRow, EngineError> {
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

pub(crate) fn attempt(row: &Row) -> Result<AttemptRow, EngineError> {
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
