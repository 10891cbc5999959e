//! Responses that are JSON text already.

use axum::{
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use bytes::Bytes;

pub(crate) fn json_response(text: impl Into<Bytes>) -> Response {
    ([(CONTENT_TYPE, "application/json")], text.into()).into_response()
}
