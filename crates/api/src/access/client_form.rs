//! What the addresses for clients have in common: parameters as JSON, as a form, or with HTTP
//! Basic, and errors according to RFC 6749.

use app::access::issue_token::TokenRefusal;
use axum::{
    Json,
    extract::Request,
    http::{
        HeaderMap, StatusCode,
        header::{AUTHORIZATION, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::json::{self, Json as Document};
use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoResponses, ToSchema};
use world::Secret;

use crate::core::body::media_type;
use server::{
    error::internal,
    form::{decode_text, parse_form},
    guard::limits::{BODY_TIME_MAX, BodyError, read_body},
};

/// Credentials are short.
const BODY_MAX_BYTES: usize = 16 << 10;

/// The parameters that a client can send.
#[derive(Default)]
pub(super) struct ClientParameters {
    pub(super) grant_type: Option<String>,
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<Secret>,
    pub(super) scope: Option<String>,
    pub(super) token: Option<Secret>,
}

/// An error according to RFC 6749, section 5.2.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenError {
    /// One of invalid_request, invalid_client, unsupported_grant_type, invalid_scope.
    #[schema(example = "invalid_client")]
    error: &'static str,
    /// What is wrong, in words.
    error_description: String,
}

/// The responses to a request without valid credentials, or with a body that is not read.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes the responses; this file builds them")]
pub(super) enum RefusedRequest {
    /// `invalid_client`.
    #[response(status = 401, example = json!(sample_wrong_client()))]
    WrongClient(TokenError),
    /// Larger than 16 KiB.
    #[response(status = 413, example = json!(sample_too_large()))]
    TooLarge(TokenError),
    /// Neither JSON nor a form.
    #[response(status = 415, example = json!(sample_wrong_type()))]
    WrongType(TokenError),
}

fn sample_wrong_client() -> Value {
    let description = "the client is unknown or disabled, or its secret is wrong";
    serde_json::json!({ "error": "invalid_client", "error_description": description })
}

fn sample_too_large() -> Value {
    let description = "the request body is larger than allowed";
    serde_json::json!({ "error": "invalid_request", "error_description": description })
}

fn sample_wrong_type() -> Value {
    let description = "send application/json or application/x-www-form-urlencoded";
    serde_json::json!({ "error": "invalid_request", "error_description": description })
}

pub(super) fn respond_refusal(refusal: &TokenRefusal) -> Response {
    let error = |status, error| respond_error(status, error, &refusal.to_string());
    match refusal {
        TokenRefusal::InvalidRequest(_) => error(StatusCode::BAD_REQUEST, "invalid_request"),
        TokenRefusal::UnsupportedGrantType => {
            error(StatusCode::BAD_REQUEST, "unsupported_grant_type")
        }
        TokenRefusal::InvalidScope(_) => error(StatusCode::BAD_REQUEST, "invalid_scope"),
        TokenRefusal::InvalidClient => {
            let challenge = [(WWW_AUTHENTICATE, "Basic realm=\"homeward\"")];
            (challenge, error(StatusCode::UNAUTHORIZED, "invalid_client")).into_response()
        }
        TokenRefusal::Store(error) => internal(error),
    }
}

fn respond_error(status: StatusCode, error: &'static str, description: &str) -> Response {
    let body = TokenError { error, error_description: description.to_owned() };
    (status, Json(body)).into_response()
}

fn respond_invalid(description: &str) -> Response {
    respond_error(StatusCode::BAD_REQUEST, "invalid_request", description)
}

/// Reads the parameters of a request.
pub(super) async fn read_parameters(request: Request) -> Result<ClientParameters, Response> {
    let (parts, body) = request.into_parts();
    let parse = match media_type(&parts.headers).as_deref() {
        Some("application/json") => from_json,
        Some("application/x-www-form-urlencoded") => parse_form,
        Some(_) | None => {
            let why = "send application/json or application/x-www-form-urlencoded";
            return Err(respond_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "invalid_request", why));
        }
    };
    let body = read_body(body, BODY_MAX_BYTES, BODY_TIME_MAX).await.map_err(|error| {
        let status = match error {
            BodyError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            BodyError::TooSlow => StatusCode::REQUEST_TIMEOUT,
            BodyError::Broken(_) => StatusCode::BAD_REQUEST,
        };
        respond_error(status, "invalid_request", &error.to_string())
    })?;
    let mut parameters = ClientParameters::default();
    for (name, value) in parse(&body).map_err(|why| respond_invalid(&why))? {
        set_parameter(&mut parameters, &name, value).map_err(|why| respond_invalid(&why))?;
    }
    add_basic_credentials(parameters, &parts.headers).map_err(respond_invalid)
}

/// Sets a parameter of the request. Others are ignored, as RFC 6749 requires.
fn set_parameter(
    parameters: &mut ClientParameters,
    name: &str,
    value: String,
) -> Result<(), String> {
    let twice = match name {
        "grant_type" => parameters.grant_type.replace(value).is_some(),
        "client_id" => parameters.client_id.replace(value).is_some(),
        "client_secret" => parameters.client_secret.replace(Secret::new(value)).is_some(),
        "scope" => parameters.scope.replace(value).is_some(),
        "token" => parameters.token.replace(Secret::new(value)).is_some(),
        _ => false,
    };
    if twice { Err(format!("{name} appears twice")) } else { Ok(()) }
}

fn from_json(body: &[u8]) -> Result<Vec<(String, String)>, String> {
    let document = json::parse(body).map_err(|malformed| format!("not JSON: {malformed}"))?;
    let Document::Object(fields) = document else {
        return Err("the body must be a JSON object".to_owned());
    };
    let pairs = fields.entries.into_iter().filter(|(_, value)| *value != Document::Null);
    pairs
        .map(|(name, value)| match value {
            Document::Text(text) => Ok((name.into_owned(), text.into_owned())),
            Document::Null
            | Document::Bool(_)
            | Document::Number(_)
            | Document::List(_)
            | Document::Object(_) => Err(format!("{name} must be a string")),
        })
        .collect()
}

/// Adds the credentials of HTTP Basic, if any. Credentials in two places would be ambiguous.
fn add_basic_credentials(
    mut parameters: ClientParameters,
    headers: &HeaderMap,
) -> Result<ClientParameters, &'static str> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(parameters) };
    let unreadable = "the Authorization header is not HTTP Basic";
    let (id, secret) = parse_basic(header.as_bytes()).ok_or(unreadable)?;
    let other_id = parameters.client_id.as_ref().is_some_and(|it| *it != id);
    if parameters.client_secret.is_some() || other_id {
        return Err("the request contains client credentials twice");
    }
    parameters.client_id = Some(id);
    parameters.client_secret = Some(Secret::new(secret));
    Ok(parameters)
}

fn parse_basic(header: &[u8]) -> Option<(String, String)> {
    let (scheme, encoded) = std::str::from_utf8(header).ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = pair.split_once(':')?;
    Some((decode_text(id).ok()?, decode_text(secret).ok()?))
}
