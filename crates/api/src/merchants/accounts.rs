//! Merchants: add, list, show and change them, rotate their signing secrets.

use crate::core::paging::{PAGE, PAGE_MAX};
use app::{
    access::rotate_secret::{self, SigningSecret},
    merchants::{
        add_merchant::{AddedMerchant, add_merchant},
        change_merchant::{self, MerchantChange, MerchantView},
    },
};
use axum::{Json, extract::State, http::StatusCode};
use domain::faults::{FaultCode, Faults};
use domain::json::Json as Document;
use domain::merchants::merchant::{CarrierMode, WeightUnit};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use server::requests::{
    identifiers::parse_merchant,
    merchants::{read_merchant_change, read_new_merchant},
};
use utoipa::{IntoParams, ToSchema};

use crate::core::{
    admin_request::AdminRequest,
    body::{JsonRequest, OptionalRequest},
    caller::{Admin, Allowed, MerchantAdmin},
    idempotency::IdempotencyHeader,
    sample,
};
use server::error::{ApiError, Invalid, Message};
use server::{Web, json_body::read_object, path::Path, query::Query};

/// A page of merchants.
#[omit_none]
#[derive(Serialize, ToSchema)]
pub(crate) struct Merchants {
    merchants: Vec<MerchantView>,
    /// Pass it as `after` to get the next page. Absent on the last page.
    next: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MerchantsQuery {
    /// Start after this merchant: `next` of the previous page.
    after: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List merchants
///
/// Sorted by identifier, in pages.
#[utoipa::path(
    get, path = "/merchants", operation_id = "list_merchants", tag = "Operation",
    params(MerchantsQuery),
    responses((status = 200, body = Merchants, description = "Sorted by identifier.",
        example = json!({ "merchants": [sample_merchant()], "next": "acme" }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Query(query): Query<MerchantsQuery>,
) -> Result<Json<Merchants>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let after = query.after.unwrap_or_default();
    let merchants = change_merchant::list_merchants(&web.app, &after, limit).await?;
    let last = merchants.last().map(|merchant| merchant.merchant.clone());
    let next = last.filter(|_| merchants.len() == limit);
    Ok(Json(Merchants { merchants, next }))
}

fn sample_merchant() -> serde_json::Value {
    serde_json::json!({
        "merchant": "acme", "name": "Acme Outfitters", "settings": { "strict": false, "carrier": "simulated", "managed_receiving": false, "exchange_refusal_is_final": false, "refund_tolerance_cents": 0, "message_extensions": false, "weight_unit": "grams" },
        "created_at": "2026-02-11T09:24:31Z"
    })
}

/// A new merchant.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct MerchantBody {
    /// 1 to 63 of a to z, 0 to 9 and hyphen.
    #[schema(example = "acme")]
    merchant: String,
    /// The merchant's name, for people.
    #[schema(example = "Acme Outfitters")]
    name: String,
    /// Refuse orders with amounts that do not add up, instead of accepting them with a warning.
    strict: Option<bool>,
    /// `simulated`, `external` or `easypost`. If absent: simulated in the sandbox, external in
    /// production.
    carrier: Option<CarrierMode>,
    /// Whether our warehouse receives the merchant's returns.
    managed_receiving: Option<bool>,
    /// Whether the responses 409 and 422 end an exchange order at once. Otherwise they are retried.
    exchange_refusal_is_final: Option<bool>,
    /// How many cents a refund may differ from the promise without being listed as a problem.
    refund_tolerance_cents: Option<i64>,
    /// Whether messages about returns and exchange orders have `extensions`.
    message_extensions: Option<bool>,
    /// The unit of the weights in the merchant's orders: grams if absent.
    weight_unit: Option<WeightUnit>,
}

/// Add a merchant
///
/// The response contains the credentials of the merchant's first client and the secret that signs
/// its messages. They are shown only once.
#[utoipa::path(
    post, path = "/merchants", operation_id = "add_merchant", tag = "Operation",
    params(IdempotencyHeader),
    request_body(content = MerchantBody, example = json!({
        "merchant": "acme", "name": "Acme Outfitters", "strict": false
    })),
    responses(
        (status = 201, body = AddedMerchant, description = "Added.", example = json!({
            "merchant": "acme", "client_id": "acme.k7w2mq9d4x", "client_secret": "hws_Xk3…",
            "signing_secret": "whsec_MfKQ…"
        })),
        (status = 409, body = Message, description = "The identifier is taken, or the key was used \
            for another request.", example = json!({ "message": "merchant acme already exists" })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn add(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<(StatusCode, Json<AddedMerchant>), ApiError> {
    let environment = web.settings.environment;
    let new = body.read(|document| read_new_merchant(document, environment))?;
    let added = add_merchant(caller.scope(&web.app, key.as_ref()), &new).await?;
    Ok((StatusCode::CREATED, Json(added)))
}

/// Show a merchant
#[utoipa::path(
    get, path = "/merchants/{merchant}", operation_id = "show_merchant", tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = MerchantView, description = "The merchant.",
            example = json!(sample_merchant())),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: MerchantAdmin,
    Path(merchant): Path<String>,
) -> Result<Json<MerchantView>, ApiError> {
    Ok(Json(change_merchant::load_merchant(&web.app, &parse_merchant(&merchant)?).await?))
}

/// Change a merchant
///
/// Absent fields do not change. With `strict`, orders with amounts that do not add up are refused
/// instead of accepted with a warning. The clients of a disabled merchant get no tokens, and its
/// existing tokens are refused. Its data is kept.
#[utoipa::path(
    patch, path = "/merchants/{merchant}", operation_id = "change_merchant", tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = MerchantChange, example = json!({ "name": "Acme Outfitters" })),
    responses(
        (status = 200, body = MerchantView, description = "The changed merchant.",
            example = json!(sample_merchant())),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.strict",
                FaultCode::InvalidType,
                "must be true or false",
            ))),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn change(
    State(web): State<Web>,
    request: AdminRequest<String>,
) -> Result<Json<MerchantView>, ApiError> {
    let (merchant, change) =
        (parse_merchant(&request.path)?, request.body.read(read_merchant_change)?);
    let scope = request.scope(&web.app);
    Ok(Json(change_merchant::change_merchant(scope.for_merchant(&merchant), &change).await?))
}

