//! Receipts: the warehouse reports units that arrived.

use app::warehouse::receipts::{ReceiptResults, record_receipts};
use axum::{Json, extract::State};
use domain::returns::receipt::{Receipts, read_receipts};

use super::warehouse_request::{ForMerchant, WarehouseRequest};
use crate::core::idempotency::IdempotencyHeader;
use server::error::ApiError;
use server::{Web, json_body::JsonBody};

/// Report receipts
///
/// The response has one result for each receipt, in the same order. A unit with a license plate
/// that was reported before is not received twice.
#[utoipa::path(
    post, path = "/receipts", operation_id = "report_receipts", tag = "Warehouse",
    params(ForMerchant, IdempotencyHeader),
    request_body(content = Receipts, example = json!({ "receipts": [{
        "rma_identifier": "RMA-7K3Q-9XWD-2M4T", "line_identifier": "ORD-100472-1",
        "unit_identifier": "LP-0093321", "sku": "TEE-NAVY-M", "condition": "A",
        "channel": "RTS", "user_login": "mkowalski", "location_identifier": "A-14-03"
    }] })),
    responses(
        (status = 200, body = ReceiptResults, description = "The result of each receipt.",
            example = json!({ "results": [
                { "result": "applied", "rma_identifier": "RMA-7K3Q-9XWD-2M4T" }
            ] })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn report(
    State(web): State<Web>,
    request: WarehouseRequest<JsonBody>,
) -> Result<Json<ReceiptResults>, ApiError> {
    let receipts = request.body.read(read_receipts)?;
    Ok(Json(record_receipts(request.scope(&web.app), &receipts).await?))
}
