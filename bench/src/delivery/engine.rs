//! The product's store, dispatcher and sender, running in this process.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use bytes::Bytes;
use delivery::{
    AddressBook, AddressLookup, CallSettings, DeliveryMetrics, Dispatcher, DispatcherHandle,
    DispatcherParts, HttpClient, Leases, OutcomeObserver,
    address::{AddressGuard, Network},
    machine_trust,
};
use domain::{
    identifier::{MerchantId, MessageId},
    messages::{kind::MessageKind, retry::RetrySchedule},
};
use prometheus_client::registry::Registry;
use store::{Attempt, Location, NewMessage, Store, Transaction};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use world::World;

use super::{BODY_BYTES, LANES_PER_MERCHANT, MERCHANTS, MESSAGES_PER_COMMIT, limit, sink::Sink};
use crate::place::{Engine, Place};

/// The merchant whose receiver hangs.
pub(crate) const SICK: &str = "sick";

pub(crate) struct Running {
    store: Store,
    world: World,
    dispatcher: DispatcherHandle,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    _place: Place,
}

struct ToSink(Sink);

impl AddressBook for ToSink {
    fn look_up(&self, merchant: MerchantId, kind: MessageKind) -> AddressLookup<'_> {
        Box::pin(async move { Ok(Some(limit::target(&self.0, &merchant, kind))) })
    }
}

impl OutcomeObserver for ToSink {
    fn outcome_stored(&self, _attempt: &Attempt) {}
}

impl Running {
    pub(crate) async fn start(engine: &Engine, sink: &Sink, keep: bool) -> anyhow::Result<Self> {
        let place = Place::new(engine, keep).await?;
        let store = open(engine, &place).await?;
        Self::on(store, place, sink).await
    }

    /// Begins to deliver what is in `store`, and what comes.
    pub(crate) async fn on(store: Store, place: Place, sink: &Sink) -> anyhow::Result<Self> {
        let world = World::system();
        let loopback = Network::parse("127.0.0.0/8").map_err(anyhow::Error::msg)?;
        let guard = AddressGuard::new(vec![loopback]);
        let settings = CallSettings::default();
        let (handle, inbox) = DispatcherHandle::new();
        let leases = match store.shared_clock_us().await? {
            Some(_) => Leases::shared("bench".to_owned(), settings.request_time_max),
            None => Leases::all(),
        };
        let parts = DispatcherParts {
            store: store.clone(),
            world: world.clone(),
            client: HttpClient::new(guard, machine_trust(), world.clone(), settings),
            address_book: Arc::new(ToSink(sink.clone())),
            observer: Arc::new(ToSink(sink.clone())),
            retry_schedule: RetrySchedule::default(),
            metrics: DeliveryMetrics::register(&mut Registry::default()),
            leases: leases.clone(),
        };
        let stop = CancellationToken::new();
        let dispatcher = Dispatcher::new(handle.clone(), inbox, parts);
        let keeping = leases.keep(store.clone(), handle.clone(), stop.clone());
        let tasks = vec![tokio::spawn(keeping), tokio::spawn(dispatcher.run(stop.clone()))];
        Ok(Self { store, world, dispatcher: handle, stop, tasks, _place: place })
    }

    /// Commits `messages` in one transaction, the first with this number; gives the last one's identifier.
    pub(crate) async fn commit(&self, number: usize, messages: usize) -> anyhow::Result<String> {
        let merchant = merchant(number);
        let mut transaction = Transaction::new("enqueueing messages");
        for message in number..number + messages {
            transaction.enqueue(message_of(&merchant, message, self.world.now_us()));
        }
        let messages = self.store.commit(transaction).await?;
        let last = messages.last().context("a message was enqueued")?.message_id;
        self.dispatcher.enqueue(messages);
        Ok(MessageId { merchant, number: last }.to_string())
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

    /// Every merchant gets a message, and so has a warm connection afterwards, as the limit has.
    pub(crate) async fn warm_up(&self) -> anyhow::Result<()> {
        let firsts = (0..MERCHANTS).map(|merchant| merchant * MESSAGES_PER_COMMIT);
        self.commit_all(firsts, 1).await?;
        self.until_done().await
    }

    /// Waits until everything is finished, the sick merchant's messages apart.
    pub(crate) async fn until_done(&self) -> anyhow::Result<()> {
        while self.store.merchants_with_deliveries().await?.iter().any(|merchant| merchant != SICK)
        {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    }

    /// There should be none; the retry of one makes a run last for seconds longer.
    pub(crate) async fn failed_attempts(&self) -> anyhow::Result<i64> {
        let counts = self.store.answer_counts(0).await?;
        let failed = counts.iter().filter(|count| !(200..300).contains(&count.status));
        Ok(failed.map(|count| count.attempts).sum())
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        for task in self.tasks {
            // One that was cut off has nothing left to say.
            let _ = task.await;
        }
        self.store.close().await;
    }
}

/// A new store in `place`, with its schema.
pub(crate) async fn open(engine: &Engine, place: &Place) -> anyhow::Result<Store> {
    let location = match engine {
        Engine::Sqlite => Location::Sqlite(place.sqlite_file()),
        Engine::Postgres(_) => Location::Postgres(place.store().to_owned()),
    };
    let store =
        Store::open(&location, &store::StoreMetrics::register(&mut Registry::default())).await?;
    store.migrate().await?;
    Ok(store)
}

fn merchant(number: usize) -> MerchantId {
    let name = format!("merchant-{}", number / MESSAGES_PER_COMMIT % MERCHANTS);
    MerchantId::parse(&name).unwrap_or_else(|_| MerchantId::platform())
}

/// A message of a kilobyte in one of its merchant's lanes, which have their turns.
pub(crate) fn message_of(merchant: &MerchantId, number: usize, now_us: i64) -> NewMessage {
    let turns_before = number / (MERCHANTS * MESSAGES_PER_COMMIT);
    let of_merchant = turns_before * MESSAGES_PER_COMMIT + number % MESSAGES_PER_COMMIT;
    let lane = of_merchant % LANES_PER_MERCHANT + 1;
    NewMessage {
        merchant: merchant.clone(),
        kind: MessageKind::Rma,
        reference: format!("RMA-{lane}"),
        sequence: i64::try_from(number).unwrap_or(i64::MAX),
        lane: i64::try_from(lane).unwrap_or(1),
        created_us: now_us,
        body: body(number),
    }
}

pub(crate) fn body(number: usize) -> Bytes {
    let beginning = format!("{{\"rma_identifier\":\"RMA-{number}\",\"filler\":\"");
    let filler = "x".repeat(BODY_BYTES.saturating_sub(beginning.len() + 2));
    Bytes::from(format!("{beginning}{filler}\"}}"))
}
