//! The keys that encrypt secrets.

use app::access::sealing::{SealingKeys, list_keys};
use axum::{Json, extract::State};

use crate::core::caller::{Admin, Allowed};
use server::{Web, error::ApiError};

/// List encryption keys
///
/// The identifiers of the keys that encrypt secrets in the database. While a rotation is under way,
/// some values are still encrypted with an older key. The keys themselves are never shown.
#[utoipa::path(
    get, path = "/keys", operation_id = "list_keys", tag = "Operation",
    responses((status = 200, body = SealingKeys, description = "The keys in use.",
        example = json!({ "newest": "k7w2mq9d", "older": [] }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
) -> Result<Json<SealingKeys>, ApiError> {
    Ok(Json(list_keys(&web.app).await?))
}
