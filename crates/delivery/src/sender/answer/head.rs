//! The head of an answer: its status, and where its body ends (RFC 9112, 6.3).

use std::mem::MaybeUninit;

use http::{
    StatusCode,
    header::{CONNECTION, CONTENT_LENGTH, HeaderValue, RETRY_AFTER, TRANSFER_ENCODING},
};
use httparse::{ParserConfig, Response, Status};

use crate::sender::send_error::SendError;

/// No head may have more headers than this.
const HEADERS_MAX: usize = 100;

pub(super) struct Head {
    pub(super) status: StatusCode,
    pub(super) retry_after: Option<HeaderValue>,
    pub(super) framing: Framing,
    /// Whether the connection may be used again when the answer is over.
    pub(super) reusable: bool,
    /// How long the head is.
    pub(super) bytes: usize,
}

/// Where a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Length(usize),
    Chunks,
    UntilClose,
}

impl Head {
    /// Reads the head at the beginning of `bytes`; None while some of it is missing.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<Self>, SendError> {
        let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
        let mut response = Response::new(&mut []);
        let outcome = ParserConfig::default().parse_response_with_uninit_headers(
            &mut response,
            bytes,
            &mut headers,
        );
        let length = match outcome {
            Ok(Status::Complete(length)) => length,
            Ok(Status::Partial) => return Ok(None),
            Err(_) => return Err(SendError::Unreadable),
        };
        let status = response.code.and_then(|code| StatusCode::from_u16(code).ok());
        let status = status.ok_or(SendError::Unreadable)?;
        let mut fields = Fields::default();
        for header in &*response.headers {
            fields.read(header.name, header.value);
        }
        Ok(Some(Self {
            status,
            framing: fields.framing(status)?,
            reusable: response.version == Some(1) && fields.allow_reuse(),
            retry_after: fields.retry_after,
            bytes: length,
        }))
    }
}

/// What the headers say about the rest of the answer.
#[derive(Default)]
struct Fields<'a> {
    content_length: Option<usize>,
    /// A content length is not a number, or there are two that differ.
    is_length_unclear: bool,
    /// What was done last to the body, of all that was done to it.
    last_coding: Option<&'a [u8]>,
    codings: usize,
    asks_to_close: bool,
    retry_after: Option<HeaderValue>,
}

impl<'a> Fields<'a> {
    fn read(&mut self, name: &str, value: &'a [u8]) {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is(CONTENT_LENGTH.as_str()) {
            for part in parts(value) {
                let found = length(part);
                let agrees = self.content_length.is_none_or(|known| found == Some(known));
                self.is_length_unclear |= found.is_none() || !agrees;
                self.content_length = found;
            }
        } else if is(TRANSFER_ENCODING.as_str()) {
            for coding in parts(value) {
                self.last_coding = Some(coding);
                self.codings += 1;
            }
        } else if is(CONNECTION.as_str()) {
            self.asks_to_close |= parts(value).any(|part| part.eq_ignore_ascii_case(b"close"));
        } else if is(RETRY_AFTER.as_str()) && self.retry_after.is_none() {
            self.retry_after = HeaderValue::from_bytes(value).ok();
        }
    }

    fn framing(&self, status: StatusCode) -> Result<Framing, SendError> {
        let bodiless = [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&status);
        if bodiless || status.is_informational() {
            return Ok(Framing::Length(0));
        }
        match self.last_coding {
            Some(coding) if coding.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunks),
            Some(_) => Ok(Framing::UntilClose),
            None if self.is_length_unclear => Err(SendError::Unreadable),
            None => Ok(self.content_length.map_or(Framing::UntilClose, Framing::Length)),
        }
    }

    /// A server that says in two ways where a body ends may mean either, so the connection is not
    /// used for another answer.
    fn allow_reuse(&self) -> bool {
        let has_length = self.content_length.is_some() || self.is_length_unclear;
        let is_framed_once = self.codings == 0 || (self.codings == 1 && !has_length);
        !self.asks_to_close && is_framed_once
    }
}

/// The parts of a value that may be a list.
fn parts(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// A length in plain digits.
fn length(text: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(text).ok()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}
