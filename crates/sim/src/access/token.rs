//! `POST /oauth/token`: the merchant's own tokens, for callers with its client credentials.
//!
//! The credentials are in the header (Basic) or in the body, which is a form or JSON. Every request
//! is counted, also a refused one.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Query, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
    routing::post,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    access::credentials::after_scheme,
    merchant::Merchant,
    server::{receive::read_body, reply::JsonResponse},
};

const MICROS: i64 = 1_000_000;

pub(crate) fn routes() -> Router<Arc<Merchant>> {
    Router::new().route("/oauth/token", post(token))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenRequest {
    grant_type: String,
    client_id: String,
    client_secret: String,
    scope: Option<String>,
}

async fn token(State(merchant): State<Arc<Merchant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let response = match read_body(body).await {
        Ok(body) => merchant.issue_token(&parts.headers, &body),
        Err(response) => response,
    };
    response.with(header::CACHE_CONTROL, HeaderValue::from_static("no-store")).into_response()
}

impl Merchant {
    fn issue_token(&self, headers: &HeaderMap, body: &[u8]) -> JsonResponse {
        let mut tokens = self.tokens();
        tokens.requests += 1;
        if !self.auth.uses_tokens() {
            return JsonResponse::message(StatusCode::NOT_FOUND, "this merchant issues no tokens");
        }
        let Some(mut request) = read_request(headers, body) else {
            return refusal(StatusCode::BAD_REQUEST, "invalid_request");
        };
        if let Some((id, secret)) = read_basic(headers) {
            (request.client_id, request.client_secret) = (id, secret);
        }
        if !self.auth.matches_client(&request.client_id, &request.client_secret) {
            return refusal(StatusCode::UNAUTHORIZED, "invalid_client")
                .with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic"));
        }
        if request.grant_type != "client_credentials" {
            return refusal(StatusCode::BAD_REQUEST, "unsupported_grant_type");
        }
        let now = self.clock.now();
        let lifetime_us = i64::from(self.token_lifetime_s) * MICROS;
        let token = tokens.issue(now.as_microsecond().saturating_add(lifetime_us));
        let mut response = json!({
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": self.token_lifetime_s,
            "created_at": now.as_second(),
        });
        if let (Some(scope), Value::Object(fields)) = (request.scope, &mut response) {
            fields.insert("scope".to_owned(), scope.into());
        }
        JsonResponse::json(StatusCode::OK, &response)
    }
}

fn refusal(status: StatusCode, error: &str) -> JsonResponse {
    JsonResponse::json(status, &json!({ "error": error }))
}

fn read_request(headers: &HeaderMap, body: &[u8]) -> Option<TokenRequest> {
    let content_type = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    if content_type.starts_with("application/json") {
        serde_json::from_slice(body).ok()
    } else if content_type.starts_with("application/x-www-form-urlencoded") {
        read_form(body)
    } else {
        None
    }
}

/// Reads a form, which has the syntax of a query.
pub(crate) fn read_form<T: serde::de::DeserializeOwned>(body: &[u8]) -> Option<T> {
    let address = format!("/?{}", str::from_utf8(body).ok()?).parse().ok()?;
    Query::try_from_uri(&address).ok().map(|Query(form)| form)
}

/// Client id and secret from the header. They should be percent-encoded, and often are not.
fn read_basic(headers: &HeaderMap) -> Option<(String, String)> {
    let decoded = BASE64_STANDARD.decode(after_scheme(headers, "Basic")?).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (id, secret) = text.split_once(':')?;
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    Some((plain(id), plain(secret)))
}
