//! What a person gets who opens an address that has no page. A browser asks for pages, so it gets
//! one; systems get the JSON of the API.

use axum::{
    extract::Request,
    http::{
        HeaderMap, HeaderValue, Method, StatusCode,
        header::{ACCEPT, AUTHORIZATION, LOCATION},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use server::error::{method_not_allowed, no_such_route};

/// Below these addresses are only pages.
const PAGES: [&str; 2] = ["/portal", "/console"];

/// Whether the request is for a page: by its address, or because a browser sent it.
fn asks_for_page(request: &Request) -> bool {
    let path = request.uri().path();
    let below = |page: &&str| {
        path.strip_prefix(*page).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    PAGES.iter().any(below) || (is_read(request) && is_browser(request.headers()))
}

fn is_read(request: &Request) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Whether a browser sent the request. The libraries of some systems accept HTML, too, but send a
/// token or accept JSON by name.
fn is_browser(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let accepted = accepted.collect::<Vec<_>>().join(",");
    accepted.contains("text/html")
        && !accepted.contains("application/json")
        && !headers.contains_key(AUTHORIZATION)
}

/// The answer for an address without a route.
pub(crate) async fn no_such_page(request: Request) -> Response {
    if asks_for_page(&request) {
        return portal::render_error_page(StatusCode::NOT_FOUND, &request);
    }
    no_such_route().await
}

/// The answer for an address that does not support the method, such as that of a form.
pub(crate) async fn no_such_method(request: Request) -> Response {
    if asks_for_page(&request) {
        return portal::render_error_page(StatusCode::METHOD_NOT_ALLOWED, &request);
    }
    method_not_allowed().await
}

/// Shows the page of a label that does not exist to a browser, and JSON to systems.
pub(crate) async fn show_label_errors(request: Request, next: Next) -> Response {
    if is_browser(request.headers()) {
        return portal::show_errors_as_pages(request, next).await;
    }
    next.run(request).await
}

/// Leads from an address that ends with a slash to the page without it.
pub(crate) async fn remove_trailing_slash(request: Request, next: Next) -> Response {
    let is_page = is_read(&request) && asks_for_page(&request);
    match is_page.then(|| without_slash(&request)).flatten() {
        Some(target) => (StatusCode::PERMANENT_REDIRECT, [(LOCATION, target)]).into_response(),
        None => next.run(request).await,
    }
}

/// The address without the slash at its end. None if there is no such slash, or if a browser could
/// read the address as that of another host.
fn without_slash(request: &Request) -> Option<HeaderValue> {
    let path = request.uri().path().strip_suffix('/').filter(|path| !path.is_empty())?;
    let is_plain = path.starts_with('/') && !path.contains("//") && !path.contains('\\');
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    is_plain.then(|| HeaderValue::try_from(format!("{path}{query}")).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(method: &str, target: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn a_slash_at_the_end_is_removed_and_never_leads_to_another_host() {
        let to = |target: &str| {
            let target = without_slash(&request("GET", target, &[]))?;
            Some(target.to_str().unwrap().to_owned())
        };
        assert_eq!(to("/portal/acme/").as_deref(), Some("/portal/acme"));
        assert_eq!(to("/docs/?x=1//&y=/").as_deref(), Some("/docs?x=1//&y=/"));
        for kept in ["/", "/docs", "//evil.example/", "///", "/portal//evil.example//"] {
            assert_eq!(to(kept), None, "{kept}");
        }
        let host = request("GET", "http://evil.example/docs/", &[]);
        assert_eq!(without_slash(&host).unwrap(), "/docs");
    }

    #[test]
    fn browsers_and_addresses_of_pages_get_pages() {
        let html = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        for (target, headers) in [
            ("/nothing", &[html][..]),
            ("/portal", &[]),
            ("/portal/acme/nothing", &[("accept", "*/*")]),
            ("/console/", &[("accept", "application/json")]),
        ] {
            assert!(asks_for_page(&request("GET", target, headers)), "{target}");
        }
        assert!(asks_for_page(&request("POST", "/portal/acme/nothing", &[])));
        assert!(!asks_for_page(&request("POST", "/nothing", &[html])));
        for headers in [
            &[][..],
            &[("accept", "*/*")],
            &[html, ("authorization", "Bearer x")],
            &[("accept", "application/json, text/html")],
        ] {
            assert!(!asks_for_page(&request("GET", "/portals", headers)), "{headers:?}");
        }
    }
}