/// How the signing secret is rotated.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct SigningRotation {
    /// Whether the old secret ends now. Messages are then signed with the new one only, and links
    /// to the portal that were signed with the old one are refused. `false` if absent.
    revoke_old: Option<bool>,
}

/// Rotate the signing secret
///
/// Until the next rotation, messages are signed with the new secret and with the previous one,
/// unless `revoke_old` is set. The body may be absent.
#[utoipa::path(
    post, path = "/merchants/{merchant}/rotate_signing_secret",
    operation_id = "rotate_signing_secret", tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = Option<SigningRotation>, example = json!({ "revoke_old": false })),
    responses(
        (status = 200, body = SigningSecret, description = "The new secret, shown only once.",
            example = json!({ "signing_secret": "whsec_MfKQ…" })),
        (status = 422, body = Invalid, description = "Every invalid field.",
            example = json!(sample::invalid_field(
                "$.revoke",
                FaultCode::Invalid,
                "is not a known field",
            ))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn rotate_signing_secret(
    State(web): State<Web>,
    MerchantAdmin { caller }: MerchantAdmin,
    Path(merchant): Path<String>,
    OptionalRequest { body, key }: OptionalRequest,
) -> Result<Json<SigningSecret>, ApiError> {
    let revoke_old = body.read(read_rotation)?;
    let scope = caller.scope(&web.app, key.as_ref());
    let merchant = parse_merchant(&merchant)?;
    let scope = scope.for_merchant(&merchant);
    Ok(Json(rotate_secret::rotate_signing_secret(scope, revoke_old).await?))
}

fn read_rotation(document: &Document<'_>) -> Result<bool, Faults> {
    read_object(document, |at| Some(at.optional_flag("revoke_old").unwrap_or_default()))
}
