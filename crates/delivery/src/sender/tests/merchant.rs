//! A merchant's system: an HTTP server that remembers what it was sent, and one that speaks no
//! HTTP but what a test makes it say.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Method, Request, Response, body::Incoming, server::conn::http1, service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

#[derive(Clone)]
pub(crate) struct Merchant {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
    open: Arc<Mutex<Vec<AbortHandle>>>,
}

impl Merchant {
    /// Answers every request with what `answer` makes of it.
    pub(crate) async fn start<F, A>(answer: F) -> Self
    where
        F: Fn(Seen) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Response<Full<Bytes>>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let merchant = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            connections: Arc::default(),
            open: Arc::default(),
        };
        let server = merchant.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let task = tokio::spawn(server.clone().serve(stream, answer.clone()));
                server.open.lock().unwrap().push(task.abort_handle());
            }
        });
        merchant
    }

    /// Answers every request with `status` and nothing else.
    pub(crate) async fn answering(status: u16) -> Self {
        Self::start(move |_| std::future::ready(response(status, ""))).await
    }

    pub(crate) async fn serve<F, A>(
        self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        answer: F,
    ) where
        F: Fn(Seen) -> A + Send + Sync + 'static,
        A: Future<Output = Response<Full<Bytes>>> + Send + 'static,
    {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let service = service_fn(async |request: Request<Incoming>| {
            let (head, body) = request.into_parts();
            let seen = Seen {
                method: head.method,
                path: head.uri.to_string(),
                headers: head.headers,
                body: body.collect().await.unwrap().to_bytes(),
            };
            self.seen.lock().unwrap().push(seen.clone());
            Ok::<_, Infallible>(answer(seen).await)
        });
        // A peer that goes away is not a failure of the server.
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// How many requests came for `path`.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.seen().iter().filter(|seen| seen.path == path).count()
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Closes every connection that is open now.
    pub(crate) fn hang_up(&self) {
        for connection in self.open.lock().unwrap().drain(..) {
            connection.abort();
        }
    }
}

pub(crate) fn response(status: u16, body: &str) -> Response<Full<Bytes>> {
    let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
    Response::builder().status(status).body(body).unwrap()
}

/// A server that reads one request's head and then does as `say` does. The address to call it at.
pub(crate) async fn raw<F, A>(say: F) -> String
where
    F: Fn(TcpStream) -> A + Send + 'static,
    A: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 4096];
            let read = stream.read(&mut buffer).await.unwrap_or(0);
            if read > 0 {
                tokio::spawn(say(stream));
            }
        }
    });
    url
}
