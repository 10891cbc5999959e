//! A running node: store, use cases, routes and listeners, wired together.
//!
//! `homeward serve` runs one until a signal stops it. A command that finds no server running starts
//! a node inside itself for as long as it needs one, so that everything is done in only one way.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use app::{
    App, AppParts,
    access::add_client::add_first_admin,
    background::{
        Task, alerts, books, cleanup, exchanges, labels, measurements, reminders, retention,
        shopper_keys,
    },
    core::metrics::AppMetrics,
};
use boxed::boxed;
use delivery::{DispatcherHandle, address::AddressGuard};
use domain::identifier::ClientId;
use prometheus_client::{metrics::info::Info, registry::Registry};
use server::{
    Settings, Web,
    demo::DemoStatus,
    guard::{
        serve::{ListenSettings, Listener, ReservedPort},
        tls::validity::certificate_end,
    },
    limit_sharing,
};
use store::{DirectoryLock, Location, Migration, Store, StoreMetrics};
use tokio_util::sync::CancellationToken;
use world::{KeyRing, Vault, World};

use crate::{
    backups::{BackupMetrics, Backups},
    config::Config,
    directory::{AdminCredential, Directory, ServerAddress},
    keys::KeyFile,
    outbound::{self, Channel, Outbound},
};

/// How long requests under way may take after the node was stopped.
const GRACE: Duration = Duration::from_secs(30);

pub(crate) struct Node {
    app: App,
    outbound: Option<Outbound>,
    web: Web,
    router: axum::Router,
    listeners: Vec<Listener>,
    directory: Directory,
    pub(crate) address: ServerAddress,
    retention_days: u32,
    backups: Option<Backups>,
    /// The file of the certificate, if the node has one.
    certificate: Option<PathBuf>,
    /// The secret key file and its keys at the start.
    keys: (KeyFile, KeyRing),
    /// No other process may use the directory while the node exists.
    _lock: DirectoryLock,
}

/// Whether other commands on this machine can find the node. One that serves a single command is
/// private to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announce {
    Yes,
    No,
}

/// The time and the demo that a node runs with.
pub(crate) struct NodeEnvironment {
    pub(crate) world: World,
    pub(crate) demo: Option<DemoStatus>,
}

impl Default for NodeEnvironment {
    fn default() -> Self {
        Self { world: World::system(), demo: None }
    }
}

impl Node {
    /// Opens everything. The node responds once [`Node::run`] is called.
    pub(crate) async fn start(
        config: &Config,
        lock: DirectoryLock,
        announce: Announce,
        environment: NodeEnvironment,
    ) -> anyhow::Result<Self> {
        let NodeEnvironment { world, demo } = environment;
        // Before anything is changed: a second start by mistake does not migrate the database.
        let ports = Ports::reserve(config)?;
        let directory = Directory::open(&config.data_dir)?;
        // The address of a server that was killed would mislead commands until the new one is
        // known.
        directory.remove_server_file();
        let mut registry = Registry::with_prefix("homeward");
        register_build(&mut registry);
        let store = open_store(&config.location, &mut registry).await?;
        let key_file = KeyFile::new(config.secret_key_file.clone());
        let key_ring = key_file.load(&store, &world).await?;
        let (handle, inbox) = DispatcherHandle::new();
        let http = outbound::http_client(config, &world);
        let app = App::new(AppParts {
            store,
            world,
            vault: Vault::new(&key_ring),
            dispatcher: handle.clone(),
            guard: AddressGuard::new(config.allow_networks.clone()),
            http: http.clone(),
            metrics: AppMetrics::register(&mut registry),
            mail: config.mail.clone(),
            certificate_required: config.certificate_required,
        });
        let backups = config.backups.clone().map(|schedule| Backups {
            schedule,
            location: config.location.clone(),
            key_file: key_file.clone(),
            world: app.world.clone(),
            metrics: BackupMetrics::register(&mut registry),
        });
        // A node that serves a single command leaves sending to servers.
        let channel = Channel { handle, inbox, http };
        let outbound = match announce {
            Announce::Yes => Some(Outbound::new(config, &app, channel, &mut registry).await?),
            Announce::No => None,
        };
        ensure_admin(&app, &directory).await?;

        let (listeners, address) = ports.open()?;
        if announce == Announce::Yes {
            directory.write_server(&address)?;
        }
        let web = Web::new(app.clone(), web_settings(config, demo), registry);
        let router = web::router(web.clone());
        let retention_days = config.retention_days;
        Ok(Self {
            app,
            outbound,
            web,
            router,
            listeners,
            directory,
            address,
            retention_days,
            backups,
            certificate: config.tls.as_ref().map(|tls| tls.cert.clone()),
            keys: (key_file, key_ring),
            _lock: lock,
        })
    }

    /// The use cases, for callers in the same process.
    pub(crate) fn app(&self) -> App {
        self.app.clone()
    }

    /// What the routes share.
    pub(crate) fn web(&self) -> Web {
        self.web.clone()
    }

    /// The routes, for callers in the same process.
    pub(crate) fn router(&self) -> axum::Router {
        self.router.clone()
    }

