//! Starts a demo on a node that runs: the first time everybody is added, later everybody is met again.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use anyhow::ensure;
use app::{App, access::operators::OperatorLogin};
use axum::Router;
use serde::Serialize;
use server::demo::{Demo as Board, Guide, Login as ShownLogin};
use sim::{Clock, FIRST_ORDER_NUMBER, Running, Settings, SimulatedMerchant};
use tokio_util::sync::CancellationToken;
use world::{Pace, World};

use crate::{
    actors::Hands,
    api::{Api, Caller},
    sample_orders::orders_to_try,
    schedule::Memory,
    setup::{MERCHANT, MERCHANT_NAME, add_everybody, connect, purpose},
    simulation::{HISTORY_US, Life, first_deeds, progress_bar},
    state::{State, is_demo},
    stock::Shelf,
};

/// A merchant's server that is started again numbers its orders from here on, for each start.
const ORDERS_PER_START: u64 = 10_000;

/// Removes what a demo made, and never a directory that somebody named by mistake.
pub fn forget(data_dir: &Path) -> anyhow::Result<()> {
    if data_dir.exists() {
        ensure!(is_demo(data_dir), "{} holds no demo; not removed", data_dir.display());
        std::fs::remove_dir_all(data_dir)?;
    }
    Ok(())
}

/// What an earlier demo left behind, if it came far enough: a history that was broken off cannot be gone on with.
pub fn earlier(data_dir: &Path) -> anyhow::Result<Option<State>> {
    let known = State::read(data_dir)?;
    if known.as_ref().is_some_and(|state| !state.complete) {
        forget(data_dir)?;
        return Ok(None);
    }
    Ok(known)
}

/// The clock of a demo: it shows the time at which the demo stopped or, at its first start, half a year ago.
pub fn clock(earlier: Option<&State>) -> Pace {
    let machine_us = World::system().now_us();
    let now_us = match earlier {
        Some(state) => machine_us + state.ahead_us.max(0),
        None => machine_us - HISTORY_US,
    };
    Pace::new(now_us, 1)
}

/// What a demo is made from.
pub struct Parts {
    pub app: App,
    /// The routes of the server, which everybody calls without a network.
    pub router: Router,
    pub board: Board,
    /// Where the server is.
    pub address: String,
    pub data_dir: PathBuf,
    pub admin_client_id: String,
    pub admin_client_secret: String,
    pub earlier: Option<State>,
    /// How many times as fast as the machine's its time passes once the history is made.
    pub speed: u32,
    pub show_progress: bool,
}

/// A demo that has everything it needs.
pub struct Demo {
    life: Life,
    merchant: Running,
    address: String,
}

/// How whoever started the demo gets at it.
#[derive(Debug, Serialize)]
pub struct Access {
    pub address: String,
    pub portal: String,
    pub merchant_page: String,
    pub docs: String,
    pub console: String,
    pub logins: Vec<OperatorLogin>,
    pub merchant: &'static str,
    pub client_id: String,
    pub client_secret: String,
    pub signing_secret: String,
}

impl Demo {
    /// Everybody's credentials, and the merchant's server, which the node knows how to reach.
    pub async fn prepare(parts: Parts) -> anyhow::Result<Self> {
        let Parts { app, router, board, address, data_dir, speed, .. } = parts;
        let operator = Caller::new(&router, &parts.admin_client_id, &parts.admin_client_secret);
        let mut state = match parts.earlier {
            Some(state) => state,
            None => add_everybody(&operator, board.pace().now_us() + HISTORY_US).await?,
        };
        let merchant = start_merchant(&state, board.pace()).await?;
        connect(&operator, &merchant.url()).await?;
        state.merchant_port = merchant.address().port();
        state.starts += 1;
        state.write(&data_dir)?;
        let memory =
            if state.complete { Memory::read(&data_dir)? } else { first_deeds(state.born_us) };
        let hands = Hands {
            api: Api::new(&router, &state),
            merchant: merchant.merchant().clone(),
            shelf: Shelf::of(merchant.merchant()),
            born_us: state.born_us,
        };
        let bar = progress_bar(parts.show_progress)?;
        let life = Life { hands, app, demo: board, memory, state, data_dir, speed, cursor: 0, bar };
        let demo = Self { life, merchant, address };
        demo.life.demo.tell(demo.guide());
        Ok(demo)
    }

    /// What the start page says.
    fn guide(&self) -> Guide {
        let state = &self.life.state;
        Guide {
            address: self.address.clone(),
            merchant: MERCHANT.to_owned(),
            merchant_name: MERCHANT_NAME.to_owned(),
            merchant_page: self.merchant.url(),
            client_id: state.merchant.client_id.clone(),
            client_secret: state.merchant.client_secret.clone(),
            logins: state.logins.iter().map(login).collect(),
            orders: orders_to_try(),
            data_dir: self.life.data_dir.display().to_string(),
        }
    }

    pub fn access(&self) -> Access {
        let (address, state) = (&self.address, &self.life.state);
        Access {
            address: address.clone(),
            portal: format!("{address}/portal/{MERCHANT}"),
            merchant_page: self.merchant.url(),
            docs: format!("{address}/docs"),
            console: format!("{address}/console"),
            logins: state.logins.clone(),
            merchant: MERCHANT,
            client_id: state.merchant.client_id.clone(),
            client_secret: state.merchant.client_secret.clone(),
            signing_secret: state.merchant.signing_secret.clone(),
        }
    }

    /// Lives until `stop`. The merchant's server is left running, because the node may still have messages for it.
    pub async fn run(self, stop: CancellationToken) -> Running {
        self.life.run(stop).await;
        self.merchant
    }
}

/// The merchant's server: at the port of the last time, so that addresses of pictures stay true; at another one if
/// that is taken.
async fn start_merchant(state: &State, pace: &Pace) -> anyhow::Result<Running> {
    let settings = |port: u16| Settings {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        signing_secrets: vec![state.merchant.signing_secret.clone()],
        first_order_number: FIRST_ORDER_NUMBER + state.starts * ORDERS_PER_START,
        clock: Clock::from_fn({
            let pace = pace.clone();
            move || pace.now_us()
        }),
        ..Settings::default()
    };
    match SimulatedMerchant::start(settings(state.merchant_port)).await {
        Ok(running) => Ok(running),
        Err(_) => Ok(SimulatedMerchant::start(settings(0)).await?),
    }
}

fn login(known: &OperatorLogin) -> ShownLogin {
    let (purpose, what) = purpose(known.role);
    let password = known.password.clone().unwrap_or_default();
    ShownLogin { name: known.operator.clone(), password, purpose, what }
}
