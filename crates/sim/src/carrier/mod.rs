//! A simulated carrier: a server with the routes and shapes of EasyPost's API, as far as Homeward
//! uses them. It sells labels that cost nothing and moves parcels on request.
//!
//! Everything is in memory. It can be made to fail at any step ([`fault`]), so that tests can check
//! that no label is bought twice and no parcel is in a wrong state.

mod api;
mod control;
mod documents;
mod fault;
mod shipments;
mod webhooks;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::Router;
use boxed::boxed;
use domain::random::SeededRandom;
use tokio::net::TcpListener;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use self::{
    fault::{CarrierFault, FaultKind, FaultPoint},
    shipments::Shipments,
    webhooks::{SentWebhook, WebhookTarget},
};
use crate::{merchant::StartError, server::serve::accept, settings::Clock};

/// The settings of a simulated carrier.
///
/// There is no `Debug`, because they contain secrets.
#[derive(Clone)]
pub struct CarrierSettings {
    /// Port 0 takes any free port.
    pub listen: SocketAddr,
    /// The API key that calls must have. Without it, every key is accepted.
    pub api_key: Option<String>,
    /// Where webhooks are sent, over plain HTTP.
    pub webhook_url: Option<String>,
    pub webhook_secret: String,
    /// The seed for random faults.
    pub seed: u64,
    pub clock: Clock,
}

impl Default for CarrierSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, 0)),
            api_key: None,
            webhook_url: None,
            webhook_secret: "simulated".to_owned(),
            seed: 1,
            clock: Clock::system(),
        }
    }
}

/// A simulated carrier with a running server. Dropping it stops the server at once.
pub struct RunningCarrier {
    carrier: Arc<Carrier>,
    address: SocketAddr,
    tasks: TaskTracker,
    stop: DropGuard,
}

pub(crate) struct Carrier {
    pub(crate) clock: Clock,
    api_key: Option<String>,
    /// Its own address, for the addresses of documents.
    url: String,
    webhooks: Mutex<WebhookTarget>,
    state: Mutex<CarrierState>,
}

struct CarrierState {
    shipments: Shipments,
    faults: Vec<CarrierFault>,
    random: SeededRandom,
    sent: Vec<SentWebhook>,
}

/// The most faults that can be ordered, and the most webhooks that are remembered.
const LISTS_MAX: usize = 10_000;

impl RunningCarrier {
    #[boxed]
    pub async fn start(settings: CarrierSettings) -> Result<Self, StartError> {
        let address = settings.listen;
        let failed = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let carrier = Arc::new(Carrier {
            api_key: settings.api_key,
            url: format!("http://{address}"),
            webhooks: Mutex::new(WebhookTarget {
                url: settings.webhook_url,
                secret: settings.webhook_secret,
            }),
            state: Mutex::new(CarrierState {
                shipments: Shipments::starting_at(settings.clock.now()),
                faults: Vec::new(),
                random: SeededRandom::new(settings.seed),
                sent: Vec::new(),
            }),
            clock: settings.clock,
        });
        let router = build_router(Arc::clone(&carrier));
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        tasks.spawn(accept(listener, router, tasks.clone(), stop.clone()));
        Ok(Self { carrier, address, tasks, stop: stop.drop_guard() })
    }

    /// The base address of the API.
    pub fn api_url(&self) -> String {
        format!("http://{}/v2", self.address)
    }

    /// The address of the server.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where webhooks are sent from now on.
    pub fn send_webhooks_to(&self, url: &str) {
        self.carrier.webhook_target().url = Some(url.to_owned());
    }

    /// How many labels were bought.
    pub fn purchase_count(&self) -> usize {
        self.carrier.lock().shipments.purchases().count()
    }

    /// Moves a parcel to a status and reports it. False if there is no such parcel.
    #[boxed]
    pub async fn move_parcel(&self, tracking_code: &str, status: &str) -> bool {
        webhooks::move_parcel(&self.carrier, tracking_code, &[status.to_owned()]).await.is_some()
    }

    #[boxed]
    pub async fn stop(self) {
        drop(self.stop);
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn build_router(carrier: Arc<Carrier>) -> Router {
    api::routes().merge(control::routes()).with_state(carrier)
}

impl Carrier {
    fn lock(&self) -> MutexGuard<'_, CarrierState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn webhook_target(&self) -> MutexGuard<'_, WebhookTarget> {
        self.webhooks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fault that was ordered for this call, if there is one.
    fn draw_fault(&self, point: FaultPoint) -> Option<FaultKind> {
        let CarrierState { faults, random, .. } = &mut *self.lock();
        let position = faults.iter().position(|fault| {
            fault.at.covers(point) && random.below(100) < u64::from(fault.percent)
        })?;
        let fault = faults.get_mut(position)?;
        let kind = fault.fault;
        if let Some(count) = &mut fault.count {
            *count = count.saturating_sub(1);
            if *count == 0 {
                faults.remove(position);
            }
        }
        Some(kind)
    }
}
