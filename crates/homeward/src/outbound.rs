//! Wires the delivery engine of a node together.

use std::sync::Arc;

use app::App;
use boxed::boxed;
use delivery::{
    CallSettings, DeliveryMetrics, Dispatcher, DispatcherHandle, DispatcherParts, HttpClient,
    Inbox, Leases, address::AddressGuard, machine_trust,
};
use prometheus_client::registry::Registry;
use tokio_util::sync::CancellationToken;
use world::World;

use crate::{config::Config, directory::Directory};

pub(crate) struct Outbound {
    dispatcher: Dispatcher,
    handle: DispatcherHandle,
    leases: Leases,
    app: App,
}

/// Both ends of the channel from the use cases to the dispatcher, and what both call with.
pub(crate) struct Channel {
    pub(crate) handle: DispatcherHandle,
    pub(crate) inbox: Inbox,
    pub(crate) http: HttpClient,
}

/// What every call to merchants' systems shares: who may be called, connections, tokens and limits.
pub(crate) fn http_client(config: &Config, world: &World) -> HttpClient {
    let guard = AddressGuard::new(config.allow_networks.clone());
    let limits = CallSettings { request_time_max: config.delivery_timeout, ..Default::default() };
    HttpClient::new(guard, machine_trust(), world.clone(), limits)
}

impl Outbound {
    pub(crate) async fn new(
        config: &Config,
        app: &App,
        channel: Channel,
        registry: &mut Registry,
    ) -> anyhow::Result<Self> {
        let leases = match app.store.shared_clock_us().await? {
            Some(_) => {
                let node = Directory::open(&config.data_dir)?.node_name(&app.world)?;
                Leases::shared(node, config.delivery_timeout)
            }
            None => Leases::all(),
        };
        let Channel { handle, inbox, http } = channel;
        let parts = DispatcherParts {
            store: app.store.clone(),
            world: app.world.clone(),
            client: http,
            address_book: Arc::new(app.clone()),
            observer: app.finished_exchange_messages.clone(),
            retry_schedule: config.retry_schedule,
            metrics: DeliveryMetrics::register(registry),
            leases: leases.clone(),
        };
        let dispatcher = Dispatcher::new(handle.clone(), inbox, parts);
        Ok(Self { dispatcher, handle, leases, app: app.clone() })
    }

    /// Sends until `stop`, finishes what is in flight, and only then releases the leases to other
    /// nodes.
    #[boxed]
    pub(crate) async fn run(self, stop: CancellationToken) {
        let leasing = CancellationToken::new();
        let keeper = self.leases.keep(self.app.store.clone(), self.handle, leasing.clone());
        let keeper = tokio::spawn(keeper);
        self.dispatcher.run(stop).await;
        leasing.cancel();
        if let Err(error) = keeper.await {
            tracing::error!(
                "releasing the leases failed, other nodes wait until they expire: {error}"
            );
        }
    }
}
