//! Controls the merchant over HTTP, for tests and people: shows the calls and sets the behavior.
//!
//! | call                    | effect                                                           |
//! | ----------------------- | ---------------------------------------------------------------- |
//! | `GET /sim/calls`        | the calls: `kind`, `id`, `after`, `limit`; the newest last       |
//! | `DELETE /sim/calls`     | deletes the calls and resets the counters                        |
//! | `GET /sim/summary`      | the counters and violations                                      |
//! | `GET /sim/behaviour`    | the current behaviors                                            |
//! | `PUT /sim/behaviour`    | adds one behavior, or an array of them                           |
//! | `DELETE /sim/behaviour` | removes all behaviors                                            |
//! | `DELETE /sim/tokens`    | revokes all tokens                                               |
//! | `GET /sim/stock`        | the stock of each article                                        |
//! | `PUT /sim/stock`        | sets the stock: an object of SKUs and quantities                 |
//!
//! There is no authentication: a simulated merchant has no real data, and listens only on this
//! machine by default.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::StatusCode,
    response::Response,
    routing::{delete, get},
};
use domain::messages::kind::MessageKind;
use serde::de::DeserializeOwned;

use crate::{
    behavior::Behavior,
    calls::{call::CallQuery, summary::Summary},
    merchant::{Merchant, SimulatedMerchant},
    server::reply::JsonResponse,
};

pub(crate) fn routes() -> Router<Arc<Merchant>> {
    Router::new()
        .route("/sim/calls", get(calls).delete(forget_calls))
        .route("/sim/summary", get(summary))
        .route("/sim/behaviour", get(behaviors).put(behave).delete(behave_normally))
        .route("/sim/tokens", delete(revoke_tokens))
        .route("/sim/stock", get(stock).put(set_stock))
}

async fn calls(
    State(merchant): State<Arc<Merchant>>,
    Query(fields): Query<BTreeMap<String, String>>,
) -> Response {
    match parse_query(&fields) {
        Ok(query) => {
            let calls = SimulatedMerchant(merchant).calls(&query);
            JsonResponse::json(StatusCode::OK, &calls).into_response()
        }
        Err(field) => bad_request(&format!("{field} is not valid")),
    }
}

/// An empty field is the same as none. The error is the name of a field.
fn parse_query(fields: &BTreeMap<String, String>) -> Result<CallQuery, &'static str> {
    let field = |name| fields.get(name).map(String::as_str).filter(|text| !text.is_empty());
    let kind = field("kind").map(|text| MessageKind::parse(text).ok_or("kind"));
    let after = field("after").map(|text| text.parse().map_err(|_| "after"));
    let limit = field("limit").map(|text| text.parse().map_err(|_| "limit"));
    Ok(CallQuery {
        kind: kind.transpose()?,
        id: field("id").map(str::to_owned),
        after: after.transpose()?,
        limit: limit.transpose()?,
    })
}

async fn forget_calls(State(merchant): State<Arc<Merchant>>) -> StatusCode {
    SimulatedMerchant(merchant).forget_calls();
    StatusCode::NO_CONTENT
}

async fn summary(State(merchant): State<Arc<Merchant>>) -> Json<Summary> {
    Json(SimulatedMerchant(merchant).summary())
}

async fn behaviors(State(merchant): State<Arc<Merchant>>) -> Json<Vec<Behavior>> {
    Json(SimulatedMerchant(merchant).behaviors())
}

async fn behave(State(merchant): State<Arc<Merchant>>, body: Bytes) -> Response {
    let is_array = body.trim_ascii_start().starts_with(b"[");
    let behaviors =
        if is_array { parse_json(&body) } else { parse_json(&body).map(|one| vec![one]) };
    let behaviors: Vec<Behavior> = match behaviors {
        Ok(behaviors) => behaviors,
        Err(why) => return bad_request(&why),
    };
    let merchant = SimulatedMerchant(merchant);
    match merchant.behave(&behaviors) {
        Ok(()) => JsonResponse::json(StatusCode::OK, &merchant.behaviors()).into_response(),
        Err(error) => bad_request(&error.to_string()),
    }
}

async fn behave_normally(State(merchant): State<Arc<Merchant>>) -> StatusCode {
    SimulatedMerchant(merchant).behave_normally();
    StatusCode::NO_CONTENT
}

async fn revoke_tokens(State(merchant): State<Arc<Merchant>>) -> StatusCode {
    SimulatedMerchant(merchant).revoke_tokens();
    StatusCode::NO_CONTENT
}

async fn stock(State(merchant): State<Arc<Merchant>>) -> Json<BTreeMap<String, u32>> {
    Json(SimulatedMerchant(merchant).stock_by_sku())
}

async fn set_stock(State(merchant): State<Arc<Merchant>>, body: Bytes) -> Response {
    let stock: BTreeMap<String, u32> = match parse_json(&body) {
        Ok(stock) => stock,
        Err(why) => return bad_request(&why),
    };
    let merchant = SimulatedMerchant(merchant);
    if let Some(sku) = stock.keys().find(|sku| merchant.stock(sku).is_none()) {
        let message = format!("this merchant does not sell {sku}");
        return JsonResponse::message(StatusCode::NOT_FOUND, &message).into_response();
    }
    for (sku, quantity) in stock {
        merchant.set_stock(&sku, quantity);
    }
    JsonResponse::json(StatusCode::OK, &merchant.stock_by_sku()).into_response()
}

fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

fn bad_request(why: &str) -> Response {
    JsonResponse::message(StatusCode::BAD_REQUEST, why).into_response()
}
