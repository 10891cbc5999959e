//! Use cases, one file each: load, decide, commit.
//!
//! The API, the portal and the console call the same functions. A use case loads versioned state,
//! asks a pure function of `domain` for the decision, and commits everything that was decided in
//! one transaction. Nothing is locked in between: if another request was faster, the store reports
//! a conflict, and the use case decides again (`core/commit_once.rs`).

pub mod access;
pub mod background;
pub mod carriers;
pub mod core;
pub mod exchanges;
pub mod merchants;
pub mod messages;
pub mod money;
pub mod orders;
pub mod returns;
pub mod warehouse;
pub mod withdrawal;

#[cfg(test)]
mod tests;

// Only the tests of `api` compile the descriptions of types: see the crate `undescribed`.
#[cfg(not(feature = "describe"))]
extern crate undescribed as utoipa;

use std::{ops::Deref, sync::Arc};

use delivery::{DispatcherHandle, HttpClient, address::AddressGuard};
use domain::{faults::Faults, identifier::MerchantId, returns::start::ReturnRefusal};
use store::{Store, StoreError};
use tokio::sync::Notify;

use crate::core::metrics::AppMetrics;
use access::authenticate::CallerCache;
use access::lookup_limit::LookupTurns;
use access::passwords::PasswordHasherSlots;
use exchanges::finished_messages::FinishedExchangeMessages;
use exchanges::variants::VariantCache;
use merchants::pictures::PictureCache;
use messages::mail::{MailProfiles, platform::PlatformMail};
use messages::{
    bulk_retry::RetryJob,
    certify_check::CertifyCheck,
    certify_endpoints::CertifyTurns,
    jobs::Jobs,
    replay::{ReplayJob, pace::ReplayPace},
};
use world::{KeyedTurns, Vault, World};

/// Everything a use case needs. Every request clones it several times, so that is one counter.
#[derive(Clone)]
pub struct App(Arc<AppState>);

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

/// What an [`App`] has.
pub struct AppState {
    pub store: Store,
    pub world: World,
    vault: Vault,
    dispatcher: DispatcherHandle,
    guard: AddressGuard,
    callers: CallerCache,
    jobs: Jobs<RetryJob>,
    replays: Jobs<ReplayJob>,
    replay_pace: ReplayPace,
    /// The right to start a replay for a merchant.
    replay_turns: Arc<KeyedTurns<MerchantId>>,
    /// Notified when a return may need a label.
    pub labels_wanted: Notify,
    /// Messages about exchange orders that are finished and can be settled.
    pub finished_exchange_messages: Arc<FinishedExchangeMessages>,
    /// For requests that do not send a message, such as for variants and images.
    http: HttpClient,
    variants: VariantCache,
    passwords: PasswordHasherSlots,
    pictures: PictureCache,
    metrics: AppMetrics,
    mail: PlatformMail,
    mail_profiles: MailProfiles,
    /// Whether an endpoint must pass its check before it gets messages.
    certificate_required: bool,
    certify_turns: CertifyTurns,
    certify_checks: Jobs<CertifyCheck>,
    lookup_turns: LookupTurns,
}

/// What an [`App`] is made of.
pub struct AppParts {
    pub store: Store,
    pub world: World,
    pub vault: Vault,
    /// Where messages are enqueued after their commit.
    pub dispatcher: DispatcherHandle,
    /// Decides which addresses messages may be sent to.
    pub guard: AddressGuard,
    /// Connections, tokens and limits for other requests to merchants' servers.
    pub http: HttpClient,
    pub metrics: AppMetrics,
    /// How mails are sent unless a merchant has its own server.
    pub mail: PlatformMail,
    /// Whether an endpoint must pass its check before it gets messages.
    pub certificate_required: bool,
}

impl App {
    pub fn new(parts: AppParts) -> Self {
        Self(Arc::new(AppState {
            store: parts.store,
            world: parts.world,
            vault: parts.vault,
            dispatcher: parts.dispatcher,
            guard: parts.guard,
            callers: CallerCache::default(),
            jobs: Jobs::default(),
            replays: Jobs::default(),
            replay_pace: ReplayPace::default(),
            replay_turns: KeyedTurns::new(1),
            labels_wanted: Notify::default(),
            finished_exchange_messages: Arc::default(),
            http: parts.http,
            variants: VariantCache::default(),
            passwords: PasswordHasherSlots::default(),
            pictures: PictureCache::default(),
            metrics: parts.metrics,
            mail: parts.mail,
            mail_profiles: MailProfiles::default(),
            certificate_required: parts.certificate_required,
            certify_turns: CertifyTurns::default(),
            certify_checks: Jobs::default(),
            lookup_turns: LookupTurns::default(),
        }))
    }

    /// Whether messages of the merchant may be sent to this address, as far as its text shows; if
    /// not, why.
    pub fn check_url(&self, merchant: &MerchantId, url: &str) -> Result<(), String> {
        self.guard
            .for_merchant(merchant)
            .check_url(url)
            .map(drop)
            .map_err(|refused| refused.to_string())
    }
}

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The request names something that does not exist, or that this caller must not see.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// The request contradicts what is stored.
    #[error("{0}")]
    Conflict(String),
    /// The shopper agreed to a total that is out of date.
    #[error("the total of the return has changed")]
    Changed,
    /// The bytes are not JSON.
    #[error("the body is not JSON: {0}")]
    Malformed(#[from] domain::json::Malformed),
    /// The parameter with this name is no position in a list, so it cannot be continued from there.
    #[error("{0} is not a position in this list: send `next` of the page before")]
    UnreadablePosition(&'static str),
    /// The policy does not allow the return.
    #[error("{}", summarize_refusals(.0))]
    Refused(Vec<ReturnRefusal>),
    /// The body is JSON, but not what the contract requires.
    #[error("{}", .0.summary())]
    Invalid(Faults),
    /// The merchant's server cannot be reached, or its response is unusable.
    #[error("the request to the merchant's server failed: {0}")]
    Unreachable(String),
    #[error("the merchant's server did not respond in time")]
    TooSlow,
    /// Too many requests wait for the same thing.
    #[error("too many {0} are waiting; try again")]
    Busy(&'static str),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored secret cannot be opened with this key file.
    #[error(transparent)]
    Vault(#[from] world::VaultError),
    #[error("a stored document is unreadable: {0}")]
    UnreadableResponse(serde_json::Error),
}

impl AppError {
    /// Whether it fails again if it is tried again, such as the reading of a damaged row.
    pub(crate) fn is_lasting(&self) -> bool {
        let passes = |cause: &StoreError| {
            matches!(
                cause,
                StoreError::Conflict | StoreError::Database { .. } | StoreError::Unusable(_)
            )
        };
        !matches!(self, Self::Store(cause) if passes(cause))
    }

    /// Whether the change may be committed all the same: of a commit whose connection was lost,
    /// the result is unknown.
    pub(crate) fn may_be_committed(&self) -> bool {
        matches!(self, Self::Store(cause) if !matches!(cause, StoreError::Conflict))
    }
}

/// All refusals in one sentence.
fn summarize_refusals(refused: &[ReturnRefusal]) -> String {
    let each: Vec<String> = refused
        .iter()
        .map(|it| format!("{} {} ({})", it.field, it.message, it.rule.name()))
        .collect();
    format!("the return is refused: {}", each.join("; "))
}
