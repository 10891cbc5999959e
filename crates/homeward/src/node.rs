//! A running node: store, use cases, routes and listeners, wired together.
//!
//! `homeward serve` runs one until it is told to stop. A command that finds no
//! server running starts one inside itself for as long as it needs it, so that there is only one
//! way in which anything is done.

use std::{net::SocketAddr, path::Path, time::Duration};

use anyhow::Context;
use app::{
    App, Parts as AppParts,
    access::add_client::add_first_admin,
    background::cleanup::{remove_finished_messages, sweep},
    core::metrics::Meters as AppMeters,
    exchanges::exchange_orders::{settle_exchange_order, settle_exchange_orders},
    returns::carrier_events::issue_simulated_labels,
};
use delivery::{Delivery, address::AddressGuard};
use domain::identifier::{ClientId, MerchantId};
use prometheus_client::registry::Registry;
use store::{DirectoryLock, Location, Meters as StoreMeters, Store};
use tokio_util::sync::CancellationToken;
use web::{
    Settings, Web,
    demo::Demo,
    guard::serve::{ListenSettings, Listener},
};
use world::{Vault, World};

use crate::{
    config::Config,
    directory::{AdminCredential, Directory, ServerAddress, secret_key},
    outbound::{self, Outbound, Way},
};

/// How long requests under way may take after the node was told to stop.
const GRACE: Duration = Duration::from_secs(30);
const SWEEP_EVERY: Duration = Duration::from_secs(60);
const LABELS_EVERY: Duration = Duration::from_secs(2);
const EXCHANGES_EVERY: Duration = Duration::from_secs(30);
const RETENTION_EVERY_MINUTES: u64 = 60;
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

pub(crate) struct Node {
    app: App,
    outbound: Option<Outbound>,
    router: axum::Router,
    listeners: Vec<Listener>,
    directory: Directory,
    pub(crate) address: ServerAddress,
    retention_days: u32,
    /// Until the node is gone nobody else may use the directory.
    _lock: DirectoryLock,
}

/// Whether others on this machine shall find the node; one that serves a single command is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announce {
    Yes,
    No,
}

/// What a node finds itself in: the usual world, or that of a demo.
pub(crate) struct Surroundings {
    pub(crate) world: World,
    pub(crate) demo: Option<Demo>,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self { world: World::system(), demo: None }
    }
}

impl Node {
    /// Opens everything; the node answers once [`Node::run`] is called.
    pub(crate) async fn start(
        config: &Config,
        lock: DirectoryLock,
        announce: Announce,
        surroundings: Surroundings,
    ) -> anyhow::Result<Self> {
        let Surroundings { world, demo } = surroundings;
        let directory = Directory::open(&config.data_dir)?;
        // What a server that was killed left behind would mislead commands until the new address is known.
        directory.forget_server();
        let mut registry = Registry::with_prefix("homeward");
        let store = open_store(&config.location, &mut registry).await?;
        let vault = Vault::new(&secret_key(&config.secret_key_file, &world)?);
        let (delivery, inbox) = Delivery::new();
        let calls = outbound::calls(config, &world);
        let app = App::new(AppParts {
            store,
            world,
            vault,
            delivery: delivery.clone(),
            guard: AddressGuard::new(config.allow_networks.clone()),
            calls: calls.clone(),
            meters: AppMeters::register(&mut registry),
        });
        // A node that serves a single command leaves the sending to those that stay.
        let way = Way { delivery, inbox, calls };
        let outbound = match announce {
            Announce::Yes => Some(Outbound::new(config, &app, way, &mut registry).await?),
            Announce::No => None,
        };
        ensure_admin(&app, &directory).await?;

        let (listeners, address) = listen(config).await?;
        if announce == Announce::Yes {
            directory.write_server(&address)?;
        }
        let settings = Settings {
            environment: config.environment.name(),
            rate_limit_per_minute: config.rate_limit_per_minute,
            trusted_hops: config.trusted_hops,
            demo,
            // In front of plain HTTP that is not only for this machine stands a proxy with TLS.
            secure_cookies: config.tls.is_some() || config.trusted_hops > 0,
        };
        let router = Web::new(app.clone(), settings, registry).router();
        let retention_days = config.retention_days;
        Ok(Self {
            app,
            outbound,
            router,
            listeners,
            directory,
            address,
            retention_days,
            _lock: lock,
        })
    }

    /// The use cases, for whoever lives in the same process.
    pub(crate) fn app(&self) -> App {
        self.app.clone()
    }

    /// The routes, for whoever calls them without a network.
    pub(crate) fn router(&self) -> axum::Router {
        self.router.clone()
    }

