//! The strings behind the merchant, over HTTP, for tests and people: what came, and what shall
//! happen next.
//!
//! | call                    | does                                                             |
//! | ----------------------- | ---------------------------------------------------------------- |
//! | `GET /sim/calls`        | the calls: `kind`, `id`, `after`, `limit`; the newest last        |
//! | `DELETE /sim/calls`     | forgets them and all counts                                       |
//! | `GET /sim/summary`      | the counts and violations                                         |
//! | `GET /sim/behaviour`    | the behaviours in force                                           |
//! | `PUT /sim/behaviour`    | one behaviour, or an array of them                                |
//! | `DELETE /sim/behaviour` | back to normal                                                    |
//! | `DELETE /sim/tokens`    | revokes every token                                               |
//! | `GET /sim/stock`        | how many of each article are left                                 |
//! | `PUT /sim/stock`        | an object of SKUs and quantities                                  |
//!
//! Nobody is asked who they are: a simulated merchant has nothing to hide, and listens on this
//! machine unless it was told otherwise.

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
    behavior::Behaviour,
    calls::{call::CallQuery, summary::Summary},
    merchant::{Merchant, SimulatedMerchant},
    server::reply::Answer,
};

pub(crate) fn routes() -> Router<Arc<Merchant>> {
    Router::new()
        .route("/sim/calls", get(calls).delete(forget_calls))
        .route("/sim/summary", get(summary))
        .route("/sim/behaviour", get(behaviours).put(behave).delete(behave_normally))
        .route("/sim/tokens", delete(revoke_tokens))
        .route("/sim/stock", get(stock).put(set_stock))
}

async fn calls(
    State(merchant): State<Arc<Merchant>>,
    Query(words): Query<BTreeMap<String, String>>,
) -> Response {
    match query(&words) {
        Ok(query) => {
            let calls = SimulatedMerchant(merchant).calls(&query);
            Answer::json(StatusCode::OK, &calls).into_response()
        }
        Err(field) => bad_request(&format!("{field} cannot be read")),
    }
}

/// What is asked for; a field without a value says nothing. The error names a field.
fn query(words: &BTreeMap<String, String>) -> Result<CallQuery, &'static str> {
    let word = |name| words.get(name).map(String::as_str).filter(|word| !word.is_empty());
    let kind = word("kind").map(|word| MessageKind::parse(word).ok_or("kind"));
    let after = word("after").map(|word| word.parse().map_err(|_| "after"));
    let limit = word("limit").map(|word| word.parse().map_err(|_| "limit"));
    Ok(CallQuery {
        kind: kind.transpose()?,
        id: word("id").map(str::to_owned),
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

async fn behaviours(State(merchant): State<Arc<Merchant>>) -> Json<Vec<Behaviour>> {
    Json(SimulatedMerchant(merchant).behaviours())
}

/// A script may be a single line.
async fn behave(State(merchant): State<Arc<Merchant>>, body: Bytes) -> Response {
    let many = body.trim_ascii_start().starts_with(b"[");
    let behaviours = if many { json(&body) } else { json(&body).map(|one| vec![one]) };
    let behaviours: Vec<Behaviour> = match behaviours {
        Ok(behaviours) => behaviours,
        Err(why) => return bad_request(&why),
    };
    let merchant = SimulatedMerchant(merchant);
    match merchant.behave(&behaviours) {
        Ok(()) => Answer::json(StatusCode::OK, &merchant.behaviours()).into_response(),
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
    Json(SimulatedMerchant(merchant).whole_stock())
}

async fn set_stock(State(merchant): State<Arc<Merchant>>, body: Bytes) -> Response {
    let wanted: BTreeMap<String, u32> = match json(&body) {
        Ok(wanted) => wanted,
        Err(why) => return bad_request(&why),
    };
    let merchant = SimulatedMerchant(merchant);
    if let Some(sku) = wanted.keys().find(|sku| merchant.stock(sku).is_none()) {
        let message = format!("{sku} is not sold here");
        return Answer::message(StatusCode::NOT_FOUND, &message).into_response();
    }
    for (sku, quantity) in wanted {
        merchant.set_stock(&sku, quantity);
    }
    Answer::json(StatusCode::OK, &merchant.whole_stock()).into_response()
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

fn bad_request(why: &str) -> Response {
    Answer::message(StatusCode::BAD_REQUEST, why).into_response()
}
