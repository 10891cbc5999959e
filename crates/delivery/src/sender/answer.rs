//! An answer, as it arrives.
//!
//! An [`AnswerReader`] gets bytes as they come off a connection, in pieces of any size, and fills
//! in an [`HttpAnswer`]; how the bytes were cut makes no difference. It does no input or output of
//! its own. Every part of an answer has a bound: its heads, its body, and what surrounds the chunks
//! of a body.

mod chunks;
mod head;
#[cfg(test)]
mod tests;

use http::{StatusCode, header::HeaderValue};

use self::{
    chunks::Chunks,
    head::{Framing, Head},
};
use super::send_error::SendError;

/// No answer may have longer heads than this, those that come before the last one included.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// How every answer begins.
const BEGINNING: &[u8] = b"HTTP/1.";

/// How much of an answer is read before the connection is given up, and how much of that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerLimits {
    pub(crate) read_max_bytes: usize,
    pub(crate) kept_max_bytes: usize,
}

impl AnswerLimits {
    /// The most that is ever kept.
    fn room(self) -> usize {
        self.kept_max_bytes.min(self.read_max_bytes)
    }
}

/// What has arrived so far. It is filled in as it arrives, so that a call that is cut off still
/// knows what came before.
#[derive(Debug, Default)]
pub(crate) struct HttpAnswer {
    pub(crate) status: Option<StatusCode>,
    pub(crate) retry_after: Option<HeaderValue>,
    pub(crate) kept: Vec<u8>,
    /// Whether the whole answer was read.
    pub(crate) complete: bool,
}

pub(super) struct AnswerReader {
    limits: AnswerLimits,
    stage: ReadStage,
    /// How many bytes the heads have taken so far.
    head_bytes: usize,
    /// How many bytes of an unfinished head were already looked at.
    seen_bytes: usize,
    body_bytes: usize,
    reusable: bool,
}

enum ReadStage {
    Head,
    Length(usize),
    Chunks(Chunks),
    UntilClose,
    Over,
}

impl AnswerReader {
    pub(super) fn new(limits: AnswerLimits) -> Self {
        Self {
            limits,
            stage: ReadStage::Head,
            head_bytes: 0,
            seen_bytes: 0,
            body_bytes: 0,
            reusable: false,
        }
    }

    /// Takes from `bytes` what can be taken, and says how many that were. What is left must be
    /// there again the next time, with more behind it.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        answer: &mut HttpAnswer,
    ) -> Result<usize, SendError> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_over() {
            if matches!(self.stage, ReadStage::Head) {
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

    /// The other side has closed the connection.
    pub(super) fn close(&mut self, answer: &mut HttpAnswer) -> Result<(), SendError> {
        match self.stage {
            ReadStage::UntilClose => {
                self.finish(answer);
                Ok(())
            }
            ReadStage::Head | ReadStage::Length(_) | ReadStage::Chunks(_) => Err(SendError::Closed),
            ReadStage::Over => Ok(()),
        }
    }

    /// Whether there is nothing more to read, be it because the answer is whole or too large.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, ReadStage::Over)
    }

    /// Whether the connection is good for another request after this answer.
    pub(super) fn is_reusable(&self) -> bool {
        self.reusable && self.is_over()
    }

    /// Reads a head, once all of it is there; its length. It is looked at anew only when another
    /// line of it has ended, and always up to the end of a line.
    fn take_head(
        &mut self,
        bytes: &[u8],
        answer: &mut HttpAnswer,
    ) -> Result<Option<usize>, SendError> {
        if !bytes.iter().zip(BEGINNING).all(|(byte, expected)| byte == expected) {
            return Err(SendError::Unreadable);
        }
        let unseen = bytes.get(self.seen_bytes..).unwrap_or_default();
        let lines = match unseen.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => bytes.get(..=self.seen_bytes + last).unwrap_or_default(),
            None => &[],
        };
        let head = Head::read(lines)?;
        let taken = head.as_ref().map_or(bytes.len(), |head| head.bytes);
        if self.head_bytes + taken > HEAD_BYTES_MAX {
            return Err(SendError::Unreadable);
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
            return Err(SendError::Unreadable);
        }
        Ok(Some(taken))
    }

    fn begin_body(&mut self, head: Head, answer: &mut HttpAnswer) {
        answer.status = Some(head.status);
        answer.retry_after = head.retry_after;
        self.reusable = head.reusable;
        match head.framing {
            Framing::Length(0) => self.finish(answer),
            Framing::Length(length) => {
                answer.kept.reserve_exact(length.min(self.limits.room()));
                self.stage = ReadStage::Length(length);
            }
            Framing::Chunks => self.stage = ReadStage::Chunks(Chunks::default()),
            Framing::UntilClose => self.stage = ReadStage::UntilClose,
        }
    }

    /// Reads some of the body and returns what is left of `bytes`.
    fn take_body<'a>(
        &mut self,
        bytes: &'a [u8],
        answer: &mut HttpAnswer,
    ) -> Result<&'a [u8], SendError> {
        let (data, rest, ended) = match &mut self.stage {
            ReadStage::Head | ReadStage::Over => return Ok(bytes),
            ReadStage::UntilClose => (bytes, &[][..], false),
            ReadStage::Length(left) => {
                let (data, rest) = bytes.split_at(bytes.len().min(*left));
                *left -= data.len();
                (data, rest, *left == 0)
            }
            ReadStage::Chunks(chunks) => {
                let (data, rest) = chunks.take(bytes)?;
                (data, rest, chunks.are_over())
            }
        };
        let room = self.limits.room().saturating_sub(answer.kept.len());
        answer.kept.extend_from_slice(data.get(..room).unwrap_or(data));
        self.body_bytes += data.len();
        if self.body_bytes > self.limits.read_max_bytes {
            self.stage = ReadStage::Over;
            self.reusable = false;
        } else if ended {
            self.finish(answer);
        }
        Ok(rest)
    }

    fn finish(&mut self, answer: &mut HttpAnswer) {
        self.stage = ReadStage::Over;
        answer.complete = true;
    }
}
