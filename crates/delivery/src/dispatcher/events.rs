//! What the dispatcher is notified of, and the handle that notifies it.

use std::{sync::Arc, time::Duration};

use boxed::boxed;
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use store::{Attempt, LastDelivery, PendingMessage, PendingPage, ReplayedMessage};
use tokio::sync::{mpsc, oneshot};

use crate::{channel::Channel, scheduler::QueueId, sender::permit::Permit};

/// The state of an endpoint in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointStatus {
    pub merchant: MerchantId,
    pub kind: MessageKind,
    /// closed (healthy), throttled (failing: one attempt at a time) or suspended (probed now and
    /// then).
    pub breaker: &'static str,
    /// Whether an attempt has succeeded since this process sends to it, or nothing waits for it.
    /// Before, its breaker says nothing: it is closed after a start.
    pub is_known_to_work: bool,
    /// Messages that wait, as far as is known.
    pub waiting: u64,
    pub in_flight: usize,
    /// Attempts that may be in flight at once.
    pub limit: usize,
}

/// One attempt to make.
pub(crate) struct SendJob {
    pub(super) queue: QueueId,
    pub(super) channel: Arc<Channel>,
    pub(super) message: Arc<PendingMessage>,
    /// The number of the attempt in the message's cycle, from 1.
    pub(super) attempt: u32,
    pub(super) permit: Permit,
}

/// The way to a task that sends. The task ends when the last of these is dropped.
pub(crate) struct Worker(pub(super) mpsc::UnboundedSender<(SendJob, Worker)>);

pub(crate) enum Event {
    /// Messages that were just committed.
    Enqueued(Vec<PendingMessage>),
    /// Messages were put back from the failure queue.
    Retried(MerchantId),
    /// Finished messages are to be sent again.
    Replayed(MerchantId, Vec<ReplayedMessage>),
    EndpointsChanged(MerchantId),
    /// Endpoints were changed by a commit whose result is not known.
    EndpointsInDoubt(MerchantId),
    /// Where a kind of a queue goes was looked up: None when nothing may be sent there.
    ChannelLoaded {
        queue: QueueId,
        /// The number of the look-up. A later one may have started since.
        look_up: u64,
        index: usize,
        channel: Option<Arc<Channel>>,
    },
    /// Pending messages were read for a queue: None when the store failed.
    Refilled {
        queue: QueueId,
        page: Option<PendingPage>,
    },
    AttemptFinished {
        queue: QueueId,
        attempt: Box<Attempt>,
        worker: Worker,
    },
    /// The permit of an attempt had ended before anything was sent.
    AttemptForbidden {
        queue: QueueId,
        message: i64,
        worker: Worker,
    },
    /// The outcomes of attempts at these messages are on stable storage.
    OutcomesStored(Vec<(QueueId, i64)>),
    /// Another node announced pending messages of these merchants.
    PendingAnnounced(Vec<MerchantId>),
    /// Another node announced that messages of this merchant were put back.
    RetryAnnounced(MerchantId),
    /// A node announced that endpoints of this merchant were changed.
    ChangeAnnounced(MerchantId),
    /// This node did not listen to the others until now.
    AnnouncementsMissed,
    /// The store has these pending messages, and possibly earlier ones of the same kinds.
    PendingFound {
        last: Vec<LastDelivery>,
        took: Duration,
    },
    /// This node sends for shards now that it did not send for before.
    LeasesGained,
    ListEndpoints(MerchantId, oneshot::Sender<Vec<EndpointStatus>>),
    ListDegraded(oneshot::Sender<Vec<EndpointStatus>>),
    ListSuspended(oneshot::Sender<Vec<EndpointStatus>>),
}

/// A handle to the dispatcher. Cheap to clone; works before the dispatcher runs.
#[derive(Clone)]
pub struct DispatcherHandle {
    events: mpsc::UnboundedSender<Event>,
}

impl DispatcherHandle {
    /// A handle, and the other end of it that the dispatcher takes.
    pub fn new() -> (Self, Inbox) {
        let (events, inbox) = mpsc::unbounded_channel();
        (Self { events }, Inbox(inbox))
    }

    /// Sends messages that were just committed.
    pub fn enqueue(&self, messages: Vec<PendingMessage>) {
        if !messages.is_empty() {
            self.notify(Event::Enqueued(messages));
        }
    }

    /// Messages of `merchant` were put back from the failure queue.
    pub fn notify_retried(&self, merchant: &MerchantId) {
        self.notify(Event::Retried(merchant.clone()));
    }

    /// Messages of `merchant` that were finished are in their queues again.
    pub fn notify_replayed(&self, merchant: &MerchantId, messages: Vec<ReplayedMessage>) {
        self.notify(Event::Replayed(merchant.clone(), messages));
    }

    /// Addresses, credentials or secrets of `merchant` have changed.
    pub fn notify_endpoints_changed(&self, merchant: &MerchantId) {
        self.notify(Event::EndpointsChanged(merchant.clone()));
    }

    /// The same for a commit whose result is not known: it may also take effect later.
    pub fn notify_endpoints_in_doubt(&self, merchant: &MerchantId) {
        self.notify(Event::EndpointsInDoubt(merchant.clone()));
    }

    /// The endpoints of a merchant that this process sends to.
    #[boxed]
    pub async fn endpoint_statuses(&self, merchant: &MerchantId) -> Vec<EndpointStatus> {
        let (sender, receiver) = oneshot::channel();
        self.notify(Event::ListEndpoints(merchant.clone(), sender));
        receiver.await.unwrap_or_default()
    }

    /// The endpoints of any merchant that this process sends less to because they fail: the first
    /// few, by merchant and kind.
    #[boxed]
    pub async fn degraded_endpoints(&self) -> Vec<EndpointStatus> {
        let (sender, receiver) = oneshot::channel();
        self.notify(Event::ListDegraded(sender));
        receiver.await.unwrap_or_default()
    }

    /// All endpoints that this process has suspended.
    #[boxed]
    pub async fn suspended_endpoints(&self) -> Vec<EndpointStatus> {
        let (sender, receiver) = oneshot::channel();
        self.notify(Event::ListSuspended(sender));
        receiver.await.unwrap_or_default()
    }

    /// A dispatcher that has ended is not notified; the store keeps what is pending.
    pub(crate) fn notify(&self, event: Event) {
        let _ = self.events.send(event);
    }
}

/// Where a dispatcher receives what a [`DispatcherHandle`] sends.
pub struct Inbox(pub(super) mpsc::UnboundedReceiver<Event>);
