//! How long the data of a merchant's shoppers is kept. An operator sets it.

use app::merchants::retention::{load_retention, set_retention};
use axum::{Json, extract::State};
use domain::{faults::FaultCode, merchants::retention::RetentionPeriods};

use crate::core::{
    admin_request::AdminRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid};
use server::requests::identifiers::parse_merchant;
use server::{Web, path::Path};

/// Show a merchant's retention periods
///
/// After how many days the data of shoppers is erased. What is absent is kept.
#[utoipa::path(
    get, path = "/merchants/{merchant}/retention", operation_id = "show_retention",
    tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = RetentionPeriods, description = "The periods.",
            example = json!({ "orders_days": 730, "returns_days": 1095 })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
) -> Result<Json<RetentionPeriods>, ApiError> {
    Ok(Json(load_retention(&web.app, &parse_merchant(&merchant)?).await?))
}

/// Set a merchant's retention periods
///
/// The body is all periods; a class without one is kept. What is older is erased within hours.
#[utoipa::path(
    put, path = "/merchants/{merchant}/retention", operation_id = "set_retention",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = RetentionPeriods,
        example = json!({ "orders_days": 730, "returns_days": 1095 })),
    responses(
        (status = 200, body = RetentionPeriods, description = "The periods.",
            example = json!({ "orders_days": 730, "returns_days": 1095 })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.orders_days",
                FaultCode::Invalid,
                "must be between 1 and 36500",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    request: AdminRequest<String>,
) -> Result<Json<RetentionPeriods>, ApiError> {
    let scope = request.scope(&web.app);
    let merchant = parse_merchant(&request.path)?;
    let periods = request.body.read(RetentionPeriods::read)?;
    Ok(Json(set_retention(scope.for_merchant(&merchant), &periods).await?))
}
