//! One scheme, host and port, and the warm connections to it.
//!
//! A call takes the connection that was used last, so that under little load the others grow old
//! and are closed. A peer may close an idle connection at the very moment a request goes out on
//! it; when not a byte of an answer came, the request is repeated on a fresh connection. That may
//! deliver it twice, which "at least once" allows.
//!
//! There are never more connections than calls were ever made at once. Idle ones are looked through
//! by a task that lives only as long as there are any.

#[cfg(test)]
mod tests;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::{Uri, header::HeaderValue};
use rustls::pki_types::ServerName;
use tokio::{
    net::TcpStream,
    time::{Instant, sleep, timeout},
};
use tokio_rustls::TlsConnector;

use super::{
    answer::{Answer, Limits},
    connection::Connection,
    shared::Shared,
    stream::Stream,
    trouble::Trouble,
};
use crate::address::{self, Host, Refused};

/// How long a connection is kept without use.
const IDLE_TIME_MAX: Duration = Duration::from_secs(60);

/// How often the idle connections are looked through.
const SWEEP_INTERVAL: Duration = Duration::from_secs(15);

const IDLE_MAX: usize = 64;

/// How many of a name's addresses are tried, one after the other.
const ADDRESSES_TRIED_MAX: usize = 4;

pub(crate) struct Origin {
    shared: Shared,
    host: String,
    port: u16,
    /// Whom the other side must prove to be; None for plain http.
    server_name: Option<ServerName<'static>>,
    idle: Arc<Idle>,
}

impl Origin {
    /// Where `uri` leads. It must have passed the guard's `check_url`.
    pub(crate) fn new(uri: &Uri, shared: &Shared) -> Result<Self, Refused> {
        let secure = address::is_secure(uri)?;
        let host = uri.host().unwrap_or_default();
        let server_name = match Host::parse(host)? {
            Host::Address(address) => ServerName::from(address),
            Host::Name(name) => ServerName::try_from(name)
                .map_err(|_| Refused::Malformed("its host is not a name for a certificate"))?,
        };
        Ok(Self {
            shared: shared.clone(),
            host: host.to_owned(),
            port: uri.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            server_name: secure.then_some(server_name),
            idle: Arc::default(),
        })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Whether `uri` has this scheme, host and port.
    pub(crate) fn leads_to(&self, uri: &Uri) -> bool {
        let other = Self::new(uri, &self.shared);
        other.is_ok_and(|other| {
            (&other.server_name, other.port) == (&self.server_name, self.port)
                && other.host.eq_ignore_ascii_case(&self.host)
        })
    }

    /// The value of the Host header.
    pub(crate) fn host_header(&self) -> Result<HeaderValue, Refused> {
        let usual_port = if self.server_name.is_some() { 443 } else { 80 };
        let text = if self.port == usual_port {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        };
        HeaderValue::try_from(text).map_err(|_| Refused::Malformed("its host is not a name"))
    }

    /// Sends the head that `write_head` writes with `body` behind it, and reads the answer.
    /// `write_head` is asked again when the first went out on a connection that turned out to be
    /// closed.
    pub(crate) async fn exchange(
        &self,
        write_head: impl Fn(&mut Vec<u8>),
        body: &[u8],
        limits: Limits,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if let Some(mut connection) = self.idle.take() {
            let outcome = connection.exchange(&write_head, body, limits, answer).await;
            if outcome.is_ok() || connection.has_heard() {
                self.part_with(connection);
                return outcome;
            }
        }
        let mut connection = self.open().await?;
        connection.exchange(&write_head, body, limits, answer).await?;
        self.part_with(connection);
        Ok(())
    }

    /// Keeps a connection that can be used again, and closes any other.
    fn part_with(&self, mut connection: Connection) {
        if connection.is_reusable() {
            connection.idle_since = Instant::now();
            self.idle.put(connection);
        }
    }

    async fn open(&self) -> Result<Connection, Trouble> {
        let time_max = self.shared.settings().connect_time_max;
        timeout(time_max, self.connect()).await.map_err(|_| Trouble::ConnectTimeout)?
    }

    async fn connect(&self) -> Result<Connection, Trouble> {
        let secure = self.server_name.is_some();
        let addresses = self.shared.guard().resolve(&self.host, self.port, secure).await?;
        let stream = self.dial(&addresses).await?;
        stream.set_nodelay(true).map_err(|error| Trouble::from(&error))?;
        let stream = match &self.server_name {
            None => Stream::Plain(stream),
            Some(name) => {
                let connector = TlsConnector::from(Arc::clone(self.shared.tls()));
                let agreed = connector.connect(name.clone(), stream).await;
                Stream::Secure(Box::new(agreed.map_err(|error| Trouble::tls(&error))?))
            }
        };
        Ok(Connection::new(stream))
    }

    /// Connects to the first address that answers, with an equal share of the time for each.
    async fn dial(&self, addresses: &[SocketAddr]) -> Result<TcpStream, Trouble> {
        let tried = addresses.iter().take(ADDRESSES_TRIED_MAX);
        let count = u32::try_from(tried.len()).unwrap_or(1).max(1);
        let share = self.shared.settings().connect_time_max / count;
        let mut trouble = Trouble::ConnectTimeout;
        for address in tried {
            trouble = match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => Trouble::from(&error),
                Err(_) => Trouble::ConnectTimeout,
            };
        }
        Err(trouble)
    }
}

/// Connections that wait for the next call.
#[derive(Default)]
struct Idle {
    connections: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    connections: Vec<Connection>,
    is_swept: bool,
}

impl Idle {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that was used last and is still good.
    fn take(&self) -> Option<Connection> {
        loop {
            let mut connection = self.lock().connections.pop()?;
            if connection.is_idle() {
                return Some(connection);
            }
        }
    }

    fn put(self: &Arc<Self>, connection: Connection) {
        let mut waiting = self.lock();
        if waiting.connections.len() < IDLE_MAX {
            waiting.connections.push(connection);
        }
        if !waiting.is_swept {
            waiting.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Closes connections that were idle for too long or that the other side has closed. Whether
    /// none is left.
    fn look_through(&self) -> bool {
        let mut waiting = self.lock();
        waiting.connections.retain_mut(|connection| {
            connection.idle_since.elapsed() < IDLE_TIME_MAX && connection.is_idle()
        });
        waiting.is_swept = !waiting.connections.is_empty();
        !waiting.is_swept
    }
}

/// Looks through the idle connections now and then, until none is left or the origin is gone.
async fn sweep(idle: Weak<Idle>) {
    loop {
        sleep(SWEEP_INTERVAL).await;
        let Some(idle) = idle.upgrade() else {
            return;
        };
        if idle.look_through() {
            return;
        }
    }
}
