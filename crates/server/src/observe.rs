//! The layer that numbers, counts and logs every request.

use std::time::Instant;

use app::core::scope::RequestId;
use axum::{
    extract::{MatchedPath, Request, State},
    http::{Extensions, HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};

use domain::identifier::MerchantId;
use tracing::{Instrument, Span, field::Empty, trace_span};

use crate::Web;

/// The journal and the log name a request as its answer does.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The trace that a request belongs to at its sender.
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The identifier of a request. Requests inside the process may have none.
pub fn request_id(extensions: &Extensions) -> Option<RequestId> {
    extensions.get().copied()
}

/// Names the merchant that the request is about in its span.
pub fn note_merchant(merchant: &MerchantId) {
    Span::current().record("homeward.merchant", merchant.as_str());
}

/// All paths without a route count under one name, so that guessed addresses cannot fill the
/// memory.
pub async fn observe(State(web): State<Web>, mut request: Request, next: Next) -> Response {
    let id = RequestId::new(&web.app);
    request.extensions_mut().insert(id);
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("no route", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let started = Instant::now();
    let span = trace_span!(
        target: "spans",
        "request",
        traceparent = request.headers().get(TRACE_PARENT).and_then(|value| value.to_str().ok()),
        homeward.request_id = %id,
        homeward.merchant = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        failed = Empty,
    );
    let mut response = next.run(request).instrument(span.clone()).await;
    if let Ok(value) = HeaderValue::try_from(id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let (duration, status) = (started.elapsed(), response.status().as_u16());
    span.record("http.response.status_code", status).record("failed", status >= 500);
    tracing::debug!(
        request = %id,
        method,
        route,
        status,
        duration_ms = duration.as_secs_f64() * 1000.0,
        "{method} {route} answered {status}"
    );
    web.metrics.record(method, route, status, duration);
    response
}
