//! The product's store, dispatcher and sender, running in this process.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context;
use app::{App, AppParts, core::metrics::AppMetrics, messages::mail::platform::PlatformMail};
use delivery::{
    AddressBook, AddressLookup, CallSettings, Courier, DeliveryMetrics, Dispatcher,
    DispatcherHandle, DispatcherParts, HttpClient, Leases, OutcomeObserver, Target,
    address::{AddressGuard, NetworkException},
    machine_trust,
    mail::{MailCourier, MailSender},
};
use domain::{
    identifier::{MerchantId, MessageId},
    messages::{kind::MessageKind, retry::RetrySchedule},
};
use prometheus_client::registry::Registry;
use store::{Attempt, Location, NewMessage, Store, Transaction};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use world::{KeyRing, Vault, World};

use super::{
    MERCHANTS, MESSAGES_PER_COMMIT,
    messages::{hangs, mail_server, merchant_of, new_message, target},
    sink::Sink,
};
use crate::storage::{Engine, Storage};

pub(crate) struct Running {
    store: Store,
    world: World,
    dispatcher: DispatcherHandle,
    guard: AddressGuard,
    client: HttpClient,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    place: Storage,
}

struct ToSink {
    sink: Sink,
    courier: Arc<MailCourier>,
}

impl AddressBook for ToSink {
    fn look_up(&self, merchant: MerchantId, kind: MessageKind) -> AddressLookup<'_> {
        let target = if kind == MessageKind::Mail {
            let courier: Arc<dyn Courier> = self.courier.clone();
            Target::Courier(courier)
        } else {
            Target::Endpoint(target(&self.sink, &merchant, kind).into())
        };
        Box::pin(async move { Ok(Some(target)) })
    }
}

impl OutcomeObserver for ToSink {
    fn outcome_stored(&self, _attempt: &Attempt) {}
}

impl Running {
    pub(crate) async fn start(engine: &Engine, sink: &Sink, keep: bool) -> anyhow::Result<Self> {
        let storage = Storage::new(engine, keep).await?;
        let store = open_store(engine, &storage).await?;
        Self::start_on(store, storage, sink).await
    }

    /// Delivers the messages in `store`, and new ones.
    pub(crate) async fn start_on(
        store: Store,
        storage: Storage,
        sink: &Sink,
    ) -> anyhow::Result<Self> {
        let world = World::system();
        let loopback = NetworkException::parse("*@127.0.0.0/8:*").map_err(anyhow::Error::msg)?;
        let guard = AddressGuard::new(vec![loopback]);
        let settings = CallSettings::default();
        let (handle, inbox) = DispatcherHandle::new();
        let leases = match store.shared_clock_us().await? {
            Some(_) => Leases::shared("bench".to_owned(), settings.request_time_max),
            None => Leases::all(),
        };
        let client = HttpClient::new(guard.clone(), machine_trust(), world.clone(), settings);
        let server = mail_server(sink);
        let courier = MailCourier::new(MailSender::Platform, server, "Bench", &client)?;
        let to_sink = Arc::new(ToSink { sink: sink.clone(), courier: Arc::new(courier) });
        let parts = DispatcherParts {
            store: store.clone(),
            world: world.clone(),
            client: client.clone(),
            address_book: to_sink.clone(),
            observer: to_sink,
            retry_schedule: RetrySchedule::default(),
            metrics: DeliveryMetrics::register(&mut Registry::default()),
            leases: leases.clone(),
        };
        let stop = CancellationToken::new();
        let dispatcher = Dispatcher::new(handle.clone(), inbox, parts);
        let keeping = leases.keep(store.clone(), handle.clone(), stop.clone());
        let tasks = vec![tokio::spawn(keeping), tokio::spawn(dispatcher.run(stop.clone()))];
        Ok(Self { store, world, dispatcher: handle, guard, client, stop, tasks, place: storage })
    }

