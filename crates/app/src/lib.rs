//! Use cases, one file each: load, decide, commit.
//!
//! The API, the command line and the pages call the same functions. A use case
//! loads versioned state, asks a pure function of `domain` what follows, and commits
//! everything that was decided in one transaction. Nothing is locked meanwhile:
//! when somebody else was quicker the store says so and the decision is taken again
//! ([`commit_once`]).

pub mod add_client;
pub mod add_merchant;
mod arrived_orders;
mod asn_receipts;
pub mod asns;
pub mod audit_trail;
pub mod authenticate;
pub mod bulk_retry;
pub mod carrier_events;
pub mod change_client;
pub mod change_merchant;
pub mod change_return;
pub mod commit_once;
mod cursor;
pub mod delivery_report;
pub mod drop_ship;
pub mod exchange_orders;
pub mod failure_queue;
pub mod held_order;
pub mod import_orders;
pub mod issue_token;
pub mod message_log;
pub mod meters;
pub mod notice;
pub mod onboarding;
pub mod operator_returns;
pub mod operators;
pub mod order_list;
pub mod order_view;
mod outbox;
pub mod overview;
mod passwords;
pub mod pictures;
pub mod policies;
pub mod portals;
pub mod receipts;
pub mod refund_case;
pub mod refund_problems;
pub mod return_label;
pub mod return_list;
pub mod return_story;
pub mod returnability;
pub mod rotate_secret;
pub mod search;
pub mod secrets;
pub mod sent_request;
pub mod sessions;
pub mod set_endpoints;
mod settle_refunds;
pub mod shipments;
pub mod shopper;
pub mod start_return;
pub mod sweep;
pub mod take_in_orders;
pub mod test_endpoint;
pub mod unit_changes;
pub mod unit_questions;
pub mod unit_story;
pub mod variants;
mod whose;
pub mod workbench;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use delivery::{Delivery, Shared, TargetAnswer, Targets, address::AddressGuard};
use domain::{
    faults::Faults, identifier::MerchantId, messages::kind::Kind, returns::start::Refused,
};
use store::{Conclusion, Store, StoreError, Transaction};
use tokio::sync::Notify;

use authenticate::Callers;
use bulk_retry::SharedJobs;
use exchange_orders::ExchangeAnswers;
use meters::Meters;
use passwords::Passwords;
use pictures::Pictures;
use variants::Remembered;
use world::{Vault, World};

/// Everything a use case needs. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub store: Store,
    pub world: World,
    vault: Arc<Vault>,
    delivery: Delivery,
    guard: AddressGuard,
    callers: Arc<Callers>,
    jobs: SharedJobs,
    /// Told when a return may want a label.
    pub labels_wanted: Arc<Notify>,
    /// Exchange orders whose merchants have answered.
    pub exchange_answers: Arc<ExchangeAnswers>,
    /// For questions to merchants' servers.
    calls: Shared,
    variants: Arc<Remembered>,
    passwords: Arc<Passwords>,
    pictures: Arc<Pictures>,
    meters: Meters,
}

/// What an app is made of.
pub struct Parts {
    pub store: Store,
    pub world: World,
    pub vault: Vault,
    /// Where committed messages are handed over.
    pub delivery: Delivery,
    /// Decides which addresses messages may be sent to.
    pub guard: AddressGuard,
    /// Connections, tokens and limits for questions to merchants' servers.
    pub calls: Shared,
    pub meters: Meters,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        Self {
            store: parts.store,
            world: parts.world,
            vault: Arc::new(parts.vault),
            delivery: parts.delivery,
            guard: parts.guard,
            callers: Arc::default(),
            jobs: Arc::default(),
            labels_wanted: Arc::default(),
            exchange_answers: Arc::default(),
            calls: parts.calls,
            variants: Arc::default(),
            passwords: Arc::default(),
            pictures: Arc::default(),
            meters: parts.meters,
        }
    }

    /// Makes a transaction durable and hands the messages that it owes over to be sent.
    pub(crate) async fn commit(&self, transaction: Transaction) -> Result<(), StoreError> {
        let owed = self.store.commit(transaction).await?;
        self.delivery.owed(owed);
        Ok(())
    }

    /// Whether messages may be sent to this address, as far as its text tells; why not, in words.
    pub fn check_url(&self, url: &str) -> Result<(), String> {
        self.guard.check_url(url).map(drop).map_err(|refused| refused.to_string())
    }
}

/// Where the delivery engine asks for addresses.
pub struct TargetsOf(pub App);

impl Targets for TargetsOf {
    fn target(&self, merchant: MerchantId, kind: Kind) -> TargetAnswer<'_> {
        Box::pin(async move {
            let target = set_endpoints::target(&self.0, &merchant, kind).await;
            target.map_err(|error| error.to_string())
        })
    }

    fn ended(&self, end: &Conclusion) {
        self.0.exchange_answers.note(end);
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
    Refused(Vec<Refused>),
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
    #[error("a stored answer is unreadable")]
    UnreadableAnswer(#[source] serde_json::Error),
}

/// Every refusal in one sentence.
fn refusals(refused: &[Refused]) -> String {
    let each: Vec<String> =
        refused.iter().map(|it| format!("{} {} ({})", it.field, it.message, it.rule)).collect();
    format!("the return is refused: {}", each.join("; "))
}
