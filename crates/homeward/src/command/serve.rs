//! `homeward serve`: runs a node until it is told to stop.

use std::time::Duration;

use anyhow::Context;
use store::{DirectoryLock, LockError};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{
    config::Config,
    directory::Directory,
    node::{Announce, Node, Surroundings},
};

const LOCK_TRIES: u32 = 50;
const LOCK_EVERY: Duration = Duration::from_millis(100);

pub(crate) async fn serve(config: &Config) -> anyhow::Result<()> {
    // First of all, so that a signal during a long start is heard too.
    let signals = Signals::listen()?;
    let node = start(config, Surroundings::default()).await?;
    run_until_told(node, signals).await
}

/// SIGINT and SIGTERM: both mean to stop.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("SIGTERM cannot be heard")?,
            interrupt: signal(SignalKind::interrupt()).context("SIGINT cannot be heard")?,
        })
    }

    pub(crate) async fn heard(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => (),
            _ = self.interrupt.recv() => (),
        }
    }
}

/// Starts a node, waiting a little for a command that may just be using the directory.
pub(crate) async fn start(config: &Config, surroundings: Surroundings) -> anyhow::Result<Node> {
    Directory::open(&config.data_dir)?;
    let mut tries = 0;
    let lock = loop {
        match DirectoryLock::take(&config.data_dir) {
            Err(LockError::InUse { .. }) if tries < LOCK_TRIES => tries += 1,
            taken => break taken?,
        }
        tokio::time::sleep(LOCK_EVERY).await;
    };
    let node = Node::start(config, lock, Announce::Yes, surroundings).await?;
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

/// Runs `node` until a signal says to stop.
async fn run_until_told(node: Node, mut signals: Signals) -> anyhow::Result<()> {
    let stop = CancellationToken::new();
    let running = tokio::spawn(node.run(stop.clone()));
    signals.heard().await;
    tracing::info!("stopping: finishing what is under way");
    stop.cancel();
    running.await.context("the server ended badly")?;
    tracing::info!("stopped");
    Ok(())
}
