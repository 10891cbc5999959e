//! `POST /oauth/token`: client credentials as JSON, as a form, or with HTTP Basic (RFC 6749).

use std::net::IpAddr;

use app::access::{
    issue_token::{TOKEN_LIFETIME_S, TokenRefusal, TokenRequest, issue_token},
    refusals::record_refused_client,
};
use axum::{
    Json,
    extract::{Request, State},
    http::header::{CACHE_CONTROL, PRAGMA},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::client_form::{
    ClientParameters, RefusedRequest, TokenError, read_parameters, respond_refusal,
};
use server::{Web, client_address, error::ApiError};

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
        RefusedRequest,
    )
)]
pub(crate) async fn issue(State(web): State<Web>, request: Request) -> Response {
    let address = client_address(request.extensions());
    let response = match read_parameters(request).await {
        Ok(parameters) => issue_and_respond(&web, parameters, address).await,
        Err(refusal) => refusal,
    };
    forbid_storing(response)
}

/// A response about tokens, errors included, must not be stored (RFC 6749, section 5.1).
pub(super) fn forbid_storing(response: Response) -> Response {
    ([(CACHE_CONTROL, "no-store"), (PRAGMA, "no-cache")], response).into_response()
}

async fn issue_and_respond(web: &Web, parameters: ClientParameters, address: IpAddr) -> Response {
    let ClientParameters { grant_type, client_id, client_secret, scope, .. } = parameters;
    let request = TokenRequest { grant_type, client_id: client_id.clone(), client_secret, scope };
    match issue_token(&web.app, request).await {
        Ok(token) => Json(TokenAnswer {
            access_token: token.access_token.reveal().to_owned(),
            token_type: "Bearer",
            expires_in: TOKEN_LIFETIME_S,
            scope: token.scopes.to_string(),
            created_at: token.created_at_s,
        })
        .into_response(),
        Err(refusal) => refuse(web, &refusal, client_id.as_deref(), address).await,
    }
}

/// Responds with the refusal, and records it if the client could not prove who it is.
pub(super) async fn refuse(
    web: &Web,
    refusal: &TokenRefusal,
    client_id: Option<&str>,
    address: IpAddr,
) -> Response {
    if matches!(refusal, TokenRefusal::InvalidClient) && web.records_refusal(address) {
        let recorded = record_refused_client(&web.app, client_id, address);
        if let Err(error) = recorded.await {
            return ApiError::from(error).into_response();
        }
    }
    respond_refusal(refusal)
}
