//! The headers of a call. All that stays the same for an endpoint is made once, as the bytes that
//! go out; what is another with each message is written behind it.

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::messages::{endpoint::Auth, kind::MessageKind};
use http::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderMap,
    HeaderName, HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use world::Secret;

use super::request;
use crate::address::Refused;

pub(super) const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
pub(super) const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
pub(super) const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
pub(super) const SEQUENCE: HeaderName = HeaderName::from_static("x-service-sequence");
pub(super) const ATTEMPT: HeaderName = HeaderName::from_static("x-service-attempt");
/// When the message was decided, in seconds: its day is the day of its digest.
pub(super) const CREATED: HeaderName = HeaderName::from_static("x-service-created");
pub(super) const REPLAY: HeaderName = HeaderName::from_static("x-service-replay");
const API_VERSION: HeaderName = HeaderName::from_static("x-service-api-version");
const EVENT: HeaderName = HeaderName::from_static("x-service-event");

/// Headers that decide where a message ends or who it is for; no credential may go by their name.
const OF_THE_PROTOCOL: [HeaderName; 7] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// The headers of every call to an endpoint. Those that are another with each call are empty, a
/// token among them.
pub(super) fn prepared(
    host: HeaderValue,
    kind: MessageKind,
    user_agent: &str,
    auth: &Auth<Secret>,
) -> Result<HeaderMap, Refused> {
    let json = HeaderValue::from_static("application/json");
    let user_agent = HeaderValue::from_str(user_agent)
        .map_err(|_| Refused::Credential("the user agent has characters that headers do not"))?;
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(HOST, host);
    headers.insert(USER_AGENT, user_agent);
    headers.insert(ACCEPT, json.clone());
    headers.insert(CONTENT_TYPE, json);
    headers.insert(API_VERSION, HeaderValue::from_static(kind.api_version()));
    headers.insert(EVENT, HeaderValue::from_static(kind.name()));
    let later = HeaderValue::from_static("");
    for name in [WEBHOOK_ID, WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE, CREATED, SEQUENCE, ATTEMPT] {
        headers.insert(name, later.clone());
    }
    if let Some((name, value)) = credential(auth)? {
        if headers.contains_key(&name) || OF_THE_PROTOCOL.contains(&name) {
            return Err(Refused::Credential("its header is one that is already taken"));
        }
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Those of `headers` that stay the same, as they are sent: the others are empty and no secret.
pub(super) fn lasting(headers: &HeaderMap) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in headers {
        if !value.is_empty() || value.is_sensitive() {
            request::header(&mut bytes, name, value);
        }
    }
    bytes
}

/// The header that proves who we are: empty until there is a token, None when none is required.
fn credential(auth: &Auth<Secret>) -> Result<Option<(HeaderName, HeaderValue)>, Refused> {
    Ok(Some(match auth {
        Auth::None => return Ok(None),
        Auth::Basic { username, .. } if username.contains(':') => {
            return Err(Refused::Credential("the user name has a colon"));
        }
        Auth::Basic { username, password } => (AUTHORIZATION, basic(username, password.reveal())?),
        Auth::Bearer { token } => (AUTHORIZATION, bearer(token.reveal())?),
        Auth::Header { name, value } => {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| Refused::Credential("its header has no proper name"))?;
            (name, sensitive(value.reveal())?)
        }
        Auth::Oauth2 { .. } => (AUTHORIZATION, HeaderValue::from_static("")),
    }))
}

pub(crate) fn basic(username: &str, password: &str) -> Result<HeaderValue, Refused> {
    let pair = STANDARD.encode(format!("{username}:{password}"));
    sensitive(&format!("Basic {pair}"))
}

pub(crate) fn bearer(token: &str) -> Result<HeaderValue, Refused> {
    sensitive(&format!("Bearer {token}"))
}

/// A header that debug output hides.
fn sensitive(text: &str) -> Result<HeaderValue, Refused> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| Refused::Credential("it has characters that headers do not have"))?;
    value.set_sensitive(true);
    Ok(value)
}
