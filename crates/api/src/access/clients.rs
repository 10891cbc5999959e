//! Clients: add, list, disable, rotate their secrets.

use app::{
    access::{
        add_client::{ClientCredentials, add_client},
        change_client::{self, ClientView},
        rotate_secret,
    },
    core::commit_once::Request,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{faults::Faults, identifier::MerchantId, json::Json as Document, reader::Reader};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::core::{
    body::JsonRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
};
use server::{
    Web,
    error::{ApiError, Invalid, Message},
    json_body::read_object,
    path::Path,
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
    /// The clients of this merchant; those of the platform when absent.
    merchant: Option<String>,
}

/// List clients
///
/// The systems that can get tokens. Their secrets are never shown again, only how old they are.
#[utoipa::path(
    get, path = "/clients", operation_id = "list_clients", tag = "Operation",
    params(ClientsQuery),
    responses((status = 200, body = Clients, description = "In the order of their identifiers.",
        example = json!({ "clients": [sample_client()] }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Query(query): Query<ClientsQuery>,
) -> Result<Json<Clients>, ApiError> {
    let merchant = query.merchant.as_deref().map_or(Ok(MerchantId::platform()), parse_merchant)?;
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

/// What an operator says of a new client.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct ClientBody {
    /// Whose system it is. Absent for a system of the platform.
    #[schema(example = "acme")]
    merchant: Option<String>,
    /// What the system is, for operators to read.
    #[schema(example = "warehouse scanner")]
    name: String,
    /// Separated by spaces. A merchant's client may have orders:write, returns:write, asns:write, drop_ship:write
    /// and read (all of them when absent); a client of the platform carrier:write, warehouse:write and admin.
    #[schema(example = "orders:write read")]
    scope: Option<String>,
}

/// Add a client
///
/// A system of a merchant or of the platform that is to get tokens of its own.
#[utoipa::path(
    post, path = "/clients", operation_id = "add_client", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = ClientBody, example = json!({
        "merchant": "acme", "name": "warehouse scanner", "scope": "orders:write read"
    })),
    responses(
        (status = 201, body = ClientCredentials, description = "Its credentials, shown this once.",
            example = json!(sample_credentials())),
        (status = 404, body = Message, description = "There is no such merchant.",
            example = json!({ "message": "there is no such merchant" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!({
                "message": "1 field is invalid: $.name is missing",
                "errors": [{ "field": "$.name", "code": "missing_field" }]
            })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn add(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<(StatusCode, Json<ClientCredentials>), ApiError> {
    let new = body.read(read_new_client)?;
    let added = add_client(
        &web.app,
        Request { client: &caller.client, repeatable: repeatable.as_ref() },
        &new,
    )
    .await?;
    Ok((StatusCode::CREATED, Json(added)))
}

/// What is to be different.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct ClientChange {
    /// Whether the client is refused from now on.
    disabled: bool,
}

/// Change a client
///
/// Disabling ends its tokens at once.
#[utoipa::path(
    patch, path = "/clients/{client_id}", operation_id = "change_client", tag = "Operation",
    params(
        ("client_id" = String, Path, description = "The client's identifier.",
            example = "acme.k7w2mq9d4x"),
        IdempotencyHeader,
    ),
    request_body(content = ClientChange, example = json!({ "disabled": false })),
    responses(
        (status = 200, body = ClientView, description = "The client as it is now.",
            example = json!(sample_client())),
        (status = 404, body = Message, description = "There is no such client.",
            example = json!({ "message": "there is no such client" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!({
                "message": "1 field is invalid: $.disabled is missing",
                "errors": [{ "field": "$.disabled", "code": "missing_field" }]
            })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(client): Path<String>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<ClientView>, ApiError> {
    let (client, disabled) = (parse_client(&client)?, body.read(read_disabled)?);
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    Ok(Json(change_client::set_client_disabled(&web.app, request, &client, disabled).await?))
}

pub(super) fn read_disabled(document: &Document<'_>) -> Result<bool, Faults> {
    read_object(document, |at| at.required("disabled", |at: &Reader<'_>| at.flag()))
}

fn read_revoke_old(document: &Document<'_>) -> Result<bool, Faults> {
    read_object(document, |at| at.required("revoke_old", |at: &Reader<'_>| at.flag()))
}

/// How a secret is replaced.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read so that all faults are told at once")]
pub(crate) struct RotateBody {
    /// End the old secrets and every token now. Otherwise the newest old secret stays live beside the new one.
    revoke_old: bool,
}

/// Rotate a client's secret
///
/// Make a new secret, give it to the system, and rotate again with `revoke_old` should the old one have leaked.
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
        (status = 200, body = ClientCredentials, description = "The new secret, shown this once.",
            example = json!(sample_credentials())),
        (status = 404, body = Message, description = "There is no such client.",
            example = json!({ "message": "there is no such client" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable.",
            example = json!({
                "message": "1 field is invalid: $.revoke_old is missing",
                "errors": [{ "field": "$.revoke_old", "code": "missing_field" }]
            })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn rotate_secret(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(client): Path<String>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<ClientCredentials>, ApiError> {
    let (client, revoke_old) = (parse_client(&client)?, body.read(read_revoke_old)?);
    let request = Request { client: &caller.client, repeatable: repeatable.as_ref() };
    let rotated =
        rotate_secret::rotate_client_secret(&web.app, request, &client, revoke_old).await?;
    Ok(Json(rotated))
}
