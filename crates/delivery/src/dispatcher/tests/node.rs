//! A dispatcher with a store, whose leases and attempts the test decides on.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::{
        kind::{MessageKind, QueueKind},
        retry::RetrySchedule,
    },
};
use prometheus_client::registry::Registry;
use store::{Attempt, Location, NewMessage, PendingMessage, Store, StoreMetrics, Transaction};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use world::World;

use super::super::{
    AddressBook, AddressLookup, Dispatcher, DispatcherHandle, DispatcherParts, OutcomeObserver,
    events::Event, queues::KnownQueue,
};
use crate::{
    Courier, CourierAttempt, DeliveryMetrics, Leases, OutgoingMessage, Target,
    scheduler::QueueId,
    sender::{CallResult, tests::http_client},
};

const KIND: MessageKind = MessageKind::Rma;
/// No test takes as long.
const TIME_MAX: Duration = Duration::from_secs(20);

pub(super) struct TestNode {
    pub(super) dispatcher: Dispatcher,
    started: mpsc::UnboundedReceiver<StartedAttempt>,
    _folder: TempDir,
}

/// An attempt that waits for its result.
pub(super) struct StartedAttempt {
    message: String,
    result: oneshot::Sender<CallResult>,
}

/// Attempts that the test ends.
#[derive(Clone)]
struct TestCourier(mpsc::UnboundedSender<StartedAttempt>);

impl Courier for TestCourier {
    fn attempt<'a>(&'a self, message: &'a OutgoingMessage<'a>) -> CourierAttempt<'a> {
        let (result, received) = oneshot::channel();
        let _ = self.0.send(StartedAttempt { message: message.id.to_owned(), result });
        Box::pin(async move {
            received.await.unwrap_or_else(|_| CallResult::not_sent(&"the test is over"))
        })
    }
}

impl AddressBook for TestCourier {
    fn look_up(&self, _: MerchantId, _: MessageKind) -> AddressLookup<'_> {
        let courier = Arc::new(self.clone());
        Box::pin(async move { Ok(Some(Target::Courier(courier))) })
    }
}

impl OutcomeObserver for TestCourier {
    fn outcome_stored(&self, _: &Attempt) {}
}

impl TestNode {
    pub(super) async fn new(leases: Leases) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("homeward.db"));
        let metrics = StoreMetrics::register(&mut Registry::default());
        let store = Store::open(&location, &metrics).await.unwrap();
        store.migrate().await.unwrap();
        let (sender, started) = mpsc::unbounded_channel();
        let courier = Arc::new(TestCourier(sender));
        let (handle, inbox) = DispatcherHandle::new();
        let parts = DispatcherParts {
            store,
            world: World::system(),
            client: http_client(),
            address_book: courier.clone(),
            observer: courier,
            retry_schedule: RetrySchedule::default(),
            metrics: DeliveryMetrics::register(&mut Registry::default()),
            leases,
        };
        Self { dispatcher: Dispatcher::new(handle, inbox, parts), started, _folder: folder }
    }

    /// Commits a message of a lane.
    pub(super) async fn commit(&self, lane: u64) -> PendingMessage {
        let mut transaction = Transaction::new("testing");
        transaction.enqueue(NewMessage {
            merchant: acme(),
            kind: KIND,
            reference: format!("lane {lane}"),
            sequence: 1,
            lane: i64::try_from(lane).unwrap(),
            created_us: self.dispatcher.parts.world.now_us(),
            replay: false,
            body: Bytes::from_static(b"{}"),
        });
        self.dispatcher.parts.store.commit(transaction).await.unwrap().remove(0)
    }

    /// The same, and the dispatcher is notified.
    pub(super) async fn enqueue(&mut self, lane: u64) -> PendingMessage {
        let message = self.commit(lane).await;
        self.dispatcher.handle(Event::Enqueued(vec![message.clone()]));
        message
    }

    /// Acts until the attempt at a message starts, which must be the next one that does.
    pub(super) async fn started(&mut self, message: &PendingMessage) -> StartedAttempt {
        let next = async {
            loop {
                self.dispatcher.act(true);
                tokio::select! {
                    started = self.started.recv() => return started.unwrap(),
                    event = self.dispatcher.inbox.0.recv() => self.dispatcher.handle_all(event),
                }
            }
        };
        let started = tokio::time::timeout(TIME_MAX, next).await.expect("an attempt");
        assert_eq!(started.message, message.id().to_string());
        started
    }

    /// Acts until the dispatcher is in a state.
    pub(super) async fn act_until(&mut self, is_reached: impl Fn(&Dispatcher) -> bool) {
        let reached = async {
            loop {
                self.dispatcher.act(true);
                if is_reached(&self.dispatcher) {
                    return;
                }
                let event = self.dispatcher.inbox.0.recv().await;
                self.dispatcher.handle_all(event);
            }
        };
        tokio::time::timeout(TIME_MAX, reached).await.expect("the state");
    }

    /// Delivers a first message, so that the endpoint may have several in flight.
    pub(super) async fn prove_endpoint(&mut self) {
        let first = self.enqueue(99).await;
        self.started(&first).await.deliver();
        self.act_until(Dispatcher::is_idle).await;
    }

    pub(super) fn queue(&self) -> Option<(QueueId, &KnownQueue)> {
        let id = self.dispatcher.queues.id(&acme(), queue_kind())?;
        Some((id, self.dispatcher.queues.get(id)?))
    }
}

impl StartedAttempt {
    pub(super) fn deliver(self) {
        let _ = self.result.send(CallResult {
            status: Some(200),
            error: None,
            ..CallResult::not_sent(&"")
        });
    }

    /// The attempt ends before anything is sent.
    pub(super) fn forbid(self) {
        let result = CallResult { was_forbidden: true, ..CallResult::not_sent(&"forbidden") };
        let _ = self.result.send(result);
    }
}

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

fn queue_kind() -> QueueKind {
    KIND.queue()
}
