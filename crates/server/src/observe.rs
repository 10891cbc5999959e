//! The layer that numbers, counts and logs every request.

use std::time::Instant;

use app::core::scope::RequestId;
use axum::{
    extract::{MatchedPath, Request, State},
    http::{Extensions, HeaderName, HeaderValue, Method},
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

tokio::task_local! {
    /// The request that this task handles.
    static HANDLED: HandledRequest;
}

#[derive(Clone)]
struct HandledRequest {
    method: Method,
    route: Option<MatchedPath>,
    id: RequestId,
}

fn name_route(route: Option<&MatchedPath>) -> &str {
    route.map_or("no route", MatchedPath::as_str)
}

/// The request that is being handled, as the log names it. Empty outside of requests.
pub(crate) fn describe_request() -> String {
    let describe = |HandledRequest { method, route, id }: &HandledRequest| {
        format!("{method} {} ({id}): ", name_route(route.as_ref()))
    };
    HANDLED.try_with(describe).unwrap_or_default()
}

/// Runs a request that may change something to its end, even if the client closes the connection
/// or the time is over. Otherwise it could stop between a commit and what follows from it, such as
/// sending the message that was committed.
pub(crate) async fn run_to_end<T: Send + 'static>(
    handling: impl Future<Output = T> + Send + 'static,
) -> T {
    let handling = handling.instrument(Span::current());
    let task = match HANDLED.try_with(HandledRequest::clone) {
        Ok(handled) => tokio::spawn(HANDLED.scope(handled, handling)),
        Err(_) => tokio::spawn(handling),
    };
    match task.await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The process ends.
            Err(_) => std::future::pending().await,
        },
    }
}

/// All paths without a route count under one name, so that guessed addresses cannot fill the
/// memory.
pub async fn observe(State(web): State<Web>, mut request: Request, next: Next) -> Response {
    let id = RequestId::new(&web.app);
    request.extensions_mut().insert(id);
    let (method, route) = (request.method().clone(), request.extensions().get().cloned());
    let handled = HandledRequest { method, route, id };
    let route = name_route(handled.route.as_ref()).to_owned();
    let method = handled.method.to_string();
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
    let handling = next.run(request).instrument(span.clone());
    let mut response = HANDLED.scope(handled, handling).await;
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    #[tokio::test]
    async fn a_change_runs_to_its_end_when_the_client_is_gone() {
        let (start, started) = oneshot::channel::<()>();
        let (finish, finished) = oneshot::channel();
        let handling = run_to_end(async move {
            started.await.unwrap();
            finish.send("committed and sent").unwrap();
        });

        let gone = timeout(Duration::from_millis(10), handling).await;

        assert!(gone.is_err());
        start.send(()).unwrap();
        assert_eq!(finished.await, Ok("committed and sent"));
    }
}
