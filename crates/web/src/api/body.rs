//! Request bodies: their type, their size, their time.

use app::commit_once::Repeatable;
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, header::CONTENT_TYPE},
};
use bytes::Bytes;

use super::{error::ApiError, idempotency::Idempotency};
use crate::{
    Web,
    guard::limits::{BODY_MAX_BYTES, BODY_TIME_MAX, read_body},
};

/// The bytes of a JSON body (whether they are JSON is the reader's to say), and the key under which
/// the request may come again.
pub(crate) struct JsonRequest {
    pub(crate) body: Bytes,
    pub(crate) repeatable: Option<Repeatable>,
}

/// The same for a body with one JSON document a line.
pub(crate) struct LinesRequest {
    pub(crate) lines: Bytes,
    pub(crate) repeatable: Option<Repeatable>,
}

impl FromRequest<Web> for JsonRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (body, repeatable) = read(request, web, "application/json").await?;
        Ok(Self { body, repeatable })
    }
}

impl FromRequest<Web> for LinesRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (lines, repeatable) = read(request, web, "application/x-ndjson").await?;
        Ok(Self { lines, repeatable })
    }
}

async fn read(
    request: Request,
    web: &Web,
    wanted: &'static str,
) -> Result<(Bytes, Option<Repeatable>), ApiError> {
    let (mut parts, body) = request.into_parts();
    let idempotency = Idempotency::from_request_parts(&mut parts, web).await?;
    if media_type(&parts.headers).as_deref() != Some(wanted) {
        return Err(ApiError::UnsupportedMediaType(wanted));
    }
    let body = read_body(body, BODY_MAX_BYTES, BODY_TIME_MAX)
        .await
        .map_err(|error| ApiError::of_body(&error, BODY_MAX_BYTES))?;
    let repeatable = idempotency.of(&body);
    Ok((body, repeatable))
}

/// The media type in lower case, without parameters; None when it names a charset other than
/// UTF-8, because everything here is UTF-8.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(CONTENT_TYPE)?.to_str().ok()?.to_ascii_lowercase();
    let mut parts = text.split(';').map(str::trim);
    let media_type = parts.next()?.to_owned();
    let charsets = parts.filter_map(|part| part.strip_prefix("charset="));
    let all_utf8 = charsets.into_iter().all(|charset| charset.trim_matches('"') == "utf-8");
    all_utf8.then_some(media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media_type_of(text: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, text.parse().unwrap());
        media_type(&headers)
    }

    #[test]
    fn parameters_and_case_do_not_matter_but_the_charset_does() {
        let json = Some("application/json".to_owned());
        assert_eq!(media_type_of("application/json"), json);
        assert_eq!(media_type_of("Application/JSON; charset=\"UTF-8\""), json);
        assert_eq!(media_type_of("application/json;charset=utf-8"), json);
        assert_eq!(media_type_of("application/json; charset=latin1"), None);
        assert_eq!(media_type(&HeaderMap::new()), None);
    }
}
