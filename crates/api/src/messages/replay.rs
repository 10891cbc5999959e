//! Replays: a merchant gets messages again, also those that were delivered.

use app::messages::replay::{ReplayJob, cancel_replay, find_replay, start_replay};
use axum::{Json, extract::State, http::StatusCode};
use domain::{
    faults::FaultCode,
    messages::{kind::MessageKind, replay::read_selection},
};
use utoipa::ToSchema;

use crate::core::{
    body::{EmptyRequest, JsonRequest},
    caller::{Merchant, Read, ReturnsWrite},
    idempotency::IdempotencyHeader,
    sample,
};
use server::{
    Web,
    error::{ApiError, Invalid, Message},
    path::Path,
};

/// Which messages to send again. All conditions that are set must match, and one must be set.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct ReplayBody {
    /// Identifiers of messages, at most 10,000.
    #[schema(max_items = 10_000)]
    ids: Option<Vec<String>>,
    /// What the messages are about, such as identifiers of RMAs, at most 10,000.
    #[schema(max_items = 10_000)]
    references: Option<Vec<String>>,
    /// Kinds of messages.
    kinds: Option<Vec<MessageKind>>,
    /// Only messages that were created at this time or later.
    #[schema(value_type = Option<String>, format = DateTime)]
    from: Option<String>,
    /// Only messages that were created at this time or earlier.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<String>,
}

fn sample_job(state: &str, examined: i64) -> serde_json::Value {
    serde_json::json!({
        "id": "k7w2mq9d4x", "merchant": "acme", "state": state,
        "started_at": "2026-02-14T16:02:10Z", "total": 12000, "examined": examined,
        "replayed": examined, "renewed": 0, "waiting": 0, "skipped": 0
    })
}

/// Replay messages
///
/// A background job sends the selected messages again, with the same identifiers and bytes and the
/// header `X-Service-Replay: true`. An older message about a thing is followed by the newest one
/// about it. If no message about a named return, shipment or withdrawal is left, its current state
/// is sent as a new message. New messages go first. The job belongs to the node that started it,
/// and a merchant has one at a time.
#[utoipa::path(
    post, operation_id = "replay_messages", path = "/messages/replay", tag = "Messages",
    params(IdempotencyHeader),
    request_body(content = ReplayBody, example = json!({
        "kinds": ["rma"], "from": "2026-02-14T00:00:00Z", "to": "2026-02-14T23:59:59Z"
    })),
    responses(
        (status = 202, body = ReplayJob, description = "The job was started.",
            example = json!(sample_job("running", 0))),
        (status = 409, body = Message, description = "Another replay of the merchant is running, \
            or the key was used for another request.", example = json!({
                "message": "replay k7w2mq9d4x is still running; wait for it or cancel it"
            })),
        (status = 422, body = Invalid, description = "Every invalid field. Nothing was sent.",
            example = json!(sample::invalid_field(
                "$.kinds[0]", FaultCode::Invalid, "must be a kind of message"))),
    ),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn start(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    JsonRequest { body, key }: JsonRequest,
) -> Result<(StatusCode, Json<ReplayJob>), ApiError> {
    let selection = body.read(|document| read_selection(document, &merchant.id))?;
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    Ok((StatusCode::ACCEPTED, Json(start_replay(scope, selection).await?)))
}

/// Show a replay
///
/// Only the node that started the job knows it. Finished jobs are removed after some time.
#[utoipa::path(
    get, operation_id = "show_replay", path = "/replays/{id}", tag = "Messages",
    params(("id" = String, Path, description = "The job's identifier.", example = "k7w2mq9d4x")),
    responses(
        (status = 200, body = ReplayJob, description = "The progress of the job.",
            example = json!(sample_job("done", 12000))),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn show(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(id): Path<String>,
) -> Result<Json<ReplayJob>, ApiError> {
    Ok(Json(find_replay(&web.app, &merchant.id, &id)?))
}

/// Cancel a replay
///
/// Messages that were already enqueued stay enqueued.
#[utoipa::path(
    delete, operation_id = "cancel_replay", path = "/replays/{id}", tag = "Messages",
    params(
        ("id" = String, Path, description = "The job's identifier.", example = "k7w2mq9d4x"),
        IdempotencyHeader,
    ),
    responses(
        (status = 200, body = ReplayJob, description = "The progress of the job.",
            example = json!(sample_job("cancelled", 500))),
    ),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn cancel(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    Path(id): Path<String>,
    EmptyRequest { key }: EmptyRequest,
) -> Result<Json<ReplayJob>, ApiError> {
    let scope = merchant.caller.scope(&web.app, key.as_ref());
    Ok(Json(cancel_replay(scope, &id).await?))
}
