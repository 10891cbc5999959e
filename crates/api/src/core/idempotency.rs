//! The header `Idempotency-Key`: the same request again gets the first answer again.

use app::{access::secrets, core::commit_once::IdempotencyKey};
use axum::{extract::FromRequestParts, http::request::Parts};
use utoipa::IntoParams;

use server::Web;
use server::error::ApiError;

const HEADER: &str = "Idempotency-Key";
const KEY_MAX: usize = 255;

/// The header as the API's reference shows it.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the header; it is read below")]
pub(crate) struct IdempotencyHeader {
    /// A text of yours that names this request, 1 to 255 visible ASCII characters. The same request with the
    /// same key within 24 hours gets the first answer; another request with that key gets 409.
    #[param(rename = "Idempotency-Key", example = "req-7d1c0a52")]
    key: Option<String>,
}

/// A key, if the request has one, and what else makes the request what it is.
pub(crate) struct Idempotency {
    key: Option<String>,
    target: String,
}

impl FromRequestParts<Web> for Idempotency {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Web) -> Result<Self, ApiError> {
        let target = format!("{} {}\n", parts.method, parts.uri);
        let Some(value) = parts.headers.get(HEADER) else {
            return Ok(Self { key: None, target });
        };
        let readable = |key: &&str| {
            (1..=KEY_MAX).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
        };
        match value.to_str().ok().filter(readable) {
            Some(key) => Ok(Self { key: Some(key.to_owned()), target }),
            None => Err(ApiError::BadRequest(format!(
                "the header {HEADER} must have 1 to {KEY_MAX} visible ASCII characters"
            ))),
        }
    }
}

impl Idempotency {
    /// What to remember of the request with this `body`.
    pub(crate) fn of(self, body: &[u8]) -> Option<IdempotencyKey> {
        let key = self.key?;
        let whole = [self.target.as_bytes(), body].concat();
        Some(IdempotencyKey { key, request_hash: secrets::hash(&whole) })
    }
}
