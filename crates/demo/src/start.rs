//! Starts a demo on a running node: adds the actors at the first start, and reads them later.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use app::{
    App,
    access::operators::OperatorLogin,
    merchants::pictures::{Picture, keep_picture},
};
use axum::Router;
use boxed::boxed;
use domain::{identifier::MerchantId, merchants::picture::PictureKind};
use serde::Serialize;
use server::demo::{DemoLogin, DemoStatus, Guide};
use sim::{
    CarrierSettings, Clock, FIRST_ORDER_NUMBER, Running, RunningCarrier, RunningMailbox, Settings,
    SimulatedMerchant,
};
use tokio_util::sync::CancellationToken;
use world::{Pace, World};

use crate::{
    actors::Actors,
    api::{Api, Caller},
    sample_orders::list_sample_orders,
    schedule::Schedule,
    setup::{MERCHANT, MERCHANT_NAME, add_actors, connect, describe_role, webhook_url},
    simulation::{HISTORY_US, Simulation, initial_schedule, progress_bar},
    state::{State, remove},
    stock::Stock,
};

/// Each start of the merchant's server has its own range of order numbers.
const ORDERS_PER_START: u64 = 10_000;

/// Reads the state of an earlier demo. An incomplete history cannot be continued, so that demo is
/// removed.
pub fn resume(data_dir: &Path) -> anyhow::Result<Option<State>> {
    let state = State::read(data_dir)?;
    if state.as_ref().is_some_and(|state| !state.complete) {
        remove(data_dir)?;
        return Ok(None);
    }
    Ok(state)
}

/// The clock of a demo. It shows the time at which the demo stopped or, at its first start, a time
/// six months ago.
pub fn new_clock(earlier: Option<&State>) -> Pace {
    let machine_us = World::system().now_us();
    let now_us = match earlier {
        Some(state) => machine_us + state.ahead_us.max(0),
        None => machine_us - HISTORY_US,
    };
    Pace::new(now_us, 1)
}

/// What a demo needs.
pub struct Parts {
    pub app: App,
    /// The routes of the server, which the actors call without a network.
    pub router: Router,
    pub status: DemoStatus,
    /// The address of the server.
    pub address: String,
    pub data_dir: PathBuf,
    pub admin_client_id: String,
    pub admin_client_secret: String,
    pub earlier: Option<State>,
    /// How many times faster than real time the demo runs once the history is complete.
    pub speed: u32,
    pub show_progress: bool,
}

/// A demo that is ready to run.
pub struct Demo {
    simulation: Simulation,
    merchant: Running,
    mailbox: RunningMailbox,
    address: String,
}

/// The addresses and credentials of a demo.
#[derive(Debug, Serialize)]
pub struct Access {
    pub address: String,
    pub portal: String,
    pub merchant_page: String,
    pub mailbox_page: String,
    pub docs: String,
    pub console: String,
    pub logins: Vec<OperatorLogin>,
    pub merchant: &'static str,
    pub client_id: String,
    pub client_secret: String,
    pub signing_secret: String,
}

/// The merchant's server is on this machine, where no picture is fetched from, so its pictures are
/// handed over.
fn keep_pictures(app: &App, simulated: &SimulatedMerchant) -> anyhow::Result<()> {
    let merchant = MerchantId::parse(MERCHANT).map_err(anyhow::Error::msg)?;
    for article in simulated.articles() {
        if let Some(svg) = simulated.draw_picture(&article.sku) {
            let picture = Picture { kind: PictureKind::Svg, bytes: svg.into() };
            keep_picture(app, &merchant, article.image_url, picture);
        }
    }
    Ok(())
}

