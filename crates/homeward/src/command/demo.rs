//! `homeward demo`: a server with a simulated world around it.
//!
//! One process runs the server on SQLite, a simulated merchant on its own port, and shoppers who
//! order and return things ([`demo`]). The first page is available at once, while the history is
//! still being created.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use app::access::operators::OperatorLogin;
use delivery::address::NetworkException;
use demo::{Access, Parts};
use server::demo::DemoStatus;
use store::{DirectoryLock, Location};
use tokio_util::sync::CancellationToken;
use world::{SPEED_MAX, World};

use crate::{
    command::serve,
    config::{Config, Options},
    directory::Directory,
    node::{Node, NodeEnvironment},
    output::Output,
};

/// Keeps finished messages of the whole history.
const RETENTION_DAYS: u32 = 3_650;
/// All requests of the demo come from this machine.
const RATE_LIMIT_PER_MINUTE: u32 = 1_000_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Delete the data of earlier demos and start over
    #[arg(long)]
    reset: bool,
    /// How many times faster than real time the demo runs, at most 3600
    #[arg(long, default_value_t = 1, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(SPEED_MAX)))]
    speed: u32,
}

impl Demo {
    /// Keeps the demo's data apart from a real installation's, and its terminal free of log lines.
    pub(crate) fn options(mut options: Options) -> Options {
        options.data_dir.get_or_insert_with(|| PathBuf::from("./homeward-demo"));
        options.log_level.get_or_insert_with(|| "warn".to_owned());
        options
    }

    pub(crate) async fn run(&self, config: &Config, output: Output) -> anyhow::Result<()> {
        let config = demo_config(config)?;
        // Before the lock, which writes to the directory.
        demo::require_demo(&config.data_dir)?;
        let lock = serve::take_lock(&config).await?;
        demo::claim(&config.data_dir)?;
        if self.reset {
            demo::remove(&config.data_dir)?;
        }
        let earlier = demo::resume(&config.data_dir)?;
        let mut signals = serve::Signals::listen()?;
        let status = DemoStatus::new(demo::new_clock(earlier.as_ref()));
        let node = start_node(&config, lock, &status).await?;
        let admin = Directory::open(&config.data_dir)?.read_admin()?;
        let admin = admin.context("the node has not written an admin credential")?;
        let parts = Parts {
            app: node.app(),
            router: node.router(),
            status,
            address: node.address.address.clone(),
            data_dir: config.data_dir.clone(),
            admin_client_id: admin.client_id,
            admin_client_secret: admin.client_secret,
            earlier,
            speed: self.speed,
            show_progress: !output.json,
        };
        let demo = demo::Demo::prepare(parts).await?;
        show(&demo.access(), output);

        let (stop_demo, stop_node) = (CancellationToken::new(), CancellationToken::new());
        let simulating = tokio::spawn(demo.run(stop_demo.clone()));
        let serving = tokio::spawn(node.run(stop_node.clone()));
        signals.wait().await;
        stop_demo.cancel();
        let (merchant, mailbox) = simulating.await.context("the demo panicked")?;
        stop_node.cancel();
        serving.await.context("the server panicked")?;
        merchant.stop().await;
        mailbox.stop().await;
        Ok(())
    }
}

/// The settings of a demo: it is for this machine, which it may call, and it keeps messages.
fn demo_config(config: &Config) -> anyhow::Result<Config> {
    ensure!(matches!(config.location, Location::Sqlite(_)), "the demo runs on SQLite only");
    // Its start page shows passwords.
    ensure!(
        config.listen.ip().to_canonical().is_loopback(),
        "the demo listens on loopback only, not on {}; choose another address with --listen",
        config.listen
    );
    let mut config = config.clone();
    match NetworkException::parse("*@127.0.0.0/8:*") {
        Ok(loopback) => config.allow_networks.push(loopback),
        Err(why) => bail!(why),
    }
    config.retention_days = RETENTION_DAYS;
    config.rate_limit_per_minute = RATE_LIMIT_PER_MINUTE;
    // Port 0 is not the port that it will have.
    if config.listen.port() > 0 {
        config.mail.public_url = Some(format!("http://{}", config.listen));
    }
    Ok(config)
}

async fn start_node(
    config: &Config,
    lock: DirectoryLock,
    status: &DemoStatus,
) -> anyhow::Result<Node> {
    let world = World::paced(status.pace().clone());
    let environment = NodeEnvironment { world, demo: Some(status.clone()) };
    serve::start(config, lock, environment).await.with_context(|| {
        format!("the demo cannot start on {}; choose another address with --listen", config.listen)
    })
}

/// Prints how to get access.
fn show(access: &Access, output: Output) {
    output.print(access, || {
        let Access { address, portal, merchant_page, mailbox_page, docs, console, .. } = access;
        let (id, secret) = (&access.client_id, &access.client_secret);
        let login = |login: &OperatorLogin| {
            let password = login.password.as_deref().unwrap_or_default();
            format!("\n  {:16} {password}", login.operator)
        };
        let logins: String = access.logins.iter().map(login).collect();
        format!(
            "
  Start page       {address}

  Returns portal   {portal}   (order DEMO-1001, postal code 97205)
  Merchant         {merchant_page}
  Mailbox          {mailbox_page}
  API reference    {docs}
  client_id        {id}
  client_secret    {secret}

  Console          {console}{logins}

  Stop with Ctrl-C. The demo keeps its data; --reset starts over.
"
        )
    });
}
