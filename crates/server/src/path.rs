//! The variable parts of an address. Errors have our own messages.

use axum::{
    extract::{FromRequestParts, Path as AxumPath, path::ErrorKind, rejection::PathRejection},
    http::request::Parts,
};
use serde::de::DeserializeOwned;

use super::error::ApiError;
use crate::Web;

pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<Web> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let read = AxumPath::<T>::from_request_parts(parts, web).await;
        read.map(|AxumPath(path)| Self(path))
            .map_err(|error| ApiError::BadRequest(describe_error(error)))
    }
}

fn describe_error(error: PathRejection) -> String {
    if let PathRejection::FailedToDeserializePathParams(error) = error
        && let ErrorKind::InvalidUtf8InPathParam { key } = error.into_kind()
    {
        return format!("{key} in the address is not UTF-8");
    }
    "a part of the address cannot be read".to_owned()
}
