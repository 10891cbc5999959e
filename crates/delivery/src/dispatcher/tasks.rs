//! What the dispatcher has read and looked up in tasks of their own.

use std::sync::Arc;

use domain::{
    identifier::MerchantId,
    messages::kind::{MessageKind, QueueKind},
};
use store::{PendingMessage, Store, with_causes};

use super::{
    events::{DispatcherHandle, Event},
    parts::{DispatcherParts, RETRY_PAUSE},
};
use crate::sender::Endpoint;

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

/// Looks in the store for merchants with pending messages.
pub(super) async fn find_pending(store: Store, handle: DispatcherHandle) {
    let merchants = loop {
        match store.merchants_with_deliveries().await {
            Ok(merchants) => break merchants,
            Err(error) => {
                tracing::error!(
                    "looking for pending deliveries failed, retrying in 1 s: {}",
                    with_causes(&error)
                );
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    };
    let merchants = merchants.iter().filter_map(|text| MerchantId::parse(text).ok());
    handle.notify(Event::PendingFound(merchants.collect()));
}

/// Looks up an endpoint and prepares it; None when nothing may be sent there.
pub(super) async fn load_endpoint(
    parts: &DispatcherParts,
    merchant: MerchantId,
    kind: MessageKind,
) -> Option<Arc<Endpoint>> {
    let target = match parts.address_book.look_up(merchant.clone(), kind).await {
        Ok(target) => target?,
        Err(cause) => {
            tracing::error!(
                "loading the {kind} endpoint of {merchant} failed, \
                 its messages wait until it changes: {cause}"
            );
            return None;
        }
    };
    match Endpoint::new(&target, &parts.client) {
        Ok(endpoint) => Some(Arc::new(endpoint)),
        Err(refused) => {
            tracing::warn!(
                "the {kind} endpoint of {merchant} must not be called, \
                 its messages wait until it changes: {refused}"
            );
            None
        }
    }
}
