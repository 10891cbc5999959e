//! The listener: from an open port to requests in the router.
//!
//! One task accepts, and each connection has a task of its own. Everything a client can make
//! us wait for has an end: the TLS handshake, the headers of a request (which is also how
//! long a connection may be idle between two), the taking of an answer, and the connection as
//! a whole, which is asked to close at the end of its lifetime and dropped after another. The
//! body of a request is the handler's to limit, with [`super::limits`]. When the limit of
//! open connections is reached, new ones wait unaccepted in the kernel's queue.
//!
//! Plain HTTP is for this machine alone, or for a proxy that the operator declared and that
//! speaks TLS in our place.
//!
//! On stop the port is closed at once, requests under way get `grace` to finish, idle
//! connections end. What remains after that is dropped.

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
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;

use super::{
    Encrypted, Peer, Stopping,
    tls::{
        RELOAD_INTERVAL, ReloadingCertificate, TlsError, TlsSettings, reload_when_changed,
        server_config,
    },
    write_stall::WriteStall,
};

pub const CONNECTIONS_MAX: usize = 4_096;

/// Request line and headers together. There may be a hundred headers, which is hyper's own
/// limit. Beyond either the answer is 431.
const HEADERS_MAX_BYTES: usize = 32 * 1024;
const BUFFER_MAX_BYTES: usize = 64 * 1024;

/// The pause after the system refused to accept, such as for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

#[derive(Clone, Debug)]
pub struct ListenSettings {
    pub address: SocketAddr,
    pub tls: Option<TlsSettings>,
    /// Proxies of ours in front of this listener; see [`super::client_address`].
    pub trusted_hops: usize,
    pub connections_max: usize,
    pub timeouts: Timeouts,
}

impl ListenSettings {
    /// Plain HTTP at `address`, no proxy in front, and the usual limits.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            tls: None,
            trusted_hops: 0,
            connections_max: CONNECTIONS_MAX,
            timeouts: Timeouts::default(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    pub handshake: Duration,
    /// From when a connection is ready for a request until all its headers are there.
    pub headers: Duration,
    /// How long a client may take none of an answer that waits for it.
    pub write_stall: Duration,
    pub lifetime: Duration,
    /// How often the certificate files are looked at.
    pub reload_interval: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(30),
            write_stall: Duration::from_secs(30),
            lifetime: Duration::from_secs(60 * 60),
            reload_interval: RELOAD_INTERVAL,
        }
    }
}

#[derive(Debug, Error)]
pub enum ServeError {
    #[error(
        "plain HTTP would be open to the network at {address}: either give a TLS certificate and \
         its key, or declare the proxy in front that speaks TLS (at least one trusted hop); \
         without either, listen on a loopback address such as 127.0.0.1"
    )]
    PlainHttp { address: SocketAddr },
    #[error("cannot listen at {address}")]
    Bind { address: SocketAddr, source: io::Error },
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// An open port. Connections are accepted once it runs.
pub struct Listener {
    socket: TcpListener,
    local_address: SocketAddr,
    tls: Option<(TlsAcceptor, Arc<ReloadingCertificate>)>,
    settings: ListenSettings,
}

impl Listener {
    /// Opens the port, after everything else that can be wrong was checked.
    pub async fn bind(settings: ListenSettings) -> Result<Self, ServeError> {
        let address = settings.address;
        let public = !address.ip().to_canonical().is_loopback();
        if settings.tls.is_none() && public && settings.trusted_hops == 0 {
            return Err(ServeError::PlainHttp { address });
        }
        let tls = settings.tls.as_ref().map(acceptor).transpose()?;
        let failed = |source| ServeError::Bind { address, source };
        let socket = TcpListener::bind(address).await.map_err(failed)?;
        let local_address = socket.local_addr().map_err(failed)?;
        Ok(Self { socket, local_address, tls, settings })
    }

    /// Where it listens; tells the port when port 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_address
    }

    /// Serves `router` until `stop`, and returns when the last connection has ended, at the
    /// latest `grace` after it. Dropping the future drops the connections.
    ///
    /// Boxed, so that serving is compiled here and not in the crate that waits for it.
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
        let places = settings.connections_max.clamp(1, Semaphore::MAX_PERMITS);
        let places = Arc::new(Semaphore::new(places));
        let service =
            Arc::new(Service { router, acceptor, timeouts, stop: Arc::new(stop.clone()) });
        let accept = Accept { socket, places, failing: false };
        accept
            .until_stopped(&stop, |stream, peer, place| {
                let service = Arc::clone(&service);
                let connection = async move {
                    service.connection(stream, peer).await;
                    drop(place);
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

/// The accepting side.
struct Accept {
    socket: TcpListener,
    places: Arc<Semaphore>,
    /// Whether the last attempt failed. A lasting failure is logged only once.
    failing: bool,
}

impl Accept {
    /// Hands every connection to `begin` with its place; closes the port on return.
    async fn until_stopped(
        mut self,
        stop: &CancellationToken,
        begin: impl Fn(TcpStream, IpAddr, OwnedSemaphorePermit),
    ) {
        while let Some(accepted) = stop.run_until_cancelled(self.next()).await {
            if let Some((stream, peer, place)) = accepted {
                begin(stream, peer, place);
            }
        }
    }

    /// The next connection, once there is a place for it; none when accepting failed.
    async fn next(&mut self) -> Option<(TcpStream, IpAddr, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        match self.socket.accept().await {
            Ok((stream, peer)) => {
                self.failing = false;
                Some((stream, peer.ip().to_canonical(), place))
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

/// The client was gone before it was accepted. The next may be fine.
fn concerns_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}

/// What every connection needs.
struct Service {
    router: Router,
    acceptor: Option<TlsAcceptor>,
    timeouts: Timeouts,
    stop: Arc<CancellationToken>,
}

impl Service {
    /// Serves one connection to its end. Its faults are the client's and of no interest to
    /// the operator, unless one is looking for them.
    async fn connection(&self, stream: TcpStream, peer: IpAddr) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "a connection was lost at once");
            return;
        }
        let stream = WriteStall::new(stream, self.timeouts.write_stall);
        let Some(acceptor) = &self.acceptor else {
            return self.requests(stream, peer).await;
        };
        let handshake = timeout(self.timeouts.handshake, acceptor.accept(stream));
        match self.stop.run_until_cancelled(handshake).await {
            Some(Ok(Ok(stream))) => self.requests(stream, peer).await,
            Some(Ok(Err(error))) => tracing::debug!(%peer, %error, "a TLS handshake failed"),
            Some(Err(_)) => tracing::debug!(%peer, "a TLS handshake took too long"),
            None => {}
        }
    }

    /// Serves requests one after the other, until the client or a limit or `stop` ends it.
    async fn requests<S>(&self, stream: S, peer: IpAddr)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            request.extensions_mut().insert(Encrypted(self.acceptor.is_some()));
            request.extensions_mut().insert(Stopping(Arc::clone(&self.stop)));
            self.router.clone().oneshot(request)
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
