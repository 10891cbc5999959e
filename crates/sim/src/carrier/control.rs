//! Controls the carrier over HTTP, for tests and people.
//!
//! | call                              | effect                                                 |
//! | --------------------------------- | ------------------------------------------------------ |
//! | `GET /sim/purchases`              | every label that was bought                            |
//! | `POST /sim/parcels/{code}/move`   | moves a parcel: `status`, or several `statuses`        |
//! | `GET /sim/webhooks`               | the webhooks that were sent, and their answers         |
//! | `PUT /sim/webhooks`               | where they are sent: `url`, and `secret`               |
//! | `GET`, `PUT`, `DELETE /sim/faults`| the faults; adds an array of them; removes all         |
//!
//! There is no authentication: it has no real data, and listens only on this machine by default.

use std::sync::Arc;

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Carrier, LISTS_MAX,
    fault::CarrierFault,
    shipments::{STATUSES, Shipments},
    webhooks::{SentWebhook, move_parcel},
};
use crate::server::reply::JsonResponse;

pub(super) fn routes() -> Router<Arc<Carrier>> {
    Router::new()
        .route("/sim/purchases", get(purchases))
        .route("/sim/parcels/{code}/move", post(move_one))
        .route("/sim/webhooks", get(webhooks).put(set_webhooks))
        .route("/sim/faults", get(faults).put(add_faults).delete(forget_faults))
}

async fn purchases(State(carrier): State<Arc<Carrier>>) -> Json<Value> {
    let state = carrier.lock();
    let purchases = state.shipments.purchases().filter_map(Shipments::show_purchase);
    Json(json!({ "purchases": purchases.collect::<Vec<_>>() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    status: Option<String>,
    #[serde(default)]
    statuses: Vec<String>,
}

async fn move_one(
    State(carrier): State<Arc<Carrier>>,
    Path(code): Path<String>,
    body: Bytes,
) -> Response {
    let statuses: Vec<String> = match serde_json::from_slice::<Move>(&body) {
        Ok(sent) => sent.status.into_iter().chain(sent.statuses).collect(),
        Err(error) => return bad_request(&error.to_string()),
    };
    if statuses.is_empty() || !statuses.iter().all(|it| STATUSES.contains(&it.as_str())) {
        return bad_request(&format!("status must be one of {}", STATUSES.join(", ")));
    }
    match move_parcel(&carrier, &code, &statuses).await {
        Some(tracker) => JsonResponse::json(StatusCode::OK, &tracker).into_response(),
        None => JsonResponse::message(StatusCode::NOT_FOUND, "no such parcel").into_response(),
    }
}

async fn webhooks(State(carrier): State<Arc<Carrier>>) -> Json<Vec<SentWebhook>> {
    Json(carrier.lock().sent.clone())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookSettings {
    url: String,
    secret: Option<String>,
}

async fn set_webhooks(State(carrier): State<Arc<Carrier>>, body: Bytes) -> Response {
    let settings: WebhookSettings = match serde_json::from_slice(&body) {
        Ok(settings) => settings,
        Err(error) => return bad_request(&error.to_string()),
    };
    let mut target = carrier.webhook_target();
    target.url = Some(settings.url);
    if let Some(secret) = settings.secret {
        target.secret = secret;
    }
    JsonResponse::json(StatusCode::OK, &json!({ "url": target.url })).into_response()
}

async fn faults(State(carrier): State<Arc<Carrier>>) -> Json<Vec<CarrierFault>> {
    Json(carrier.lock().faults.clone())
}

async fn add_faults(State(carrier): State<Arc<Carrier>>, body: Bytes) -> Response {
    match serde_json::from_slice::<Vec<CarrierFault>>(&body) {
        Ok(faults) if faults.len() + carrier.lock().faults.len() <= LISTS_MAX => {
            let mut state = carrier.lock();
            state.faults.extend(faults);
            JsonResponse::json(StatusCode::OK, &state.faults).into_response()
        }
        Ok(_) => bad_request("too many faults"),
        Err(error) => bad_request(&error.to_string()),
    }
}

async fn forget_faults(State(carrier): State<Arc<Carrier>>) -> Json<Vec<CarrierFault>> {
    let mut state = carrier.lock();
    state.faults.clear();
    Json(state.faults.clone())
}

fn bad_request(why: &str) -> Response {
    JsonResponse::message(StatusCode::BAD_REQUEST, why).into_response()
}
