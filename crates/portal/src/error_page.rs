//! The page that a shopper reads when a request fails.
//!
//! Handlers fail as those of the API do, with JSON. Shoppers read pages, so each such response is
//! replaced by a page.

use askama::Template;
use axum::{
    extract::Request,
    http::{StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::Response,
};
use server::assets::assets;

use crate::{
    language::PageLanguage,
    visit::render_page,
    words::{TitledText, Words},
};

#[derive(Template)]
#[template(path = "portal/error.html", whitespace = "minimize")]
struct ErrorPage {
    language_code: &'static str,
    words: &'static Words,
    title: &'static str,
    text: &'static str,
    base_style: String,
    portal_style: String,
    icon: String,
}

/// Replaces the JSON of a failed request with a page.
pub async fn show_errors_as_pages(request: Request, next: Next) -> Response {
    let language = PageLanguage::of_any_portal(&request);
    let response = next.run(request).await;
    let content_type = response.headers().get(CONTENT_TYPE);
    let is_json = content_type.is_some_and(|it| it.as_bytes().starts_with(b"application/json"));
    let failed = response.status().is_client_error() || response.status().is_server_error();
    if failed && is_json { render_error(response.status(), language) } else { response }
}

pub(super) fn render_error(status: StatusCode, language: PageLanguage) -> Response {
    let words = language.words();
    let TitledText { title, text } = match status {
        // A form is no page: its address was typed, or opened again.
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => words.errors.not_found,
        StatusCode::FORBIDDEN => words.errors.other_origin,
        StatusCode::PAYLOAD_TOO_LARGE => words.errors.too_large,
        StatusCode::TOO_MANY_REQUESTS => words.errors.too_many_requests,
        _ => words.errors.server_error,
    };
    let page = ErrorPage {
        language_code: language.language.code(),
        words,
        title,
        text,
        base_style: assets().base_style.address(),
        portal_style: assets().portal_style.address(),
        icon: assets().icon.address(),
    };
    render_page(status, &page)
}
