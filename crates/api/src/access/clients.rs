//! Clients: add, list and disable them, rotate their secrets.

use app::access::{
    add_client::{ClientCredentials, add_client},
    change_client::{self, ClientView},
    rotate_secret,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{faults::Faults, identifier::MerchantId, json::Json as Document, reader::Reader};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::core::{
    admin_request::MerchantAdminRequest, body::JsonRequest, caller::MerchantAdmin,
    idempotency::IdempotencyHeader, sample,
};
use server::{
    Web,
    error::{ApiError, Message},
    json_body::read_object,
    query::Query,
    requests::{
        clients::read_new_client,
        identifiers::{parse_client, parse_merchant},
    },
};

/// The clients of one merchant, or of the platform.
#[derive(Serialize, ToSchema)]
pub(crate) struct Clients {
    clients: Vec<ClientView>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ClientsQuery {
    /// The clients of this merchant. If absent, the clients of the platform.
    merchant: Option<String>,
}

/// List clients
///
/// The systems that can get tokens. Secrets are not shown, only when they were created.
#[utoipa::path(
    get, path = "/clients", operation_id = "list_clients", tag = "Operation",
    params(ClientsQuery),
    responses((status = 200, body = Clients, description = "Sorted by identifier.",
        example = json!({ "clients": [sample_client()] }))),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    admin: MerchantAdmin,
    Query(query): Query<ClientsQuery>,
) -> Result<Json<Clients>, ApiError> {
    let merchant = query.merchant.as_deref().map_or(Ok(MerchantId::platform()), parse_merchant)?;
    admin.check_merchant(&merchant)?;
    Ok(Json(Clients { clients: change_client::list_clients(&web.app, &merchant).await? }))
}

fn sample_client() -> serde_json::Value {
    serde_json::json!({
        "client_id": "acme.k7w2mq9d4x", "name": "warehouse scanner", "scope": "orders:write read",
        "secrets_created_at": ["2026-02-11T09:24:31Z"], "created_at": "2026-02-11T09:24:31Z"
    })
}

fn sample_credentials() -> serde_json::Value {
    serde_json::json!({
        "client_id": "acme.k7w2mq9d4x", "client_secret": "hws_Xk3…", "scope": "orders:write read"
    })
}

/// A new client.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct ClientBody {
    /// The merchant that the system belongs to. Absent for a system of the platform.
    #[schema(example = "acme")]
    merchant: Option<String>,
    /// A name for operators.
    #[schema(example = "warehouse scanner")]
    name: String,
    /// Separated by spaces. A merchant's client may have orders:write, returns:write, asns:write,
    /// drop_ship:write, read and merchant:admin, and gets all but the last if `scope` is absent. A
    /// client of the platform may have carrier:write, warehouse:write, admin and metrics.
    #[schema(example = "orders:write read")]
    scope: Option<String>,
}

/// Add a client
///
/// A client is a system of a merchant or of the platform that gets its own tokens.
#[utoipa::path(
    post, path = "/clients", operation_id = "add_client", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = ClientBody, example = json!({
        "merchant": "acme", "name": "warehouse scanner", "scope": "orders:write read"
    })),
    responses(
        (status = 201, body = ClientCredentials, description = "Its credentials, shown only once.",
            example = json!(sample_credentials())),
        (status = 404, body = Message, description = "The merchant was not found.",
            example = json!(sample::not_found("merchant"))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn add(
    State(web): State<Web>,
    admin: MerchantAdmin,
    JsonRequest { body, key }: JsonRequest,
) -> Result<(StatusCode, Json<ClientCredentials>), ApiError> {
    let new = body.read(read_new_client)?;
    admin.check_merchant(&new.merchant)?;
    let added = add_client(admin.caller.scope(&web.app, key.as_ref()), &new).await?;
    Ok((StatusCode::CREATED, Json(added)))
}

/// A change of a client.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct ClientChange {
    /// Whether the client's requests are refused.
    disabled: bool,
}

/// Change a client
///
/// Disabling a client revokes its tokens at once.
#[utoipa::path(
    patch, path = "/clients/{client_id}", operation_id = "change_client", tag = "Operation",
    params(
        ("client_id" = String, Path, description = "The client's identifier.",
            example = "acme.k7w2mq9d4x"),
        IdempotencyHeader,
    ),
    request_body(content = ClientChange, example = json!({ "disabled": false })),
    responses(
        (status = 200, body = ClientView, description = "The changed client.",
            example = json!(sample_client())),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<ClientView>, ApiError> {
    let (client, disabled) = (parse_client(&request.path)?, request.body.read(read_disabled)?);
    let scope = request.scope(&web.app);
    Ok(Json(change_client::set_client_disabled(scope, &client, disabled).await?))
}

pub(super) fn read_disabled(document: &Document<'_>) -> Result<bool, Faults> {
    read_object(document, |at| at.required("disabled", |at: &Reader<'_>| at.flag()))
}

fn read_revoke_old(document: &Document<'_>) -> Result<bool, Faults> {
    read_object(document, |at| at.required("revoke_old", |at: &Reader<'_>| at.flag()))
}

/// How to replace a secret.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct RotateBody {
    /// Revoke the old secrets and all tokens now. Otherwise the most recent secret stays valid
    /// together with the new one.
    revoke_old: bool,
}

/// Rotate a client's secret
///
/// Creates a new secret. If the old one has leaked, use `revoke_old`.
#[utoipa::path(
    post, path = "/clients/{client_id}/rotate_secret", operation_id = "rotate_client_secret",
    tag = "Operation",
    params(
        ("client_id" = String, Path, description = "The client's identifier.",
            example = "acme.k7w2mq9d4x"),
        IdempotencyHeader,
    ),
    request_body(content = RotateBody, example = json!({ "revoke_old": false })),
    responses(
        (status = 200, body = ClientCredentials, description = "The new secret, shown only once.",
            example = json!(sample_credentials())),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn rotate_secret(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<ClientCredentials>, ApiError> {
    let (client, revoke_old) = (parse_client(&request.path)?, request.body.read(read_revoke_old)?);
    let scope = request.scope(&web.app);
    let rotated = rotate_secret::rotate_client_secret(scope, &client, revoke_old).await?;
    Ok(Json(rotated))
}
