//! Merchants' returns portals: show and set their colors, texts and logo.

use app::{
    access::portal_links::{
        LINK_DAYS_DEFAULT, LINK_DAYS_MAX, NewPortalLink, PortalLink, create_link,
    },
    merchants::{
        pictures::Picture,
        portals::{PortalView, load_portal, set_logo, set_portal},
    },
};
use axum::{Json, extract::State};
use domain::faults::{FaultCode, Faults};
use domain::json::Json as Document;
use domain::merchants::portal::{Portal, logo_kind};
use serde_json::Value;

use crate::core::{
    admin_request::MerchantAdminRequest, body::EmptyRequest, body::PictureRequest,
    caller::MerchantAdmin, idempotency::IdempotencyHeader, sample,
};
use server::error::{ApiError, Invalid, Message};
use server::json_body::read_object;
use server::requests::identifiers::parse_merchant;
use server::{Web, path::Path};

/// Show a merchant's portal
///
/// Its colors and texts. A merchant that never set them has the defaults.
#[utoipa::path(
    get, path = "/merchants/{merchant}/portal", operation_id = "show_portal", tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    responses(
        (status = 200, body = PortalView, description = "The current portal.",
            example = json!(sample_view())),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: MerchantAdmin,
    Path(merchant): Path<String>,
) -> Result<Json<PortalView>, ApiError> {
    Ok(Json(load_portal(&web.app, &parse_merchant(&merchant)?).await?))
}

/// Set a merchant's portal
///
/// The body replaces everything except the logo. Absent fields get their defaults.
#[utoipa::path(
    put, path = "/merchants/{merchant}/portal", operation_id = "set_portal", tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(content = Portal, example = json!(sample_portal())),
    responses(
        (status = 200, body = PortalView, description = "The new portal.",
            example = json!(sample_view())),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was stored.",
            example = json!(sample::invalid_field(
                "$.accent",
                FaultCode::Invalid,
                "must be a color such as #0b5cad",
            ))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn set(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<PortalView>, ApiError> {
    let scope = request.scope(&web.app);
    let portal = request.body.read(Portal::read)?;
    Ok(Json(set_portal(scope.for_merchant(&parse_merchant(&request.path)?), &portal).await?))
}

/// Set the logo of a merchant's portal
///
/// A PNG, JPEG or WebP image of at most 256 KiB. The type is detected from its first bytes.
#[utoipa::path(
    put, path = "/merchants/{merchant}/portal/logo", operation_id = "set_portal_logo",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(
        content = String, content_type = "image/png",
        description = "The image. `image/jpeg` and `image/webp` are accepted, too.",
        example = json!("@logo.png")
    ),
    responses(
        (status = 200, body = PortalView, description = "The new portal.",
            example = json!(sample_view())),
        (status = 400, body = Message, description = "The body is not such an image.",
            example = json!({ "message": "a logo must be a PNG, JPEG, or WebP picture" })),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn set_picture(
    State(web): State<Web>,
    MerchantAdmin { caller }: MerchantAdmin,
    Path(merchant): Path<String>,
    PictureRequest { picture, key }: PictureRequest,
) -> Result<Json<PortalView>, ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    let kind = logo_kind(&picture).map_err(|why| ApiError::BadRequest(why.to_owned()))?;
    let logo = Picture { kind, bytes: picture };
    Ok(Json(set_logo(scope.for_merchant(&parse_merchant(&merchant)?), Some(&logo)).await?))
}

/// Remove the logo of a merchant's portal
///
/// Shoppers see the merchant's name instead. Without a logo, nothing changes.
#[utoipa::path(
    delete, path = "/merchants/{merchant}/portal/logo", operation_id = "remove_portal_logo",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant's identifier.", example = "acme"),
        IdempotencyHeader,
    ),
    responses(
        (status = 200, body = PortalView, description = "The new portal.",
            example = json!({ "portal": sample_portal(), "has_logo": false })),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn remove_picture(
    State(web): State<Web>,
    MerchantAdmin { caller }: MerchantAdmin,
    Path(merchant): Path<String>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<PortalView>, ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(set_logo(scope.for_merchant(&parse_merchant(&merchant)?), None).await?))
}

/// Sign a link to an order
///
/// For a mail of the shop's own. Who opens the link has proven to be the buyer, or to have got the
/// gift. A shop can sign links itself: the signature is HMAC-SHA256 with the signing secret.
#[utoipa::path(
    post, path = "/merchants/{merchant}/portal/links", operation_id = "sign_portal_link",
    tag = "Operation",
    params(("merchant" = String, Path, description = "The merchant's identifier.",
        example = "acme")),
    request_body(content = NewPortalLink, example = json!({ "order_identifier": "ORD-100472" })),
    responses(
        (status = 200, body = PortalLink, description = "The link.", example = json!({
            "path": "/portal/acme/link?order=ORD-100472&expires=1776762000&signature=5f2c9ab01d",
            "expires_at": "2026-04-21T09:00:00Z"
        })),
        (status = 422, body = Invalid, description = "Every invalid field.",
            example = json!(sample::invalid_field(
                "$.days", FaultCode::Invalid, "must be between 1 and 400"))),
    ),
    security(("token" = ["admin"]), ("token" = ["merchant:admin"]))
)]
pub(crate) async fn sign_link(
    State(web): State<Web>,
    request: MerchantAdminRequest<String>,
) -> Result<Json<PortalLink>, ApiError> {
    let merchant = parse_merchant(&request.path)?;
    let wanted = request.body.read(read_link)?;
    Ok(Json(create_link(&web.app, &merchant, &wanted).await?))
}

fn read_link(document: &Document<'_>) -> Result<NewPortalLink, Faults> {
    read_object(document, |at| {
        let days = at.optional("days", |value| value.integer(1..=LINK_DAYS_MAX));
        let order_identifier = at.identifier("order_identifier");
        let gift = at.optional_flag("gift").unwrap_or_default();
        let days = days.unwrap_or(LINK_DAYS_DEFAULT);
        Some(NewPortalLink { order_identifier, gift, days })
    })
}

fn sample_portal() -> Value {
    serde_json::json!({
        "accent": "#0b5cad", "languages": ["en", "de"], "default_language": "en",
        "texts": {
            "en": {
                "welcome": "Thirty days to change your mind.",
                "help": "Write to help@acme.example."
            },
            "de": { "welcome": "Dreißig Tage, um es sich anders zu überlegen." }
        }
    })
}

fn sample_view() -> Value {
    serde_json::json!({ "portal": sample_portal(), "has_logo": true })
}
