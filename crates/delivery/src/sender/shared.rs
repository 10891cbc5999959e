//! What every endpoint shares: the guard, the roots of trust, time, and the limits.

use std::{fmt, sync::Arc, time::Duration};

use rustls::{ClientConfig, RootCertStore};
use world::World;

use super::answer::Limits;
use crate::{address::AddressGuard, tokens::TokenCaches};

/// The limits of a call.
#[derive(Clone, Debug)]
pub struct Settings {
    /// All of an attempt: token, connection, request, answer, and the repeat after a 401.
    pub request_time_max: Duration,
    /// Looking up a name, connecting to it and agreeing on TLS.
    pub connect_time_max: Duration,
    /// An answer is read up to here; then the connection is closed.
    pub answer_max_bytes: usize,
    /// How much of an answer is kept for the log.
    pub answer_kept_bytes: usize,
    pub user_agent: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            request_time_max: Duration::from_secs(10),
            connect_time_max: Duration::from_secs(3),
            answer_max_bytes: 16 * 1024,
            answer_kept_bytes: 4 * 1024,
            user_agent: concat!("homeward/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl Settings {
    pub(super) fn limits(&self) -> Limits {
        Limits { read_max_bytes: self.answer_max_bytes, kept_max_bytes: self.answer_kept_bytes }
    }
}

/// Handed to every endpoint; a copy is the same thing again.
#[derive(Clone)]
pub struct Shared {
    inner: Arc<Inner>,
}

struct Inner {
    guard: AddressGuard,
    tls: Arc<ClientConfig>,
    world: World,
    settings: Settings,
    tokens: TokenCaches,
}

impl Shared {
    pub fn new(guard: AddressGuard, tls: ClientConfig, world: World, settings: Settings) -> Self {
        let mut tls = tls;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let tokens = TokenCaches::default();
        Self { inner: Arc::new(Inner { guard, tls: Arc::new(tls), world, settings, tokens }) }
    }

    pub fn guard(&self) -> &AddressGuard {
        &self.inner.guard
    }

    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn tls(&self) -> &Arc<ClientConfig> {
        &self.inner.tls
    }

    pub(crate) fn world(&self) -> &World {
        &self.inner.world
    }

    pub(crate) fn tokens(&self) -> &TokenCaches {
        &self.inner.tokens
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("settings", self.settings()).finish_non_exhaustive()
    }
}

/// TLS 1.2 and 1.3, trusting whom this machine trusts.
pub fn machine_trust() -> ClientConfig {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        tracing::warn!("this machine has no root certificates: calls over https will fail");
    }
    trust(roots)
}

/// TLS 1.2 and 1.3, trusting `roots`.
pub(crate) fn trust(roots: RootCertStore) -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider speaks both versions")
        .with_root_certificates(roots)
        .with_no_client_auth()
}
