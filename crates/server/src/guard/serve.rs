//! The listener: from an open port to requests in the router.
//!
//! One task accepts connections, and each connection has its own task. Everything that waits for a
//! client has a time limit: the TLS handshake, the headers of a request (which also limits how long
//! a connection may be idle), writing a response, and the connection as a whole. At the end of its
//! lifetime a connection is asked to close, and it is dropped after another lifetime. Handlers
//! limit the body of a request with [`super::limits`], and what they did not read is dropped when
//! the connection ends ([`LingeringClose`]).
//!
//! When the maximum number of connections is open, new ones wait in the kernel's queue. One address
//! can have only a part of them; its further connections are closed at once. That does not apply to
//! trusted proxies, which have the connections of many clients.
//!
//! Plain HTTP is only for this machine, or behind a proxy that the operator configured and that
//! terminates TLS.
//!
//! On stop the port is closed at once, active requests get `grace` to finish, and idle connections
//! end. Connections that remain after that are dropped.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use axum::Router;
use futures_util::future::BoxFuture;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;

use super::{
    Encrypted, Stopping,
    address_slots::{AddressSlot, AddressSlots},
    client_address::TrustedProxies,
    lingering_close::{LingeringClose, UnreadBody},
    slow_reader::SlowReaderLimit,
    tls::{
        RELOAD_INTERVAL, ReloadingCertificate, TlsError, TlsSettings, reload_when_changed,
        server_config,
    },
};

pub const CONNECTIONS_MAX: usize = 4_096;
/// Enough for the busiest merchant, and an eighth of all.
pub(super) const CONNECTIONS_PER_ADDRESS_MAX: usize = 512;

/// Request line and headers together. hyper also limits the number of headers to 100. Beyond either
/// limit the response is 431.
const HEADERS_MAX_BYTES: usize = 32 * 1024;
const BUFFER_MAX_BYTES: usize = 64 * 1024;

/// Connections that wait in the kernel until they are accepted.
const BACKLOG: u32 = 1_024;

/// The pause after accepting failed, for instance because there were no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

#[derive(Clone, Debug)]
pub struct ListenSettings {
    pub address: SocketAddr,
    pub tls: Option<TlsSettings>,
    /// The proxies in front of this listener; see [`super::client_address`].
    pub trusted_proxies: TrustedProxies,
    pub connections_max: usize,
    /// For each address that is not a trusted proxy.
    pub connections_per_address_max: usize,
    pub timeouts: Timeouts,
}

impl ListenSettings {
    /// Plain HTTP at `address`, without a proxy, with the default limits.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            tls: None,
            trusted_proxies: TrustedProxies::default(),
            connections_max: CONNECTIONS_MAX,
            connections_per_address_max: CONNECTIONS_PER_ADDRESS_MAX,
            timeouts: Timeouts::default(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    pub handshake: Duration,
    /// From when a connection is ready for a request until all headers have arrived.
    pub headers: Duration,
    /// How long a client may read nothing of a waiting response, or less than the lowest rate.
    pub slow_reader: Duration,
    /// How long a client that still sends after the connection was closed may pause.
    pub linger: Duration,
    pub lifetime: Duration,
    /// How often the certificate files are checked.
    pub reload_interval: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(30),
            slow_reader: Duration::from_secs(30),
            linger: Duration::from_secs(2),
            lifetime: Duration::from_secs(60 * 60),
            reload_interval: RELOAD_INTERVAL,
        }
    }
}

#[derive(Debug, Error)]
pub enum ServeError {
    #[error(
        "plain HTTP would be open to the network at {address}: either give a TLS certificate and \
         its key (tls_cert, tls_key), or declare the proxy in front that speaks TLS \
         (trusted_proxies); without either, listen on a loopback address such as 127.0.0.1"
    )]
    PlainHttp { address: SocketAddr },
    #[error("cannot listen at {address}")]
    Bind { address: SocketAddr, source: io::Error },
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A port that is taken but not open: connections to it are refused until it listens.
pub struct ReservedPort {
    socket: TcpSocket,
    tls: Option<(TlsAcceptor, Arc<ReloadingCertificate>)>,
    settings: ListenSettings,
}

