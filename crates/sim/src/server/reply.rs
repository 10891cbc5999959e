//! The reply to a call: a response, at once or later, or none at all.

use std::{
    convert::Infallible,
    future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use serde::Serialize;
use serde_json::json;

use crate::calls::call::CallOutcome;

const RECEIVED: Bytes = Bytes::from_static(br#"{"message":"received"}"#);
const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(crate) struct Reply {
    pub(crate) delay: Duration,
    pub(crate) action: ReplyAction,
}

pub(crate) enum ReplyAction {
    Respond(JsonResponse),
    Hang,
    Close,
}

/// A response in JSON.
pub(crate) struct JsonResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Bytes,
    /// Send a meaningless body of this length instead.
    pub(crate) padding_bytes: Option<u64>,
}

/// Marks a response that is not sent: the connection is closed instead.
#[derive(Clone, Copy)]
pub(crate) struct CloseConnection;

impl JsonResponse {
    pub(crate) fn received() -> Self {
        Self::new(StatusCode::OK, RECEIVED)
    }

    pub(crate) fn new(status: StatusCode, body: Bytes) -> Self {
        Self { status, headers: Vec::new(), body, padding_bytes: None }
    }

    pub(crate) fn message(status: StatusCode, message: &str) -> Self {
        Self::json(status, &json!({ "message": message }))
    }

    pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Self {
        let body = serde_json::to_vec(value).expect("responses have only texts as keys");
        Self::new(status, body.into())
    }

    pub(crate) fn with(mut self, name: HeaderName, value: impl Into<HeaderValue>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn into_response(self) -> Response {
        let empty = self.status == StatusCode::NO_CONTENT;
        let body = match self.padding_bytes {
            Some(remaining) => Body::new(Padding { remaining }),
            None if empty => Body::empty(),
            None => Body::from(self.body),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CONTENT_TYPE, JSON);
        response.headers_mut().extend(self.headers);
        response
    }
}

impl Reply {
    pub(crate) fn outcome(&self) -> CallOutcome {
        match &self.action {
            ReplyAction::Respond(response) => CallOutcome::Status(response.status.as_u16()),
            ReplyAction::Hang => CallOutcome::Hang,
            ReplyAction::Close => CallOutcome::Close,
        }
    }

    /// The body to record, without a huge one.
    pub(crate) fn body(&self) -> Bytes {
        match &self.action {
            ReplyAction::Respond(JsonResponse { padding_bytes: Some(bytes), .. }) => {
                format!("(a body of {bytes} bytes)").into()
            }
            ReplyAction::Respond(response) => response.body.clone(),
            ReplyAction::Hang | ReplyAction::Close => Bytes::new(),
        }
    }

    /// Waits for the delay and returns the response.
    pub(crate) async fn send(self) -> Response {
        if !self.delay.is_zero() {
            tokio::time::sleep(self.delay).await;
        }
        match self.action {
            ReplyAction::Respond(response) => response.into_response(),
            ReplyAction::Hang => future::pending().await,
            ReplyAction::Close => {
                let mut response = Response::new(Body::empty());
                response.extensions_mut().insert(CloseConnection);
                response
            }
        }
    }
}

/// A long body that is never in memory as a whole. It consists of digits, so it is JSON.
struct Padding {
    remaining: u64,
}

static CHUNK: [u8; 64 * 1024] = [b'7'; 64 * 1024];

impl hyper::body::Body for Padding {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = usize::try_from(self.remaining).unwrap_or(usize::MAX).min(CHUNK.len());
        let Some(chunk) = CHUNK.get(..bytes).filter(|chunk| !chunk.is_empty()) else {
            return Poll::Ready(None);
        };
        self.remaining -= u64::try_from(bytes).unwrap_or(self.remaining);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(chunk)))))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}
