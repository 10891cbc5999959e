//! What every call shares: the guard, the roots of trust, time, and the limits.

use std::{sync::Arc, time::Duration};

use domain::identifier::MerchantId;
use rustls::{ClientConfig, RootCertStore};
use world::World;

use super::answer::AnswerLimits;
use crate::address::AddressGuard;

/// The limits of a call.
#[derive(Clone, Debug)]
pub struct CallSettings {
    /// For a whole attempt: token, connection, request, answer, and the repeat after a 401.
    pub request_time_max: Duration,
    /// For looking up a name, connecting to it and the TLS handshake.
    pub connect_time_max: Duration,
    /// An answer is read up to here; then the connection is closed.
    pub answer_max_bytes: usize,
    /// How much of an answer is kept for the log.
    pub answer_kept_bytes: usize,
    pub user_agent: String,
}

impl Default for CallSettings {
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

impl CallSettings {
    pub(super) fn limits(&self) -> AnswerLimits {
        AnswerLimits {
            read_max_bytes: self.answer_max_bytes,
            kept_max_bytes: self.answer_kept_bytes,
        }
    }
}

/// Passed to every endpoint; a clone shares everything.
#[derive(Clone)]
pub(crate) struct CallContext {
    inner: Arc<ContextInner>,
}

struct ContextInner {
    guard: AddressGuard,
    tls: Arc<ClientConfig>,
    world: World,
    settings: CallSettings,
}

impl CallContext {
    pub(crate) fn new(
        guard: AddressGuard,
        tls: ClientConfig,
        world: World,
        settings: CallSettings,
    ) -> Self {
        let mut tls = tls;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Self { inner: Arc::new(ContextInner { guard, tls: Arc::new(tls), world, settings }) }
    }

    /// What calls on behalf of `merchant` share.
    pub(crate) fn for_merchant(&self, merchant: &MerchantId) -> Self {
        // Usually there are no exceptions, and all merchants share one context.
        if !self.inner.guard.has_exceptions() {
            return self.clone();
        }
        self.with_guard(self.inner.guard.for_merchant(merchant))
    }

    /// What calls share that must go to public addresses, whatever is allowed.
    pub(crate) fn public_only(&self) -> Self {
        self.with_guard(AddressGuard::default())
    }

    /// What calls share that go to an address that an operator has set.
    pub(crate) fn anywhere(&self) -> Self {
        self.with_guard(AddressGuard::open())
    }

    fn with_guard(&self, guard: AddressGuard) -> Self {
        let ContextInner { tls, world, settings, .. } = &*self.inner;
        let (tls, world, settings) = (Arc::clone(tls), world.clone(), settings.clone());
        Self { inner: Arc::new(ContextInner { guard, tls, world, settings }) }
    }

    pub(crate) fn guard(&self) -> &AddressGuard {
        &self.inner.guard
    }

    pub(crate) fn settings(&self) -> &CallSettings {
        &self.inner.settings
    }

    pub(crate) fn tls(&self) -> &Arc<ClientConfig> {
        &self.inner.tls
    }

    pub(crate) fn world(&self) -> &World {
        &self.inner.world
    }
}

/// TLS 1.2 and 1.3, trusting what this machine trusts.
pub fn machine_trust() -> ClientConfig {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        let causes: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
        let cause =
            if causes.is_empty() { "none is installed".to_owned() } else { causes.join("; ") };
        tracing::warn!("loading root certificates failed, calls over https will fail: {cause}");
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
