//! One scheme, host and port, and the warm connections to it.
//!
//! A call takes the connection that was used last, so that under little load the others grow old
//! and are closed. A peer may close an idle connection at the very moment a request goes out on
//! it; when not a byte of an answer came, the request is repeated on a fresh connection. That may
//! deliver it twice, which "at least once" allows.
//!
//! There are never more connections than calls were ever made at once. A task checks the idle ones
//! and lives only as long as there are any.

#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::{Uri, header::HeaderValue};
use rustls::pki_types::ServerName;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsConnector;

use super::{
    answer::{AnswerLimits, HttpAnswer},
    connection::Connection,
    context::CallContext,
    dial::dial,
    send_error::SendError,
    stream::Stream,
};
use crate::address::{self, Host, Refused};

/// How long a connection is kept without use.
const IDLE_TIME_MAX: Duration = Duration::from_secs(60);

/// How often the idle connections are checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(15);

const IDLE_MAX: usize = 64;

pub(crate) struct Origin {
    context: CallContext,
    host: String,
    port: u16,
    /// The name that the other side must prove; None for plain http.
    server_name: Option<ServerName<'static>>,
    idle: Arc<IdlePool>,
}

impl Origin {
    /// Where `uri` leads. It must have passed the guard's `check_url`.
    pub(crate) fn new(uri: &Uri, context: &CallContext) -> Result<Self, Refused> {
        let secure = address::is_secure(uri)?;
        let host = uri.host().unwrap_or_default();
        let server_name = match Host::parse(host)? {
            Host::Address(address) => ServerName::from(address),
            Host::Name(name) => ServerName::try_from(name)
                .map_err(|_| Refused::Malformed("its host is not a name for a certificate"))?,
        };
        Ok(Self {
            context: context.clone(),
            host: host.to_owned(),
            port: address::effective_port(uri, secure),
            server_name: secure.then_some(server_name),
            idle: Arc::default(),
        })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Whether `uri` has this scheme, host and port.
    pub(crate) fn leads_to(&self, uri: &Uri) -> bool {
        let other = Self::new(uri, &self.context);
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
    /// `write_head` is called again when the first request went out on a connection that turned out
    /// to be closed.
    pub(crate) async fn exchange(
        &self,
        write_head: impl Fn(&mut Vec<u8>) -> Result<(), SendError>,
        body: &[u8],
        limits: AnswerLimits,
        answer: &mut HttpAnswer,
    ) -> Result<(), SendError> {
        if let Some(mut connection) = self.idle.take() {
            let outcome = connection.exchange(&write_head, body, limits, answer).await;
            if outcome.is_ok() || connection.has_received() {
                self.keep_or_close(connection);
                return outcome;
            }
        }
        let mut connection = self.open().await?;
        connection.exchange(&write_head, body, limits, answer).await?;
        self.keep_or_close(connection);
        Ok(())
    }

    /// Keeps a connection that can be used again, and closes any other.
    fn keep_or_close(&self, mut connection: Connection) {
        if connection.is_reusable() {
            connection.idle_since = Instant::now();
            self.idle.put(connection);
        }
    }

    async fn open(&self) -> Result<Connection, SendError> {
        let time_max = self.context.settings().connect_time_max;
        timeout(time_max, self.connect()).await.map_err(|_| SendError::ConnectTimeout)?
    }

    async fn connect(&self) -> Result<Connection, SendError> {
        let secure = self.server_name.is_some();
        let addresses = self.context.guard().resolve(&self.host, self.port, secure).await?;
        let time_max = self.context.settings().connect_time_max;
        let stream = dial(&addresses, time_max).await?;
        let stream = match &self.server_name {
            None => Stream::Plain(stream),
            Some(name) => {
                let connector = TlsConnector::from(Arc::clone(self.context.tls()));
                let agreed = connector.connect(name.clone(), stream).await;
                Stream::Secure(Box::new(agreed.map_err(|error| SendError::tls(&error))?))
            }
        };
        Ok(Connection::new(stream))
    }
}

/// Connections that wait for the next call.
#[derive(Default)]
struct IdlePool {
    connections: Mutex<IdleConnections>,
}

#[derive(Default)]
struct IdleConnections {
    connections: Vec<Connection>,
    is_watched: bool,
}

impl IdlePool {
    fn lock(&self) -> MutexGuard<'_, IdleConnections> {
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
        let mut idle = self.lock();
        if idle.connections.len() < IDLE_MAX {
            idle.connections.push(connection);
        }
        if !idle.is_watched {
            idle.is_watched = true;
            tokio::spawn(watch(Arc::downgrade(self)));
        }
    }

    /// Closes connections that were idle for too long or that the other side has closed. Returns
    /// whether none is left.
    fn close_expired(&self) -> bool {
        let mut idle = self.lock();
        idle.connections.retain_mut(|connection| {
            connection.idle_since.elapsed() < IDLE_TIME_MAX && connection.is_idle()
        });
        idle.is_watched = !idle.connections.is_empty();
        !idle.is_watched
    }
}

/// Checks the idle connections now and then, until none is left or the origin is gone.
async fn watch(idle: Weak<IdlePool>) {
    loop {
        sleep(CHECK_INTERVAL).await;
        let Some(idle) = idle.upgrade() else {
            return;
        };
        if idle.close_expired() {
            return;
        }
    }
}
