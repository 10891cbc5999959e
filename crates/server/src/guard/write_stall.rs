//! A stream that fails if the peer does not read what is written to it.
//!
//! Without this, a client could request a large response, stop reading, and keep the connection and
//! the response in memory forever: the limits of the HTTP server end with the request. Reads are
//! not limited here, because a connection also waits for a read while its handler is working.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// Fails a write with `TimedOut` if no byte of it was sent for `stall_max`.
pub(super) struct WriteStall<S> {
    stream: S,
    stall_max: Duration,
    /// Set while a write is waiting.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteStall<S> {
    pub(super) fn new(stream: S, stall_max: Duration) -> Self {
        Self { stream, stall_max, deadline: None }
    }

    fn limited(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let stall_max = self.stall_max;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(stall_max)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteStall<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteStall<S> {
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_peer_that_does_not_read_is_given_up() {
        let (ours, _theirs) = duplex(8);
        let mut stream = WriteStall::new(ours, Duration::from_millis(20));

        let error = stream.write_all(&[0; 64]).await.unwrap_err();

        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_peer_that_reads_now_and_then_is_served() {
        let (ours, mut theirs) = duplex(8);
        let mut stream = WriteStall::new(ours, Duration::from_secs(2));

        let writing = tokio::spawn(async move { stream.write_all(&[7; 64]).await });
        let mut taken = [0; 8];
        for _ in 0..8 {
            sleep(Duration::from_millis(5)).await;
            theirs.read_exact(&mut taken).await.unwrap();
        }

        writing.await.unwrap().unwrap();
        assert_eq!(taken, [7; 8]);
    }
}
