//! What every route shares: the listener and its limits, the state that handlers reach, refusals,
//! and what pages load.
//!
//! `guard` is between the network and the routes. `error` is the only place with the status codes
//! of refusals. `requests` reads what both the API and the console accept. The routes themselves
//! are in `api`, `portal` and `console`, one crate for each audience.

pub mod assets;
pub mod cookie;
pub mod demo;
pub mod error;
pub mod form;
pub mod guard;
pub mod json_body;
pub mod limit;
pub mod login_throttle;
pub mod metrics;
pub mod observe;
pub mod path;
pub mod query;
pub mod requests;
mod same_origin;

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Instant,
};

use app::App;
use axum::http::{HeaderMap, request::Parts};
use domain::access::operator::OperatorName;
use prometheus_client::registry::Registry;

use guard::{
    Encrypted, Peer, client_address::client_address_of, network_limit::NetworkLimit,
    rate_limit::RateLimit,
};
use login_throttle::{LoginAttempt, LoginThrottle};
use metrics::Metrics;

/// How often one address may try to name an order at the portal.
const LOOKUPS_PER_MINUTE: u32 = 20;

/// What the routes need to know of the process they run in.
#[derive(Clone, Debug)]
pub struct Settings {
    pub environment: &'static str,
    pub rate_limit_per_minute: u32,
    pub trusted_hops: usize,
    /// What a demo shows its visitors.
    pub demo: Option<demo::DemoStatus>,
    /// Whether browsers reach this process over TLS only.
    pub secure_cookies: bool,
}

/// What every handler can reach.
#[derive(Clone)]
pub struct Web {
    pub app: App,
    pub settings: Settings,
    pub(crate) rate_limit: Arc<RateLimit>,
    /// Limits attempts to name an order at the portal.
    pub lookups: Arc<NetworkLimit>,
    /// Limits attempts to log in to the console.
    pub login_throttle: Arc<LoginThrottle>,
    pub registry: Arc<Registry>,
    pub(crate) metrics: Metrics,
    pub started: Instant,
}

impl Web {
    /// Registers what the routes count in `registry`, which `/metrics` then shows.
    pub fn new(app: App, settings: Settings, mut registry: Registry) -> Self {
        let metrics = Metrics::register(&mut registry);
        Self {
            app,
            rate_limit: Arc::new(RateLimit::new(settings.rate_limit_per_minute)),
            lookups: Arc::new(NetworkLimit::new(LOOKUPS_PER_MINUTE)),
            login_throttle: Arc::default(),
            settings,
            registry: Arc::new(registry),
            metrics,
            started: Instant::now(),
        }
    }

    /// The address of the client, seen through the trusted proxies.
    pub fn client_address(&self, peer: Peer, headers: &HeaderMap) -> IpAddr {
        client_address_of(peer.0, headers, self.settings.trusted_hops)
    }

    /// An attempt to log in under this name, from the address of the client.
    pub fn login_attempt(&self, parts: &Parts, name: Option<OperatorName>) -> LoginAttempt {
        let address = self.address_of(parts).unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        LoginAttempt { address, name }
    }

    /// The address of the client of a request. The listener adds the peer to every request, so
    /// only requests inside the process have none.
    pub fn address_of(&self, parts: &Parts) -> Option<IpAddr> {
        let peer = parts.extensions.get::<Peer>().copied()?;
        Some(self.client_address(peer, &parts.headers))
    }

    /// Whether the browser speaks https, to this process or to a trusted proxy.
    pub fn is_https(&self, parts: &Parts) -> bool {
        let here = parts.extensions.get::<Encrypted>().is_some_and(|encrypted| encrypted.0);
        let forwarded = parts.headers.get("x-forwarded-proto");
        here || self.settings.trusted_hops > 0 && forwarded.is_some_and(|it| it == "https")
    }

    /// Whether a form comes from one of our own pages.
    pub fn is_same_origin(&self, headers: &HeaderMap) -> bool {
        same_origin::is_same_origin(headers, self.settings.trusted_hops)
    }
}
