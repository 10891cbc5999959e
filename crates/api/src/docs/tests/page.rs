//! Tests that the page shows everything, loads nothing from other hosts, and has the right headers.

use axum::{
    Router,
    body::Body,
    http::{
        Request, Response, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
            REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
        },
    },
};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use super::{description, operations, webhooks};
use crate::docs::{code::Code, page, routes};
use server::assets::{self, assets};

fn render_page() -> String {
    page::render(&description(), assets())
}

async fn get(address: &str, known: Option<&str>) -> Response<Body> {
    let router: Router = routes().merge(assets::routes());
    let mut request = Request::get(address);
    if let Some(tag) = known {
        request = request.header(IF_NONE_MATCH, tag);
    }
    router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

fn header(response: &Response<Body>, name: axum::http::HeaderName) -> &str {
    response.headers().get(name).unwrap().to_str().unwrap()
}

/// The texts between `before` and the next quotation mark.
fn quoted_after<'a>(page: &'a str, before: &'static str) -> impl Iterator<Item = &'a str> {
    page.split(before).skip(1).filter_map(|rest| rest.split('"').next())
}

#[test]
fn the_page_shows_every_operation() {
    let (document, page) = (description(), render_page());

    for (method, path, operation) in operations(&document) {
        assert!(page.contains(&format!("<code>{path}</code>")), "{method} {path}");
        let anchor = operation.text("operationId").replace('_', "-");
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{method} {path}");
        assert_eq!(page.matches(&format!("href=\"#{anchor}\"")).count(), 3, "{method} {path}");
    }
    for (_, kind, call) in webhooks(&document) {
        let anchor = call.text("operationId").replace('_', "-");
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{kind}");
    }
}

#[test]
fn commands_carry_what_an_address_cannot_do_without() {
    let page = render_page();

    for address in ["/admin/messages?merchant=acme", "/admin/refunds?state=unmatched"] {
        assert!(page.contains(&format!("http://127.0.0.1:8080{address}")), "{address}");
    }
}

#[test]
fn the_page_has_no_script_and_no_style_of_its_own_and_asks_no_other_host() {
    let page = render_page();

    for forbidden in ["<script", "<style", "style=", "javascript:", "onclick"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for address in quoted_after(&page, "href=\"").chain(quoted_after(&page, "src=\"")) {
        assert!(address.starts_with(['/', '#']), "{address}");
    }
}

#[test]
fn every_place_that_the_page_links_to_is_there_once() {
    let page = render_page();
    let ids: Vec<&str> = quoted_after(&page, " id=\"").collect();

    for target in quoted_after(&page, "href=\"#") {
        assert_eq!(ids.iter().filter(|id| **id == target).count(), 1, "{target}");
    }
}

#[test]
fn laid_out_json_is_the_same_json() {
    let sample: Value = serde_json::from_str(domain::samples::order_message()).unwrap();

    let laid_out = Code::json(&sample).text();

    assert_eq!(serde_json::from_str::<Value>(&laid_out).unwrap(), sample);
    assert!(laid_out.contains("\n        \"tags\": [\"web\", \"gift_wrap\"],\n"));
}

#[test]
fn what_a_caller_wrote_in_a_description_stays_text() {
    let mut document = description();
    document["info"]["description"] = "<b>bold</b> and `<i>`".into();

    let page = page::render(&document, assets());

    assert!(page.contains("&#60;b&#62;bold&#60;/b&#62; and <code>&#60;i&#62;</code>"));
}

#[tokio::test]
async fn a_browser_is_told_to_load_nothing_but_styles_and_pictures_from_here() {
    let response = get("/docs", None).await;

    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(header(&response, CONTENT_TYPE), "text/html; charset=utf-8");
    assert_eq!(
        header(&response, CONTENT_SECURITY_POLICY),
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    );
    assert_eq!(header(&response, X_CONTENT_TYPE_OPTIONS), "nosniff");
    assert_eq!(header(&response, REFERRER_POLICY), "no-referrer");
}

#[tokio::test]
async fn a_browser_that_has_the_page_is_not_sent_it_again() {
    let first = get("/docs", None).await;
    let again = get("/docs", Some(header(&first, ETAG))).await;

    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert!(again.into_body().collect().await.unwrap().to_bytes().is_empty());
}

#[tokio::test]
async fn what_the_page_loads_is_there_and_may_be_kept_forever() {
    let page = render_page();
    let assets: Vec<&str> = quoted_after(&page, "href=\"/assets/").collect();
    assert_eq!(assets.len(), 3);

    for name in assets {
        let response = get(&format!("/assets/{name}"), None).await;
        assert_eq!(response.status(), StatusCode::OK, "{name}");
        assert_eq!(header(&response, CACHE_CONTROL), "public, max-age=31536000, immutable");
        assert_eq!(header(&response, X_CONTENT_TYPE_OPTIONS), "nosniff");
    }
    assert_eq!(get("/assets/base.css", None).await.status(), StatusCode::NOT_FOUND);
}
