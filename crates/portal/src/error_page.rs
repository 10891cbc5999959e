//! What every request to the portal passes.
//!
//! A form that another site made a browser send is refused. Refusals become pages, because shoppers
//! read them.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{Method, StatusCode, header::CONTENT_TYPE},
    middleware::Next,
    response::Response,
};
use domain::merchants::portal::Portal;

use super::visit::shown;
use crate::{
    language::Spoken,
    words::{TitledText, Words},
};
use server::{Web, assets::assets};

/// When there is nothing to show.
#[derive(Template)]
#[template(path = "portal/error.html", whitespace = "minimize")]
struct SorryPage {
    code: &'static str,
    words: &'static Words,
    title: &'static str,
    text: &'static str,
    base_style: String,
    portal_style: String,
    icon: String,
}

pub(super) async fn gate(State(web): State<Web>, request: Request, next: Next) -> Response {
    let spoken = Spoken::new(&Portal::default(), request.uri(), request.headers());
    if request.method() == Method::POST && !web.is_same_origin(request.headers()) {
        return sorry(StatusCode::FORBIDDEN, spoken);
    }
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let failed = response.status().is_client_error() || response.status().is_server_error();
    if failed && is_json { sorry(response.status(), spoken) } else { response }
}

fn sorry(status: StatusCode, spoken: Spoken) -> Response {
    let words = spoken.words();
    let TitledText { title, text } = match status {
        StatusCode::NOT_FOUND => words.errors.not_found,
        StatusCode::FORBIDDEN => words.errors.other_origin,
        StatusCode::PAYLOAD_TOO_LARGE => words.errors.too_large,
        StatusCode::TOO_MANY_REQUESTS => words.errors.too_many_requests,
        _ => words.errors.server_error,
    };
    let page = SorryPage {
        code: spoken.language.code(),
        words,
        title,
        text,
        base_style: assets().base_style.address(),
        portal_style: assets().portal_style.address(),
        icon: assets().icon.address(),
    };
    shown(status, &page)
}
