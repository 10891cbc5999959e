//! Messages that a use case decides to send: they are committed with the decision, and enqueued for
//! the dispatcher after the commit.

use boxed::boxed;
use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::kind::{MessageKind, QueueKind},
};
use store::{NewMessage, StoreError, Transaction};

use crate::{App, access::secrets};

impl App {
    /// Makes a transaction durable and enqueues its messages, which are sent from then on.
    #[boxed]
    pub(crate) async fn commit(&self, transaction: Transaction) -> Result<(), StoreError> {
        let messages = self.store.commit(transaction).await?;
        self.dispatcher.enqueue(messages);
        Ok(())
    }
}

/// What a message is about: messages about one thing are sent in order.
pub(crate) struct About<'a> {
    pub(crate) kind: MessageKind,
    pub(crate) reference: &'a str,
    /// Its number among the messages about that thing, from 1.
    pub(crate) sequence: i64,
}

/// A message to `merchant`, to be put into the transaction that decides it.
pub(crate) fn message(
    app: &App,
    merchant: &MerchantId,
    about: &About<'_>,
    body: Bytes,
) -> NewMessage {
    NewMessage {
        merchant: merchant.clone(),
        kind: about.kind,
        reference: about.reference.to_owned(),
        sequence: about.sequence,
        lane: lane_number(about.kind.queue(), about.reference),
        created_us: app.world.now_us(),
        replay: false,
        body,
    }
}

/// A number that is the same for messages of one queue about one thing and hardly ever for others.
/// Two things that share one only wait for each other now and then.
pub(crate) fn lane_number(queue: QueueKind, reference: &str) -> i64 {
    let hash = secrets::hash(format!("{} {reference}", queue.name()).as_bytes());
    let first = hash.first_chunk::<8>().copied().unwrap_or_default();
    (i64::from_be_bytes(first) & i64::MAX).max(1)
}