    /// The use cases, on the same store and with the same dispatcher.
    pub(crate) fn app(&self) -> App {
        App::new(AppParts {
            store: self.store.clone(),
            world: self.world.clone(),
            vault: Vault::new(&KeyRing::generate(&self.world)),
            dispatcher: self.dispatcher.clone(),
            guard: self.guard.clone(),
            http: self.client.clone(),
            metrics: AppMetrics::register(&mut Registry::default()),
            mail: PlatformMail::default(),
            certificate_required: false,
        })
    }

    pub(crate) fn now_us(&self) -> i64 {
        self.world.now_us()
    }

    /// Waits until the store has nothing left to clean up.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        self.place.settle().await
    }

    /// Commits `messages` in one transaction, the first with this number. Returns the identifier of
    /// the last one.
    pub(crate) async fn commit(&self, number: usize, messages: usize) -> anyhow::Result<String> {
        let merchant = merchant_of(number);
        let numbers = number..number + messages;
        let messages = numbers.map(|it| new_message(&merchant, it, self.world.now_us()));
        let last = self.commit_messages(messages.collect()).await?;
        Ok(MessageId { merchant, number: last }.to_string())
    }

    /// Commits messages of one merchant in one transaction. Returns the number of the last one.
    pub(crate) async fn commit_messages(&self, messages: Vec<NewMessage>) -> anyhow::Result<i64> {
        let mut transaction = Transaction::new("enqueueing messages");
        for message in messages {
            transaction.enqueue(message);
        }
        let messages = self.store.commit(transaction).await?;
        let last = messages.last().context("a message was enqueued")?.message_id;
        self.dispatcher.enqueue(messages);
        Ok(last)
    }

    pub(crate) async fn commit_all(
        &self,
        numbers: impl Iterator<Item = usize>,
        messages: usize,
    ) -> anyhow::Result<()> {
        for number in numbers {
            self.commit(number, messages).await?;
        }
        Ok(())
    }

    /// Sends a message to every merchant, so that its connection is warm, as in the limit.
    pub(crate) async fn warm_up(&self) -> anyhow::Result<()> {
        let firsts = (0..MERCHANTS).map(|merchant| merchant * MESSAGES_PER_COMMIT);
        self.commit_all(firsts, 1).await?;
        self.wait_until_done().await
    }

    /// Waits until everything is delivered, except for merchants that hang. It asks for at most a
    /// tenth of the time, because what it measures shares the database.
    pub(crate) async fn wait_until_done(&self) -> anyhow::Result<()> {
        loop {
            let asked = Instant::now();
            let waiting = self.store.last_deliveries().await?;
            if waiting.iter().all(|last| hangs(&last.merchant)) {
                return Ok(());
            }
            let pause = (asked.elapsed() * 9).max(Duration::from_millis(2));
            tokio::time::sleep(pause).await;
        }
    }

    /// There should be none: a retry makes a run take seconds longer.
    pub(crate) async fn failed_attempts(&self) -> anyhow::Result<i64> {
        let counts = self.store.response_counts(0).await?;
        let failed = counts.iter().filter(|count| !(200..300).contains(&count.status));
        Ok(failed.map(|count| count.attempts).sum())
    }

    /// Returns the data.
    pub(crate) async fn stop(self) -> Storage {
        self.stop.cancel();
        for task in self.tasks {
            // A task that was canceled has no result.
            let _ = task.await;
        }
        self.store.close().await;
        self.place
    }
}

/// Opens a new store in `storage`, with its schema.
pub(crate) async fn open_store(engine: &Engine, storage: &Storage) -> anyhow::Result<Store> {
    let location = match engine {
        Engine::Sqlite => Location::Sqlite(storage.sqlite_file()),
        Engine::Postgres(_) | Engine::Citus(_) => Location::Postgres(storage.store().to_owned()),
    };
    let store =
        Store::open(&location, &store::StoreMetrics::register(&mut Registry::default())).await?;
    store.migrate().await?;
    Ok(store)
}
