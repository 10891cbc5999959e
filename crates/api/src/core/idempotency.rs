//! The header `Idempotency-Key`: a repeated request gets the first response again.

use app::{access::secrets, core::scope::IdempotencyKey};
use axum::{extract::FromRequestParts, http::request::Parts};
use utoipa::IntoParams;

use server::Web;
use server::error::ApiError;

const HEADER: &str = "Idempotency-Key";
const KEY_MAX: usize = 255;

/// The header, for the API reference.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes the header; it is read below")]
pub(crate) struct IdempotencyHeader {
    /// A unique text of your choice for this request, 1 to 255 visible ASCII characters. The same
    /// request with the same key within 24 hours gets the first response again. Another request
    /// with that key gets 409.
    #[param(rename = "Idempotency-Key", example = "req-7d1c0a52")]
    key: Option<String>,
}

/// The key of a request, if it has one, and its method and address.
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
    /// What to store about the request with this `body`.
    pub(crate) fn of(self, body: &[u8]) -> Option<IdempotencyKey> {
        let key = self.key?;
        let hashed = [self.target.as_bytes(), body].concat();
        Some(IdempotencyKey { key, request_hash: secrets::hash(&hashed) })
    }
}
