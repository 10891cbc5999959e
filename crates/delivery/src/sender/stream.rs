//! The bytes under HTTP: a TCP connection, plain or inside TLS.

use std::{
    io::{self, IoSlice},
    pin::{Pin, pin},
    task::{Context, Poll, Waker, ready},
};

use tokio::{
    io::{AsyncReadExt, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::client::TlsStream;

pub(super) enum Stream {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// Appends what has arrived to `buffer`, as far as it has room; how much that was.
    pub(super) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut Vec<u8>,
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(stream) => pin!(stream.read_buf(buffer)).poll(context),
            Self::Secure(stream) => pin!(stream.read_buf(buffer)).poll(context),
        }
    }

    /// Writes some of `first`, and of `second` behind it.
    pub(super) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        let stream = Pin::new(self.writer());
        let written = if second.is_empty() {
            ready!(stream.poll_write(context, first))?
        } else {
            let slices = [IoSlice::new(first), IoSlice::new(second)];
            ready!(stream.poll_write_vectored(context, &slices))?
        };
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        Poll::Ready(Ok(written))
    }

    pub(super) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.writer()).poll_flush(context)
    }

    /// Whether the other side has neither closed the connection nor said anything. When nothing
    /// has arrived, the system is not asked.
    pub(super) fn is_quiet(&mut self) -> bool {
        match self {
            Self::Plain(stream) => stream
                .try_read(&mut [0])
                .is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock),
            // TLS records of its own are not data from the other side, so it has to read.
            Self::Secure(stream) => {
                let mut context = Context::from_waker(Waker::noop());
                let mut byte = [0];
                pin!(stream.read(&mut byte)).poll(&mut context).is_pending()
            }
        }
    }

    fn writer(&mut self) -> &mut (dyn AsyncWrite + Unpin) {
        match self {
            Self::Plain(stream) => stream,
            Self::Secure(stream) => stream.as_mut(),
        }
    }
}
