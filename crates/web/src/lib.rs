//! What API clients and browsers see.
//!
//! `guard` stands between the network and the routes, `api` holds the routes, `docs` describes
//! them to people, `portal` is where shoppers return, `label` makes what they print, `words` is what
//! they read, `console` is where operators and warehouse workers log in, `start` is the page at `/`,
//! `assets` holds what pages load.
//! A handler extracts, calls one use case of `app` and answers; status
//! codes are chosen here and nowhere else.

pub mod api;
mod assets;
mod console;
mod cookie;
pub mod demo;
mod docs;
pub mod guard;
mod label;
mod locale;
mod meters;
mod portal;
mod same_origin;
mod spoken;
mod start;
mod words;

use std::{net::IpAddr, sync::Arc, time::Instant};

use app::App;
use axum::{
    Router,
    http::{HeaderMap, request::Parts},
    middleware,
};
use prometheus_client::registry::Registry;

use guard::{Encrypted, Peer, client_address::client_address_of, rate_limit::RateLimit};

/// What the routes need to know of the process they run in.
#[derive(Clone, Debug)]
pub struct Settings {
    pub environment: &'static str,
    pub rate_limit_per_minute: u32,
    pub trusted_hops: usize,
    /// What a demo tells its visitors.
    pub demo: Option<demo::Demo>,
    /// Whether browsers reach us in no other way than over TLS.
    pub secure_cookies: bool,
}

/// What every handler can reach.
#[derive(Clone)]
pub struct Web {
    pub(crate) app: App,
    pub(crate) settings: Settings,
    rate_limit: Arc<RateLimit>,
    /// How often somebody may try to name an order at the portal.
    guesses: Arc<RateLimit>,
    /// How often somebody may try to log in to the console.
    logins: Arc<console::Logins>,
    registry: Arc<Registry>,
    meters: meters::Meters,
    started: Instant,
}

impl Web {
    /// Registers what the routes count in `registry`, which `/metrics` then shows.
    pub fn new(app: App, settings: Settings, mut registry: Registry) -> Self {
        let meters = meters::Meters::register(&mut registry);
        Self {
            app,
            rate_limit: Arc::new(RateLimit::new(settings.rate_limit_per_minute)),
            guesses: Arc::new(RateLimit::new(portal::GUESSES_PER_MINUTE)),
            logins: Arc::default(),
            settings,
            registry: Arc::new(registry),
            meters,
            started: Instant::now(),
        }
    }

    /// Everything this process serves.
    pub fn router(self) -> Router {
        let (api, document) = api::routes();
        let probes =
            api::probes::routes().method_not_allowed_fallback(api::error::method_not_allowed);
        let limited = api
            .merge(docs::routes(document))
            .merge(assets::routes())
            .merge(label::routes())
            .merge(portal::routes(self.clone()))
            .merge(console::routes())
            .merge(start::routes())
            .fallback(api::error::no_such_route)
            .method_not_allowed_fallback(api::error::method_not_allowed)
            .layer(middleware::from_fn_with_state(self.clone(), api::limit::limit));
        limited
            .merge(probes)
            .layer(middleware::from_fn_with_state(self.clone(), meters::observe))
            .with_state(self)
    }

    /// Who asks, seen through the trusted proxies.
    pub(crate) fn client_address(&self, peer: Peer, headers: &HeaderMap) -> IpAddr {
        client_address_of(peer.0, headers, self.settings.trusted_hops)
    }

    /// Whether a page of ours sent the form.
    pub(crate) fn is_same_origin(&self, headers: &HeaderMap) -> bool {
        same_origin::is_same_origin(headers, self.settings.trusted_hops)
    }

    /// Whether the browser speaks https, to us or to a trusted proxy.
    pub(crate) fn is_https(&self, parts: &Parts) -> bool {
        let here = parts.extensions.get::<Encrypted>().is_some_and(|encrypted| encrypted.0);
        let forwarded = parts.headers.get("x-forwarded-proto");
        here || self.settings.trusted_hops > 0 && forwarded.is_some_and(|it| it == "https")
    }
}