    /// Serves until `stop`, finishes what is under way, and lets everything go.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let sweeper =
            tokio::spawn(sweep_regularly(self.app.clone(), self.retention_days, stop.clone()));
        // A node that serves a single command leaves the labels to those that stay, too.
        let stays = self.outbound.is_some();
        let carrier =
            stays.then(|| tokio::spawn(issue_labels_regularly(self.app.clone(), stop.clone())));
        let exchanges =
            stays.then(|| tokio::spawn(settle_exchanges_regularly(self.app.clone(), stop.clone())));
        let sending = CancellationToken::new();
        let sender = self.outbound.map(|outbound| tokio::spawn(outbound.run(sending.clone())));
        let serving = self
            .listeners
            .into_iter()
            .map(|listener| tokio::spawn(listener.run(self.router.clone(), stop.clone(), GRACE)));
        for task in
            serving.collect::<Vec<_>>().into_iter().chain([sweeper]).chain(carrier).chain(exchanges)
        {
            if let Err(error) = task.await {
                tracing::error!(%error, "a part of the server ended badly: {error}");
            }
        }
        // Requests that were under way may still have owed messages; those that are not sent wait.
        sending.cancel();
        if let Some(sender) = sender
            && let Err(error) = sender.await
        {
            tracing::error!(%error, "the delivery of messages ended badly: {error}");
        }
        self.directory.forget_server();
        self.app.store.close().await;
    }
}

/// Opens the store and brings its schema up to date.
pub(crate) async fn open_store(
    location: &Location,
    registry: &mut Registry,
) -> anyhow::Result<Store> {
    let store = Store::open(location, &StoreMeters::register(registry)).await?;
    let (from, to) = store.migrate().await?;
    if from != to {
        tracing::info!(from, to, "schema changed from version {from} to {to}");
    }
    Ok(store)
}

/// The credential for the operator's tools on this machine; a new one when there is none, or when
/// the one that is there belongs to another database.
async fn ensure_admin(app: &App, directory: &Directory) -> anyhow::Result<()> {
    if let Some(admin) = directory.admin()?
        && let Some(id) = ClientId::parse(&admin.client_id)
        && app.store.client(&id).await?.is_some()
    {
        return Ok(());
    }
    let admin = add_first_admin(app, "admin").await.context("adding the admin client")?;
    directory.write_admin(&AdminCredential {
        client_id: admin.client_id,
        client_secret: admin.client_secret,
    })
}

/// The listener of the configuration and, when that is not plain HTTP on loopback, one that is, for
/// this machine's commands.
async fn listen(config: &Config) -> anyhow::Result<(Vec<Listener>, ServerAddress)> {
    let mut settings = ListenSettings::new(config.listen);
    settings.tls.clone_from(&config.tls);
    settings.trusted_hops = config.trusted_hops;
    let main = Listener::bind(settings).await?;
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let address = format!("{scheme}://{}", main.local_addr());
    let pid = std::process::id();
    if config.tls.is_none() && main.local_addr().ip().is_loopback() {
        let server = ServerAddress { local_address: address.clone(), address, pid };
        return Ok((vec![main], server));
    }
    let local = Listener::bind(ListenSettings::new(SocketAddr::from(([127, 0, 0, 1], 0)))).await?;
    let local_address = format!("http://{}", local.local_addr());
    Ok((vec![main, local], ServerAddress { address, local_address, pid }))
}

async fn sweep_regularly(app: App, retention_days: u32, stop: CancellationToken) {
    let mut minutes: u64 = 0;
    while stop.run_until_cancelled(tokio::time::sleep(SWEEP_EVERY)).await.is_some() {
        if let Err(error) = sweep(&app).await {
            tracing::warn!(%error, "what has run out stays a while longer: {error}");
        }
        if minutes.is_multiple_of(RETENTION_EVERY_MINUTES) {
            let before_us = app.world.now_us() - i64::from(retention_days) * DAY_US;
            if let Err(error) = remove_finished_messages(&app, before_us).await {
                tracing::warn!(%error, "old messages stay a while longer: {error}");
            }
        }
        minutes += 1;
    }
}

/// The simulated carrier at work: at once when a return begins here, and now and then for those of other nodes.
async fn issue_labels_regularly(app: App, stop: CancellationToken) {
    loop {
        let wanted = app.labels_wanted.notified();
        let wait = tokio::time::timeout(LABELS_EVERY, wanted);
        if stop.run_until_cancelled(wait).await.is_none() {
            return;
        }
        if let Err(error) = issue_simulated_labels(&app).await {
            tracing::warn!(%error, "labels wait a while longer: {error}");
        }
    }
}

/// What merchants made of exchange orders becomes part of their returns: at once when the answer came here, and
/// now and then where a node was killed before it could.
async fn settle_exchanges_regularly(app: App, stop: CancellationToken) {
    loop {
        if let Err(error) = settle_exchange_orders(&app).await {
            tracing::warn!(%error, "exchange orders wait a while longer: {error}");
        }
        let look_around = tokio::time::Instant::now() + EXCHANGES_EVERY;
        loop {
            let next = tokio::time::timeout_at(look_around, app.exchange_answers.next());
            match stop.run_until_cancelled(next).await {
                None => return,
                Some(Err(_)) => break,
                Some(Ok(answered)) => settle_exchanges(&app, &answered).await,
            }
        }
    }
}

async fn settle_exchanges(app: &App, answered: &[(MerchantId, i64)]) {
    for (merchant, message) in answered {
        if let Err(error) = settle_exchange_order(app, merchant, *message).await {
            let merchant = merchant.as_str();
            tracing::warn!(%error, merchant, message, "an exchange order waits: {error}");
        }
    }
}

/// Takes the lock of the data directory, which it makes when needed.
pub(crate) fn lock(data_dir: &Path) -> anyhow::Result<DirectoryLock> {
    Directory::open(data_dir)?;
    Ok(DirectoryLock::take(data_dir)?)
}
