//! The bytes under HTTP: a TCP connection, plain or inside TLS.
//!
//! A stream remembers whether anything was heard from the other side since it was last asked,
//! because a request may be repeated on another connection only when not a byte of an answer came.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::client::TlsStream;

pub(super) struct Stream {
    transport: Transport,
    heard: Arc<AtomicBool>,
}

pub(super) enum Transport {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// The stream, and the flag that it sets whenever it reads something.
    pub(super) fn new(transport: Transport) -> (Self, Arc<AtomicBool>) {
        let heard = Arc::new(AtomicBool::new(false));
        (Self { transport, heard: Arc::clone(&heard) }, heard)
    }
}

/// Calls a method of whichever transport it is.
macro_rules! on_transport {
    ($stream:expr, $transport:ident => $call:expr) => {
        match &mut $stream.get_mut().transport {
            Transport::Plain(stream) => {
                let $transport = Pin::new(stream);
                $call
            }
            Transport::Secure(stream) => {
                let $transport = Pin::new(stream.as_mut());
                $call
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = on_transport!(self.as_mut(), stream => stream.poll_read(context, buffer));
        if buffer.filled().len() > before {
            self.heard.store(true, Ordering::Relaxed);
        }
        outcome
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        on_transport!(self, stream => stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        on_transport!(self, stream => stream.poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.transport {
            Transport::Plain(stream) => stream.is_write_vectored(),
            Transport::Secure(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_transport!(self, stream => stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_transport!(self, stream => stream.poll_shutdown(context))
    }
}
