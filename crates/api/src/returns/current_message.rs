//! The message about a return as it would be sent now.

use app::{AppError, messages::current_state::current_message};
use axum::{
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use domain::{messages::kind::MessageKind, returns::message::RmaMessage, samples};
use serde_json::Value;

use crate::core::{
    caller::{Merchant, Read},
    sample,
};
use server::{
    Web,
    error::{ApiError, Message},
    path::Path,
};

fn sample_rma() -> Value {
    serde_json::from_str(samples::rma_message()).unwrap_or_default()
}

/// Read the message about a return
///
/// Byte for byte what would be sent to you about the return now, with its `X-Service-Sequence`.
/// Nothing is sent.
#[utoipa::path(
    get, path = "/returns/{rma}/message", operation_id = "read_return_message", tag = "Returns",
    params(("rma" = String, Path, description = "The return's identifier.",
        example = "RMA-7K3Q-9XWD-2M4T")),
    responses(
        (status = 200, body = RmaMessage<'_>, description = "The message.",
            headers(("X-Service-Sequence" = i64, description = "The number of the last message \
                about the return.")),
            example = json!(sample_rma())),
        (status = 404, body = Message, description = "The return was not found.",
            example = json!(sample::not_found("return"))),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(rma): Path<String>,
) -> Result<Response, ApiError> {
    let current = current_message(&web.app, &merchant.id, MessageKind::Rma, &rma).await?;
    let current = current.ok_or(AppError::NotFound("return"))?;
    let headers = [
        (CONTENT_TYPE.as_str(), "application/json".to_owned()),
        ("x-service-sequence", current.sequence.to_string()),
    ];
    Ok((headers, current.body).into_response())
}