impl ReservedPort {
    /// Takes the port, after all other settings were checked. Fails if another process listens on
    /// it.
    pub fn bind(settings: ListenSettings) -> Result<Self, ServeError> {
        let address = settings.address;
        let public = !address.ip().to_canonical().is_loopback();
        if settings.tls.is_none() && public && settings.trusted_proxies.is_empty() {
            return Err(ServeError::PlainHttp { address });
        }
        let tls = settings.tls.as_ref().map(acceptor).transpose()?;
        let socket = bind(address).map_err(|source| ServeError::Bind { address, source })?;
        Ok(Self { socket, tls, settings })
    }

    /// Opens the port.
    pub fn listen(self) -> Result<Listener, ServeError> {
        let Self { socket, tls, settings } = self;
        let failed = |source| ServeError::Bind { address: settings.address, source };
        let socket = socket.listen(BACKLOG).map_err(failed)?;
        let local_address = socket.local_addr().map_err(failed)?;
        Ok(Listener { socket, local_address, tls, settings })
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Connections of a server that has just ended do not keep the port.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// An open port. It accepts connections once it runs.
pub struct Listener {
    socket: TcpListener,
    local_address: SocketAddr,
    tls: Option<(TlsAcceptor, Arc<ReloadingCertificate>)>,
    settings: ListenSettings,
}

impl Listener {
    /// The address with the actual port, also if port 0 was requested.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_address
    }

    /// Serves `router` until `stop`, and returns when the last connection has ended, at most
    /// `grace` later. Dropping the future drops the connections.
    ///
    /// Boxed, so that it is compiled here and not in the crate that awaits it.
    pub fn run(
        self,
        router: Router,
        stop: CancellationToken,
        grace: Duration,
    ) -> BoxFuture<'static, ()> {
        Box::pin(self.serve(router, stop, grace))
    }

    async fn serve(self, router: Router, stop: CancellationToken, grace: Duration) {
        let Self { socket, tls, settings, .. } = self;
        let timeouts = settings.timeouts;
        let tasks = TaskTracker::new();
        let abandon = CancellationToken::new();
        let _abandon_when_dropped = abandon.clone().drop_guard();
        let (acceptor, certificate) = tls.unzip();
        if let Some(certificate) = certificate {
            let watch = reload_when_changed(certificate, timeouts.reload_interval, stop.clone());
            tasks.spawn(abandon.clone().run_until_cancelled_owned(watch));
        }
        let permits = settings.connections_max.clamp(1, Semaphore::MAX_PERMITS);
        let permits = Arc::new(Semaphore::new(permits));
        let slots = AddressSlots::new(settings.connections_per_address_max);
        let proxies = settings.trusted_proxies;
        let accept = Accept { socket, permits, slots, proxies: proxies.clone(), failing: false };
        let stopping = Arc::new(stop.clone());
        let service = Arc::new(Service { router, acceptor, timeouts, proxies, stop: stopping });
        accept
            .until_stopped(&stop, |accepted| {
                let service = Arc::clone(&service);
                let connection = async move {
                    service.connection(accepted.stream, accepted.peer).await;
                    drop(accepted.held);
                };
                tasks.spawn(abandon.clone().run_until_cancelled_owned(connection));
            })
            .await;
        tasks.close();
        if timeout(grace, tasks.wait()).await.is_err() {
            tracing::warn!("dropping {} connections that did not finish in time", tasks.len());
            abandon.cancel();
            tasks.wait().await;
        }
    }
}

fn acceptor(settings: &TlsSettings) -> Result<(TlsAcceptor, Arc<ReloadingCertificate>), TlsError> {
    let certificate = Arc::new(ReloadingCertificate::load(settings)?);
    let config = server_config(settings, Arc::clone(&certificate))?;
    Ok((TlsAcceptor::from(Arc::new(config)), certificate))
}

