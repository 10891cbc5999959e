//! `homeward demo`: a server with everybody around it, to look around.
//!
//! One process: the server on SQLite, a simulated merchant on a port of its own, and people who order and return
//! things ([`crate::demo`]). The first page is there at once; the history is made behind it.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use anyhow::{Context, bail, ensure};
use app::access::operators::Login;
use delivery::address::Network;
use serde_json::{Value, json};
use sim::{Clock, FIRST_ORDER_NUMBER, Running, Settings, SimulatedMerchant};
use store::Location;
use tokio_util::sync::CancellationToken;
use web::demo::{Demo as Board, Guide, Login as ShownLogin};
use world::{Pace, SPEED_MAX, World};

use crate::{
    command::serve,
    config::{Config, Options},
    demo::{
        api::Api,
        doing::Hands,
        life::{HISTORY_US, Life, first_deeds, progress_bar},
        queue::Memory,
        setup::{MERCHANT, MERCHANT_NAME, add_everybody, connect, operator, purpose},
        shelf::Shelf,
        state::{State, is_demo},
        tries::orders_to_try,
    },
    directory::Directory,
    node::{Node, Surroundings},
    output::Output,
};

/// Finished messages of the whole history are kept.
const RETENTION_DAYS: u32 = 3_650;
/// Everybody in the demo asks from this machine.
const RATE_LIMIT_PER_MINUTE: u32 = 1_000_000;
/// A merchant's server that is started again numbers its orders from here on, for each start.
const ORDERS_PER_START: u64 = 10_000;

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
            forget(&config)?;
        }
        let mut known = State::read(&config.data_dir)?;
        if known.as_ref().is_some_and(|state| !state.complete) {
            // A history that was broken off cannot be gone on with.
            forget(&config)?;
            known = None;
        }
        let mut signals = serve::Signals::listen()?;
        let (board, node) = start(&config, known.as_ref()).await?;
        let (state, merchant) = prepare(&config, known, &board, &node).await?;
        tell(&board, &node, &state, &merchant);
        show(&node, &state, &merchant, output);

        let memory = if state.complete {
            Memory::read(&config.data_dir)?
        } else {
            first_deeds(state.born_us)
        };
        let life = Life {
            hands: Hands {
                api: Api::new(&node.router(), &state),
                merchant: merchant.merchant().clone(),
                shelf: Shelf::of(merchant.merchant()),
                born_us: state.born_us,
            },
            app: node.app(),
            demo: board,
            memory,
            state,
            data_dir: config.data_dir.clone(),
            speed: self.speed,
            cursor: 0,
            bar: progress_bar(!output.json)?,
        };
        let (stop_life, stop_node) = (CancellationToken::new(), CancellationToken::new());
        let living = tokio::spawn(life.run(stop_life.clone()));
        let serving = tokio::spawn(node.run(stop_node.clone()));
        signals.heard().await;
        stop_life.cancel();
        living.await.context("the life of the demo ended badly")?;
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

/// Removes what a demo made, and never a directory that somebody named by mistake.
fn forget(config: &Config) -> anyhow::Result<()> {
    if config.data_dir.exists() {
        let directory = config.data_dir.display();
        ensure!(is_demo(&config.data_dir), "{directory} holds no demo; not removed");
        std::fs::remove_dir_all(&config.data_dir)?;
    }
    Ok(())
}

/// The server, at the time at which the demo stopped or, at its first start, half a year ago.
async fn start(config: &Config, known: Option<&State>) -> anyhow::Result<(Board, Node)> {
    let machine_us = World::system().now_us();
    let now_us = match known {
        Some(state) => machine_us + state.ahead_us.max(0),
        None => machine_us - HISTORY_US,
    };
    let pace = Pace::new(now_us, 1);
    let board = Board::new(pace.clone());
    let surroundings = Surroundings { world: World::paced(pace), demo: Some(board.clone()) };
    let node = serve::start(config, surroundings).await.with_context(|| {
        format!("the demo cannot start on {}; --listen says where else", config.listen)
    })?;
    Ok((board, node))
}

/// Everybody's credentials, and the merchant's server, which the node knows how to reach.
async fn prepare(
    config: &Config,
    known: Option<State>,
    board: &Board,
    node: &Node,
) -> anyhow::Result<(State, Running)> {
    let admin = Directory::open(&config.data_dir)?.admin()?;
    let operator = operator(&node.router(), &admin.context("the node wrote no admin credential")?);
    let mut state = match known {
        Some(state) => state,
        None => add_everybody(&operator, board.pace().now_us() + HISTORY_US).await?,
    };
    let pace = board.pace().clone();
    let settings = |port: u16| Settings {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        signing_secrets: vec![state.merchant.signing_secret.clone()],
        first_order_number: FIRST_ORDER_NUMBER + state.starts * ORDERS_PER_START,
        clock: Clock::told({
            let pace = pace.clone();
            move || pace.now_us()
        }),
        ..Settings::default()
    };
    // The port of the last time, so that addresses of pictures stay true; another one if it is taken.
    let merchant = match SimulatedMerchant::start(settings(state.merchant_port)).await {
        Ok(running) => running,
        Err(_) => SimulatedMerchant::start(settings(0)).await?,
    };
    connect(&operator, &merchant.url()).await?;
    state.merchant_port = merchant.address().port();
    state.starts += 1;
    state.write(&config.data_dir)?;
    Ok((state, merchant))
}

/// Tells the start page.
fn tell(board: &Board, node: &Node, state: &State, merchant: &Running) {
    board.tell(Guide {
        address: node.address.address.clone(),
        merchant: MERCHANT.to_owned(),
        merchant_name: MERCHANT_NAME.to_owned(),
        merchant_page: merchant.url(),
        client_id: state.merchant.client_id.clone(),
        client_secret: state.merchant.client_secret.clone(),
        logins: state.logins.iter().map(login).collect(),
        orders: orders_to_try(),
        data_dir: node.data_dir().display().to_string(),
    });
}

fn login(known: &Login) -> ShownLogin {
    let (purpose, what) = purpose(known.role);
    let password = known.password.clone().unwrap_or_default();
    ShownLogin { name: known.operator.clone(), password, purpose, what }
}

/// Tells whoever started the demo.
fn show(node: &Node, state: &State, merchant: &Running, output: Output) {
    let address = &node.address.address;
    output.data(&shown(address, state, merchant), || {
        let pages = merchant.url();
        let (id, secret) = (&state.merchant.client_id, &state.merchant.client_secret);
        let login = |it: &Login| {
            let password = it.password.as_deref().unwrap_or_default();
            format!("\n  {:16} {password}", it.operator)
        };
        let logins: String = state.logins.iter().map(login).collect();
        format!(
            "
  Open this        {address}

  Returns portal   {address}/portal/{MERCHANT}   (order DEMO-1001 with 97205)
  Merchant's view  {pages}
  API reference    {address}/docs
  client_id        {id}
  client_secret    {secret}

  Console          {address}/console{logins}

  Stop with Ctrl-C. The demo's data is kept; --reset begins anew.
"
        )
    });
}

fn shown(address: &str, state: &State, merchant: &Running) -> Value {
    json!({
        "address": address,
        "portal": format!("{address}/portal/{MERCHANT}"),
        "merchant_page": merchant.url(),
        "docs": format!("{address}/docs"),
        "console": format!("{address}/console"),
        "logins": state.logins,
        "merchant": MERCHANT,
        "client_id": state.merchant.client_id,
        "client_secret": state.merchant.client_secret,
        "signing_secret": state.merchant.signing_secret,
    })
}
