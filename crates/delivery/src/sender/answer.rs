//! An answer, as it arrives.
//!
//! A [`Reader`] is handed bytes as they come off a connection, in pieces of any size, and fills in
//! an [`Answer`]; how the bytes were cut makes no difference to what it finds. It does no input or
//! output of its own. Every part of an answer has a bound: its heads, its body, and what stands
//! beside the body when that comes in chunks.

mod chunks;
mod head;
#[cfg(test)]
mod tests;

use http::{StatusCode, header::HeaderValue};

use self::{
    chunks::Chunks,
    head::{Framing, Head},
};
use super::trouble::Trouble;

/// No answer may have longer heads than this, those that come before the last one included.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// How every answer begins.
const BEGINNING: &[u8] = b"HTTP/1.";

/// How much of an answer is read before the connection is given up, and how much of that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) read_max_bytes: usize,
    pub(crate) kept_max_bytes: usize,
}

impl Limits {
    /// The most that is ever kept.
    fn room(self) -> usize {
        self.kept_max_bytes.min(self.read_max_bytes)
    }
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

pub(super) struct Reader {
    limits: Limits,
    stage: Stage,
    /// How many bytes the heads have taken so far.
    head_bytes: usize,
    /// How many bytes of an unfinished head were already looked at.
    seen_bytes: usize,
    body_bytes: usize,
    reusable: bool,
}

enum Stage {
    Head,
    Length(usize),
    Chunks(Chunks),
    UntilClose,
    Over,
}

impl Reader {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            stage: Stage::Head,
            head_bytes: 0,
            seen_bytes: 0,
            body_bytes: 0,
            reusable: false,
        }
    }

    /// Takes from `bytes` what can be taken, and says how many that were. What is left must be
    /// there again the next time, with more behind it.
    pub(super) fn take(&mut self, bytes: &[u8], answer: &mut Answer) -> Result<usize, Trouble> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_over() {
            if matches!(self.stage, Stage::Head) {
                let Some(length) = self.take_head(rest, answer)? else {
                    break;
                };
                rest = rest.get(length..).unwrap_or_default();
            } else {
                rest = self.take_body(rest, answer)?;
            }
        }
        Ok(bytes.len() - rest.len())
    }

    /// The other side has said its last.
    pub(super) fn close(&mut self, answer: &mut Answer) -> Result<(), Trouble> {
        match self.stage {
            Stage::UntilClose => {
                self.finish(answer);
                Ok(())
            }
            Stage::Head | Stage::Length(_) | Stage::Chunks(_) => Err(Trouble::Closed),
            Stage::Over => Ok(()),
        }
    }

    /// Whether there is nothing more to read, be it because the answer is whole or too large.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// Whether the connection is good for another request after this answer.
    pub(super) fn is_reusable(&self) -> bool {
        self.reusable && self.is_over()
    }

    /// Reads a head, once all of it is there; its length. It is looked at anew only when another
    /// line of it has ended, and always up to the end of a line.
    fn take_head(&mut self, bytes: &[u8], answer: &mut Answer) -> Result<Option<usize>, Trouble> {
        if !bytes.iter().zip(BEGINNING).all(|(byte, expected)| byte == expected) {
            return Err(Trouble::Unreadable);
        }
        let unseen = bytes.get(self.seen_bytes..).unwrap_or_default();
        let lines = match unseen.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => bytes.get(..=self.seen_bytes + last).unwrap_or_default(),
            None => &[],
        };
        let head = Head::read(lines)?;
        let taken = head.as_ref().map_or(bytes.len(), |head| head.bytes);
        if self.head_bytes + taken > HEAD_BYTES_MAX {
            return Err(Trouble::Unreadable);
        }
        let Some(head) = head else {
            self.seen_bytes = bytes.len();
            return Ok(None);
        };
        self.seen_bytes = 0;
        self.head_bytes += taken;
        if !head.status.is_informational() {
            self.begin_body(head, answer);
        } else if head.status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(Trouble::Unreadable);
        }
        Ok(Some(taken))
    }

    fn begin_body(&mut self, head: Head, answer: &mut Answer) {
        answer.status = Some(head.status);
        answer.retry_after = head.retry_after;
        self.reusable = head.reusable;
        match head.framing {
            Framing::Length(0) => self.finish(answer),
            Framing::Length(length) => {
                answer.kept.reserve_exact(length.min(self.limits.room()));
                self.stage = Stage::Length(length);
            }
            Framing::Chunks => self.stage = Stage::Chunks(Chunks::default()),
            Framing::UntilClose => self.stage = Stage::UntilClose,
        }
    }

    /// Reads some of the body and returns what is left of `bytes`.
    fn take_body<'a>(&mut self, bytes: &'a [u8], answer: &mut Answer) -> Result<&'a [u8], Trouble> {
        let (data, rest, ended) = match &mut self.stage {
            Stage::Head | Stage::Over => return Ok(bytes),
            Stage::UntilClose => (bytes, &[][..], false),
            Stage::Length(left) => {
                let (data, rest) = bytes.split_at(bytes.len().min(*left));
                *left -= data.len();
                (data, rest, *left == 0)
            }
            Stage::Chunks(chunks) => {
                let (data, rest) = chunks.take(bytes)?;
                (data, rest, chunks.are_over())
            }
        };
        let room = self.limits.room().saturating_sub(answer.kept.len());
        answer.kept.extend_from_slice(data.get(..room).unwrap_or(data));
        self.body_bytes += data.len();
        if self.body_bytes > self.limits.read_max_bytes {
            self.stage = Stage::Over;
            self.reusable = false;
        } else if ended {
            self.finish(answer);
        }
        Ok(rest)
    }

    fn finish(&mut self, answer: &mut Answer) {
        self.stage = Stage::Over;
        answer.complete = true;
    }
}
