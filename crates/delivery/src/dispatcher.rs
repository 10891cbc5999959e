//! The dispatcher: one task that owns the scheduler and has its decisions carried out.
//!
//! Everything reaches it as an event, so nothing in here is locked. Sends and reads run in tasks of their own
//! and report back. Ends of attempts are collected ([`ends`]) and committed together.
//!
//! Messages that were just committed are handed over in memory. Their numbers rise without gaps within a merchant, so a
//! gap tells that another commit is still on its way here (or was made by another node): then the store is read instead, which
//! gives everything in order.

mod desk;
mod ends;
mod messengers;
mod states;
mod work;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use domain::{
    identifier::MerchantId,
    messages::{kind::MessageKind, retry::RetrySchedule},
};
use store::{Conclusion, PendingMessage, Store};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use world::World;

use crate::{
    Leases,
    attempts::{Ended, Meters},
    scheduler::EndpointId,
    sender::{Endpoint, Shared, Target},
};
use desk::Desk;
use messengers::Messenger;

/// How many events are taken in before the scheduler is asked again.
const EVENTS_AT_ONCE: usize = 512;
/// How often the store is looked at for work that nobody announced, when several nodes share it.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Knows where merchants' systems are; None while there is no address, or while it is paused.
pub trait Targets: Send + Sync + 'static {
    fn target(&self, merchant: MerchantId, kind: MessageKind) -> TargetAnswer<'_>;

    /// The end of an attempt is on stable storage.
    fn ended(&self, _end: &Conclusion) {}
}

/// The answer to [`Targets::target`]; an error in words.
pub type TargetAnswer<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Target>, String>> + Send + 'a>>;

/// How an endpoint is doing in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointState {
    /// closed (well), throttled (failing: one attempt at a time) or suspended (probed now and then).
    pub breaker: &'static str,
    /// Messages that wait, as far as is known.
    pub waiting: u64,
    pub in_flight: usize,
    /// Attempts that may be under way at once.
    pub limit: usize,
}

/// What happened, as the dispatcher hears of it.
pub(crate) enum Event {
    /// Messages that were just committed.
    Enqueued(Vec<PendingMessage>),
    /// Messages were put back from the failure queue.
    DeliveriesAdded(MerchantId),
    EndpointsChanged(MerchantId),
    /// The address of a door was looked up: None when nothing may be sent.
    Ready(EndpointId, usize, Option<Arc<Endpoint>>),
    Refilled {
        endpoint: EndpointId,
        rows: Option<Vec<PendingMessage>>,
        most: usize,
    },
    Ended(EndpointId, Box<Ended>, Messenger),
    /// A batch of ends is on stable storage.
    Durable(Vec<(EndpointId, i64)>),
    /// Merchants with something unfinished, as the store has it.
    Work(Vec<MerchantId>),
    /// This node sends for shards now that it did not send for before.
    Leased,
    States(MerchantId, oneshot::Sender<Vec<(MessageKind, EndpointState)>>),
    Troubled(oneshot::Sender<Vec<(MerchantId, MessageKind, EndpointState)>>),
}

/// A handle to the dispatcher. Cheap to clone; works before the dispatcher runs.
#[derive(Clone)]
pub struct Delivery {
    events: mpsc::UnboundedSender<Event>,
}

impl Delivery {
    /// A handle, and the other end of it that [`Dispatcher`] takes.
    pub fn new() -> (Self, Inbox) {
        let (events, inbox) = mpsc::unbounded_channel();
        (Self { events }, Inbox(inbox))
    }

    /// Messages that were just committed.
    pub fn enqueue(&self, messages: Vec<PendingMessage>) {
        if !messages.is_empty() {
            self.tell(Event::Enqueued(messages));
        }
    }

    /// Messages of `merchant` were put back among the deliveries.
    pub fn deliveries_added(&self, merchant: &MerchantId) {
        self.tell(Event::DeliveriesAdded(merchant.clone()));
    }

    /// Addresses, credentials or secrets of `merchant` are different now.
    pub fn endpoints_changed(&self, merchant: &MerchantId) {
        self.tell(Event::EndpointsChanged(merchant.clone()));
    }

    /// How a merchant's endpoints are doing in this process; empty when it sends nothing for it.
    pub async fn states(&self, merchant: &MerchantId) -> Vec<(MessageKind, EndpointState)> {
        let (answer, answered) = oneshot::channel();
        self.tell(Event::States(merchant.clone(), answer));
        answered.await.unwrap_or_default()
    }

    /// The endpoints, of any merchant, that get less from this process than they could, because they fail: the first
    /// few, by merchant and kind.
    pub async fn troubled(&self) -> Vec<(MerchantId, MessageKind, EndpointState)> {
        let (answer, answered) = oneshot::channel();
        self.tell(Event::Troubled(answer));
        answered.await.unwrap_or_default()
    }

    /// A dispatcher that has ended hears nothing; the store remembers.
    pub(crate) fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }
}

/// Where a dispatcher hears what [`Delivery`] says.
pub struct Inbox(mpsc::UnboundedReceiver<Event>);

/// What a dispatcher works with.
#[derive(Clone)]
pub struct Parts {
    pub store: Store,
    pub world: World,
    pub shared: Shared,
    pub targets: Arc<dyn Targets>,
    pub cadence: RetrySchedule,
    pub meters: Meters,
    pub leases: Leases,
}

pub struct Dispatcher {
    inbox: Inbox,
    desk: Desk,
}

impl Dispatcher {
    pub fn new(delivery: Delivery, inbox: Inbox, parts: Parts) -> Self {
        Self { inbox, desk: Desk::new(delivery, parts) }
    }

    /// Sends until `stop`; then finishes what is under way and returns.
    pub async fn run(mut self, stop: CancellationToken) {
        self.desk.look_for_work();
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !(stop.is_cancelled() && self.desk.is_idle()) {
            self.desk.act(!stop.is_cancelled());
            let nap = self.desk.until_due();
            tokio::select! {
                event = self.inbox.0.recv() => self.take_in(event),
                () = tokio::time::sleep(nap) => (),
                () = stop.cancelled(), if !stop.is_cancelled() => (),
                _ = look.tick() => self.desk.look_around(),
            }
        }
    }

    fn take_in(&mut self, first: Option<Event>) {
        let mut next = first;
        for _ in 0..EVENTS_AT_ONCE {
            let Some(event) = next else { return };
            self.desk.hear(event);
            next = self.inbox.0.try_recv().ok();
        }
        if let Some(event) = next {
            self.desk.hear(event);
        }
    }
}
