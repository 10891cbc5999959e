//! `POST /oauth/token`: client credentials as JSON, as a form, or with HTTP Basic (RFC 6749).

use app::access::issue_token::{TOKEN_LIFETIME_S, TokenRefusal, TokenRequest, issue_token};
use axum::{
    Json,
    extract::{Request, State},
    http::{
        HeaderMap, StatusCode,
        header::{AUTHORIZATION, CACHE_CONTROL, PRAGMA, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::json::{self, Json as Document};
use serde::Serialize;
use utoipa::ToSchema;
use world::Secret;

use crate::core::body::media_type;
use server::{
    Web,
    guard::limits::{BODY_TIME_MAX, BodyError, read_body},
};
use server::{
    error::internal,
    form::{decode_text, parse_form},
};

/// Credentials are short.
const BODY_MAX_BYTES: usize = 16 << 10;

/// The credentials of a client.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the request; it is read field by field")]
pub(crate) struct TokenBody {
    /// Always `client_credentials`.
    #[schema(example = "client_credentials")]
    grant_type: String,
    #[schema(example = "acme.k7w2mq9d4x")]
    client_id: String,
    #[schema(example = "hws_Xk3…")]
    client_secret: String,
    /// Some of the client's scopes. If absent, all of them.
    #[schema(example = "orders:write read")]
    scope: Option<String>,
}

/// A token and its scopes.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenAnswer {
    /// Send it as `Authorization: Bearer` with every request.
    #[schema(example = "hwt.acme.5vJ…")]
    access_token: String,
    #[schema(example = "Bearer")]
    token_type: &'static str,
    /// In seconds: 25 hours.
    #[schema(example = 90000)]
    expires_in: i64,
    /// The granted scopes, separated by spaces.
    #[schema(example = "orders:write returns:write asns:write drop_ship:write read")]
    scope: String,
    /// Unix time.
    #[schema(example = 1_700_000_000)]
    created_at: i64,
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

/// Get a token
///
/// The token is valid for 25 hours, for all operations that its scopes allow. Use it until it
/// expires; do not get a new one for each request.
#[utoipa::path(
    post,
    path = "/oauth/token",
    operation_id = "issue_token",
    tag = "Token",
    request_body(content(
        (TokenBody = "application/json", example = json!({
            "grant_type": "client_credentials", "client_id": "acme.k7w2mq9d4x",
            "client_secret": "hws_Xk3…", "scope": "orders:write read"
        })),
        (TokenBody = "application/x-www-form-urlencoded", example = json!(
            "grant_type=client_credentials&client_id=acme.k7w2mq9d4x&client_secret=hws_Xk3…"
        )),
    ), description = "The client may also identify itself with HTTP Basic instead of \
                      `client_id` and `client_secret`."),
    responses(
        (status = 200, body = TokenAnswer, description = "A token.", example = json!({
            "access_token": "hwt.acme.5vJ…", "token_type": "Bearer", "expires_in": 90000,
            "scope": "orders:write read", "created_at": 1_771_085_000
        })),
        (status = 400, body = TokenError, description = "`invalid_request`, \
            `unsupported_grant_type` or `invalid_scope`.", example = json!({
            "error": "invalid_request", "error_description": "grant_type is missing"
        })),
        (status = 401, body = TokenError, description = "`invalid_client`.", example = json!({
            "error": "invalid_client",
            "error_description": "the client is unknown or disabled, or its secret is wrong"
        })),
        (status = 413, body = TokenError, description = "Larger than 16 KiB.", example = json!({
            "error": "invalid_request",
            "error_description": "the request body is larger than allowed"
        })),
        (status = 415, body = TokenError, description = "Neither JSON nor a form.",
            example = json!({
                "error": "invalid_request",
                "error_description": "send application/json or application/x-www-form-urlencoded"
            })),
    )
)]
pub(crate) async fn issue(State(web): State<Web>, request: Request) -> Response {
    let response = match read_request(request).await {
        Ok(request) => issue_and_respond(&web, request).await,
        Err(refusal) => refusal,
    };
    ([(CACHE_CONTROL, "no-store"), (PRAGMA, "no-cache")], response).into_response()
}

async fn issue_and_respond(web: &Web, request: TokenRequest) -> Response {
    match issue_token(&web.app, request).await {
        Ok(token) => Json(TokenAnswer {
            access_token: token.access_token.reveal().to_owned(),
            token_type: "Bearer",
            expires_in: TOKEN_LIFETIME_S,
            scope: token.scopes.to_string(),
            created_at: token.created_at_s,
        })
        .into_response(),
        Err(refusal) => respond_refusal(&refusal),
    }
}

fn respond_refusal(refusal: &TokenRefusal) -> Response {
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

async fn read_request(request: Request) -> Result<TokenRequest, Response> {
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
    let mut request = TokenRequest::default();
    for (name, value) in parse(&body).map_err(|why| respond_invalid(&why))? {
        set_parameter(&mut request, &name, value).map_err(|why| respond_invalid(&why))?;
    }
    add_basic_credentials(request, &parts.headers).map_err(respond_invalid)
}

/// Sets a parameter of the request. Others are ignored, as RFC 6749 requires.
fn set_parameter(request: &mut TokenRequest, name: &str, value: String) -> Result<(), String> {
    let twice = match name {
        "grant_type" => request.grant_type.replace(value).is_some(),
        "client_id" => request.client_id.replace(value).is_some(),
        "client_secret" => request.client_secret.replace(Secret::new(value)).is_some(),
        "scope" => request.scope.replace(value).is_some(),
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
    mut request: TokenRequest,
    headers: &HeaderMap,
) -> Result<TokenRequest, &'static str> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(request) };
    let unreadable = "the Authorization header is not HTTP Basic";
    let (id, secret) = parse_basic(header.as_bytes()).ok_or(unreadable)?;
    if request.client_secret.is_some() || request.client_id.as_ref().is_some_and(|it| *it != id) {
        return Err("the request contains client credentials twice");
    }
    request.client_id = Some(id);
    request.client_secret = Some(Secret::new(secret));
    Ok(request)
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
