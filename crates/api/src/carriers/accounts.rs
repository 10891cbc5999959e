//! A merchant's account at a carrier: show and set.

use app::carriers::accounts::{CarrierAccountView, load_carrier_account, set_carrier_account};
use axum::{Json, extract::State};
use domain::faults::FaultCode;
use utoipa::ToSchema;

use crate::core::{
    admin_request::AdminRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid};
use server::requests::{carriers::read_carrier_account, identifiers::parse_merchant};
use server::{Web, path::Path};

/// A merchant's account at EasyPost.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct CarrierAccountBody {
    /// The key of the API. It is encrypted, and never shown.
    api_key: String,
    /// The secret that signs webhooks, in ASCII. Without it, no webhook is accepted.
    webhook_secret: Option<String>,
    /// The address of the API, if it is not EasyPost's own.
    #[schema(example = "https://api.easypost.com/v2")]
    url: Option<String>,
    /// Which services may be bought: a carrier, or a carrier and a service. The cheapest of them is
    /// chosen. Absent or empty: of all.
    #[schema(example = json!(["USPS/GroundAdvantage", "UPS"]), max_items = 50)]
    services: Option<Vec<String>>,
    /// What a unit weighs if its order line does not say so: 500 if absent.
    #[schema(minimum = 1, maximum = 1_000_000)]
    unit_weight_grams: Option<i64>,
}

fn sample_account() -> serde_json::Value {
    serde_json::json!({
        "merchant": "acme", "url": "https://api.easypost.com/v2",
        "services": ["USPS/GroundAdvantage", "UPS"], "unit_weight_grams": 500,
        "has_webhook_secret": true, "webhook_path": "/carriers/easypost/acme/webhooks"
    })
}

/// Show a merchant's account at EasyPost
///
/// Without its secrets.
#[utoipa::path(
    get, operation_id = "show_carrier_account", path = "/merchants/{merchant}/carrier",
    tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = CarrierAccountView, description = "The account.",
            example = json!(sample_account())),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
) -> Result<Json<CarrierAccountView>, ApiError> {
    Ok(Json(load_carrier_account(&web.app, &parse_merchant(&merchant)?).await?))
}

/// Set a merchant's account at EasyPost
///
/// It replaces the previous account. The merchant's carrier is `easypost` from then on: labels of
/// returns that start later are bought with this account.
#[utoipa::path(
    put, operation_id = "set_carrier_account", path = "/merchants/{merchant}/carrier",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = CarrierAccountBody, example = json!({
        "api_key": "EZAK...", "webhook_secret": "...", "services": ["USPS/GroundAdvantage", "UPS"]
    })),
    responses(
        (status = 200, body = CarrierAccountView, description = "The changed account.",
            example = json!(sample_account())),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.services[0]",
                FaultCode::Invalid,
                "must be a carrier, or a carrier and a service, such as USPS/Priority",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    request: AdminRequest<String>,
) -> Result<Json<CarrierAccountView>, ApiError> {
    let merchant = parse_merchant(&request.path)?;
    let account = request.body.read(|document| read_carrier_account(&web, &merchant, document))?;
    let scope = request.scope(&web.app);
    Ok(Json(set_carrier_account(scope.for_merchant(&merchant), &account).await?))
}
