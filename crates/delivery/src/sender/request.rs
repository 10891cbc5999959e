//! The head of a request, as bytes.
//!
//! Names and values come as types that cannot hold the end of a line, or are numbers; what is
//! neither must have passed [`fits_header`].

use std::{fmt::Display, io::Write};

use http::{
    Method, Uri,
    header::{CONTENT_LENGTH, HeaderName, HeaderValue},
};

/// The line that a request for `uri` begins with.
pub(crate) fn line(method: &Method, uri: &Uri) -> Vec<u8> {
    match uri.path_and_query() {
        Some(path) => format!("{method} {path} HTTP/1.1\r\n"),
        None => format!("{method} / HTTP/1.1\r\n"),
    }
    .into_bytes()
}

pub(crate) fn header(head: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue) {
    line_of(head, name, |head| head.extend_from_slice(value.as_bytes()));
}

pub(super) fn number(head: &mut Vec<u8>, name: &HeaderName, number: impl Into<i64>) {
    line_of(head, name, |head| digits(head, number.into()));
}

/// A header with the value that `write` appends.
pub(super) fn line_of(head: &mut Vec<u8>, name: &HeaderName, write: impl FnOnce(&mut Vec<u8>)) {
    head.extend_from_slice(name.as_str().as_bytes());
    head.extend_from_slice(b": ");
    write(head);
    head.extend_from_slice(b"\r\n");
}

/// Ends a head that no body follows.
pub(crate) fn end(head: &mut Vec<u8>) {
    head.extend_from_slice(b"\r\n");
}

/// Ends a head that `body` follows.
pub(crate) fn end_before(head: &mut Vec<u8>, body: &[u8]) {
    line_of(head, &CONTENT_LENGTH, |head| digits(head, body.len()));
    end(head);
}

fn digits(head: &mut Vec<u8>, number: impl Display) {
    write!(head, "{number}").expect("memory takes all that is written to it");
}

/// Whether `text` can be the value of a header and nothing more.
pub(super) fn fits_header(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}
