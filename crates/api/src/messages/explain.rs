//! Help for a merchant's engineer: a message as a command, and why its signature does not fit.

use app::messages::explain_message::{explain_message, format_message};
use axum::{Json, extract::State};
use domain::{
    faults::Faults,
    json::Json as Document,
    messages::signature::{ReceivedCall, SignatureExplanation},
    reader::TEXT_MAX,
};
use utoipa::{IntoParams, IntoResponses, ToSchema};

use super::log::parse_own_message;
use crate::core::{
    body::JsonRequest,
    caller::{Admin, Allowed, Merchant, Read, ReturnsWrite},
    sample,
};
use server::{
    Web,
    error::{ApiError, Message},
    json_body::read_object,
    path::Path,
    requests::identifiers::parse_message,
};

/// The longest body that is compared, in characters.
const BODY_MAX: usize = 4 * 1024 * 1024;

/// A message as you received it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body; it is read field by field")]
pub(crate) struct ReceivedBody {
    /// The header `webhook-id`.
    #[schema(example = "msg_acme_42")]
    webhook_id: String,
    /// The header `webhook-timestamp`.
    #[schema(example = "1771085530")]
    webhook_timestamp: String,
    /// The header `webhook-signature`.
    #[schema(example = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=")]
    webhook_signature: String,
    /// The body that you verify, as text.
    #[schema(example = "{\"rma_identifier\":\"RMA-7K3Q-9XWD-2M4T\"}")]
    body: String,
    /// The signature that you computed, so that usual mistakes are recognized.
    computed: Option<String>,
}

fn sample_explanation() -> serde_json::Value {
    serde_json::json!({
        "fits": false,
        "secrets": [{ "fingerprint": "3f2a91bc", "fits": false }],
        "signed_bytes": 1250,
        "signed_start": "msg_acme_42.1771085530.{\n  \"rma_identifier\"",
        "findings": ["the body has 1227 bytes, 1220 were sent, and they differ from byte 1 on: it \
                      is the same JSON, read and written again"]
    })
}

fn sample_curl() -> &'static str {
    "curl 'https://hooks.acme.example/rmas' \\\n  -H 'webhook-id: msg_acme_42' \\\n  \
     --data-binary '{\"rma_identifier\":\"RMA-7K3Q-9XWD-2M4T\"}'"
}

/// Explain a signature
///
/// You refuse a message, because its signature does not fit? Send it as you received it. The
/// response says which bytes are signed, with which of your secrets, and what differs. Nothing is
/// stored.
#[utoipa::path(
    post, operation_id = "explain_signature", path = "/messages/{id}/signature", tag = "Messages",
    params(("id" = String, Path, description = "The message's identifier, its `webhook-id`.",
        example = "msg_acme_42")),
    request_body(content = ReceivedBody, example = json!({
        "webhook_id": "msg_acme_42", "webhook_timestamp": "1771085530",
        "webhook_signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        "body": "{\n  \"rma_identifier\": \"RMA-7K3Q-9XWD-2M4T\"\n}"
    })),
    responses(
        (status = 200, body = SignatureExplanation, description = "What is signed, and what \
            differs.", example = json!(sample_explanation())),
        (status = 404, body = Message, description = "The message was not found.",
            example = json!(sample::not_found("message"))),
    ),
    security(("token" = ["read"]))
)]
pub(crate) async fn explain(
    State(web): State<Web>,
    merchant: Merchant<Read>,
    Path(id): Path<String>,
    JsonRequest { body, .. }: JsonRequest,
) -> Result<Json<SignatureExplanation>, ApiError> {
    let id = parse_own_message(&merchant.id, &id)?;
    let received = body.read(read_received)?;
    Ok(Json(explain_message(&web.app, &id, &received).await?))
}

fn read_received(document: &Document<'_>) -> Result<ReceivedCall, Faults> {
    read_object(document, |at| {
        let text = |key, max| at.required(key, |at| at.text(0..=max).map(str::to_owned));
        Some(ReceivedCall {
            webhook_id: text("webhook_id", TEXT_MAX)?,
            webhook_timestamp: text("webhook_timestamp", TEXT_MAX)?,
            webhook_signature: text("webhook_signature", TEXT_MAX)?,
            body: text("body", BODY_MAX)?,
            computed: at.optional_text("computed"),
        })
    })
}

/// The message to show.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "describes the path; it is read by the handlers")]
pub(crate) struct CommandPath {
    /// The message's identifier.
    #[param(example = "msg_acme_42")]
    id: String,
}

/// The responses to both requests for a command.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes the responses; the handlers build them")]
pub(crate) enum CommandResponses {
    /// The command.
    #[response(status = 200, content_type = "text/plain", example = json!(sample_curl()))]
    Command(String),
    /// The message was not found.
    #[response(status = 404, example = json!(sample::not_found("message")))]
    NotFound(Message),
    /// No address is set, or nothing may be sent to it.
    #[response(status = 409, example = json!({
        "message": "no address is set for this kind, or nothing may be sent to it"
    }))]
    NoAddress(Message),
}

/// A message as a command
///
/// A `curl` command that sends the message to your endpoint as it would be sent now. Its signature
/// is valid for five minutes, so it needs the same scope as a replay. Credentials are left out. A
/// body of more than 100,000 bytes is expected in a file with the name of the message.
#[utoipa::path(
    get, operation_id = "show_message_command", path = "/messages/{id}/curl", tag = "Messages",
    params(CommandPath),
    responses(CommandResponses),
    security(("token" = ["returns:write"]))
)]
pub(crate) async fn show_command(
    State(web): State<Web>,
    merchant: Merchant<ReturnsWrite>,
    Path(id): Path<String>,
) -> Result<String, ApiError> {
    Ok(format_message(&web.app, &parse_own_message(&merchant.id, &id)?).await?)
}

/// Any message as a command
///
/// A `curl` command that sends the message to its endpoint as it would be sent now. Its signature
/// is valid for five minutes. Credentials are left out.
#[utoipa::path(
    get, operation_id = "show_any_message_command", path = "/messages/{id}/curl",
    tag = "Operation",
    params(CommandPath),
    responses(CommandResponses),
    security(("token" = ["admin"]))
)]
pub(crate) async fn show_any_command(
    State(web): State<Web>,
    _: Allowed<Admin>,
    Path(id): Path<String>,
) -> Result<String, ApiError> {
    Ok(format_message(&web.app, &parse_message(&id)?).await?)
}