    /// Serves until `stop`, finishes requests under way, and closes the store.
    #[boxed]
    pub(crate) async fn run(self, stop: CancellationToken) {
        let (app, retention_days) = (self.app.clone(), self.retention_days);
        let mut tasks =
            vec![Task::spawn("cleanup", cleanup::run(app, retention_days, stop.clone()))];
        let (key_file, key_ring) = self.keys;
        let watching = key_file.watch(self.app.clone(), key_ring, stop.clone());
        tasks.push(Task::spawn("keys", watching));
        let sending = CancellationToken::new();
        let mut sender = None;
        // A node that serves a single command leaves all other work to servers.
        if let Some(outbound) = self.outbound {
            let app = &self.app;
            tasks.push(Task::spawn("labels", labels::run(app.clone(), stop.clone())));
            tasks.push(Task::spawn("exchanges", exchanges::run(app.clone(), stop.clone())));
            tasks.push(Task::spawn("reminders", reminders::run(app.clone(), stop.clone())));
            tasks.push(Task::spawn("books", books::run(app.clone(), stop.clone())));
            let measuring = measurements::run(app.clone(), stop.clone());
            tasks.push(Task::spawn("measurements", measuring));
            tasks.push(Task::spawn("retention", retention::run(app.clone(), stop.clone())));
            let keying = shopper_keys::run(app.clone(), stop.clone());
            tasks.push(Task::spawn("shopper keys", keying));
            if let Some(backups) = self.backups {
                tasks.push(Task::spawn("backups", backups.run(stop.clone())));
            }
            let certificate = self.certificate;
            let ends = move || certificate_end(certificate.as_deref()?);
            let alerting = Box::pin(alerts::run(app.clone(), ends, stop.clone()));
            tasks.push(Task::spawn("alerts", alerting));
            let sharing = limit_sharing::run(self.web.clone(), stop.clone());
            tasks.push(Task::spawn("rate limit", sharing));
            sender = Some(Task::spawn("delivery", outbound.run(sending.clone())));
        }
        for listener in self.listeners {
            let serving = listener.run(self.router.clone(), stop.clone(), GRACE);
            tasks.push(Task::spawn("listener", Box::pin(serving)));
        }
        for task in tasks {
            task.join().await;
        }
        // Requests under way may have enqueued messages until now. Those that are not sent stay
        // pending in the store.
        sending.cancel();
        if let Some(sender) = sender {
            sender.join().await;
        }
        self.directory.remove_server_file();
        self.app.store.close().await;
    }
}

fn register_build(registry: &mut Registry) {
    let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("build", "This build", build);
}

/// Opens the store and migrates its schema.
pub(crate) async fn open_store(
    location: &Location,
    registry: &mut Registry,
) -> anyhow::Result<Store> {
    let store = Store::open(location, &StoreMetrics::register(registry)).await?;
    let Migration { from, to, distributed_tables } = store.migrate().await?;
    if from != to {
        tracing::info!(from, to, "migrated the schema from version {from} to {to}");
    }
    if distributed_tables > 0 {
        tracing::info!("distributed {distributed_tables} tables by merchant");
    }
    Ok(store)
}

fn web_settings(config: &Config, demo: Option<DemoStatus>) -> Settings {
    Settings {
        environment: config.environment.name(),
        rate_limit_per_minute: config.rate_limit_per_minute,
        demo,
        // Plain HTTP that is not only for this machine is behind a proxy with TLS.
        secure_cookies: config.tls.is_some() || !config.trusted_proxies.is_empty(),
    }
}

/// Makes sure that commands on this machine have a credential: adds one if there is none, or if it
/// belongs to another database.
async fn ensure_admin(app: &App, directory: &Directory) -> anyhow::Result<()> {
    if let Some(admin) = directory.read_admin()?
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

/// The ports of a node before it listens on them.
struct Ports {
    main: ReservedPort,
    scheme: &'static str,
    /// If the main one is not plain HTTP on loopback, another one that is, for commands on this
    /// machine.
    local: Option<ReservedPort>,
}

impl Ports {
    fn reserve(config: &Config) -> anyhow::Result<Self> {
        let mut settings = ListenSettings::new(config.listen);
        settings.tls.clone_from(&config.tls);
        settings.trusted_proxies = config.trusted_proxies.clone();
        let main = ReservedPort::bind(settings)?;
        if config.tls.is_none() && config.listen.ip().is_loopback() {
            return Ok(Self { main, scheme: "http", local: None });
        }
        let loopback = ListenSettings::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        let local = Some(ReservedPort::bind(loopback)?);
        Ok(Self { main, scheme: if config.tls.is_some() { "https" } else { "http" }, local })
    }

    fn open(self) -> anyhow::Result<(Vec<Listener>, ServerAddress)> {
        let main = self.main.listen()?;
        let address = format!("{}://{}", self.scheme, main.local_addr());
        let pid = std::process::id();
        let Some(local) = self.local else {
            let server = ServerAddress { local_address: address.clone(), address, pid };
            return Ok((vec![main], server));
        };
        let local = local.listen()?;
        let local_address = format!("http://{}", local.local_addr());
        Ok((vec![main, local], ServerAddress { address, local_address, pid }))
    }
}

/// Locks the data directory. Creates it if it does not exist.
pub(crate) fn lock_directory(data_dir: &Path) -> anyhow::Result<DirectoryLock> {
    Directory::open(data_dir)?;
    Ok(DirectoryLock::take(data_dir)?)
}
