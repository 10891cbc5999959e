//! What stands between the network and the routes.
//!
//! [`serve`] accepts connections and bounds how many there are and how long one may take;
//! [`tls`] decides which protocol versions are spoken and keeps the certificate current;
//! [`write_stall`] gives up on a client that does not read its answer. A request that came
//! through carries [`Peer`]. From there on the routes use [`client_address`] to learn who
//! asks when proxies stand in front, [`rate_limit`] to refuse whoever asks too often, and
//! [`limits`] to read a body that is neither too large nor too slow.
//!
//! Nothing in here knows a route, a status code of ours or the store.

use std::{net::IpAddr, sync::Arc};

use tokio_util::sync::CancellationToken;

pub mod client_address;
#[cfg(test)]
mod fixtures;
pub mod limits;
pub mod rate_limit;
pub mod serve;
pub mod tls;
mod write_stall;

/// The address at the other end of the connection: a request extension of every request that
/// [`serve::Listener`] accepted. It is the client only when no proxy stands in front; ask
/// [`client_address`] for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// Whether the connection is encrypted up to this process: a request extension too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encrypted(pub bool);

/// Cancelled when the server is to end: a request extension, for answers that would go on for ever.
#[derive(Clone, Debug)]
pub struct Stopping(pub Arc<CancellationToken>);
