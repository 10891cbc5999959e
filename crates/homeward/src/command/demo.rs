//! `homeward demo`: a server with everybody around it, to look around.
//!
//! One process: the server on SQLite, a simulated merchant on a port of its own, and people who order and return
//! things ([`demo`]). The first page is there at once; the history is made behind it.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use app::access::operators::Login;
use delivery::address::Network;
use demo::{Access, Parts};
use server::demo::Demo as Board;
use store::Location;
use tokio_util::sync::CancellationToken;
use world::{SPEED_MAX, World};

use crate::{
    command::serve,
    config::{Config, Options},
    directory::Directory,
    node::{Node, Surroundings},
    output::Output,
};

/// Finished messages of the whole history are kept.
const RETENTION_DAYS: u32 = 3_650;
/// Everybody in the demo asks from this machine.
const RATE_LIMIT_PER_MINUTE: u32 = 1_000_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Forget what earlier demos left behind
    #[arg(long)]
    reset: bool,
    /// How many times as fast as yours the demo's time passes, at most 3600
    #[arg(long, default_value_t = 1, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(SPEED_MAX)))]
    speed: u32,
}

impl Demo {
    /// The demo's data is apart from a real installation's, and its terminal is for people.
    pub(crate) fn options(mut options: Options) -> Options {
        options.data_dir.get_or_insert_with(|| PathBuf::from("./homeward-demo"));
        options.log_level.get_or_insert_with(|| "warn".to_owned());
        options
    }

    pub(crate) async fn run(&self, config: &Config, output: Output) -> anyhow::Result<()> {
        let config = demo_config(config)?;
        if self.reset {
            demo::forget(&config.data_dir)?;
        }
        let earlier = demo::earlier(&config.data_dir)?;
        let mut signals = serve::Signals::listen()?;
        let board = Board::new(demo::clock(earlier.as_ref()));
        let node = start_node(&config, &board).await?;
        let admin = Directory::open(&config.data_dir)?.admin()?;
        let admin = admin.context("the node wrote no admin credential")?;
        let parts = Parts {
            app: node.app(),
            router: node.router(),
            board,
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

        let (stop_life, stop_node) = (CancellationToken::new(), CancellationToken::new());
        let living = tokio::spawn(demo.run(stop_life.clone()));
        let serving = tokio::spawn(node.run(stop_node.clone()));
        signals.heard().await;
        stop_life.cancel();
        let merchant = living.await.context("the life of the demo ended badly")?;
        stop_node.cancel();
        serving.await.context("the server ended badly")?;
        merchant.stop().await;
        Ok(())
    }
}

/// The settings that make a demo out of an installation: this machine alone, on SQLite, for as long as it is kept.
fn demo_config(config: &Config) -> anyhow::Result<Config> {
    ensure!(matches!(config.location, Location::Sqlite(_)), "the demo runs on SQLite only");
    let mut config = config.clone();
    match Network::parse("127.0.0.0/8") {
        Ok(loopback) => config.allow_networks.push(loopback),
        Err(why) => bail!(why),
    }
    config.retention_days = RETENTION_DAYS;
    config.rate_limit_per_minute = RATE_LIMIT_PER_MINUTE;
    Ok(config)
}

async fn start_node(config: &Config, board: &Board) -> anyhow::Result<Node> {
    let world = World::paced(board.pace().clone());
    let surroundings = Surroundings { world, demo: Some(board.clone()) };
    serve::start(config, surroundings).await.with_context(|| {
        format!("the demo cannot start on {}; --listen says where else", config.listen)
    })
}

/// Tells whoever started the demo.
fn show(access: &Access, output: Output) {
    output.data(access, || {
        let Access { address, portal, merchant_page, docs, console, .. } = access;
        let (id, secret) = (&access.client_id, &access.client_secret);
        let login = |it: &Login| {
            let password = it.password.as_deref().unwrap_or_default();
            format!("\n  {:16} {password}", it.operator)
        };
        let logins: String = access.logins.iter().map(login).collect();
        format!(
            "
  Open this        {address}

  Returns portal   {portal}   (order DEMO-1001 with 97205)
  Merchant's view  {merchant_page}
  API reference    {docs}
  client_id        {id}
  client_secret    {secret}

  Console          {console}{logins}

  Stop with Ctrl-C. The demo's data is kept; --reset begins anew.
"
        )
    });
}
