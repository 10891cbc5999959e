//! Probes for monitoring: liveness, readiness and metrics.
//!
//! They have no rate limit, so that a flood of requests cannot make a healthy node look unhealthy.

use axum::{
    Router,
    extract::{Extension, State},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};

use super::caller::{Allowed, Metrics};
use server::error::{ApiError, internal, respond};
use server::{Web, guard::RequestOrigin};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

async fn alive() -> Response {
    respond(StatusCode::OK, "alive")
}

/// A node is ready if its database responds.
async fn ready(State(web): State<Web>) -> Response {
    match web.app.store.schema_version().await {
        Ok(_) => respond(StatusCode::OK, "ready"),
        Err(error) => {
            let _ = internal(&error);
            respond(StatusCode::SERVICE_UNAVAILABLE, "the database does not respond")
        }
    }
}

/// Metrics contain merchants' names, so they need a token with a scope of their own, except on the
/// machine itself. A request that a proxy forwarded is not from the machine itself.
async fn metrics(
    State(web): State<Web>,
    Extension(origin): Extension<RequestOrigin>,
    allowed: Result<Allowed<Metrics>, ApiError>,
) -> Response {
    if let (false, Err(refusal)) = (origin.is_local, allowed) {
        return refusal.into_response();
    }
    let mut text = String::new();
    match prometheus_client::encoding::text::encode(&mut text, &web.registry) {
        Ok(()) => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            ([(CONTENT_TYPE, kind)], text).into_response()
        }
        Err(error) => internal(&error),
    }
}
