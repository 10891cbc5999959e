//! The query of an address. Errors have our own messages.

use axum::{
    extract::{FromRequestParts, Query as AxumQuery},
    http::request::Parts,
};
use serde::de::DeserializeOwned;

use super::error::ApiError;
use crate::Web;

pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Web> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let read = AxumQuery::<T>::from_request_parts(parts, web).await;
        read.map(|AxumQuery(query)| Self(query))
            .map_err(|error| ApiError::BadRequest(error.body_text()))
    }
}
