//! The layer that counts and logs every request.

use std::time::Instant;

use axum::{
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};

use crate::Web;

/// All paths without a route count under one name, so that guessed addresses cannot fill the
/// memory.
pub async fn observe(State(web): State<Web>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("no route", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let started = Instant::now();
    let response = next.run(request).await;
    let (duration, status) = (started.elapsed(), response.status().as_u16());
    tracing::debug!(
        method,
        route,
        status,
        duration_ms = duration.as_secs_f64() * 1000.0,
        "{method} {route} answered {status}"
    );
    web.metrics.record(method, route, status, duration);
    response
}
