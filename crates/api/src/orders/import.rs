//! Imports of past orders, in chunks with one order per line.

use app::orders::import_orders::{ImportResult, import_orders};
use axum::{Json, extract::State};

use crate::core::{
    body::LinesRequest,
    caller::{Admin, Allowed},
    idempotency::IdempotencyHeader,
};
use server::requests::identifiers::parse_merchant;
use server::{Web, error::ApiError, path::Path};

/// The order of the minimal sample, on one line.
fn sample_line() -> String {
    let message = domain::samples::minimal_order_message();
    let message: serde_json::Value = serde_json::from_str(message).expect("the sample is JSON");
    let order = message.pointer("/returns_portal_order/orders/0").map(ToString::to_string);
    order.expect("the sample has an order")
}

/// Import orders
///
/// Each line is one order, which is stored or rejected independently, under the same rules as
/// published orders. The response counts the orders that were `created`, `updated`, `unchanged`
/// because the same snapshot was stored before, and `stale` because a newer snapshot is stored.
/// Sending a chunk again changes nothing.
#[utoipa::path(
    post, path = "/merchants/{merchant}/orders/import", operation_id = "import_orders",
    tag = "Operation",
    params(
        ("merchant" = String, Path, description = "The merchant of the orders.", example = "acme"),
        IdempotencyHeader,
    ),
    request_body(
        content = String, content_type = "application/x-ndjson",
        description = "Orders, one JSON object per line, at most 10 MiB.",
        example = json!(sample_line())
    ),
    responses(
        (status = 200, body = ImportResult, description = "The results of the lines.", example = json!({
            "created": 1, "updated": 0, "unchanged": 0, "stale": 0, "warnings": 0,
            "rejected": [{
                "line": 1, "errors": [],
                "message": "the line is not JSON: line 1, column 15: the document ends where a \
                            value is expected"
            }]
        })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn import(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(merchant): Path<String>,
    LinesRequest { lines, key }: LinesRequest,
) -> Result<Json<ImportResult>, ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    let merchant = parse_merchant(&merchant)?;
    // It is large, and would be part of the future of the connection.
    let imported = Box::pin(import_orders(scope.for_merchant(&merchant), lines)).await?;
    Ok(Json(imported))
}
