//! The API reference: `/docs` for people, `/openapi.json` for tools.
//!
//! Both are made of `openapi.json`. A test compares this file with what `generated` makes of the
//! code. The page is rendered once, when someone first asks: most servers are never asked. It needs
//! no script and nothing from another host.

mod code;
mod curl;
#[cfg(feature = "describe")]
pub(crate) mod generated;
mod message_schema;
mod node;
mod operation;
mod page;
mod prose;
mod schema;
#[cfg(test)]
mod tests;

use std::sync::{LazyLock, OnceLock};

use axum::{
    Router,
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
pub(crate) use message_schema::message_schema;
use serde_json::Value;
use tokio::task::spawn_blocking;

use server::assets::{CachedFile, PAGE_HEADERS, REVALIDATE, assets};

/// The description as it is served. A test writes it: `tests/contract.rs`.
const DESCRIPTION: &str = include_str!("../openapi.json");

/// The media type of forms.
const FORM: &str = "application/x-www-form-urlencoded";

static OPENAPI: LazyLock<CachedFile> = LazyLock::new(|| {
    CachedFile::new("application/json", Bytes::from_static(DESCRIPTION.as_bytes()))
});

static PAGE: OnceLock<CachedFile> = OnceLock::new();

/// The routes; they need no state.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/docs", get(show_page)).route("/openapi.json", get(show_openapi))
}

async fn show_page(headers: HeaderMap) -> Response {
    (PAGE_HEADERS, page().await.respond(&headers, REVALIDATE)).into_response()
}

async fn show_openapi(headers: HeaderMap) -> Response {
    OPENAPI.respond(&headers, REVALIDATE).into_response()
}

/// On a thread of its own the first time, because it takes as long as hundreds of requests.
async fn page() -> &'static CachedFile {
    match PAGE.get() {
        Some(page) => page,
        None => {
            spawn_blocking(|| PAGE.get_or_init(render)).await.expect("rendering does not panic")
        }
    }
}

fn render() -> CachedFile {
    let page = page::render(&description(), assets());
    CachedFile::new("text/html; charset=utf-8", page.into())
}

/// The description as JSON.
pub(crate) fn description() -> Value {
    serde_json::from_str(DESCRIPTION).expect("a test compares the file with a JSON document")
}
