//! The messages of all merchants, for operators: list, show, retry, discard.

use app::messages::{
    failure_queue::{FailureResult, discard_message, retry_message},
    message_log::{self, MessageWithAttempts, Messages},
};
use axum::{Json, extract::State};
use domain::{faults::Faults, json::Json as Document, reader::TEXT_MAX};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::{
    core::{
        admin_request::AdminRequest,
        body::EmptyRequest,
        caller::{Admin, Allowed},
        idempotency::IdempotencyHeader,
        refusals::InvalidMerchant,
    },
    messages::log::{MessagesQuery, RetryQuery, RetryResponses, sample_detail, sample_message},
};
use server::error::{ApiError, Message};
use server::requests::identifiers::{parse_merchant, parse_message};
use server::{Web, json_body::read_object, path::Path, query::Query};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MerchantQuery {
    /// The merchant of the messages.
    #[param(example = "acme")]
    merchant: String,
}

/// List a merchant's messages
///
/// The messages to the merchant's systems, newest first: waiting, delivered, failed and discarded
/// ones.
#[utoipa::path(
    get, operation_id = "list_any_messages", path = "/messages", tag = "Operation",
    params(MerchantQuery, MessagesQuery),
    responses(
        (status = 200, body = Messages, description = "Newest first.",
            example = json!({ "messages": [sample_message("failed")], "next": "42" })),
        InvalidMerchant,
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Query(MerchantQuery { merchant }): Query<MerchantQuery>,
    Query(query): Query<MessagesQuery>,
) -> Result<Json<Messages>, ApiError> {
    let merchant = parse_merchant(&merchant)?;
    Ok(Json(message_log::list_messages(&web.app, &merchant, query.wanted()).await?))
}

/// A message that was refused once and will be sent again.
fn sample_waiting() -> serde_json::Value {
    let refusal = serde_json::json!({
        "at": "2026-02-14T16:02:10Z", "cycle": 1, "attempt": 1, "status": 503, "error": null,
        "latency_ms": 12.25, "answer": "busy"
    });
    let mut sample = sample_detail("waiting", &refusal);
    if let Some(fields) = sample.as_object_mut() {
        fields.insert("due_at".to_owned(), "2026-02-14T16:02:15Z".into());
    }
    sample
}

/// Show any message
///
/// Its exact body, and all attempts to deliver it.
#[utoipa::path(
    get, operation_id = "show_any_message", path = "/messages/{id}", tag = "Operation",
    params(("id" = String, Path, description = "The message's identifier.",
        example = "msg_acme_42")),
    responses(
        (status = 200, body = MessageWithAttempts, description = "The message.",
            example = json!(sample_waiting())),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(id): Path<String>,
) -> Result<Json<MessageWithAttempts>, ApiError> {
    Ok(Json(message_log::load_message(&web.app, &parse_message(&id)?).await?))
}

/// Retry any message
///
/// Enqueues a failed message again, with all its attempts. The same bytes are sent.
#[utoipa::path(
    post, operation_id = "retry_any_message", path = "/messages/{id}/retry", tag = "Operation",
    params(
        ("id" = String, Path, description = "The message's identifier.", example = "msg_acme_42"),
        RetryQuery,
        IdempotencyHeader,
    ),
    responses(RetryResponses),
    security(("token" = ["admin"]))
)]
pub(crate) async fn retry(
    State(web): State<Web>,
    Allowed { caller, .. }: Allowed<Admin>,
    Path(id): Path<String>,
    Query(RetryQuery { force }): Query<RetryQuery>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<FailureResult>, ApiError> {
    let scope = caller.scope(&web.app, key.as_ref());
    Ok(Json(retry_message(scope, &parse_message(&id)?, force).await?))
}

/// Why a message is discarded.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct DiscardBody {
    /// Shown with the message.
    #[schema(example = "reported by telephone")]
    reason: String,
}

/// Discard a message
///
/// Removes a failed message from the failure queue for good. The reason is stored.
#[utoipa::path(
    post, operation_id = "discard_message", path = "/messages/{id}/discard", tag = "Operation",
    params(
        ("id" = String, Path, description = "The message's identifier.", example = "msg_acme_42"),
        IdempotencyHeader,
    ),
    request_body(content = DiscardBody, example = json!({ "reason": "reported by telephone" })),
    responses(
        (status = 200, body = FailureResult, description = "The message is discarded.", example = json!({
            "id": "msg_acme_42", "result": "discarded"
        })),
        (status = 409, body = Message, description = "It is not in the failure queue, or the key \
            was used for another request.", example = json!({
                "message": "msg_acme_42 was delivered and is not in the failure queue"
            })),
    ),
    security(("token" = ["admin"]))
)]
pub(crate) async fn discard(
    State(web): State<Web>,
    request: AdminRequest<String>,
) -> Result<Json<FailureResult>, ApiError> {
    let (id, reason) = (parse_message(&request.path)?, request.body.read(read_reason)?);
    let scope = request.scope(&web.app);
    Ok(Json(discard_message(scope, &id, &reason).await?))
}

fn read_reason(document: &Document<'_>) -> Result<String, Faults> {
    read_object(document, |at| at.required("reason", |at| at.text(1..=TEXT_MAX).map(str::to_owned)))
}
