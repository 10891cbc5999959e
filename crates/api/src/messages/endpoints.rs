//! The endpoints of merchants' systems: set, list, pause, resume, test.

pub(crate) mod body;

use app::messages::{
    set_endpoints::{EndpointsChange, EndpointsView, list_endpoints, set_endpoints},
    test_endpoint::{TestMessage, TestMessageRequest, send_test_message},
};
use axum::{Json, extract::State, http::StatusCode};
use domain::faults::FaultCode;
use domain::{messages::kind::MessageKind, reader::IDENTIFIER_MAX};
use serde::Deserialize;
use utoipa::IntoParams;

use self::body::{EndpointBody, EndpointsBody};
use crate::core::{
    admin_request::MerchantAdminRequest, body::EmptyRequest, caller::MerchantAdmin,
    idempotency::IdempotencyHeader, sample,
};
use server::error::{ApiError, Invalid, Message};
use server::requests::{
    endpoints::{read_base_change, read_kind_change},
    identifiers::{parse_endpoint_kind, parse_kind, parse_merchant},
};
use server::{Web, path::Path, query::Query};

/// The address of an endpoint.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes the address; its parts are read as text")]
struct EndpointPath {
    /// The merchant's identifier.
    #[param(example = "acme")]
    merchant: String,
    /// `rma`, `exchange_variants`, `exchange_order`, `outbound_asn`, `inventory_receipt`,
    /// `drop_shipment_confirmation`, `drop_shipment_cancellation`,
    /// `drop_shipment_partial_cancellation` or `withdrawal`.
    #[param(inline, example = "outbound_asn")]
    kind: MessageKind,
}

/// The addresses for ASNs in the samples: under the base address, and a separate one.
const UNDER_BASE: &str = "https://hooks.acme.example/outbound_asn";
const SEPARATE: &str = "https://wms.acme.example/asn";

/// Two endpoints; the parameters describe the one for ASNs.
fn sample_endpoints(url: &str, auth: &str, paused: bool) -> serde_json::Value {
    serde_json::json!({
        "endpoints": [
            { "kind": "rma", "url": "https://hooks.acme.example/returns/rma", "auth": "oauth2",
                "paused": false },
            { "kind": "outbound_asn", "url": url, "auth": auth, "paused": paused },
        ]
    })
}

/// List a merchant's endpoints
///
/// The address for each kind of message, and its current state. Credentials are never shown.
#[utoipa::path(
    get, operation_id = "list_endpoints", path = "/merchants/{merchant}/endpoints",
    tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = EndpointsView, description = "One for each kind of message. The \
            example shows one of them.", example = json!({
                "endpoints": [{
                    "kind": "rma", "url": "https://hooks.acme.example/returns/rma",
                    "auth": "oauth2", "paused": false,
                    "state": { "breaker": "closed", "waiting": 0, "in_flight": 1, "limit": 16 }
                }]
            })),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: MerchantAdmin,
    Path(merchant): Path<String>,
) -> Result<Json<EndpointsView>, ApiError> {
    Ok(Json(list_endpoints(&web.app, &parse_merchant(&merchant)?).await?))
}

/// Set a merchant's base address
///
/// Every kind of message is sent to its path under this address, unless it has its own address.
/// This replaces the previous base address, its `auth` and all its `paths`. An unknown field is an
/// error.
#[utoipa::path(
    put, operation_id = "set_endpoints", path = "/merchants/{merchant}/endpoints",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = EndpointsBody, example = json!({
        "base_url": "https://hooks.acme.example",
        "auth": { "type": "oauth2", "token_url": "https://id.acme.example/token",
            "client_id": "homeward", "client_secret": "..." },
        "paths": { "rma": "/returns/rma" }
    })),
    responses(
        (status = 200, body = EndpointsView, description = "The changed endpoints.",
            example = json!(sample_endpoints(UNDER_BASE, "oauth2", false))),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.base_url",
                FaultCode::Invalid,
                "plain http to hooks.acme.example is not allowed: use https",
            ))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<EndpointsView>, ApiError> {
    let merchant = parse_merchant(&request.path)?;
    let change = request.body.read(|document| read_base_change(&web, &merchant, document))?;
    let scope = request.scope(&web.app);
    Ok(Json(set_endpoints(scope.for_merchant(&merchant), &change).await?))
}

