//! The API reference: `/docs` for people, `/openapi.json` for tools.
//!
//! Both are generated from the routes and rendered once, when someone first asks: most servers are
//! never asked. The page needs no script and nothing from another host.

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

use std::sync::OnceLock;

use axum::{
    Router,
    http::HeaderMap,
    response::{IntoResponse, Response},
    routing::get,
};
pub(crate) use message_schema::message_schema;
use serde_json::Value;
use tokio::task::spawn_blocking;
use utoipa::openapi::OpenApi;

use server::assets::{CachedFile, PAGE_HEADERS, REVALIDATE, assets};

struct Reference {
    page: CachedFile,
    openapi: CachedFile,
}

static REFERENCE: OnceLock<Reference> = OnceLock::new();

/// The routes; they need no state.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/docs", get(show_page)).route("/openapi.json", get(show_openapi))
}

async fn show_page(headers: HeaderMap) -> Response {
    (PAGE_HEADERS, reference().await.page.respond(&headers, REVALIDATE)).into_response()
}

async fn show_openapi(headers: HeaderMap) -> Response {
    reference().await.openapi.respond(&headers, REVALIDATE).into_response()
}

/// On a thread of its own the first time, because it takes as long as hundreds of requests.
async fn reference() -> &'static Reference {
    match REFERENCE.get() {
        Some(reference) => reference,
        None => spawn_blocking(|| REFERENCE.get_or_init(render))
            .await
            .expect("rendering does not panic"),
    }
}

fn render() -> Reference {
    let document = crate::description();
    let page = page::render(&document, assets());
    let openapi = serde_json::to_vec_pretty(&document).expect("the description has string keys");
    Reference {
        page: CachedFile::new("text/html; charset=utf-8", page.into()),
        openapi: CachedFile::new("application/json", openapi.into()),
    }
}

/// The description as JSON, with the responses that many operations share.
pub(crate) fn describe(document: OpenApi) -> Value {
    let mut document = serde_json::to_value(document).expect("the description has string keys");
    webhooks::add_webhooks(&mut document);
    complete::complete(&mut document);
    document
}
