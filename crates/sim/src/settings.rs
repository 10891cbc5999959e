//! The settings of a simulated merchant.

use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use domain::messages::endpoint::Auth;
use jiff::Timestamp;

pub const KEEP_CALLS: usize = 100_000;
pub const KEEP_BODIES: usize = 1_000;
pub const TOKEN_LIFETIME_S: u32 = 60 * 60;
pub const FIRST_ORDER_NUMBER: u64 = 100_001;

/// The settings of a merchant.
///
/// There is no `Debug`, because they contain secrets.
#[derive(Clone)]
pub struct Settings {
    /// Port 0 takes any free port.
    pub listen: SocketAddr,
    /// The address of the images for browsers; by default the listening address.
    pub public_url: Option<String>,
    /// `whsec_<base64>`, as Homeward prints them. A call must be signed with one of these.
    pub signing_secrets: Vec<String>,
    /// The credentials that calls must have. Of OAuth 2.0 only the client's id and secret matter:
    /// the token endpoint is always the merchant's own `/oauth/token`.
    pub auth: Auth<String>,
    pub token_lifetime_s: u32,
    /// Whether signatures are checked. This needs a secret.
    pub verify: bool,
    /// Whether the order of messages is checked. This reads every body.
    pub check_order: bool,
    /// How many of the latest calls are kept.
    pub keep_calls: usize,
    /// How many of those are kept with their headers and bodies.
    pub keep_bodies: usize,
    /// The seed for random failures: the same calls fail again.
    pub seed: u64,
    /// The number of the first exchange order. A merchant that is started again must not reuse old
    /// numbers.
    pub first_order_number: u64,
    pub clock: Clock,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            public_url: None,
            signing_secrets: Vec::new(),
            auth: Auth::None,
            token_lifetime_s: TOKEN_LIFETIME_S,
            verify: true,
            check_order: true,
            keep_calls: KEEP_CALLS,
            keep_bodies: KEEP_BODIES,
            seed: 1,
            first_order_number: FIRST_ORDER_NUMBER,
            clock: Clock::system(),
        }
    }
}

/// The merchant's clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the one place that may ask the machine")]
    pub fn system() -> Self {
        Self(Arc::new(Timestamp::now))
    }

    /// A clock that shows `micros` since the epoch.
    pub fn manual(micros: Arc<AtomicI64>) -> Self {
        Self::from_fn(move || micros.load(Ordering::Relaxed))
    }

    /// A clock that shows the result of `micros`, in microseconds since the epoch.
    pub fn from_fn(micros: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(move || Timestamp::from_microsecond(micros()).unwrap_or_default()))
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Clock").field(&self.now()).finish()
    }
}
