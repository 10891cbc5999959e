//! One connection to a merchant's server, and one call at a time over it: HTTP/1.1, as much of it
//! as a message and its answer need.
//!
//! Nothing runs in the background: the task that waits for an answer also writes and reads, so a
//! call costs no change of task, and dropping a connection closes it at once, whatever state it is
//! in. An idle connection is not read either; [`Connection::is_idle`] finds out whether the other
//! side has closed it meanwhile.
//!
//! An answer may come while the request is still being written, from a server that rejects the rest
//! of it. So both are done at once, and a failed write is not a failure before it is known that
//! there is nothing to read.

use std::{
    future::poll_fn,
    io,
    task::{Context, Poll, ready},
};

use tokio::time::Instant;

use super::{
    answer::{AnswerLimits, AnswerReader, HttpAnswer},
    send_error::SendError,
    stream::Stream,
};

/// Bodies up to here are copied behind the head, so that one write sends both.
const COPIED_MAX_BYTES: usize = 16 * 1024;

/// What is read at once. Most answers are shorter, so that one read has them whole.
const READ_BYTES: usize = 8 * 1024;

/// When there is less room than this behind an unfinished head, more is made.
const ROOM_MIN_BYTES: usize = 1024;

pub(super) struct Connection {
    stream: Stream,
    /// The request that is being sent, or was sent last.
    outgoing: Vec<u8>,
    /// What has arrived and was not read yet.
    incoming: Vec<u8>,
    has_received: bool,
    is_reusable: bool,
    pub(super) idle_since: Instant,
}

impl Connection {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            outgoing: Vec::new(),
            incoming: Vec::with_capacity(READ_BYTES),
            has_received: false,
            is_reusable: false,
            idle_since: Instant::now(),
        }
    }

    /// Sends the head that `write_head` writes and `body` behind it, and reads the answer into
    /// `answer`, as far as `limits` allow. Nothing is sent when `write_head` fails.
    pub(super) async fn exchange(
        &mut self,
        write_head: impl FnOnce(&mut Vec<u8>) -> Result<(), SendError>,
        body: &[u8],
        limits: AnswerLimits,
        answer: &mut HttpAnswer,
    ) -> Result<(), SendError> {
        self.has_received = false;
        self.is_reusable = false;
        self.outgoing.clear();
        write_head(&mut self.outgoing)?;
        let mut unsent = Unsent { body, ..Unsent::default() };
        if body.len() <= COPIED_MAX_BYTES {
            self.outgoing.extend_from_slice(body);
            unsent.body = &[];
        }
        let mut sent = None;
        let mut reader = AnswerReader::new(limits);
        let outcome = poll_fn(|context| {
            if sent.is_none()
                && let Poll::Ready(end) = self.poll_send(context, &mut unsent)
            {
                sent = Some(end);
            }
            self.poll_receive(context, &mut reader, answer)
        })
        .await;
        let is_sent = matches!(sent, Some(Ok(())));
        self.is_reusable = is_sent && reader.is_reusable() && self.incoming.is_empty();
        self.incoming.clear();
        self.incoming.shrink_to(READ_BYTES);
        match sent {
            Some(Err(error)) if !self.has_received => Err(SendError::from(&error)),
            Some(_) | None => outcome,
        }
    }

    /// Whether anything came from the other side since the last request was sent.
    pub(super) fn has_received(&self) -> bool {
        self.has_received
    }

    /// Whether the last exchange left the connection as it found it.
    pub(super) fn is_reusable(&self) -> bool {
        self.is_reusable
    }

    /// Whether the connection is still open and nothing unexpected arrived on it.
    pub(super) fn is_idle(&mut self) -> bool {
        self.stream.is_quiet()
    }

    /// Writes until the request is out.
    fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        unsent: &mut Unsent<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let own = self.outgoing.get(unsent.written..).unwrap_or_default();
            if own.is_empty() && unsent.body.is_empty() {
                return self.stream.poll_flush(context);
            }
            let written = ready!(self.stream.poll_write(context, own, unsent.body))?;
            let of_body = written.saturating_sub(own.len());
            unsent.written += written - of_body;
            unsent.body = unsent.body.get(of_body..).unwrap_or_default();
        }
    }

    /// Reads until the answer is over.
    fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
        reader: &mut AnswerReader,
        answer: &mut HttpAnswer,
    ) -> Poll<Result<(), SendError>> {
        while !reader.is_over() {
            self.incoming.reserve(ROOM_MIN_BYTES);
            match ready!(self.stream.poll_read(context, &mut self.incoming)) {
                Ok(0) => return Poll::Ready(reader.close(answer)),
                Ok(_) => self.has_received = true,
                Err(error) => return Poll::Ready(Err(SendError::from(&error))),
            }
            let taken = reader.take(&self.incoming, answer)?;
            self.incoming.drain(..taken);
        }
        Poll::Ready(Ok(()))
    }
}

/// What of a request is still to be written.
#[derive(Default)]
struct Unsent<'a> {
    /// How much of the connection's own bytes is written already.
    written: usize,
    /// What goes out behind them, from where it lies.
    body: &'a [u8],
}
