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
pub mod audit_trail;
pub mod authenticate;
pub mod change_client;
pub mod change_merchant;
pub mod commit_once;
pub mod held_order;
pub mod import_orders;
pub mod issue_token;
pub mod meters;
pub mod rotate_secret;
pub mod secrets;
pub mod sweep;
pub mod take_in_orders;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use domain::faults::Faults;
use store::{Store, StoreError};

use authenticate::Callers;
use meters::Meters;
use world::{Vault, World};

/// Everything a use case needs. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub store: Store,
    pub world: World,
    vault: Arc<Vault>,
    callers: Arc<Callers>,
    meters: Meters,
}

impl App {
    pub fn new(store: Store, world: World, vault: Vault, meters: Meters) -> Self {
        Self { store, world, vault: Arc::new(vault), callers: Arc::default(), meters }
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
    /// The bytes are not JSON.
    #[error("the body is not JSON: {0}")]
    Malformed(#[from] domain::json::Malformed),
    /// JSON, but not what the contract asks for.
    #[error("{}", .0.summary())]
    Invalid(Faults),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored secret cannot be opened with this key file.
    #[error(transparent)]
    Vault(#[from] world::VaultError),
    #[error("a stored answer is unreadable")]
    UnreadableAnswer(#[source] serde_json::Error),
}
