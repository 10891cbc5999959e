//! The delivery log of a merchant: its messages and their attempts.

use app::messages::{
    failure_queue::{FailureResult, retry_message},
    message_log::{self, MessageQuery, MessageState, MessageWithAttempts, Messages},
};
use axum::{Json, extract::State};
use domain::{
    identifier::{MerchantId, MessageId},
    messages::kind::MessageKind,
};
use jiff::Timestamp;
use serde::Deserialize;
use utoipa::{IntoParams, IntoResponses};

use crate::core::{
    body::EmptyRequest,
    caller::{Merchant, Read, ReturnsWrite},
    idempotency::IdempotencyHeader,
    paging::{PAGE, PAGE_MAX},
};
use server::{
    Web,
    error::{ApiError, Message},
    path::Path,
    query::Query,
    requests::identifiers::parse_message,
};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MessagesQuery {
    /// `waiting`, `delivered`, `failed` or `discarded`. If absent, all states.
    #[param(inline)]
    state: Option<MessageState>,
    /// `rma`, `exchange_variants`, `exchange_order`, `outbound_asn`, `inventory_receipt`,
    /// `drop_shipment_confirmation`, `drop_shipment_cancellation`,
    /// `drop_shipment_partial_cancellation`, `withdrawal` or `mail`. If absent, all kinds.
    #[param(inline)]
    kind: Option<MessageKind>,
    /// Only messages with this reference, such as an RMA's identifier.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// Only messages that were created at this time or later.
    #[param(value_type = Option<String>)]
    from: Option<Timestamp>,
    /// Only messages that were created at this time or earlier.
    #[param(value_type = Option<String>)]
    to: Option<Timestamp>,
    /// Start before this message: `next` of the previous page.
    before: Option<i64>,
    /// The length of a page: at most 500, by default 100.
    limit: Option<usize>,
}

impl MessagesQuery {
    pub(crate) fn wanted(self) -> MessageQuery {
        MessageQuery {
            state: self.state,
            kind: self.kind,
            reference: self.reference,
            from: self.from,
            to: self.to,
            before: self.before,
            limit: self.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX),
        }
    }
}

/// A message of the caller. Messages of other merchants do not exist for it.
pub(super) fn parse_own_message(merchant: &MerchantId, text: &str) -> Result<MessageId, ApiError> {
    parse_message(text).and_then(|id| {
        if id.merchant == *merchant {
            Ok(id)
        } else {
            Err(app::AppError::NotFound("message").into())
        }
    })
}

/// List messages
///
/// The messages to your systems, newest first: waiting, delivered, failed and discarded ones.
#[utoipa::path(
    get, operation_id = "list_messages", path = "/messages", tag = "Messages",
    params(MessagesQuery),
    responses((status = 200, body = Messages, description = "Newest first.",
        example = json!({ "messages": [sample_message("delivered")], "next": "42" }))),
    security(("token" = ["read"]))
)]
pub(crate) async fn list(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Query(query): Query<MessagesQuery>,
) -> Result<Json<Messages>, ApiError> {
    Ok(Json(message_log::list_messages(&web.app, &merchant.id, query.wanted()).await?))
}

pub(crate) fn sample_message(state: &str) -> serde_json::Value {
    serde_json::json!({
        "id": "msg_acme_42", "merchant": "acme", "kind": "rma", "ref": "RMA-7K2M9QWX",
        "sequence": 2, "state": state, "created_at": "2026-02-14T16:02:10Z"
    })
}

/// A test message, because its body is short.
pub(crate) fn sample_detail(state: &str, attempt: &serde_json::Value) -> serde_json::Value {
    serde_json::json!({
        "id": "msg_acme_42", "merchant": "acme", "kind": "rma", "ref": "test-k7w2mq9d4x",
        "sequence": 1, "state": state, "created_at": "2026-02-14T16:02:10Z",
        "body": "{\"test\":true,\"message\":\"This is a test message. No action is \
                 required.\",\"kind\":\"rma\",\"identifier\":\"test-k7w2mq9d4x\"}",
        "attempts": [attempt]
    })
}

fn sample_success() -> serde_json::Value {
    serde_json::json!({
        "at": "2026-02-14T16:02:10Z", "cycle": 1, "attempt": 1, "status": 200, "error": null,
        "latency_ms": 41.5
    })
}

pub(crate) fn sample_no_flag() -> serde_json::Value {
    serde_json::json!({ "message": "force must be true or false" })
}

pub(crate) fn sample_superseded() -> serde_json::Value {
    let why = "a newer message about RMA-7K2M9QWX was already delivered; force sends msg_acme_42 \
               anyway";
    serde_json::json!({ "message": why })
}

/// Show a message
///
/// Its exact body, and all attempts to deliver it.
#[utoipa::path(
    get, operation_id = "show_message", path = "/messages/{id}", tag = "Messages",
    params(("id" = String, Path, description = "The message's identifier, also its `webhook-id`.",
        example = "msg_acme_42")),
    responses(
        (status = 200, body = MessageWithAttempts, description = "The message.",
            example = json!(sample_detail("delivered", &sample_success()))),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(id): Path<String>,
) -> Result<Json<MessageWithAttempts>, ApiError> {
    Ok(Json(message_log::load_message(&web.app, &parse_own_message(&merchant.id, &id)?).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RetryQuery {
    /// Send it even if a newer message with the same reference was delivered.
    #[serde(default)]
    pub(crate) force: bool,
}

/// The responses to a retry.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes the responses; the handlers build them")]
pub(crate) enum RetryResponses {
    /// The message is enqueued.
    #[response(status = 200, example = json!({ "id": "msg_acme_42", "result": "retried" }))]
    Enqueued(FailureResult),
    /// The query or the `Idempotency-Key` is invalid.
    #[response(status = 400, example = json!(sample_no_flag()))]
    Invalid(Message),
    /// It is not in the failure queue, it is superseded, or the key was used for another request.
    #[response(status = 409, example = json!(sample_superseded()))]
    Refused(Message),
}

/// Retry a message
///
/// Enqueues a failed message again, with all its attempts. The same bytes are sent.
#[utoipa::path(
    post, operation_id = "retry_message", path = "/messages/{id}/retry", tag = "Messages",
    params(
        ("id" = String, Path, description = "The message's identifier.", example = "msg_acme_42"),
        RetryQuery,
        IdempotencyHeader,
    ),
    responses(RetryResponses),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn retry(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    Path(id): Path<String>,
    Query(RetryQuery { force }): Query<RetryQuery>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<FailureResult>, ApiError> {
    let id = parse_own_message(&merchant.id, &id)?;
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    Ok(Json(retry_message(scope, &id, force).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_a_message_as_it_is_shown() {
        let sample = sample_detail("delivered", &sample_success());

        let detail: MessageWithAttempts = serde_json::from_value(sample.clone()).unwrap();

        assert_eq!(serde_json::to_value(detail).unwrap(), sample);
    }
}
