//! Style sheets, scripts and images of all pages. They are part of the binary.
//!
//! The address of an asset contains a hash of its bytes, so browsers may cache it forever. The
//! pages of a new release refer to new addresses.

use std::{fmt::Write as _, sync::LazyLock};

use axum::{
    Router,
    extract::{Path, rejection::PathRejection},
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
            REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use ring::digest::{SHA256, digest};

use crate::error::respond;

/// A browser must check each time whether its copy is current.
pub const REVALIDATE: &str = "no-cache";

/// The headers of a page: styles and images from this host, and nothing else.
pub const PAGE_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

/// A browser never needs to load it again.
const FOREVER: &str = "public, max-age=31536000, immutable";

/// How many bytes of the hash distinguish versions of an asset.
const HASH_BYTES: usize = 8;

/// The assets are hashed once.
static ASSETS: LazyLock<Assets> = LazyLock::new(Assets::new);

/// A file in memory, with the hash that browsers cache it by.
pub struct CachedFile {
    kind: &'static str,
    body: Bytes,
    hash: String,
}

pub struct Assets {
    pub base_style: Asset,
    pub docs_style: Asset,
    pub label_style: Asset,
    pub portal_style: Asset,
    pub console_style: Asset,
    pub console_script: Asset,
    pub start_style: Asset,
    pub receive_style: Asset,
    pub receive_script: Asset,
    pub icon: Asset,
    /// Shown instead of the image of a product.
    pub no_picture: Asset,
}

pub struct Asset {
    name: String,
    file: CachedFile,
}

/// The assets of this binary.
pub fn assets() -> &'static Assets {
    &ASSETS
}

/// The route to all of them; it needs no state.
pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route(
        "/assets/{name}",
        get(async |name: Result<Path<String>, PathRejection>, headers: HeaderMap| {
            // A name that is not UTF-8 is that of no asset.
            let name = name.map(|Path(name)| name).unwrap_or_default();
            assets().respond(&name, &headers)
        }),
    )
}

impl CachedFile {
    pub fn new(kind: &'static str, body: Bytes) -> Self {
        let mut hash = String::new();
        for byte in digest(&SHA256, &body).as_ref().iter().take(HASH_BYTES) {
            write!(hash, "{byte:02x}").expect("writing to a string does not fail");
        }
        Self { kind, body, hash }
    }

    /// The body, or 304 if the caller has it already.
    pub fn respond(&self, headers: &HeaderMap, cache_control: &'static str) -> Response {
        let tag = format!("\"{}\"", self.hash);
        let cached = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let is_current = cached.is_some_and(|cached| cached.contains(&tag));
        let tag = HeaderValue::try_from(tag).expect("a hash is visible ASCII");
        let caching = [
            (ETAG, tag),
            (CACHE_CONTROL, HeaderValue::from_static(cache_control)),
            (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ];
        if is_current {
            return (StatusCode::NOT_MODIFIED, caching).into_response();
        }
        (caching, [(CONTENT_TYPE, self.kind)], self.body.clone()).into_response()
    }
}

impl Assets {
    fn new() -> Self {
        let css = "text/css; charset=utf-8";
        let javascript = "text/javascript; charset=utf-8";
        let base = include_str!("../static/base.css");
        let docs = concat!(
            include_str!("../static/docs_operation.css"),
            include_str!("../static/docs.css")
        );
        let label =
            concat!(include_str!("../static/label.css"), include_str!("../static/label_paper.css"));
        let console = concat!(
            include_str!("../static/console.css"),
            include_str!("../static/console_parts.css"),
            include_str!("../static/console_overview.css"),
            include_str!("../static/console_failures.css"),
            include_str!("../static/console_orders.css"),
            include_str!("../static/console_money.css")
        );
        let script = include_str!("../static/console.js");
        let receive = include_str!("../static/console_receive.css");
        let receive_script = include_str!("../static/receive.js");
        let icon = include_str!("../static/icon.svg");
        let no_picture = include_str!("../static/no_picture.svg");
        let portal = concat!(
            include_str!("../static/portal.css"),
            include_str!("../static/portal_choose.css"),
            include_str!("../static/portal_return.css")
        );
        Self {
            base_style: Asset::new("base", "css", css, base),
            docs_style: Asset::new("docs", "css", css, docs),
            label_style: Asset::new("label", "css", css, label),
            portal_style: Asset::new("portal", "css", css, portal),
            console_style: Asset::new("console", "css", css, console),
            console_script: Asset::new("console", "js", javascript, script),
            receive_style: Asset::new("receive", "css", css, receive),
            receive_script: Asset::new("receive", "js", javascript, receive_script),
            start_style: Asset::new("start", "css", css, include_str!("../static/start.css")),
            icon: Asset::new("icon", "svg", "image/svg+xml", icon),
            no_picture: Asset::new("no_picture", "svg", "image/svg+xml", no_picture),
        }
    }

    fn respond(&self, name: &str, headers: &HeaderMap) -> Response {
        let all = [
            &self.base_style,
            &self.docs_style,
            &self.label_style,
            &self.portal_style,
            &self.console_style,
            &self.console_script,
            &self.start_style,
            &self.receive_style,
            &self.receive_script,
            &self.icon,
            &self.no_picture,
        ];
        match all.into_iter().find(|asset| asset.name == name) {
            Some(asset) => asset.file.respond(headers, FOREVER),
            None => respond(StatusCode::NOT_FOUND, "asset not found"),
        }
    }
}

impl Asset {
    fn new(stem: &str, extension: &str, kind: &'static str, body: &'static str) -> Self {
        let file = CachedFile::new(kind, Bytes::from_static(body.as_bytes()));
        Self { name: format!("{stem}.{}.{extension}", file.hash), file }
    }

    /// Serves the asset at another address than its own.
    pub fn respond(&self, headers: &HeaderMap, cache_control: &'static str) -> Response {
        self.file.respond(headers, cache_control)
    }

    pub fn address(&self) -> String {
        format!("/assets/{}", self.name)
    }
}
