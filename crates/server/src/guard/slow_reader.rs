//! A stream that gives up on a client which does not read what is written to it, or hardly.
//!
//! Without it a client could ask for a large response, read a byte now and then, and hold the
//! connection and the response in memory for ever: the limits of the HTTP server end with the
//! request. So a write may wait only as long as the client's patience lasts. Waiting uses it up,
//! and every byte that the client takes gives back the time that it takes at the lowest rate.
//! Waiting to read is not limited here, because a connection whose handler is at work waits to
//! read, too.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

/// Slower than any connection that people still use.
const RATE_MIN_BYTES_PER_S: u32 = 4 * 1024;

/// Fails a write with `TimedOut` when the client took less than the lowest rate for longer than
/// `wait_max`.
pub(super) struct SlowReaderLimit<S> {
    stream: S,
    wait_max: Duration,
    /// How long writes may still wait.
    wait_left: Duration,
    waiting: Option<Waiting>,
}

/// A write that the client does not take.
struct Waiting {
    since: Instant,
    deadline: Pin<Box<Sleep>>,
}

impl<S> SlowReaderLimit<S> {
    pub(super) fn new(stream: S, wait_max: Duration) -> Self {
        Self { stream, wait_max, wait_left: wait_max, waiting: None }
    }

    fn limited(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.count(written.as_ref().copied().unwrap_or(0));
            return Poll::Ready(written);
        }
        let wait_left = self.wait_left;
        let waiting = self.waiting.get_or_insert_with(|| {
            let since = Instant::now();
            Waiting { since, deadline: Box::pin(sleep_until(since + wait_left)) }
        });
        ready!(waiting.deadline.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Counts the bytes that the client took, after the time that it let them wait.
    fn count(&mut self, bytes: usize) {
        let waited = self.waiting.take().map_or(Duration::ZERO, |waiting| waiting.since.elapsed());
        let taken = Duration::from_secs(u64::try_from(bytes).unwrap_or(u64::MAX));
        let wait_left = self.wait_left.saturating_sub(waited);
        let wait_left = wait_left.saturating_add(taken / RATE_MIN_BYTES_PER_S);
        self.wait_left = wait_left.min(self.wait_max);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for SlowReaderLimit<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for SlowReaderLimit<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.limited(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        time::sleep,
    };

    use super::*;

    /// A client that takes so many bytes at a time, with a pause before each.
    struct Client {
        piece: usize,
        pause: Duration,
    }

    /// Writes `bytes` to a client, which may wait for `wait_max`.
    async fn write_to(client: Client, bytes: usize, wait_max: Duration) -> io::Result<()> {
        let (ours, theirs) = duplex(client.piece);
        let mut stream = SlowReaderLimit::new(ours, wait_max);
        let reading = tokio::spawn(read_slowly(theirs, client));
        let written = stream.write_all(&vec![7; bytes]).await;
        reading.abort();
        written
    }

    async fn read_slowly(mut stream: DuplexStream, client: Client) {
        let mut taken = vec![0; client.piece];
        loop {
            sleep(client.pause).await;
            stream.read_exact(&mut taken).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_given_up() {
        let client = Client { piece: 8, pause: Duration::from_secs(60) };
        let error = write_to(client, 64, Duration::from_millis(20)).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_client_that_reads_byte_by_byte_is_given_up() {
        let client = Client { piece: 1, pause: Duration::from_millis(5) };
        let error = write_to(client, 1 << 20, Duration::from_millis(200)).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_client_that_pauses_is_served() {
        let client = Client { piece: 8, pause: Duration::from_millis(5) };
        write_to(client, 64, Duration::from_secs(5)).await.unwrap();
    }

    #[tokio::test]
    async fn a_slow_client_may_take_longer_than_it_may_pause() {
        let client = Client { piece: 4096, pause: Duration::from_millis(5) };
        write_to(client, 256 * 4096, Duration::from_secs(1)).await.unwrap();
    }
}
