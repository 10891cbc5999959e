//! The header `Api-Version` of the orders interface.

use axum::{extract::FromRequestParts, http::request::Parts};

use server::Web;
use server::error::ApiError;

const HEADER: &str = "Api-Version";
const SUPPORTED: &str = "3";

/// The request has the supported version.
pub(crate) struct ApiVersion;

impl FromRequestParts<Web> for ApiVersion {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Web) -> Result<Self, ApiError> {
        match parts.headers.get(HEADER).map(|value| value.as_bytes().trim_ascii()) {
            Some(value) if value == SUPPORTED.as_bytes() => Ok(Self),
            Some(_) => Err(unsupported("names another version")),
            None => Err(unsupported("is missing")),
        }
    }
}

fn unsupported(what: &str) -> ApiError {
    ApiError::BadRequest(format!("the header {HEADER} {what}; {SUPPORTED} is supported"))
}