impl Demo {
    /// Adds the actors at the first start, and starts the merchant's server.
    #[boxed]
    pub async fn prepare(parts: Parts) -> anyhow::Result<Self> {
        let Parts { app, router, status, address, data_dir, speed, .. } = parts;
        let operator = Caller::new(&router, &parts.admin_client_id, &parts.admin_client_secret);
        let mut state = match parts.earlier {
            Some(state) => state,
            None => add_actors(&operator, status.pace().now_us() + HISTORY_US).await?,
        };
        let merchant = start_merchant(&state, status.pace()).await?;
        let clock = read_clock(status.pace());
        let carrier = RunningCarrier::start(CarrierSettings {
            webhook_url: Some(webhook_url(&address)),
            clock,
            ..CarrierSettings::default()
        })
        .await?;
        let mailbox = RunningMailbox::start(read_clock(status.pace())).await?;
        connect(&operator, &merchant.url()).await?;
        keep_pictures(&app, merchant.merchant())?;
        state.merchant_port = merchant.address().port();
        state.starts += 1;
        state.write(&data_dir)?;
        let schedule = if state.complete {
            Schedule::read(&data_dir)?
        } else {
            initial_schedule(state.first_start_us)
        };
        let actors = Actors {
            api: Api::new(&router, &state),
            merchant: merchant.merchant().clone(),
            carrier: Arc::new(carrier),
            stock: Stock::read(merchant.merchant()),
            first_start_us: state.first_start_us,
        };
        let bar = progress_bar(parts.show_progress)?;
        let simulation = Simulation {
            actors,
            operator,
            app,
            status,
            schedule,
            state,
            data_dir,
            speed,
            cursor: 0,
            mailbox_port: mailbox.smtp_port(),
            bar,
        };
        let demo = Self { simulation, merchant, mailbox, address };
        demo.simulation.status.set_guide(demo.guide());
        Ok(demo)
    }

    /// The content of the start page.
    fn guide(&self) -> Guide {
        let state = &self.simulation.state;
        Guide {
            address: self.address.clone(),
            merchant: MERCHANT.to_owned(),
            merchant_name: MERCHANT_NAME.to_owned(),
            merchant_page: self.merchant.url(),
            mailbox_page: self.mailbox.page_url(),
            client_id: state.merchant.client_id.clone(),
            client_secret: state.merchant.client_secret.clone(),
            logins: state.logins.iter().map(describe_login).collect(),
            orders: list_sample_orders(),
            data_dir: self.simulation.data_dir.display().to_string(),
        }
    }

    pub fn access(&self) -> Access {
        let (address, state) = (&self.address, &self.simulation.state);
        Access {
            address: address.clone(),
            portal: format!("{address}/portal/{MERCHANT}"),
            merchant_page: self.merchant.url(),
            mailbox_page: self.mailbox.page_url(),
            docs: format!("{address}/docs"),
            console: format!("{address}/console"),
            logins: state.logins.clone(),
            merchant: MERCHANT,
            client_id: state.merchant.client_id.clone(),
            client_secret: state.merchant.client_secret.clone(),
            signing_secret: state.merchant.signing_secret.clone(),
        }
    }

    /// Runs until `stop`. The merchant's server and the mailbox keep running, because the node may
    /// still have messages for them.
    #[boxed]
    pub async fn run(self, stop: CancellationToken) -> (Running, RunningMailbox) {
        self.simulation.run(stop).await;
        (self.merchant, self.mailbox)
    }
}

/// Starts the merchant's server on the port of the last time, so that the addresses of images stay
/// valid, or on another one if that is in use.
async fn start_merchant(state: &State, pace: &Pace) -> anyhow::Result<Running> {
    let settings = |port: u16| Settings {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        signing_secrets: vec![state.merchant.signing_secret.clone()],
        first_order_number: FIRST_ORDER_NUMBER + state.starts * ORDERS_PER_START,
        clock: read_clock(pace),
        ..Settings::default()
    };
    match SimulatedMerchant::start(settings(state.merchant_port)).await {
        Ok(running) => Ok(running),
        Err(_) => Ok(SimulatedMerchant::start(settings(0)).await?),
    }
}

/// The clock of the demo, for its simulated servers.
fn read_clock(pace: &Pace) -> Clock {
    let pace = pace.clone();
    Clock::from_fn(move || pace.now_us())
}

fn describe_login(login: &OperatorLogin) -> DemoLogin {
    let (purpose, description) = describe_role(login.role);
    let password = login.password.clone().unwrap_or_default();
    DemoLogin { name: login.operator.clone(), password, purpose, description }
}
