//! What is between the network and the routes.
//!
//! [`serve`] accepts connections and limits their number and duration. [`tls`] configures the
//! protocol versions and keeps the certificate current. [`write_stall`] drops a client that does
//! not read its response. Each accepted request carries a [`Peer`]. The routes then use
//! [`client_address`] to find the client behind proxies, [`rate_limit`] to refuse clients with too
//! many requests, and [`limits`] to read a body within its limits.
//!
//! Nothing in this module knows routes, our status codes or the store.

use std::{net::IpAddr, sync::Arc};

use tokio_util::sync::CancellationToken;

pub mod client_address;
#[cfg(test)]
mod fixtures;
pub mod limits;
pub mod network_limit;
pub mod rate_limit;
pub mod serve;
pub mod tls;
mod write_stall;

/// The address at the other end of the connection: a request extension of every request that
/// [`serve::Listener`] accepted. It is the client only if there is no proxy in front; use
/// [`client_address`] to get the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// Whether the connection is encrypted up to this process: a request extension too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encrypted(pub bool);

/// Canceled when the server stops: a request extension, for responses that would never end.
#[derive(Clone, Debug)]
pub struct Stopping(pub Arc<CancellationToken>);
