//! Merchants' return policies: show, set, check, look back.

use app::returns::policies::{PolicyView, list_policies, load_merchant_policy, set_policy};
use axum::{Json, extract::State};
use domain::returns::policy::Policy;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::core::paging::{PAGE, PAGE_MAX};
use crate::core::{
    admin_request::MerchantAdminRequest,
    body::JsonRequest,
    caller::{Admin, Allowed, MerchantAdmin},
    idempotency::IdempotencyHeader,
};
use server::error::{ApiError, Invalid};
use server::requests::identifiers::parse_merchant;
use server::{Web, path::Path, query::Query};

/// Show a merchant's policy
///
/// The version that holds now. A merchant that never set one has the default, version 0.
#[utoipa::path(
    get, path = "/merchants/{merchant}/policy", operation_id = "show_policy", tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = PolicyView, description = "What holds now.",
            example = json!(sample())),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: MerchantAdmin,
    Path(merchant): Path<String>,
) -> Result<Json<PolicyView>, ApiError> {
    Ok(Json(load_merchant_policy(&web.app, &parse_merchant(&merchant)?).await?))
}

/// Set a merchant's policy
///
/// The body is the whole policy; what is left out has its default. It becomes a new version, and
/// returns that were started before keep the one that judged them.
#[utoipa::path(
    put, path = "/merchants/{merchant}/policy", operation_id = "set_policy", tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = Policy, example = json!(sample_policy())),
    responses(
        (status = 200, body = PolicyView, description = "The new version.",
            example = json!(sample())),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample_fault())),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<PolicyView>, ApiError> {
    let scope = request.scope(&web.app);
    let (merchant, policy) = (parse_merchant(&request.path)?, request.body.read(Policy::read)?);
    Ok(Json(set_policy(scope.for_merchant(&merchant), &policy).await?))
}

/// Check a policy
///
/// Checks the body and returns the complete policy, with defaults filled in. Nothing is stored.
#[utoipa::path(
    post, path = "/policy/check", operation_id = "check_policy", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = Policy, example = json!(sample_policy())),
    responses(
        (status = 200, body = Policy, description = "It would be accepted.",
            example = json!(sample_policy())),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample_fault())),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn check(
    State(_): State<Web>,
    _: Allowed<Admin>,
    JsonRequest { body, .. }: JsonRequest,
) -> Result<Json<Policy>, ApiError> {
    Ok(Json(body.read(Policy::read)?))
}

/// The versions of a policy.
#[omit_none]
#[derive(Serialize, ToSchema)]
pub(crate) struct Versions {
    /// Newest first.
    versions: Vec<PolicyView>,
    /// Pass it as `before` to get the next page. Absent on the last page.
    next: Option<i64>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct VersionsQuery {
    /// Start below this version: `next` of the previous page.
    before: Option<i64>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List the versions of a merchant's policy
#[utoipa::path(
    get, path = "/merchants/{merchant}/policy/versions", operation_id = "list_policy_versions",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        VersionsQuery,
    ),
    responses(
        (status = 200, body = Versions, description = "Newest first.",
            example = json!({ "versions": [sample()], "next": 3 })),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn versions(
    State(web): State<Web>,
    _: MerchantAdmin,
    Path(merchant): Path<String>,
    Query(query): Query<VersionsQuery>,
) -> Result<Json<Versions>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let before = query.before.unwrap_or(i64::MAX);
    let versions = list_policies(&web.app, &parse_merchant(&merchant)?, before, limit).await?;
    let next = versions.last().map(|it| it.version).filter(|_| versions.len() == limit);
    Ok(Json(Versions { versions, next }))
}

fn sample_policy() -> Value {
    serde_json::to_value(Policy::default()).expect("a policy has string keys")
}

fn sample() -> Value {
    serde_json::json!({
        "version": 3, "created_at": "2026-02-11T09:24:31Z", "set_by": "platform.k7w2mq9d",
        "policy": sample_policy()
    })
}

fn sample_fault() -> Value {
    serde_json::json!({
        "message": "1 field is invalid: $.window_days must be a whole number",
        "errors": [{ "field": "$.window_days", "code": "invalid_type" }]
    })
}
