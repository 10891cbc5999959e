//! What the dispatcher has read and looked up in tasks of their own.

use std::{sync::Arc, time::Duration};

use domain::{
    identifier::MerchantId,
    messages::kind::{MessageKind, QueueKind},
};
use store::{PendingMessage, Store, with_causes};

use super::{
    events::{DispatcherHandle, Event},
    parts::{DispatcherParts, RETRY_PAUSE},
};
use crate::{channel::Channel, sender::permit::QueuePermit};

/// Between two attempts to look up an endpoint, at most.
const LOOK_UP_PAUSE_MAX: Duration = Duration::from_secs(60);

/// The next pending messages of a queue; None when the store failed, after a pause.
pub(super) async fn read_pending(
    store: &Store,
    merchant: &MerchantId,
    queue: QueueKind,
    after: i64,
    most: usize,
) -> Option<Vec<PendingMessage>> {
    match store.pending_messages(merchant, queue, after, most).await {
        Ok(messages) => Some(messages),
        Err(error) => {
            tracing::error!(
                "loading pending deliveries of {merchant} failed, retrying in 1 s: {}",
                with_causes(&error)
            );
            tokio::time::sleep(RETRY_PAUSE).await;
            None
        }
    }
}

/// Looks in the store for queues with pending messages.
pub(super) async fn find_pending(store: Store, handle: DispatcherHandle) {
    let last = loop {
        match store.last_deliveries().await {
            Ok(last) => break last,
            Err(error) => {
                tracing::error!(
                    "looking for pending deliveries failed, retrying in 1 s: {}",
                    with_causes(&error)
                );
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    };
    handle.notify(Event::PendingFound(last));
}

/// Looks up where a kind of message goes and prepares it, however many attempts it takes while the
/// queue exists; None when nothing may be sent there.
pub(super) async fn load_channel(
    parts: &DispatcherParts,
    merchant: MerchantId,
    kind: MessageKind,
    queue: &QueuePermit,
) -> Option<Arc<Channel>> {
    let mut pause = RETRY_PAUSE;
    let target = loop {
        match parts.address_book.look_up(merchant.clone(), kind).await {
            Ok(target) => break target?,
            Err(_) if queue.is_revoked() => return None,
            Err(cause) => tracing::error!(
                "loading the {kind} endpoint of {merchant} failed, retrying in {} s: {cause}",
                pause.as_secs()
            ),
        }
        tokio::time::sleep(pause).await;
        pause = LOOK_UP_PAUSE_MAX.min(pause * 2);
    };
    match Channel::new(target, &parts.client) {
        Ok(channel) => Some(Arc::new(channel)),
        Err(refused) => {
            tracing::warn!(
                "the {kind} endpoint of {merchant} must not be called, \
                 its messages wait until it changes: {refused}"
            );
            None
        }
    }
}
