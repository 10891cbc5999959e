//! What the warehouse calls when goods arrive.

use app::warehouse::receipts::{ReceiptResults, record_receipts};
use axum::{Json, extract::State};
use domain::returns::receipt::{Receipts, read_receipts};

use crate::core::{
    body::JsonRequest,
    caller::{Allowed, WarehouseWrite},
    idempotency::IdempotencyHeader,
};
use server::Web;
use server::error::{ApiError, Invalid, Message};

/// Report receipts
///
/// One result for each receipt, in order. A unit whose license plate was told before is not received twice.
#[utoipa::path(
    post, path = "/receipts", operation_id = "report_receipts", tag = "Warehouse",
    params(IdempotencyHeader),
    request_body(content = Receipts, example = json!({ "receipts": [{
        "rma_identifier": "RMA-7K3Q-9XWD-2M4T", "line_identifier": "ORD-100472-1",
        "unit_identifier": "LP-0093321", "sku": "TEE-NAVY-M", "condition": "A",
        "channel": "RTS", "user_login": "mkowalski", "location_identifier": "A-14-03"
    }] })),
    responses(
        (status = 200, body = ReceiptResults, description = "What became of each receipt.",
            example = json!({ "results": [
                { "result": "applied", "rma_identifier": "RMA-7K3Q-9XWD-2M4T" }
            ] })),
        (status = 409, body = Message, description = "The key was used for another request.",
            example = json!({ "message":
                "this Idempotency-Key was used for another request in the last 24 hours" })),
        (status = 422, body = Invalid, description = "Every field that is not acceptable. No receipt \
            was taken in.", example = json!({
                "message": "1 field is invalid: $.receipts[0].condition is missing",
                "errors": [{ "field": "$.receipts[0].condition", "code": "missing_field" }]
            })),
    ),
    security(("token" = ["warehouse:write"]))
)]
pub(crate) async fn report(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<WarehouseWrite>,
    JsonRequest { body, repeatable }: JsonRequest,
) -> Result<Json<ReceiptResults>, ApiError> {
    let receipts = body.read(read_receipts)?;
    Ok(Json(record_receipts(&web.app, &caller, &receipts, repeatable.as_ref()).await?))
}
