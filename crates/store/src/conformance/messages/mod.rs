//! Messages to merchants.

mod backlog;
mod deliveries;
mod failures;
mod leases;
mod mail;
mod message_index;
mod outbox;
mod packed_attempts;
mod pending;
mod replays;
mod retention;

use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};

use crate::{NewMessage, PendingMessage, Store, StoreError, Transaction};

fn message(merchant: &MerchantId, reference: &str, sequence: i64) -> NewMessage {
    NewMessage {
        merchant: merchant.clone(),
        kind: MessageKind::Rma,
        reference: reference.to_owned(),
        sequence,
        lane: 7,
        created_us: 100,
        replay: false,
        body: Bytes::from(format!("{reference} {sequence}")),
    }
}

async fn enqueue(
    store: &Store,
    messages: Vec<NewMessage>,
) -> Result<Vec<PendingMessage>, StoreError> {
    let mut transaction = Transaction::new("enqueueing messages");
    for message in messages {
        transaction.enqueue(message);
    }
    store.commit(transaction).await
}
