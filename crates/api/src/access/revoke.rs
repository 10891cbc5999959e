//! `POST /oauth/revoke`: a client ends one of its tokens (RFC 7009).

use std::net::IpAddr;

use app::access::revoke_token::{RevocationRequest, revoke_token};
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use utoipa::ToSchema;

use super::{
    client_form::{ClientParameters, RefusedRequest, TokenError, read_parameters},
    token::{forbid_storing, refuse},
};
use server::{Web, client_address};

/// A token to end, and the credentials of its client.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the request; it is read field by field")]
pub(crate) struct RevocationBody {
    /// The token to end.
    #[schema(example = "hwt.acme.5vJ…")]
    token: String,
    #[schema(example = "acme.k7w2mq9d4x")]
    client_id: String,
    #[schema(example = "hws_Xk3…")]
    client_secret: String,
}

/// Revoke a token
///
/// The token is invalid at once, on other nodes within five seconds. The response is the same if
/// the token is unknown, already invalid or of another client.
#[utoipa::path(
    post,
    path = "/oauth/revoke",
    operation_id = "revoke_token",
    tag = "Token",
    request_body(content(
        (RevocationBody = "application/json", example = json!({
            "token": "hwt.acme.5vJ…", "client_id": "acme.k7w2mq9d4x", "client_secret": "hws_Xk3…"
        })),
        (RevocationBody = "application/x-www-form-urlencoded", example = json!(
            "token=hwt.acme.5vJ…&client_id=acme.k7w2mq9d4x&client_secret=hws_Xk3…"
        )),
    ), description = "The client may also identify itself with HTTP Basic instead of \
                      `client_id` and `client_secret`."),
    responses(
        (status = 200, description = "The token is not valid any more."),
        (status = 400, body = TokenError, description = "`invalid_request`.", example = json!({
            "error": "invalid_request", "error_description": "token is missing"
        })),
        RefusedRequest,
    )
)]
pub(crate) async fn revoke(State(web): State<Web>, request: Request) -> Response {
    let address = client_address(request.extensions());
    let response = match read_parameters(request).await {
        Ok(parameters) => revoke_and_respond(&web, parameters, address).await,
        Err(refusal) => refusal,
    };
    forbid_storing(response)
}

async fn revoke_and_respond(web: &Web, parameters: ClientParameters, address: IpAddr) -> Response {
    let ClientParameters { client_id, client_secret, token, .. } = parameters;
    let request = RevocationRequest { client_id: client_id.clone(), client_secret, token };
    match revoke_token(&web.app, request).await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(refusal) => refuse(web, &refusal, client_id.as_deref(), address).await,
    }
}
