//! The delivery engine of a node, wired together.

use std::sync::Arc;

use app::{App, TargetsOf};
use delivery::{
    Delivery, Dispatcher, Inbox, Leases, Meters, Parts, SenderSettings, Shared,
    address::AddressGuard, machine_trust,
};
use prometheus_client::registry::Registry;
use tokio_util::sync::CancellationToken;
use world::World;

use crate::{config::Config, directory::Directory};

pub(crate) struct Outbound {
    dispatcher: Dispatcher,
    delivery: Delivery,
    leases: Leases,
    app: App,
}

/// Both ends of the way from the use cases to the dispatcher.
pub(crate) struct Way {
    pub(crate) delivery: Delivery,
    pub(crate) inbox: Inbox,
    pub(crate) calls: Shared,
}

/// What every call to merchants' systems shares: who may be called, connections, tokens and limits.
pub(crate) fn calls(config: &Config, world: &World) -> Shared {
    let guard = AddressGuard::new(config.allow_networks.clone());
    let limits = SenderSettings { request_time_max: config.delivery_timeout, ..Default::default() };
    Shared::new(guard, machine_trust(), world.clone(), limits)
}

impl Outbound {
    pub(crate) async fn new(
        config: &Config,
        app: &App,
        way: Way,
        registry: &mut Registry,
    ) -> anyhow::Result<Self> {
        let leases = match app.store.shared_clock_us().await? {
            Some(_) => {
                let node = Directory::open(&config.data_dir)?.node_name(&app.world)?;
                Leases::shared(node, config.delivery_timeout)
            }
            None => Leases::all(),
        };
        let Way { delivery, inbox, calls } = way;
        let parts = Parts {
            store: app.store.clone(),
            world: app.world.clone(),
            shared: calls,
            targets: Arc::new(TargetsOf(app.clone())),
            cadence: config.cadence,
            meters: Meters::register(registry),
            leases: leases.clone(),
        };
        let dispatcher = Dispatcher::new(delivery.clone(), inbox, parts);
        Ok(Self { dispatcher, delivery, leases, app: app.clone() })
    }

    /// Sends until `stop`, finishes what is under way, and only then lets other nodes go on.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let leasing = CancellationToken::new();
        let keeper = self.leases.keep(self.app.store.clone(), self.delivery, leasing.clone());
        let keeper = tokio::spawn(keeper);
        self.dispatcher.run(stop).await;
        leasing.cancel();
        if let Err(error) = keeper.await {
            tracing::error!(%error, "the leases were not given back: {error}");
        }
    }
}
