//! One connection to a merchant's machine, and one call at a time over it.
//!
//! Nothing runs in the background: whoever waits for an answer also drives the protocol, so a call
//! costs no change of task, and letting go of a connection closes it at once, whatever state it is
//! in. While nobody uses a connection nobody drives it either; whether the other side has closed it
//! meanwhile is found out by [`Connection::is_idle`].

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Request, StatusCode,
    body::Body,
    client::conn::http1::{self, SendRequest},
    header::{HeaderValue, RETRY_AFTER},
};
use hyper_util::rt::TokioIo;
use tokio::time::Instant;

use super::{
    stream::{Stream, Transport},
    trouble::Trouble,
};

/// No answer may have a longer head than this.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// How much of an answer is read before the connection is given up, and how much of that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) read_max_bytes: usize,
    pub(crate) kept_max_bytes: usize,
}

/// What has been heard so far. It is filled in as it arrives, so that a call that is cut off still
/// knows what came before.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: Option<StatusCode>,
    pub(crate) retry_after: Option<HeaderValue>,
    pub(crate) kept: Vec<u8>,
    /// Whether the whole answer was read.
    pub(crate) complete: bool,
}

pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    protocol: Pin<Box<http1::Connection<TokioIo<Stream>, Full<Bytes>>>>,
    /// The protocol has ended, and with it the connection.
    finished: bool,
    heard: Arc<AtomicBool>,
    pub(super) idle_since: Instant,
}

impl Connection {
    pub(super) async fn start(transport: Transport) -> Result<Self, Trouble> {
        let (stream, heard) = Stream::new(transport);
        let (sender, protocol) = http1::Builder::new()
            .max_buf_size(HEAD_BYTES_MAX)
            .handshake(TokioIo::new(stream))
            .await?;
        let protocol = Box::pin(protocol);
        Ok(Self { sender, protocol, finished: false, heard, idle_since: Instant::now() })
    }

    /// Sends `request` and reads the answer into `answer`, as far as `limits` allow.
    pub(super) async fn exchange(
        &mut self,
        request: Request<Full<Bytes>>,
        limits: Limits,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        self.heard.store(false, Ordering::Relaxed);
        let Self { sender, protocol, finished, .. } = self;
        let mut conversation = pin!(converse(sender, request, limits, answer));
        poll_fn(|context| {
            if let Poll::Ready(outcome) = conversation.as_mut().poll(context) {
                return Poll::Ready(outcome);
            }
            drive(protocol, finished, context);
            conversation.as_mut().poll(context)
        })
        .await
    }

    /// Whether anything came from the other side since the last request was handed over.
    pub(super) fn has_heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }

    /// Whether the connection is open, has nothing left to do, and can take another request.
    pub(super) fn is_idle(&mut self, context: &mut Context<'_>) -> bool {
        drive(&mut self.protocol, &mut self.finished, context);
        !self.finished && self.sender.is_ready()
    }
}

/// Lets the protocol read and write what it can. Its errors reach the conversation by themselves.
fn drive(
    protocol: &mut Pin<Box<http1::Connection<TokioIo<Stream>, Full<Bytes>>>>,
    finished: &mut bool,
    context: &mut Context<'_>,
) {
    if !*finished {
        *finished = protocol.as_mut().poll(context).is_ready();
    }
}

async fn converse(
    sender: &mut SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
    limits: Limits,
    answer: &mut Answer,
) -> Result<(), Trouble> {
    let (mut head, mut body) = sender.send_request(request).await?.into_parts();
    answer.status = Some(head.status);
    answer.retry_after = head.headers.remove(RETRY_AFTER);

    let mut read_bytes = 0;
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await else {
            break;
        };
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        let room = limits.kept_max_bytes.saturating_sub(answer.kept.len());
        answer.kept.extend(data.iter().take(room));
        read_bytes += data.len();
        if read_bytes > limits.read_max_bytes {
            return Ok(());
        }
    }
    answer.complete = true;
    Ok(())
}
