//! Request bodies: their media type, their size, and the time they may take.
//!
//! Each kind of body is an extractor. It also extracts the `Idempotency-Key`, because a key belongs
//! to one body.

use app::core::scope::IdempotencyKey;
use axum::{
    body::HttpBody,
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, header::CONTENT_TYPE},
};
use boxed::boxed;
use bytes::Bytes;
use domain::{
    faults::Faults,
    json::{self, Json},
    merchants::portal::LOGO_BYTES_MAX,
};

use super::{
    idempotency::Idempotency,
    large_body_turn::{ParseTurn, ReadTurn, TurnOf, wait_to_parse, wait_to_read},
};
use server::{
    Web,
    error::ApiError,
    guard::limits::{BODY_MAX_BYTES, BODY_TIME_MAX, LARGE_BODY_MAX_BYTES, read_body},
    json_body::{JsonBody, read_object},
};

/// Larger bodies wait for their merchant's turn.
const LARGE_FROM_BYTES: usize = 1024 * 1024;

/// A request with a JSON body. The body is not parsed yet.
pub(crate) struct JsonRequest {
    pub(crate) body: JsonBody,
    pub(crate) key: Option<IdempotencyKey>,
}

/// A request whose JSON body may be absent, which is the same as an empty object.
pub(crate) struct OptionalRequest {
    pub(crate) body: JsonBody,
    pub(crate) key: Option<IdempotencyKey>,
}

/// A request without anything in its body. Fields in it are refused, because they would have no
/// effect: a filter belongs in the address.
pub(crate) struct EmptyRequest {
    pub(crate) key: Option<IdempotencyKey>,
}

/// A request with a JSON body that may list the units of a whole pallet.
pub(crate) struct LargeRequest {
    pub(crate) body: LargeBody,
    pub(crate) key: Option<IdempotencyKey>,
}

/// The bytes of a JSON body that may be large.
pub(crate) struct LargeBody {
    bytes: Bytes,
    /// Held until the request ends.
    _turns: (Option<ReadTurn>, Option<ParseTurn>),
}

/// A request with one JSON document per line.
pub(crate) struct LinesRequest {
    pub(crate) lines: Bytes,
    pub(crate) key: Option<IdempotencyKey>,
}

/// A request with a small image.
pub(crate) struct PictureRequest {
    pub(crate) picture: Bytes,
    pub(crate) key: Option<IdempotencyKey>,
}

const JSON: Wanted =
    Wanted { kinds: &["application/json"], max_bytes: BODY_MAX_BYTES, is_optional: false };
const OPTIONAL: Wanted = Wanted { is_optional: true, ..JSON };
const LARGE: Wanted = Wanted { max_bytes: LARGE_BODY_MAX_BYTES, ..JSON };
const LINES: Wanted = Wanted { kinds: &["application/x-ndjson"], ..JSON };
const PICTURE: Wanted = Wanted {
    kinds: &["image/png", "image/jpeg", "image/webp"],
    max_bytes: LOGO_BYTES_MAX,
    is_optional: false,
};

/// What a body may be. The refusal of another media type names the first one.
struct Wanted {
    kinds: &'static [&'static str],
    max_bytes: usize,
    /// A body that is absent has no media type.
    is_optional: bool,
}

impl FromRequest<Web> for JsonRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (body, key) = read(request, web, &JSON).await?;
        Ok(Self { body: body.into(), key })
    }
}

impl FromRequest<Web> for OptionalRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (body, key) = read(request, web, &OPTIONAL).await?;
        // Some libraries write `null` if there is no body.
        let is_absent = matches!(body.trim_ascii(), b"" | b"null");
        let body = if is_absent { Bytes::from_static(b"{}") } else { body };
        Ok(Self { body: body.into(), key })
    }
}

impl FromRequest<Web> for EmptyRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let OptionalRequest { body, key } = OptionalRequest::from_request(request, web).await?;
        body.read(|document| read_object(document, |_| Some(())))?;
        Ok(Self { key })
    }
}

impl LargeBody {
    /// Parses the body, then reads it with `reader`. This works once: the bytes are freed, because
    /// they would double the memory that the request needs.
    pub(crate) fn read<T>(
        &mut self,
        reader: impl FnOnce(&Json<'_>) -> Result<T, Faults>,
    ) -> Result<T, ApiError> {
        let bytes = std::mem::take(&mut self.bytes);
        let document = json::parse_large(&bytes).map_err(app::AppError::Malformed)?;
        Ok(reader(&document)?)
    }
}

impl FromRequest<Web> for LargeRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let read_turn = match request.extensions().get::<TurnOf>().cloned() {
            Some(TurnOf(merchant)) if may_be_large(&request) => {
                Some(wait_to_read(&merchant).await?)
            }
            _ => None,
        };
        let (bytes, key) = read(request, web, &LARGE).await?;
        let large = bytes.len() > LARGE_FROM_BYTES;
        let parse_turn = if large { wait_to_parse().await } else { None };
        Ok(Self { body: LargeBody { bytes, _turns: (read_turn, parse_turn) }, key })
    }
}

/// Whether the body is large, or does not say how large it is.
fn may_be_large(request: &Request) -> bool {
    let announced = request.body().size_hint().exact();
    announced.is_none_or(|bytes| usize::try_from(bytes).is_ok_and(|it| it > LARGE_FROM_BYTES))
}

impl FromRequest<Web> for LinesRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (lines, key) = read(request, web, &LINES).await?;
        Ok(Self { lines, key })
    }
}

impl FromRequest<Web> for PictureRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, web: &Web) -> Result<Self, ApiError> {
        let (picture, key) = read(request, web, &PICTURE).await?;
        Ok(Self { picture, key })
    }
}

/// Boxed, so that this is compiled once and not into every handler.
#[boxed]
async fn read(
    request: Request,
    web: &Web,
    wanted: &Wanted,
) -> Result<(Bytes, Option<IdempotencyKey>), ApiError> {
    let (mut parts, body) = request.into_parts();
    let idempotency = Idempotency::from_request_parts(&mut parts, web).await?;
    let kind = media_type(&parts.headers).unwrap_or_default();
    let is_absent = wanted.is_optional && body.is_end_stream();
    if !is_absent && !wanted.kinds.contains(&kind.as_str()) {
        let first = wanted.kinds.first().copied().unwrap_or_default();
        return Err(ApiError::UnsupportedMediaType(first));
    }
    let body = read_body(body, wanted.max_bytes, BODY_TIME_MAX)
        .await
        .map_err(|error| ApiError::of_body(&error, wanted.max_bytes))?;
    let key = idempotency.of(&body);
    Ok((body, key))
}

/// The media type in lower case, without parameters. None if the header names a charset other than
/// UTF-8.
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
