//! The API reference: `/docs` for people, `/openapi.json` for tools.
//!
//! Both are generated from the routes and rendered once, when the process starts. The page needs no
//! script and nothing from another host.

mod code;
mod complete;
mod curl;
mod message_schema;
mod node;
mod operation;
mod page;
mod prose;
mod schema;
#[cfg(test)]
mod tests;
mod webhooks;

use std::sync::Arc;

use axum::{Router, http::HeaderMap, response::IntoResponse, routing::get};
pub(crate) use message_schema::message_schema;
use serde_json::Value;
use utoipa::openapi::OpenApi;

use server::assets::{CachedFile, PAGE_HEADERS, REVALIDATE, assets};

/// The routes; they need no state.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(document: OpenApi) -> Router<S> {
    let document = describe(document);
    let page = page::render(&document, assets());
    let page = Arc::new(CachedFile::new("text/html; charset=utf-8", page.into()));
    let openapi = serde_json::to_vec_pretty(&document).expect("the description has string keys");
    let openapi = Arc::new(CachedFile::new("application/json", openapi.into()));
    Router::new()
        .route(
            "/docs",
            get(async move |headers: HeaderMap| {
                (PAGE_HEADERS, page.respond(&headers, REVALIDATE)).into_response()
            }),
        )
        .route(
            "/openapi.json",
            get(async move |headers: HeaderMap| openapi.respond(&headers, REVALIDATE)),
        )
}

/// The description as JSON, with the responses that many operations share.
pub(crate) fn describe(document: OpenApi) -> Value {
    let mut document = serde_json::to_value(document).expect("the description has string keys");
    webhooks::add_webhooks(&mut document);
    complete::complete(&mut document);
    document
}
