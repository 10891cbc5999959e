//! Request bodies: their type, their size, their time.

use app::core::commit_once::Repeatable;
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, header::CONTENT_TYPE},
};
use bytes::Bytes;
use domain::{
    faults::Faults,
    json::{self, Json},
    merchants::portal::LOGO_BYTES_MAX,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::idempotency::Idempotency;
use server::error::ApiError;
use server::{
    Web,
    guard::limits::{BODY_MAX_BYTES, BODY_TIME_MAX, LARGE_BODY_MAX_BYTES, read_body},
};

/// Bodies beyond this take turns.
const LARGE_FROM_BYTES: usize = 1024 * 1024;

/// The bytes of a JSON body (whether they are JSON is the reader's to say), and the key under which
/// the request may come again.
pub(crate) struct JsonRequest {
    pub(crate) body: Bytes,
    pub(crate) repeatable: Option<Repeatable>,
}

/// The same for a body that lists the units of a whole pallet. Such bodies take turns, so that several of
/// them do not fill the memory.
pub(crate) struct LargeRequest {
    body: Bytes,
    pub(crate) repeatable: Option<Repeatable>,
    /// Ends with the request.
    _turn: Option<SemaphorePermit<'static>>,
}

/// The same for a body with one JSON document a line.
pub(crate) struct LinesRequest {
    pub(crate) lines: Bytes,
    pub(crate) repeatable: Option<Repeatable>,
}

/// The same for a small picture.
pub(crate) struct PictureRequest {
    pub(crate) picture: Bytes,
    pub(crate) repeatable: Option<Repeatable>,
}

const JSON: Wanted = Wanted { kinds: &["application/json"], max_bytes: BODY_MAX_BYTES };
const LARGE: Wanted = Wanted { kinds: &["application/json"], max_bytes: LARGE_BODY_MAX_BYTES };
const LINES: Wanted = Wanted { kinds: &["application/x-ndjson"], max_bytes: BODY_MAX_BYTES };
const PICTURE: Wanted =
    Wanted { kinds: &["image/png", "image/jpeg", "image/webp"], max_bytes: LOGO_BYTES_MAX };

/// What a body may be; the first kind is the one that is named to who sends another.
struct Wanted {
    kinds: &'static [&'static str],
    max_bytes: usize,
}

impl FromRequest<Web> for JsonRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (body, repeatable) = read(request, web, &JSON).await?;
        Ok(Self { body, repeatable })
    }
}

impl JsonRequest {
    /// The body as `reader` reads it.
    pub(crate) fn read<T>(
        &self,
        reader: impl FnOnce(&Json<'_>) -> Result<T, Faults>,
    ) -> Result<T, ApiError> {
        let document = json::parse(&self.body).map_err(app::AppError::Malformed)?;
        Ok(reader(&document)?)
    }
}

impl LargeRequest {
    /// The body as `reader` reads it, once: it is not kept beside what was read.
    pub(crate) fn read<T>(
        &mut self,
        reader: impl FnOnce(&Json<'_>) -> Result<T, Faults>,
    ) -> Result<T, ApiError> {
        let body = std::mem::take(&mut self.body);
        let document = json::parse_large(&body).map_err(app::AppError::Malformed)?;
        Ok(reader(&document)?)
    }
}

impl FromRequest<Web> for LargeRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        static TURNS: Semaphore = Semaphore::const_new(1);
        let (body, repeatable) = read(request, web, &LARGE).await?;
        let large = body.len() > LARGE_FROM_BYTES;
        let turn = if large { TURNS.acquire().await.ok() } else { None };
        Ok(Self { body, repeatable, _turn: turn })
    }
}

impl FromRequest<Web> for LinesRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (lines, repeatable) = read(request, web, &LINES).await?;
        Ok(Self { lines, repeatable })
    }
}

impl FromRequest<Web> for PictureRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (picture, repeatable) = read(request, web, &PICTURE).await?;
        Ok(Self { picture, repeatable })
    }
}

async fn read(
    request: Request,
    web: &Web,
    wanted: &Wanted,
) -> Result<(Bytes, Option<Repeatable>), ApiError> {
    let (mut parts, body) = request.into_parts();
    let idempotency = Idempotency::from_request_parts(&mut parts, web).await?;
    let kind = media_type(&parts.headers).unwrap_or_default();
    if !wanted.kinds.contains(&kind.as_str()) {
        let first = wanted.kinds.first().copied().unwrap_or_default();
        return Err(ApiError::UnsupportedMediaType(first));
    }
    let body = read_body(body, wanted.max_bytes, BODY_TIME_MAX)
        .await
        .map_err(|error| ApiError::of_body(&error, wanted.max_bytes))?;
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
