//! A call that looks as a test wants it, to see how a receiver reacts.
//!
//! A message is always signed correctly and now. A probe has any headers, so that a receiver that
//! does not check them is found.

use std::time::Duration;

use http::header::HeaderName;

use super::{CallResult, Endpoint, answer::AnswerLimits, request, send_error::SendError};
use crate::tokens::Token;

/// How much of a response to a probe is kept.
const ANSWER_MAX_BYTES: usize = 1024 * 1024;

/// A call with chosen headers.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub(crate) id: String,
    pub(crate) timestamp_s: i64,
    /// None to send none.
    pub(crate) signature: Option<String>,
    pub(crate) sequence: i64,
    pub(crate) attempt: u32,
    pub(crate) replay: bool,
    /// None for a GET.
    pub(crate) body: Option<Vec<u8>>,
}

impl Probe {
    /// The same with another signature, or with none.
    #[must_use]
    pub(crate) fn with_signature(&self, signature: Option<String>) -> Self {
        Self { signature, ..self.clone() }
    }

    /// Its own headers, in the order in which they are sent.
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("webhook-id", self.id.clone()),
            ("webhook-timestamp", self.timestamp_s.to_string()),
        ];
        headers.extend(self.signature.clone().map(|value| ("webhook-signature", value)));
        if self.body.is_some() {
            headers.push(("x-service-created", self.timestamp_s.to_string()));
            headers.push(("x-service-sequence", self.sequence.to_string()));
            headers.push(("x-service-attempt", self.attempt.to_string()));
        }
        if self.replay {
            headers.push(("x-service-replay", "true".to_owned()));
        }
        headers
    }
}

impl Endpoint {
    /// Makes one call with the headers of the probe.
    pub(crate) async fn probe(&self, probe: &Probe, time_max: Duration) -> CallResult {
        let headers = probe.headers();
        // Two signatures are separated by a space.
        if headers.iter().any(|(_, value)| !value.split(' ').all(request::fits_header)) {
            return CallResult::not_sent(&SendError::Identifier);
        }
        let limits =
            AnswerLimits { read_max_bytes: ANSWER_MAX_BYTES, kept_max_bytes: ANSWER_MAX_BYTES };
        let path = self.line.strip_prefix(b"POST").unwrap_or(&self.line);
        let method: &[u8] = if probe.body.is_some() { b"POST" } else { b"GET" };
        let line = [method, path].concat();
        let body = probe.body.as_deref().unwrap_or_default();
        let write_head = |head: &mut Vec<u8>, token: Option<&Token>| {
            self.begin_head(head, &line, token);
            for (name, value) in &headers {
                let name = HeaderName::from_static(name);
                request::line_of(head, &name, |head| head.extend_from_slice(value.as_bytes()));
            }
            if probe.body.is_some() {
                request::end_before(head, body);
            } else {
                request::end(head);
            }
            Ok(())
        };
        self.call(write_head, body, limits, time_max).await
    }
}