/// Accepts connections.
struct Accept {
    socket: TcpListener,
    permits: Arc<Semaphore>,
    slots: Arc<AddressSlots>,
    proxies: TrustedProxies,
    /// Whether the last attempt failed. A lasting failure is logged only once.
    failing: bool,
}

/// A connection with its permit, and its slot among those of its address.
struct Accepted {
    stream: TcpStream,
    peer: IpAddr,
    held: (OwnedSemaphorePermit, Option<AddressSlot>),
}

impl Accept {
    /// Passes every connection with its permit to `begin`. Closes the port on return.
    async fn until_stopped(mut self, stop: &CancellationToken, begin: impl Fn(Accepted)) {
        while let Some(accepted) = stop.run_until_cancelled(self.next()).await {
            if let Some(accepted) = accepted {
                begin(accepted);
            }
        }
    }

    /// The next connection, once there is a permit for it. None if accepting failed, or if its
    /// address has too many, which closes it.
    async fn next(&mut self) -> Option<Accepted> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        match self.socket.accept().await {
            Ok((stream, peer)) => {
                self.failing = false;
                let peer = peer.ip().to_canonical();
                let is_proxy = self.proxies.contains(peer);
                let slot = if is_proxy { None } else { Some(self.slots.take(peer)?) };
                Some(Accepted { stream, peer, held: (permit, slot) })
            }
            Err(error) if concerns_one_connection(&error) => None,
            Err(error) => {
                if !self.failing {
                    tracing::error!("accepting connections failed, will retry: {error}");
                }
                self.failing = true;
                sleep(ACCEPT_PAUSE).await;
                None
            }
        }
    }
}

/// The client closed the connection before it was accepted. The next one may work.
fn concerns_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}

/// What all connections share.
struct Service {
    router: Router,
    acceptor: Option<TlsAcceptor>,
    timeouts: Timeouts,
    proxies: TrustedProxies,
    stop: Arc<CancellationToken>,
}

impl Service {
    /// Serves one connection to its end. Errors are caused by the client, so they are logged only
    /// for debugging.
    async fn connection(&self, stream: TcpStream, peer: IpAddr) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "a connection was lost at once");
            return;
        }
        let unread = UnreadBody::default();
        let stream = LingeringClose::new(stream, unread.clone(), self.timeouts.linger);
        let stream = SlowReaderLimit::new(stream, self.timeouts.slow_reader);
        let Some(acceptor) = &self.acceptor else {
            return self.requests(stream, peer, unread).await;
        };
        let handshake = timeout(self.timeouts.handshake, acceptor.accept(stream));
        match self.stop.run_until_cancelled(handshake).await {
            Some(Ok(Ok(stream))) => self.requests(stream, peer, unread).await,
            Some(Ok(Err(error))) => tracing::debug!(%peer, %error, "a TLS handshake failed"),
            Some(Err(_)) => tracing::debug!(%peer, "a TLS handshake took too long"),
            None => {}
        }
    }

    /// Serves requests one after the other, until the client, a limit or `stop` ends the
    /// connection.
    async fn requests<S>(&self, stream: S, peer: IpAddr, unread: UnreadBody)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(|mut request: Request<Incoming>| {
            let origin = self.proxies.origin(peer, request.headers_mut());
            request.extensions_mut().insert(origin);
            request.extensions_mut().insert(Encrypted(self.acceptor.is_some()));
            request.extensions_mut().insert(Stopping(Arc::clone(&self.stop)));
            self.router.clone().oneshot(request.map(|body| unread.note(body)))
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.timeouts.headers)
            .max_header_size(HEADERS_MAX_BYTES)
            .max_buf_size(BUFFER_MAX_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => Ok(ended),
            () = self.stop.cancelled() => Err(()),
            () = sleep(self.timeouts.lifetime) => Err(()),
        };
        let ended = if let Ok(ended) = ended {
            ended
        } else {
            connection.as_mut().graceful_shutdown();
            timeout(self.timeouts.lifetime, connection).await.unwrap_or(Ok(()))
        };
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection ended early");
        }
    }
}

#[cfg(test)]
mod tests;
