//! A receiver that responds with 200 to everything, as cheaply as a socket allows, or hangs.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

const RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
/// All merchants have this one address and connect at once. With fewer, some connections would be
/// refused, and retried a minute later.
const CONNECTIONS_WAITING_MAX: u32 = 4_096;
const HANG: Duration = Duration::from_secs(15);

#[derive(Clone)]
pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    seen: Arc<SinkState>,
}

#[derive(Default)]
struct SinkState {
    received: AtomicU64,
    /// Arrival times by webhook-id, while they are recorded.
    arrivals: Mutex<HashMap<String, Instant>>,
    records_arrivals: AtomicBool,
}

impl Sink {
    pub(crate) fn start() -> anyhow::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let listener = socket.listen(CONNECTIONS_WAITING_MAX)?;
        let sink = Self { address: listener.local_addr()?, seen: Arc::default() };
        let seen = Arc::clone(&sink.seen);
        tokio::spawn(async move {
            loop {
                // A connection that was closed before it was accepted is not an error.
                let Ok((stream, _)) = listener.accept().await else { continue };
                tokio::spawn(serve(stream, Arc::clone(&seen)));
            }
        });
        Ok(sink)
    }

    pub(crate) fn received(&self) -> u64 {
        self.seen.received.load(Ordering::Relaxed)
    }

    /// Starts to record arrival times.
    pub(crate) fn record_arrivals(&self) {
        self.seen.records_arrivals.store(true, Ordering::Relaxed);
    }

    /// Stops recording. Returns the arrival times.
    pub(crate) fn take_arrivals(&self) -> HashMap<String, Instant> {
        self.seen.records_arrivals.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.seen.arrivals.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<SinkState>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(8 << 10);
    loop {
        let Some(request) = read_request(&mut stream, &mut buffer).await? else { return Ok(()) };
        let arrived = Instant::now();
        if request.hangs {
            tokio::time::sleep(HANG).await;
        }
        if seen.records_arrivals.load(Ordering::Relaxed)
            && let Some(id) = request.id
        {
            let mut arrivals = seen.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
            arrivals.entry(id).or_insert(arrived);
        }
        seen.received.fetch_add(1, Ordering::Relaxed);
        stream.write_all(RESPONSE).await?;
    }
}

struct Request {
    id: Option<String>,
    hangs: bool,
}

/// Reads one request. Bytes of the next stay in the buffer.
async fn read_request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> std::io::Result<Option<Request>> {
    loop {
        if let Some(end) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(buffer.get(..end).unwrap_or_default()).into_owned();
            let header = |name: &str| {
                let lines = head.lines().filter_map(|line| line.split_once(':'));
                let mut values = lines.filter(|(it, _)| it.eq_ignore_ascii_case(name));
                values.next().map(|(_, value)| value.trim().to_owned())
            };
            let length = header("content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
            while buffer.len() < end + 4 + length {
                if stream.read_buf(buffer).await? == 0 {
                    return Ok(None);
                }
            }
            buffer.drain(..end + 4 + length);
            let hangs = head.starts_with("POST /hang");
            return Ok(Some(Request { id: header("webhook-id"), hangs }));
        }
        if stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}
