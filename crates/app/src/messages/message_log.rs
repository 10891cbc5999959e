//! The message log: which messages were sent, are waiting, or have failed.

use boxed::boxed;
use domain::{
    identifier::{MerchantId, MessageId},
    messages::{
        kind::MessageKind,
        mail::{Mail, MailKind},
    },
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use store::{AttemptRow, MessageFilter, MessageRow};

pub use domain::messages::state::MessageState;

use crate::{App, AppError, core::time::time_from_us};

/// What is shown instead of a code.
const CONCEALED_CODE: &str = "••••••";

/// A message without its body.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MessageView {
    /// Also sent as `webhook-id`.
    #[schema(example = "msg_acme_42")]
    pub id: String,
    #[schema(example = "acme")]
    pub merchant: String,
    pub kind: MessageKind,
    /// What the message is about, such as the identifier of an RMA.
    #[serde(rename = "ref")]
    #[schema(example = "RMA-7K2M9QWX")]
    pub reference: String,
    /// The number of the message among those about the same thing, from 1.
    pub sequence: i64,
    pub state: MessageState,
    pub created_at: Timestamp,
    /// When the next attempt is due, if the message is waiting.
    pub due_at: Option<Timestamp>,
    /// Why the message was discarded.
    pub discard_reason: Option<String>,
}

/// A message with its body and all attempts.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = MessageDetail)]
pub struct MessageWithAttempts {
    #[serde(flatten)]
    pub message: MessageView,
    /// The exact text that is sent.
    pub body: String,
    /// Oldest first.
    pub attempts: Vec<AttemptView>,
}

/// One attempt.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AttemptView {
    pub at: Timestamp,
    /// 1 at first. Increases each time the message is retried from the failure queue.
    pub cycle: i64,
    /// Its number in the cycle, from 1.
    pub attempt: i64,
    /// The status of the response, or null if there was none.
    pub status: Option<i64>,
    /// What went wrong, if it was not only the status.
    pub error: Option<String>,
    /// How long the attempt took.
    pub latency_ms: f64,
    /// The beginning of the response, if it was an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// A page of messages.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Messages {
    /// Newest first.
    pub messages: Vec<MessageView>,
    /// Pass as `before` to get the next page. Absent on the last page. A page may be short even if
    /// more pages follow.
    pub next: Option<String>,
}

/// Which messages to list.
#[derive(Clone, Debug, Default)]
pub struct MessageQuery {
    pub state: Option<MessageState>,
    pub kind: Option<MessageKind>,
    pub reference: Option<String>,
    /// When it was created, at the earliest and at the latest.
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub before: Option<i64>,
    pub limit: usize,
}

#[boxed]
pub async fn list_messages(
    app: &App,
    merchant: &MerchantId,
    query: MessageQuery,
) -> Result<Messages, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    let filter = MessageFilter {
        before: query.before.unwrap_or(i64::MAX),
        state: query.state,
        kind: query.kind,
        reference: query.reference,
        from_us: query.from.map_or(i64::MIN, Timestamp::as_microsecond),
        to_us: query.to.map_or(i64::MAX, Timestamp::as_microsecond),
        limit: query.limit,
    };
    let (rows, next) = app.store.messages(merchant, &filter).await?;
    Ok(Messages {
        messages: rows.into_iter().map(view_message).collect(),
        next: next.map(|number| number.to_string()),
    })
}

#[boxed]
pub async fn load_message(app: &App, id: &MessageId) -> Result<MessageWithAttempts, AppError> {
    let mut attempts = app.store.attempts(&id.merchant, id.number).await?;
    loop {
        let message = app.store.message(&id.merchant, id.number).await?;
        let (row, body) = message.ok_or(AppError::NotFound("message"))?;
        // An attempt may have ended between the two reads. State and attempts must agree.
        let count = attempts.len();
        attempts = app.store.attempts(&id.merchant, id.number).await?;
        if attempts.len() == count {
            let kind = row.kind;
            return Ok(MessageWithAttempts {
                message: view_message(row),
                body: show_body(kind, &body),
                attempts: attempts.into_iter().map(view_attempt).collect(),
            });
        }
    }
}

/// A body as people may see it who are not its recipient: without a code that proves an e-mail
/// address.
fn show_body(kind: MessageKind, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if kind != MessageKind::Mail || !text.contains(MailKind::ProofCode.name()) {
        return text.into_owned();
    }
    let mail = serde_json::from_slice::<Mail>(body).ok();
    let code = mail.and_then(|mail| mail.content.code).filter(|code| !code.is_empty());
    code.map_or_else(|| text.to_string(), |code| text.replace(&code, CONCEALED_CODE))
}

/// The newest messages that refer to `reference`.
pub(crate) fn filter_by_reference(reference: &str, limit: usize) -> MessageFilter {
    MessageFilter { reference: Some(reference.to_owned()), limit, ..MessageFilter::default() }
}

pub(crate) fn message_id(merchant: &str, number: i64) -> String {
    format!("msg_{merchant}_{number}")
}

pub(crate) fn view_message(row: MessageRow) -> MessageView {
    MessageView {
        id: message_id(&row.merchant, row.message_id),
        merchant: row.merchant,
        kind: row.kind,
        reference: row.reference,
        sequence: row.sequence,
        state: row.state,
        created_at: time_from_us(row.created_us),
        due_at: row.due_us.map(time_from_us),
        discard_reason: row.discard_reason,
    }
}

#[expect(clippy::cast_precision_loss, clippy::as_conversions, reason = "milliseconds for people")]
pub(crate) fn view_attempt(row: AttemptRow) -> AttemptView {
    AttemptView {
        at: time_from_us(row.at_us),
        cycle: row.cycle,
        attempt: row.attempt,
        status: row.status,
        error: row.error,
        latency_ms: row.latency_us as f64 / 1000.0,
        answer: row.answer.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    }
}
