//! What every route shares: the listener and its limits, the state that handlers reach, refusals,
//! and what pages load.
//!
//! `guard` is between the network and the routes. `error` is the only place with the status codes
//! of refusals. `requests` reads what both the API and the console accept. The routes themselves
//! are in `api`, `portal` and `console`, one crate for each audience.

pub mod assets;
pub mod cookie;
pub mod demo;
pub mod documents;
pub mod error;
pub mod form;
pub mod guard;
pub mod hsts;
pub mod json_body;
pub mod limit;
pub mod limit_sharing;
pub mod login_throttle;
pub mod mail_document;
pub mod metrics;
pub mod observe;
pub mod path;
pub mod query;
pub mod requests;
pub mod same_origin;

// Only the tests of `api` compile the descriptions of types: see the crate `undescribed`.
#[cfg(not(feature = "describe"))]
extern crate undescribed as utoipa;

use std::{
    net::{IpAddr, Ipv4Addr},
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use app::{App, access::devices::open_device};
use axum::http::{Extensions, request::Parts};
use domain::access::operator::OperatorName;
use prometheus_client::registry::Registry;
use store::LastingFailure;

use cookie::read_cookie;
use guard::{
    RequestOrigin, change_slots::ChangeSlots, network_limit::NetworkLimit, rate_limit::RateLimit,
};
use login_throttle::{LoginAttempt, LoginThrottle};
use metrics::Metrics;

/// How often one address may try to name an order at the portal.
const LOOKUPS_PER_MINUTE: u32 = 20;
/// How many failed attempts to get access are recorded in the audit trail.
const REFUSALS_PER_ADDRESS_AND_MINUTE: u32 = 10;
const REFUSALS_PER_MINUTE: u32 = 120;
/// The cookie of a browser in which an operator has logged in.
pub const DEVICE_COOKIE: &str = "homeward_device";

/// What the routes need to know of the process they run in.
#[derive(Clone, Debug)]
pub struct Settings {
    pub environment: &'static str,
    pub rate_limit_per_minute: u32,
    /// What a demo shows its visitors.
    pub demo: Option<demo::DemoStatus>,
    /// Whether browsers reach this process over TLS only.
    pub secure_cookies: bool,
}

/// What every handler can reach. Every request clones it several times, so that is one counter.
#[derive(Clone)]
pub struct Web(Arc<WebState>);

impl Deref for Web {
    type Target = WebState;

    fn deref(&self) -> &WebState {
        &self.0
    }
}

/// What a [`Web`] has.
pub struct WebState {
    pub app: App,
    pub settings: Settings,
    pub(crate) rate_limit: RateLimit,
    /// Limits attempts to name an order at the portal.
    pub lookups: NetworkLimit,
    /// Limits attempts to log in to the console.
    pub login_throttle: LoginThrottle,
    refusals_by_address: RateLimit,
    refusals: RateLimit<()>,
    pub registry: Registry,
    pub(crate) metrics: Metrics,
    pub(crate) changes: ChangeSlots,
    pub started: Instant,
    draining: AtomicBool,
    /// Of the check whether this node is ready. Load balancers ask for it every few seconds.
    pub readiness_failures: LastingFailure,
}

impl Web {
    /// Registers what the routes count in `registry`, which `/metrics` then shows.
    pub fn new(app: App, settings: Settings, mut registry: Registry) -> Self {
        let metrics = Metrics::register(&mut registry);
        Self(Arc::new(WebState {
            app,
            rate_limit: RateLimit::new(settings.rate_limit_per_minute),
            lookups: NetworkLimit::new(LOOKUPS_PER_MINUTE),
            login_throttle: LoginThrottle::default(),
            refusals_by_address: RateLimit::new(REFUSALS_PER_ADDRESS_AND_MINUTE),
            refusals: RateLimit::new(REFUSALS_PER_MINUTE),
            settings,
            registry,
            metrics,
            changes: ChangeSlots::default(),
            started: Instant::now(),
            draining: AtomicBool::default(),
            readiness_failures: LastingFailure::new("the readiness check", "/readyz fails"),
        }))
    }

    /// From now on, this node says that it is not ready, so that load balancers send no more
    /// requests to it.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Changes how many requests per minute one address may make.
    pub fn set_rate_limit(&self, per_minute: u32) {
        self.rate_limit.set_limit(per_minute);
    }

    /// An attempt to log in under this name, from the address and the browser of the request.
    pub fn login_attempt(&self, parts: &Parts, name: Option<OperatorName>) -> LoginAttempt {
        let device = name.as_ref().zip(read_cookie(&parts.headers, DEVICE_COOKIE));
        let device = device.and_then(|(name, sealed)| open_device(&self.app, sealed, name));
        LoginAttempt { address: client_address(&parts.extensions), name, device }
    }

    /// Whether a failed attempt to get access goes to the audit trail. A flood of them must not
    /// fill the database.
    pub fn records_refusal(&self, address: IpAddr) -> bool {
        let now = self.started.elapsed();
        self.refusals_by_address.check(address, now).allowed
            && self.refusals.check_key((), now).allowed
    }
}

/// The address of the client that sent a request. The listener adds it to every request, so only
/// requests inside the process may have none.
pub fn address_of(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<RequestOrigin>().map(|origin| origin.address)
}

/// The same where a request without an address counts like any other.
pub fn client_address(extensions: &Extensions) -> IpAddr {
    address_of(extensions).unwrap_or(Ipv4Addr::UNSPECIFIED.into())
}
