//! Listens on a port and passes calls to the router.
//!
//! Connections are served by hyper rather than by axum's own loop, because a merchant must be able
//! to close a connection without a response. A hyper service that fails does that.

use std::{convert::Infallible, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{Router, http::Request, response::Response};
use boxed::boxed;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Instant, sleep, timeout},
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};
use tower::ServiceExt;

use crate::{
    access::token,
    calls::summary::Summary,
    merchant::{Merchant, SimulatedMerchant, StartError},
    pages::page,
    server::{control, receive, reply::CloseConnection},
    settings::Settings,
};

const CONNECTIONS_MAX: usize = 4_096;
const BUFFER_MAX_BYTES: usize = 64 * 1024;

/// How long calls under way may take when the merchant is stopped.
const GRACE: Duration = Duration::from_millis(250);
/// The pause after the system refused to accept a connection, for example without a free file
/// descriptor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A merchant with a running server. Dropping it stops the server at once.
pub struct Running {
    merchant: SimulatedMerchant,
    address: SocketAddr,
    tasks: TaskTracker,
    /// Stops everything when it is dropped.
    stop: DropGuard,
}

impl SimulatedMerchant {
    /// Starts the merchant's server. It runs until it is stopped or dropped.
    #[boxed]
    pub async fn start(settings: Settings) -> Result<Running, StartError> {
        let address = settings.listen;
        let failed = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let public_url = settings.public_url.clone();
        let public_url = public_url.unwrap_or_else(|| format!("http://{address}"));
        let merchant = Arc::new(Merchant::new(settings, public_url.trim_end_matches('/'))?);
        let router = build_router(Arc::clone(&merchant));
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        tasks.spawn(accept(listener, router, tasks.clone(), stop.clone()));
        let merchant = Self(merchant);
        Ok(Running { merchant, address, tasks, stop: stop.drop_guard() })
    }
}

impl Running {
    /// Where it listens, with the actual port if port 0 was configured.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address as the base of the merchant's endpoints.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn merchant(&self) -> &SimulatedMerchant {
        &self.merchant
    }

    /// Waits until the summary meets the condition. After `time_max` the last one is the error.
    pub async fn wait_until(
        &self,
        time_max: Duration,
        condition: impl Fn(&Summary) -> bool,
    ) -> Result<Summary, Box<Summary>> {
        let deadline = Instant::now() + time_max;
        loop {
            let summary = self.merchant.summary();
            if condition(&summary) {
                return Ok(summary);
            }
            if Instant::now() >= deadline {
                return Err(Box::new(summary));
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Stops the server. Calls under way may take a moment to end; those that hang are dropped.
    #[boxed]
    pub async fn stop(self) {
        drop(self.stop);
        self.tasks.close();
        self.tasks.wait().await;
    }
}

fn build_router(merchant: Arc<Merchant>) -> Router {
    receive::routes()
        .merge(token::routes())
        .merge(control::routes())
        .merge(page::routes())
        .fallback(receive::receive_elsewhere)
        .with_state(merchant)
}

/// Serves connections until it is stopped.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    tasks: TaskTracker,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let next = async || {
        let place = Arc::clone(&places).acquire_owned().await.map_err(io::Error::other)?;
        listener.accept().await.map(|(stream, _)| (stream, place))
    };
    while let Some(accepted) = stop.run_until_cancelled(next()).await {
        match accepted {
            Ok((stream, place)) => {
                let (router, stop) = (router.clone(), stop.clone());
                tasks.spawn(async move {
                    serve(stream, router, stop).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!("accepting a connection failed, will retry: {error}");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Serves one connection to its end.
async fn serve(stream: TcpStream, router: Router, stop: CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("a connection was lost at its start: {error}");
        return;
    }
    let service = service_fn(|request: Request<Incoming>| {
        let response = router.clone().oneshot(request);
        async { close_if_marked(response.await) }
    });
    let connection = http1::Builder::new()
        .max_buf_size(BUFFER_MAX_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            timeout(GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!("a connection ended early: {error}");
    }
}

/// The behavior says to close the connection.
#[derive(Debug, thiserror::Error)]
#[error("closed as configured")]
struct Closed;

fn close_if_marked(result: Result<Response, Infallible>) -> Result<Response, Closed> {
    let Ok(response) = result;
    if response.extensions().get::<CloseConnection>().is_some() {
        Err(Closed)
    } else {
        Ok(response)
    }
}
