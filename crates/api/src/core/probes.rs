//! Probes for monitoring: liveness, readiness and metrics.
//!
//! They have no rate limit, so that a flood of requests cannot make a healthy node look unhealthy.

use axum::{
    Json, Router,
    extract::{Extension, State},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};

use serde::Serialize;

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

/// Whether a node is ready, part by part.
#[derive(Serialize)]
struct Readiness {
    message: &'static str,
    /// `ready`, or what is wrong.
    database: &'static str,
    /// `ready`, or `draining` before the node stops.
    traffic: &'static str,
}

const READY: &str = "ready";

/// A node is ready if its database responds and it is not about to stop.
async fn ready(State(web): State<Web>) -> Response {
    let version = web.app.store.schema_version().await;
    web.readiness_failures.note(&version);
    let database = if version.is_ok() { READY } else { "does not respond" };
    let traffic = if web.is_draining() { "draining" } else { READY };
    let message = match (database, traffic) {
        (READY, READY) => READY,
        (READY, _) => "the node is about to stop",
        _ => "the database does not respond",
    };
    let status = if message == READY { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { message, database, traffic })).into_response()
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
