//! Use cases, one file each: load, decide, commit.
//!
//! The API, the command line and the pages call the same functions. A use case
//! loads versioned state, asks a pure function of `domain` what follows, and commits
//! everything that was decided in one transaction. Nothing is locked meanwhile:
//! when somebody else was quicker the store says so and the decision is taken again
//! ([`core::commit_once`]).

pub mod access;
pub mod background;
pub mod core;
pub mod exchanges;
pub mod merchants;
pub mod messages;
pub mod orders;
pub mod returns;
pub mod warehouse;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use delivery::{DispatcherHandle, HttpClient, address::AddressGuard};
use domain::{faults::Faults, returns::start::ReturnRefusal};
use store::{Store, StoreError};
use tokio::sync::Notify;

use crate::core::metrics::AppMetrics;
use access::authenticate::CallerCache;
use access::passwords::PasswordHasherSlots;
use exchanges::exchange_orders::ExchangeAnswers;
use exchanges::variants::VariantCache;
use merchants::pictures::PictureCache;
use messages::bulk_retry::SharedBulkJobs;
use world::{Vault, World};

/// Everything a use case needs. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub store: Store,
    pub world: World,
    vault: Arc<Vault>,
    dispatcher: DispatcherHandle,
    guard: AddressGuard,
    callers: Arc<CallerCache>,
    jobs: SharedBulkJobs,
    /// Told when a return may want a label.
    pub labels_wanted: Arc<Notify>,
    /// Exchange orders whose merchants have answered.
    pub exchange_answers: Arc<ExchangeAnswers>,
    /// For questions to merchants' servers.
    http: HttpClient,
    variants: Arc<VariantCache>,
    passwords: Arc<PasswordHasherSlots>,
    pictures: Arc<PictureCache>,
    meters: AppMetrics,
}

/// What an app is made of.
pub struct Parts {
    pub store: Store,
    pub world: World,
    pub vault: Vault,
    /// Where messages are enqueued after their commit.
    pub dispatcher: DispatcherHandle,
    /// Decides which addresses messages may be sent to.
    pub guard: AddressGuard,
    /// Connections, tokens and limits for questions to merchants' servers.
    pub http: HttpClient,
    pub meters: AppMetrics,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        Self {
            store: parts.store,
            world: parts.world,
            vault: Arc::new(parts.vault),
            dispatcher: parts.dispatcher,
            guard: parts.guard,
            callers: Arc::default(),
            jobs: Arc::default(),
            labels_wanted: Arc::default(),
            exchange_answers: Arc::default(),
            http: parts.http,
            variants: Arc::default(),
            passwords: Arc::default(),
            pictures: Arc::default(),
            meters: parts.meters,
        }
    }

    /// Whether messages may be sent to this address, as far as its text tells; why not, in words.
    pub fn check_url(&self, url: &str) -> Result<(), String> {
        self.guard.check_url(url).map(drop).map_err(|refused| refused.to_string())
    }
}

/// Why a use case did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The request names something that is not there, or not there for this caller.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The request contradicts what is stored.
    #[error("{0}")]
    Conflict(String),
    /// What was agreed to is not what it would be now.
    #[error("what the return comes to has changed")]
    Changed,
    /// The bytes are not JSON.
    #[error("the body is not JSON: {0}")]
    Malformed(#[from] domain::json::Malformed),
    /// What is asked for is against the rules of returns.
    #[error("{}", refusals(.0))]
    Refused(Vec<ReturnRefusal>),
    /// JSON, but not what the contract asks for.
    #[error("{}", .0.summary())]
    Invalid(Faults),
    /// The merchant's server cannot be reached, or answered nothing of use.
    #[error("the merchant's server cannot be asked: {0}")]
    Unreachable(String),
    #[error("the merchant's server did not answer in time")]
    TooSlow,
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored secret cannot be opened with this key file.
    #[error(transparent)]
    Vault(#[from] world::VaultError),
    #[error("a stored response is unreadable: {0}")]
    UnreadableResponse(serde_json::Error),
}

/// Every refusal in one sentence.
fn refusals(refused: &[ReturnRefusal]) -> String {
    let each: Vec<String> = refused
        .iter()
        .map(|it| format!("{} {} ({})", it.field, it.message, it.rule.name()))
        .collect();
    format!("the return is refused: {}", each.join("; "))
}
