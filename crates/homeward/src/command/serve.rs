//! `homeward serve`: runs a node until a signal stops it.

use std::time::Duration;

use anyhow::{Context, bail};
use store::{DirectoryLock, LockError};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{
    config::{Config, ConfigSource},
    directory::Directory,
    logs,
    node::{Announce, Node, NodeEnvironment},
    systemd,
};
use server::Web;

const LOCK_ATTEMPTS_MAX: u32 = 50;
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) async fn serve(config: &Config, source: &ConfigSource) -> anyhow::Result<()> {
    // First, so that a signal during a long start has an effect too.
    let signals = Signals::listen()?;
    let reloads = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
    let lock = take_lock(config).await?;
    let node = start(config, lock, NodeEnvironment::default()).await?;
    let settings = LiveSettings { config: config.clone(), source, web: node.web(), reloads };
    run_until_signal(node, signals, settings).await
}

/// The settings of a running server. SIGHUP has them read again.
struct LiveSettings<'a> {
    config: Config,
    source: &'a ConfigSource,
    web: Web,
    reloads: Signal,
}

impl LiveSettings<'_> {
    /// Reads the settings again at every SIGHUP. Certificates are read again without a signal, when
    /// their files change.
    async fn follow(&mut self) {
        while self.reloads.recv().await.is_some() {
            systemd::notify("RELOADING=1");
            match self.source.read() {
                Ok(config) => self.apply(&config),
                Err(error) => {
                    tracing::error!("reading the settings failed, the old ones stay: {error:#}");
                }
            }
            systemd::notify("READY=1");
        }
    }

    fn apply(&mut self, config: &Config) {
        logs::set_level(config.log_level);
        self.web.set_rate_limit(config.rate_limit_per_minute);
        let later = self.config.changed_for_restart(config);
        // What the process runs with stays what it is compared with.
        self.config.drain = config.drain;
        if later.is_empty() {
            tracing::info!("read the settings again");
        } else {
            let names = later.join(", ");
            tracing::warn!("read the settings again; these need a restart: {names}");
        }
    }
}

/// SIGINT and SIGTERM. Both mean to stop.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?,
            interrupt: signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?,
        })
    }

    /// Waits for one of them.
    pub(crate) async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => (),
            _ = self.interrupt.recv() => (),
        }
    }
}

/// Locks the data directory. Waits a few seconds for a command that uses it.
pub(crate) async fn take_lock(config: &Config) -> anyhow::Result<DirectoryLock> {
    Directory::open(&config.data_dir)?;
    let mut attempts = 0;
    loop {
        match DirectoryLock::take(&config.data_dir) {
            Err(LockError::InUse { .. }) if attempts < LOCK_ATTEMPTS_MAX => attempts += 1,
            taken => return Ok(taken?),
        }
        tokio::time::sleep(LOCK_POLL_INTERVAL).await;
    }
}

pub(crate) async fn start(
    config: &Config,
    lock: DirectoryLock,
    environment: NodeEnvironment,
) -> anyhow::Result<Node> {
    let node = Node::start(config, lock, Announce::Yes, environment).await?;
    let networks: Vec<String> = config.allow_networks.iter().map(ToString::to_string).collect();
    tracing::info!(
        address = node.address.address,
        environment = config.environment.name(),
        data_dir = %config.data_dir.display(),
        allowed_networks = networks.join(","),
        "homeward {} listens on {}",
        env!("CARGO_PKG_VERSION"),
        node.address.address
    );
    Ok(node)
}

/// Runs `node` until a signal stops it.
async fn run_until_signal(
    node: Node,
    mut signals: Signals,
    mut settings: LiveSettings<'_>,
) -> anyhow::Result<()> {
    let stop = CancellationToken::new();
    let store = node.app().store.clone();
    let mut running = tokio::spawn(node.run(stop.clone()));
    systemd::notify("READY=1");
    // Also a read that fails shows that this process works: a restart does not bring a database
    // back. A read that never ends does not.
    let examine = async || drop(store.schema_version().await);
    tokio::select! {
        () = signals.wait() => (),
        () = systemd::keep_watchdog(examine) => (),
        () = settings.follow() => (),
        ended = &mut running => {
            ended.context("the server panicked")?;
            bail!("the server ended without being asked to");
        }
    }
    systemd::notify("STOPPING=1");
    if !settings.config.drain.is_zero() {
        let seconds = settings.config.drain.as_secs();
        tracing::info!("draining for {seconds} s: /readyz fails, requests are still answered");
        settings.web.drain();
        // A second signal means at once.
        let _ = tokio::time::timeout(settings.config.drain, signals.wait()).await;
    }
    tracing::info!("stopping: finishing requests under way");
    stop.cancel();
    running.await.context("the server panicked")?;
    tracing::info!("stopped");
    Ok(())
}
