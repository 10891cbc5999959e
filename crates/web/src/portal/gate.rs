//! What stands before every page of the portal.
//!
//! A form that another site made a browser send is refused: the browser says where it comes from, in
//! `Sec-Fetch-Site` or, if it is older, in `Origin`. What is no browser says neither, and has no cookie that
//! somebody could misuse. Refusals become pages, because people read them.

use askama::Template;
use axum::{
    extract::Request,
    http::{
        HeaderMap, HeaderName, Method, StatusCode, header::CONTENT_TYPE, header::HOST,
        header::ORIGIN,
    },
    middleware::Next,
    response::Response,
};
use domain::merchants::portal::Portal;

use super::visit::shown;
use crate::{assets::assets, spoken::Spoken, words::Words};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// When there is nothing to show.
#[derive(Template)]
#[template(path = "portal/sorry.html", whitespace = "minimize")]
struct SorryPage {
    code: &'static str,
    words: &'static Words,
    title: &'static str,
    text: &'static str,
    base_style: String,
    portal_style: String,
    icon: String,
}

pub(super) async fn gate(request: Request, next: Next) -> Response {
    let spoken = Spoken::new(&Portal::default(), request.uri(), request.headers());
    if request.method() == Method::POST && !comes_from_here(request.headers()) {
        return sorry(StatusCode::FORBIDDEN, spoken);
    }
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let failed = response.status().is_client_error() || response.status().is_server_error();
    if failed && is_json { sorry(response.status(), spoken) } else { response }
}

fn comes_from_here(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let Some(site) = text(SEC_FETCH_SITE) {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(ORIGIN) else { return true };
    let here = text(HOST).unwrap_or_default();
    origin.split_once("://").is_some_and(|(_, origin)| origin.eq_ignore_ascii_case(here))
}

fn sorry(status: StatusCode, spoken: Spoken) -> Response {
    let words = spoken.words();
    let [title, text] = match status {
        StatusCode::NOT_FOUND => words.sorry.missing,
        StatusCode::FORBIDDEN => words.sorry.refused,
        StatusCode::PAYLOAD_TOO_LARGE => words.sorry.too_large,
        StatusCode::TOO_MANY_REQUESTS => words.sorry.too_often,
        _ => words.sorry.broken,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_form_counts_only_when_a_page_of_ours_sent_it() {
        let host = (HOST, "returns.example:8080");
        for own in [
            headers(&[]),
            headers(&[host.clone(), (ORIGIN, "https://returns.example:8080")]),
            headers(&[host.clone(), (ORIGIN, "https://RETURNS.example:8080")]),
            headers(&[host.clone(), (ORIGIN, "null"), (SEC_FETCH_SITE, "same-origin")]),
            headers(&[host.clone(), (SEC_FETCH_SITE, "none")]),
        ] {
            assert!(comes_from_here(&own), "{own:?}");
        }
        for foreign in [
            headers(&[host.clone(), (ORIGIN, "https://evil.example")]),
            headers(&[host.clone(), (ORIGIN, "null")]),
            headers(&[host.clone(), (ORIGIN, "")]),
            headers(&[(ORIGIN, "https://returns.example:8080")]),
            headers(&[host.clone(), (SEC_FETCH_SITE, "cross-site")]),
            headers(&[host.clone(), (SEC_FETCH_SITE, "same-site")]),
            headers(&[
                host.clone(),
                (ORIGIN, "https://returns.example:8080"),
                (SEC_FETCH_SITE, "cross-site"),
            ]),
        ] {
            assert!(!comes_from_here(&foreign), "{foreign:?}");
        }
    }
}
