//! Compresses large responses for clients that accept it.
//!
//! Only those of the API. Pages contain the tokens of their forms, and the length of a compressed
//! page would reveal something about them to whoever can add text to the page.

use std::io::Write;

use axum::{
    body::{Body, Bytes, HttpBody, to_bytes},
    extract::Request,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};

/// Smaller responses fit into a few packets anyway.
const SMALLEST: u64 = 16 * 1024;
/// A response of unknown or greater length is a stream, which is not held in memory.
const LARGEST: u64 = 64 * 1024 * 1024;

const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const BY_ENCODING: HeaderValue = HeaderValue::from_static("Accept-Encoding");

/// Compresses a response that is large and complete.
pub async fn compress_large(request: Request, next: Next) -> Response {
    let accepted = accepts_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_compressible(&response) {
        return response;
    }
    response.headers_mut().insert(VARY, BY_ENCODING);
    if !accepted {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(plain) = to_bytes(body, usize::try_from(LARGEST).unwrap_or(usize::MAX)).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let body = plain.clone();
    match tokio::task::spawn_blocking(move || compress(&body)).await {
        Ok(Ok(compressed)) => {
            parts.headers.insert(CONTENT_ENCODING, GZIP);
            parts.headers.remove(CONTENT_LENGTH);
            weaken_tag(&mut parts.headers);
            Response::from_parts(parts, Body::from(compressed))
        }
        Ok(Err(_)) | Err(_) => Response::from_parts(parts, Body::from(plain)),
    }
}

/// A strong tag promises the same bytes, and the compressed ones are others.
fn weaken_tag(headers: &mut HeaderMap) {
    let tag = headers.get(ETAG).and_then(|it| it.to_str().ok());
    let weak = tag.filter(|tag| !tag.starts_with("W/")).map(|tag| format!("W/{tag}"));
    if let Some(weak) = weak.and_then(|weak| HeaderValue::try_from(weak).ok()) {
        headers.insert(ETAG, weak);
    }
}

fn compress(plain: &Bytes) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    encoder.write_all(plain)?;
    encoder.finish()
}

fn is_compressible(response: &Response) -> bool {
    let headers = response.headers();
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let is_text = kind.starts_with("application/json") || kind.starts_with("text/csv");
    let length = response.body().size_hint().exact();
    is_text
        && length.is_some_and(|length| (SMALLEST..=LARGEST).contains(&length))
        && !headers.contains_key(CONTENT_ENCODING)
}

/// Whether `gzip` is among the encodings that the client accepts.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|it| it.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|encoding| {
        let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_accepted_only_if_it_is_named_and_not_refused() {
        let accepts = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(value));
            accepts_gzip(&headers)
        };
        for value in ["gzip", "deflate, GZIP", "br;q=1.0, gzip;q=0.2", "gzip ; q=1"] {
            assert!(accepts(value), "{value}");
        }
        for value in ["", "br", "gzip;q=0", "gzip;q=0.000", "xgzip", "*;q=0.5", "gzip;q=high"] {
            assert!(!accepts(value), "{value}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
