//! For the machinery around the service: is it alive, is it ready, how is it doing.
//!
//! Not rate limited, so that a flood cannot make a healthy node look sick.

use axum::{
    Router,
    extract::{Extension, State},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::get,
};

use super::caller::{Admin, Allowed};
use server::error::{ApiError, internal, respond};
use server::{Web, guard::Peer};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

async fn alive() -> Response {
    respond(StatusCode::OK, "alive")
}

/// Ready when the store answers.
async fn ready(State(web): State<Web>) -> Response {
    match web.app.store.schema_version().await {
        Ok(_) => respond(StatusCode::OK, "ready"),
        Err(error) => {
            let _ = internal(&error);
            respond(StatusCode::SERVICE_UNAVAILABLE, "the store does not answer")
        }
    }
}

/// The figures name merchants, so only the machine itself and operators may see them.
async fn metrics(
    State(web): State<Web>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    admin: Result<Allowed<Admin>, ApiError>,
) -> Response {
    let own_machine = web.client_address(peer, &headers).is_loopback();
    if let (false, Err(refusal)) = (own_machine, admin) {
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