/// Set the address for one kind of message
///
/// Messages of this kind are sent there instead of to the base address.
#[utoipa::path(
    put, operation_id = "set_endpoint", path = "/merchants/{merchant}/endpoints/{kind}",
    tag = "Operation",
    params(EndpointPath, IdempotencyHeader),
    request_body(content = EndpointBody, example = json!({
        "url": "https://wms.acme.example/asn", "auth": { "type": "none" }
    })),
    responses(
        (status = 200, body = EndpointsView, description = "The changed endpoints.",
            example = json!(sample_endpoints(SEPARATE, "none", false))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn set_one(
    State(web): State<Web>,
    request: MerchantAdminRequest<(String, String)>,
) -> Result<Json<EndpointsView>, ApiError> {
    let (merchant, kind) = &request.path;
    let (merchant, kind) = (parse_merchant(merchant)?, parse_endpoint_kind(kind)?);
    let change = request.body.read(|document| read_kind_change(&web, &merchant, kind, document))?;
    let scope = request.scope(&web.app);
    Ok(Json(set_endpoints(scope.for_merchant(&merchant), &change).await?))
}

/// Remove the address for one kind of message
///
/// Messages of this kind are sent to their path under the base address again.
#[utoipa::path(
    delete, operation_id = "forget_endpoint", path = "/merchants/{merchant}/endpoints/{kind}",
    tag = "Operation",
    params(EndpointPath, IdempotencyHeader),
    responses(
        (status = 200, body = EndpointsView, description = "The changed endpoints.",
            example = json!(sample_endpoints(UNDER_BASE, "oauth2", false))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn forget(
    State(web): State<Web>,
    MerchantAdmin { caller }: MerchantAdmin,
    Path((merchant, kind)): Path<(String, String)>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<EndpointsView>, ApiError> {
    let change = EndpointsChange::Forget { kind: parse_endpoint_kind(&kind)? };
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(set_endpoints(scope.for_merchant(&parse_merchant(&merchant)?), &change).await?))
}

/// Pause an endpoint
///
/// Its messages wait until it is resumed. They keep all their attempts.
#[utoipa::path(
    post, operation_id = "pause_endpoint", path = "/merchants/{merchant}/endpoints/{kind}/pause",
    tag = "Operation",
    params(EndpointPath, IdempotencyHeader),
    responses(
        (status = 200, body = EndpointsView, description = "The changed endpoints.",
            example = json!(sample_endpoints(SEPARATE, "none", true))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn pause(
    State(web): State<Web>,
    MerchantAdmin { caller }: MerchantAdmin,
    Path((merchant, kind)): Path<(String, String)>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<EndpointsView>, ApiError> {
    let change = EndpointsChange::Pause { kind: parse_kind(&kind)? };
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(set_endpoints(scope.for_merchant(&parse_merchant(&merchant)?), &change).await?))
}

/// Resume an endpoint
///
/// The waiting messages are sent.
#[utoipa::path(
    post, operation_id = "resume_endpoint", path = "/merchants/{merchant}/endpoints/{kind}/resume",
    tag = "Operation",
    params(EndpointPath, IdempotencyHeader),
    responses(
        (status = 200, body = EndpointsView, description = "The changed endpoints.",
            example = json!(sample_endpoints(SEPARATE, "none", false))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn resume(
    State(web): State<Web>,
    MerchantAdmin { caller }: MerchantAdmin,
    Path((merchant, kind)): Path<(String, String)>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<EndpointsView>, ApiError> {
    let change = EndpointsChange::Resume { kind: parse_kind(&kind)? };
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(set_endpoints(scope.for_merchant(&parse_merchant(&merchant)?), &change).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TestQuery {
    /// The reference of the message, to test the order: messages with the same reference are sent
    /// in order, with a short body. If absent, the message is the documented sample of its kind,
    /// about something new.
    #[serde(rename = "ref")]
    #[param(example = "test-k7w2mq9d4x")]
    reference: Option<String>,
    /// The position of the message among those with the same reference. By default 1.
    #[param(example = 1)]
    sequence: Option<i64>,
}

impl TestQuery {
    fn test(self, kind: MessageKind) -> Result<TestMessageRequest, ApiError> {
        let readable = |it: &String| {
            (1..=IDENTIFIER_MAX).contains(&it.chars().count()) && !it.chars().any(char::is_control)
        };
        if !self.reference.as_ref().is_none_or(readable) {
            let why = format!(
                "ref must have 1 to {IDENTIFIER_MAX} characters, none of them control characters"
            );
            return Err(ApiError::BadRequest(why));
        }
        Ok(TestMessageRequest {
            kind,
            reference: self.reference,
            sequence: self.sequence.unwrap_or(1),
        })
    }
}

/// Test an endpoint
///
/// Sends the documented sample of the kind, in the same way as all other messages. What it is about
/// begins with `test-`.
#[utoipa::path(
    post, operation_id = "test_endpoint", path = "/merchants/{merchant}/endpoints/{kind}/test",
    tag = "Operation",
    params(EndpointPath, TestQuery, IdempotencyHeader),
    responses(
        (status = 202, body = TestMessage, description = "The message is being sent.",
            example = json!({ "id": "msg_acme_42" })),
        (status = 409, body = Message, description = "There is no message of this kind to send, or \
            the key was used for another request.", example = json!({
                "message": "exchange_variants is queried, so there is no message to test it with"
            })),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn test(
    State(web): State<Web>,
    MerchantAdmin { caller }: MerchantAdmin,
    Path((merchant, kind)): Path<(String, String)>,
    Query(query): Query<TestQuery>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<(StatusCode, Json<TestMessage>), ApiError> {
    let (merchant, kind) = (parse_merchant(&merchant)?, parse_endpoint_kind(&kind)?);
    let scope = caller.scope(&web.app, key.as_ref());
    let test = query.test(kind)?;
    let sent = send_test_message(scope.for_merchant(&merchant), &test).await?;
    Ok((StatusCode::ACCEPTED, Json(sent)))
}
