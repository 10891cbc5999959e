//! Labels: the files that a carrier made, and new labels instead of old ones.

use app::returns::{
    change_return::load_return,
    label_documents::open_document,
    renew_label::{LabelRequester, renew_label},
};
use axum::{extract::State, response::Response};
use domain::{json::Json as Document, returns::rma::VoidReason};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    lifecycle::sample_answer,
    return_answer::{ReturnAnswer, respond},
};
use crate::core::{
    body::JsonRequest,
    caller::{Merchant, Read, ReturnsWrite},
    idempotency::IdempotencyHeader,
};
use domain::faults::Faults;
use server::{
    Web,
    documents::send_document,
    error::{ApiError, Message},
    json_body::read_object,
    path::Path,
};

/// Why a new label is needed.
#[derive(Serialize, ToSchema)]
pub(crate) struct NewLabel {
    /// `lost`, `expired`, `wrong_size` or `damaged`; `not_issued` if the label never came.
    #[schema(example = "lost")]
    reason: VoidReason,
}

/// Request a new label
///
/// Use this if the shopper cannot use the label: it was lost, expired, cannot be read, has the
/// wrong size, or was never issued. The old label becomes void, and the carrier is asked for a new
/// one. Possible until the carrier, the drop-off point or the warehouse has the goods.
#[utoipa::path(
    post, path = "/returns/{rma}/labels", operation_id = "renew_label", tag = "Returns",
    params(
        ("rma" = String, Path, description = "The return's identifier.",
            example = "RMA-7K3Q-9XWD-2M4T"),
        IdempotencyHeader,
    ),
    request_body(content = NewLabel, example = json!({ "reason": "lost" })),
    responses(
        (status = 200, body = ReturnAnswer<'_>, description = "The old label is void.",
            example = json!(sample_answer())),
        (status = 409, body = Message, description = "There is no label that could be replaced, or \
            it was used.", example = json!({ "message": "the label was already used" })),
    ),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn renew(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    Path(rma): Path<String>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<Response, ApiError> {
    let reason = body.read(read_reason)?;
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    Ok(respond(&renew_label(scope, LabelRequester::Client, &rma, reason).await?, None))
}

fn read_reason(document: &Document<'_>) -> Result<VoidReason, Faults> {
    read_object(document, |at| {
        at.required("reason", |it| {
            let refused = "must be one of lost, expired, wrong_size, damaged, not_issued";
            it.named(VoidReason::parse_request, refused)
        })
    })
}

/// Read a file of a label
///
/// The bytes are those that the carrier sent: a PDF or PNG file, or ZPL.
#[utoipa::path(
    get, path = "/returns/{rma}/labels/{sha256}", operation_id = "read_label", tag = "Returns",
    params(
        ("rma" = String, Path, description = "The return's identifier.",
            example = "RMA-7K3Q-9XWD-2M4T"),
        ("sha256" = String, Path, description = "The hash of the file, from `labels`.",
            example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
    ),
    responses((status = 200, body = String, content_type = "application/pdf",
        description = "The file.", example = "%PDF-1.7 ...")),
    security(("token" = ["read"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path((rma, sha256)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let rma = load_return(&web.app, &merchant.id, &rma).await?;
    Ok(send_document(open_document(&web.app, &merchant.id, &rma, &sha256)?))
}
