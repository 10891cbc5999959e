//! What is between the network and the routes.
//!
//! [`serve`] accepts connections and limits their number and duration, for each address with
//! [`address_slots`]. [`tls`] configures the protocol versions and keeps the certificate current.
//! [`slow_reader`] drops a client that does not read its response, and [`lingering_close`] lets one
//! that still sends read its refusal. Each accepted request carries a [`RequestOrigin`], which
//! [`client_address`] finds behind proxies. The routes then use [`rate_limit`] to refuse clients
//! with too many requests, [`change_slots`] to refuse those with too many changes at once, and
//! [`limits`] to read a body within its limits. [`compression`] makes large responses smaller.
//!
//! Nothing in this module knows routes, our status codes or the store.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use tokio_util::sync::CancellationToken;

mod address_slots;
pub(crate) mod change_slots;
pub mod client_address;
pub mod compression;
#[cfg(test)]
mod fixtures;
pub mod limits;
mod lingering_close;
pub mod network_limit;
pub mod rate_limit;
pub mod serve;
mod slow_reader;
pub mod tls;

/// Who sent a request: an extension of every request that [`serve::Listener`] accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestOrigin {
    /// The client, seen through the trusted proxies.
    pub address: IpAddr,
    /// Whether it came from this machine and no proxy forwarded it.
    pub is_local: bool,
}

impl RequestOrigin {
    /// A request of this process itself.
    pub const fn own_process() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), is_local: true }
    }
}

/// Whether the connection is encrypted up to this process: a request extension too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encrypted(pub bool);

/// Canceled when the server stops: a request extension, for responses that would never end.
#[derive(Clone, Debug)]
pub struct Stopping(pub Arc<CancellationToken>);
