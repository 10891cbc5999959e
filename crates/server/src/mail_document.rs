//! Mails as pages: the HTML that a shopper gets, which is not to be trusted more than any mail.

use app::access::secrets::hash;
use axum::{
    body::Body,
    http::{
        HeaderValue,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::Response,
};
use base64::{Engine, engine::general_purpose::STANDARD};

/// Sends the HTML of a mail. Nothing is loaded or run, and only its own style sheet has an effect.
pub fn send_mail_document(html: String) -> Response {
    let policy = HeaderValue::from_str(&content_policy(&html));
    let mut response = Response::new(Body::from(html));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let nothing = HeaderValue::from_static("default-src 'none'; sandbox");
    headers.insert(CONTENT_SECURITY_POLICY, policy.unwrap_or(nothing));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The style sheet is named by its hash, because it has the merchant's colors in it.
fn content_policy(html: &str) -> String {
    let style = html.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
    let style = style.map_or("", |(style, _)| style);
    let digest = STANDARD.encode(hash(style.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_style_sheet_of_the_mail_has_an_effect() {
        let policy = content_policy("<html><style>p { margin: 0; }</style><p>Hello</p></html>");
        let digest = STANDARD.encode(hash(b"p { margin: 0; }"));
        assert!(policy.contains(&format!("style-src 'sha256-{digest}';")), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
