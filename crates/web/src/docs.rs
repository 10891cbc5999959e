//! `/openapi.json`, the description of the API that is generated from its routes.

use std::sync::Arc;

use axum::{Router, http::header::CONTENT_TYPE, response::IntoResponse, routing::get};
use bytes::Bytes;
use utoipa::openapi::OpenApi;

use crate::Web;

pub(crate) fn routes(document: OpenApi) -> Router<Web> {
    let text = document.to_pretty_json().expect("the description has string keys");
    let text = Arc::new(Bytes::from(text));
    let openapi = move || async move {
        ([(CONTENT_TYPE, "application/json")], Bytes::clone(&text)).into_response()
    };
    Router::new().route("/openapi.json", get(openapi))
}
