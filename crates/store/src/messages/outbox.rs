//! The outbox: messages to merchants.
//!
//! A message is part of the transaction that decided it. Its number is taken from the merchant's
//! counter inside that transaction, so numbers rise in the order of commits and a reader that has
//! seen a number has seen every smaller one.

use bytes::Bytes;
use domain::{
    identifier::{MerchantId, MessageId},
    messages::kind::MessageKind,
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
    /// Whether it repeats what an earlier message said, because the merchant asked for it.
    pub replay: bool,
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
    /// How often the message was put into its queue: 1, and more for retries and replays.
    pub cycle: i64,
    /// Attempts made in this cycle.
    pub attempts: i64,
    pub due_us: i64,
    /// Its number among the messages about the same thing, from 1.
    pub sequence: i64,
    pub created_us: i64,
    /// Whether the merchant may have got it before, and asked for it again.
    pub replay: bool,
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
            replay: message.replay,
            body: message.body,
        }
    }
}
