//! The check that a form was sent from one of our own pages.
//!
//! Another site can make a browser post a form to us, with our cookies. A browser says where a form
//! comes from: in `Sec-Fetch-Site` or, if it is older, in `Origin`. A request with neither header
//! does not come from a browser, so it carries no cookies that another site could misuse.
//!
//! Portal, console and start page all use this check. There is no other.

use axum::http::{
    HeaderMap, HeaderName,
    header::{HOST, ORIGIN},
};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Whether the request comes from a page of this host, or not from a browser at all.
///
/// `X-Forwarded-Host` is that of a proxy which the operator declared: the listener removes others.
pub fn is_same_origin(headers: &HeaderMap) -> bool {
    // An unreadable value is not a missing one: it must not let a request through.
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let Some(site) = text(SEC_FETCH_SITE) {
        return site == "same-origin";
    }
    let Some(origin) = text(ORIGIN) else { return true };
    let Some((_, origin_host)) = origin.split_once("://") else { return false };
    let mut own_hosts = text(HOST).into_iter().chain(text(FORWARDED_HOST));
    own_hosts.any(|host| host.eq_ignore_ascii_case(origin_host))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const OWN_HOST: (HeaderName, &str) = (HOST, "returns.example:8080");
    const OWN_ORIGIN: (HeaderName, &str) = (ORIGIN, "https://returns.example:8080");
    const OTHER_ORIGIN: (HeaderName, &str) = (ORIGIN, "https://evil.example");

    fn make_headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    fn accepts(pairs: &[(HeaderName, &'static str)]) -> bool {
        is_same_origin(&make_headers(pairs))
    }

    #[test]
    fn a_client_that_is_not_a_browser_is_accepted() {
        assert!(accepts(&[]));
        assert!(accepts(&[OWN_HOST]));
    }

    #[test]
    fn sec_fetch_site_decides_whatever_the_origin_says() {
        assert!(accepts(&[OWN_HOST, (SEC_FETCH_SITE, "same-origin")]));
        assert!(accepts(&[OWN_HOST, (SEC_FETCH_SITE, "same-origin"), (ORIGIN, "null")]));
        for site in ["cross-site", "same-site", "none", ""] {
            assert!(!accepts(&[OWN_HOST, (SEC_FETCH_SITE, site)]), "{site}");
            assert!(!accepts(&[OWN_HOST, (SEC_FETCH_SITE, site), OWN_ORIGIN]), "{site}");
        }
    }

    #[test]
    fn without_sec_fetch_site_the_origin_must_be_our_host() {
        assert!(accepts(&[OWN_HOST, OWN_ORIGIN]));
        assert!(!accepts(&[OWN_HOST, OTHER_ORIGIN]));
        assert!(!accepts(&[OWN_ORIGIN]), "no host to compare with");
        for origin in ["null", "", "returns.example:8080", "https://returns.example"] {
            assert!(!accepts(&[OWN_HOST, (ORIGIN, origin)]), "{origin}");
        }
    }

    #[test]
    fn host_names_are_compared_without_case() {
        assert!(accepts(&[OWN_HOST, (ORIGIN, "https://RETURNS.example:8080")]));
        assert!(accepts(&[(HOST, "Returns.Example:8080"), OWN_ORIGIN]));
    }

    #[test]
    fn a_forwarded_host_is_one_of_ours() {
        let inner = (HOST, "10.0.0.7:8080");
        let forwarded = (FORWARDED_HOST, "RETURNS.example:8080");
        let proxied = make_headers(&[inner.clone(), forwarded.clone(), OWN_ORIGIN]);
        assert!(is_same_origin(&proxied));

        let foreign = make_headers(&[inner, forwarded, OTHER_ORIGIN]);
        assert!(!is_same_origin(&foreign));
    }

    #[test]
    fn an_unreadable_value_is_refused() {
        for name in [SEC_FETCH_SITE, ORIGIN] {
            let mut headers = make_headers(&[OWN_HOST]);
            headers.insert(name.clone(), HeaderValue::from_bytes(b"\xff").unwrap());
            assert!(!is_same_origin(&headers), "{name}");
        }
    }
}
