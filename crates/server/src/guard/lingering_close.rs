//! A stream that still reads for a while after it was closed for writing.
//!
//! A request can be refused before its body was read: too large, a wrong token, too many requests.
//! If the connection were then closed while bytes of the body arrive, the kernel would reset it,
//! and many clients would report a broken connection instead of the response. So what arrives is
//! read and dropped until the client closes the connection as well or sends nothing for a while. A
//! connection whose requests were read to their ends is closed at once.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::HttpBody;
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

/// It ends after this many times `quiet_max`, whatever the client sends.
const TIMES_QUIET_MAX: u32 = 15;
/// Twice the largest body that any call takes.
const BYTES_MAX: usize = 64 << 20;
const PIECE_BYTES: usize = 16 << 10;

/// Whether the last request of a connection has a body that was not read to its end.
#[derive(Clone, Default)]
pub(super) struct UnreadBody(Arc<AtomicBool>);

impl UnreadBody {
    /// The body of the next request, with a note when it is read.
    pub(super) fn note(&self, body: Incoming) -> NotedBody {
        self.set(!body.is_end_stream());
        NotedBody { body, unread: self.clone() }
    }

    fn set(&self, is_unread: bool) {
        self.0.store(is_unread, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

pub(super) struct NotedBody {
    body: Incoming,
    unread: UnreadBody,
}

impl HttpBody for NotedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.unread.set(false);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

pub(super) struct LingeringClose<S> {
    stream: S,
    unread: UnreadBody,
    /// How long the client may send nothing.
    quiet_max: Duration,
    /// Since it is closed for writing.
    linger: Option<Linger>,
}

struct Linger {
    quiet_max: Duration,
    end: Instant,
    /// The end, or the time after which the client was quiet for too long.
    due: Pin<Box<Sleep>>,
    bytes_left: usize,
}

impl<S> LingeringClose<S> {
    pub(super) fn new(stream: S, unread: UnreadBody, quiet_max: Duration) -> Self {
        Self { stream, unread, quiet_max, linger: None }
    }
}

impl Linger {
    fn new(quiet_max: Duration) -> Self {
        let now = Instant::now();
        let due = Box::pin(sleep_until(now + quiet_max));
        Self { quiet_max, end: now + quiet_max * TIMES_QUIET_MAX, due, bytes_left: BYTES_MAX }
    }

    /// Reads and drops what arrives. Ready when the client is done, or takes too long.
    fn poll_drop<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        let mut space = [0; PIECE_BYTES];
        loop {
            let mut piece = ReadBuf::new(&mut space);
            match Pin::new(&mut *stream).poll_read(context, &mut piece) {
                Poll::Pending => return self.due.as_mut().poll(context),
                Poll::Ready(Ok(())) if (1..=self.bytes_left).contains(&piece.filled().len()) => {
                    self.bytes_left -= piece.filled().len();
                    self.due.as_mut().reset(self.end.min(Instant::now() + self.quiet_max));
                }
                Poll::Ready(Ok(()) | Err(_)) => return Poll::Ready(()),
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LingeringClose<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringClose<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, unread, quiet_max, linger } = &mut *self;
        if linger.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
            if !unread.is_set() {
                return Poll::Ready(Ok(()));
            }
        }
        linger.get_or_insert_with(|| Linger::new(*quiet_max)).poll_drop(stream, context).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, duplex},
        time::sleep,
    };

    use super::*;

    fn unread() -> UnreadBody {
        let unread = UnreadBody::default();
        unread.set(true);
        unread
    }

    #[tokio::test]
    async fn a_connection_without_an_unread_body_is_closed_at_once() {
        let (_client, ours) = duplex(8);
        let quiet_max = Duration::from_secs(600);
        LingeringClose::new(ours, UnreadBody::default(), quiet_max).shutdown().await.unwrap();
    }

    #[tokio::test]
    async fn what_still_arrives_is_read_until_the_client_closes_as_well() {
        let (mut client, ours) = duplex(8);
        let mut stream = LingeringClose::new(ours, unread(), Duration::from_secs(60));
        stream.write_all(b"refused").await.unwrap();
        let closing = tokio::spawn(async move { stream.shutdown().await });

        client.write_all(&[7; 4096]).await.unwrap();
        assert!(!closing.is_finished());
        client.shutdown().await.unwrap();

        closing.await.unwrap().unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "refused");
    }

    #[tokio::test]
    async fn a_client_that_sends_nothing_or_without_end_is_given_up() {
        let quiet_max = Duration::from_millis(100);
        let (_quiet, ours) = duplex(8);
        LingeringClose::new(ours, unread(), quiet_max).shutdown().await.unwrap();

        let (mut client, ours) = duplex(8);
        let sending = tokio::spawn(async move {
            while client.write_all(b"x").await.is_ok() {
                sleep(quiet_max / 10).await;
            }
        });
        let started = Instant::now();
        LingeringClose::new(ours, unread(), quiet_max).shutdown().await.unwrap();
        assert!(started.elapsed() >= quiet_max * TIMES_QUIET_MAX);
        sending.await.unwrap();
    }

    #[tokio::test]
    async fn a_client_that_sends_too_much_is_given_up() {
        let (mut client, ours) = duplex(1 << 20);
        let sending =
            tokio::spawn(async move { while client.write_all(&[7; 1 << 12]).await.is_ok() {} });
        LingeringClose::new(ours, unread(), Duration::from_secs(60)).shutdown().await.unwrap();
        sending.await.unwrap();
    }
}
