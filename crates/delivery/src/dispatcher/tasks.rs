//! What the dispatcher has read and looked up in tasks of their own.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    identifier::MerchantId,
    messages::kind::{MessageKind, QueueKind},
};
use store::{LastingFailure, PageLimit, PendingPage, Store, with_causes};

use super::{
    events::{DispatcherHandle, Event},
    parts::{DispatcherParts, RETRY_PAUSE},
};
use crate::{channel::Channel, scheduler::PageRequest, sender::permit::QueuePermit};

/// Between two attempts to look up an endpoint, at most.
const LOOK_UP_PAUSE_MAX: Duration = Duration::from_secs(60);

/// The next messages of a queue to read.
pub(super) struct PendingRead {
    pub(super) merchant: MerchantId,
    pub(super) queue: QueueKind,
    pub(super) page: PageRequest,
}

/// The next pending messages of a queue; None when the store failed, after a pause.
pub(super) async fn read_pending(
    store: &Store,
    read: &PendingRead,
    failures: &LastingFailure,
) -> Option<PendingPage> {
    let PendingRead { merchant, queue, page } = read;
    let limit = PageLimit { messages: page.most, bytes: page.bytes };
    match store.pending_page(merchant, *queue, page.after, limit).await {
        Ok(page) => {
            failures.note_success();
            Some(page)
        }
        Err(error) => {
            failures.note_failure(&format!("those of {merchant}: {}", with_causes(&error)));
            tokio::time::sleep(RETRY_PAUSE).await;
            None
        }
    }
}

/// Looks in the store for queues with pending messages.
pub(super) async fn find_pending(store: Store, handle: DispatcherHandle) {
    let failures = LastingFailure::new("looking for pending deliveries", "retrying in 1 s");
    let (last, took) = loop {
        let started = Instant::now();
        let found = store.last_deliveries().await;
        failures.note(&found);
        if let Ok(last) = found {
            break (last, started.elapsed());
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    };
    handle.notify(Event::PendingFound { last, took });
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
