//! History comes in: a chunk of lines, one order each.

use app::import_orders::{Imported, import_orders};
use axum::{
    Json,
    extract::{Path, State},
};

use super::merchants::named;
use crate::{
    Web,
    api::{
        body::LineBytes,
        caller::{Admin, Allowed},
        error::{ApiError, Message},
    },
};

/// Import orders
///
/// One order a line, each stored or rejected by itself under the same rules as published orders. Sending a chunk
/// again changes nothing.
#[utoipa::path(
    post, path = "/merchants/{merchant}/orders/import", tag = "Operation",
    params(("merchant" = String, Path, description = "Whose orders they are.")),
    request_body(
        content = String, content_type = "application/x-ndjson",
        description = "Orders, one JSON object a line; at most 10 MiB."
    ),
    responses(
        (status = 200, body = Imported, description = "What became of the lines."),
        (status = 404, body = Message, description = "There is no such merchant."),
        (status = 413, body = Message, description = "Larger than 10 MiB."),
        (status = 415, body = Message, description = "Not `application/x-ndjson`."),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn import(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(merchant): Path<String>,
    LineBytes(lines): LineBytes,
) -> Result<Json<Imported>, ApiError> {
    Ok(Json(import_orders(&web.app, &named(&merchant)?, lines).await?))
}
