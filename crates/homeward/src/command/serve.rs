//! `homeward serve`: runs a node until it is told to stop.

use std::time::Duration;

use anyhow::Context;
use store::{DirectoryLock, LockError};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{config::Config, directory::Directory, node::Node};

const LOCK_TRIES: u32 = 50;
const LOCK_EVERY: Duration = Duration::from_millis(100);

pub(crate) async fn serve(config: &Config) -> anyhow::Result<()> {
    let node = start(config).await?;
    run_until_told(node).await
}

/// Starts a node, waiting a little for a command that may just be using the directory.
pub(crate) async fn start(config: &Config) -> anyhow::Result<Node> {
    Directory::open(&config.data_dir)?;
    let mut tries = 0;
    let lock = loop {
        match DirectoryLock::take(&config.data_dir) {
            Err(LockError::InUse { .. }) if tries < LOCK_TRIES => tries += 1,
            taken => break taken?,
        }
        tokio::time::sleep(LOCK_EVERY).await;
    };
    let node = Node::start(config, lock).await?;
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

/// Runs `node` until SIGINT or SIGTERM.
pub(crate) async fn run_until_told(node: Node) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be heard")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be heard")?;
    let stop = CancellationToken::new();
    let running = tokio::spawn(node.run(stop.clone()));
    tokio::select! {
        _ = terminate.recv() => (),
        _ = interrupt.recv() => (),
    }
    tracing::info!("stopping: finishing what is under way");
    stop.cancel();
    running.await.context("the server ended badly")?;
    tracing::info!("stopped");
    Ok(())
}
