//! Checks acknowledgements of withdrawals.

use app::withdrawal::acknowledgement::{DocumentCheck, check_document};
use axum::{Json, extract::State};
use serde_json::Value;

use crate::core::{
    body::JsonRequest,
    caller::{Admin, Allowed},
};
use server::{Web, error::ApiError};

const REQUEST: &str =
    "The document, as the shopper got it. Of any other the answer says what is wrong.";

/// Check an acknowledgement
///
/// Whether a document that a shopper has is what was recorded, byte for byte, and whether the
/// record was changed since.
#[utoipa::path(
    post, path = "/withdrawals/check", operation_id = "check_withdrawal", tag = "Operation",
    request_body(content = Value, description = REQUEST, example = json!(sample_document())),
    responses((status = 200, body = DocumentCheck, description = "Checked.",
        example = json!({ "genuine": true, "withdrawal_identifier": "WDR-4H8N-Q2XK-7RZ1",
            "problems": [] }))),
    security(("token" = ["admin"]))
)]
pub(crate) async fn check(
    State(web): State<Web>,
    _: Allowed<Admin>,
    request: JsonRequest,
) -> Result<Json<DocumentCheck>, ApiError> {
    Ok(Json(check_document(&web.app, &request.body.into_bytes()).await?))
}

fn sample_document() -> Value {
    serde_json::json!({
        "withdrawal": domain::samples::withdrawal(),
        "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "seal": "azd3Mm1xOWQ="
    })
}
