//! The audit trail.

use app::core::audit_trail::{AuditPage, AuditTrailQuery, list_changes};
use axum::{Json, extract::State};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::core::caller::{Admin, Allowed};
use crate::core::paging::{PAGE, PAGE_MAX};
use server::requests::identifiers::parse_merchant;
use server::{Web, error::ApiError, query::Query};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditQuery {
    /// Only changes that concern this merchant.
    merchant: Option<String>,
    /// Start before this change: `next` of the previous page.
    before: Option<String>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

/// List changes
///
/// All changes by operators, newest first.
#[utoipa::path(
    get, path = "/audit", operation_id = "list_changes", tag = "Operation", params(AuditQuery),
    responses((status = 200, body = AuditPage, description = "Newest first.", example = json!({
        "changes": [{
            "id": "4aqjxjp32x4p", "at": "2026-02-14T16:02:10.452334Z", "merchant": "acme",
            "actor": "platform.mw9v79n7z9", "address": "192.0.2.7", "action": "merchant.add",
            "detail": {
                "name": "Acme Outfitters", "settings": { "strict": false },
                "client": "acme.k7w2mq9d4x"
            }
        }],
        "next": "4aqjxjp32x4p"
    }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Query(query): Query<AuditQuery>,
) -> Result<Json<AuditPage>, ApiError> {
    let merchant = query.merchant.as_deref().map(parse_merchant).transpose()?;
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let trail = AuditTrailQuery {
        merchant: merchant.as_ref(),
        actor: None,
        before: query.before.as_deref(),
        limit,
    };
    Ok(Json(list_changes(&web.app, &trail).await?))
}
