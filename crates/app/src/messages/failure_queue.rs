//! The failure queue: messages that failed all attempts. Operators list, retry and discard them.
//!
//! A snapshot that is older than a delivered one about the same thing is superseded. Sending it
//! would set the merchant's systems back, so it is skipped unless the operator forces it.

use boxed::boxed;
use domain::{
    identifier::MessageId,
    messages::{kind::MessageKind, state::MessageState},
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    FailureCount, FailureFilter, FailureKey, FailureRow, MessageKey, Transaction, next_page,
};

use crate::core::idempotency::replayable;
use crate::{
    App, AppError,
    core::{
        audit_trail::record_change, commit_once::commit_once, list_query::read_after,
        scope::RequestScope, time::time_from_us,
    },
    messages::message_log::message_id,
};

/// A message in the failure queue.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Failure)]
pub struct FailedMessage {
    #[schema(example = "msg_acme_42")]
    pub id: String,
    #[schema(example = "acme")]
    pub merchant: String,
    pub kind: MessageKind,
    /// What it is about, such as an RMA's identifier.
    #[serde(rename = "ref")]
    #[schema(example = "RMA-7K2M9QWX")]
    pub reference: String,
    pub created_at: Timestamp,
    /// When the last attempt failed.
    pub failed_at: Timestamp,
    /// The status of the last response, or null if there was none.
    pub status: Option<i64>,
    /// What went wrong, if it was not only the status.
    pub error: Option<String>,
    /// Whether a newer message about the same thing was already delivered.
    pub superseded: bool,
}

/// A page of failures.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Failures)]
pub struct FailurePage {
    /// Oldest first.
    pub failures: Vec<FailedMessage>,
    /// Pass as `after` to get the next page. Absent on the last page.
    pub next: Option<String>,
}

/// What was done with a failed message.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Handled)]
pub struct FailureResult {
    #[schema(example = "msg_acme_42")]
    pub id: String,
    /// retried or discarded.
    #[schema(example = "retried")]
    pub result: String,
}

replayable!(FailureResult);

/// What to do with failed messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureAction {
    /// Sends them again. `force` includes superseded messages.
    Retry {
        force: bool,
    },
    Discard {
        reason: String,
    },
}

/// What was done with several failed messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkResult {
    pub done: usize,
    /// Why each of the other messages was skipped.
    pub skipped: Vec<String>,
}

/// How many messages are in the failure queue.
#[derive(Clone, Debug)]
pub struct FailureSummary {
    pub failures: i64,
    /// Endpoints with the most failures first.
    pub endpoints: Vec<EndpointFailures>,
}

/// The failures of one endpoint.
#[derive(Clone, Debug)]
pub struct EndpointFailures {
    pub merchant: String,
    pub kind: MessageKind,
    pub failures: i64,
    /// When the oldest of them failed.
    pub since: Timestamp,
}

/// Counts the failures that match, by endpoint.
#[boxed]
pub async fn summarize_failures(
    app: &App,
    filter: &FailureFilter,
) -> Result<FailureSummary, AppError> {
    let counts = app.store.failure_counts(filter).await?;
    let view = |count: FailureCount| EndpointFailures {
        merchant: count.merchant,
        kind: count.kind,
        failures: count.failures,
        since: time_from_us(count.since_us),
    };
    Ok(FailureSummary {
        failures: counts.iter().map(|count| count.failures).sum(),
        endpoints: counts.into_iter().map(view).collect(),
    })
}

/// Retries or discards each of the messages. One that is not in the failure queue does not affect
/// the others.
#[boxed]
pub async fn handle_failures(
    scope: RequestScope<'_>,
    ids: &[MessageId],
    action: &FailureAction,
) -> Result<BulkResult, AppError> {
    let mut result = BulkResult::default();
    for id in ids {
        let handled = match action {
            FailureAction::Retry { force } => retry_message(scope, id, *force).await,
            FailureAction::Discard { reason } => discard_message(scope, id, reason).await,
        };
        match handled {
            Ok(_) => result.done += 1,
            Err(AppError::Conflict(why)) => result.skipped.push(why),
            Err(AppError::NotFound(_)) => result.skipped.push(format!("message {id} not found")),
            Err(error) => return Err(error),
        }
    }
    Ok(result)
}

#[boxed]
pub async fn list_failures(
    app: &App,
    filter: &FailureFilter,
    after: Option<&str>,
    limit: usize,
) -> Result<FailurePage, AppError> {
    let after = read_after(after)?;
    let failures = app.store.failures(filter, &after, limit).await?;
    let superseded =
        app.store.superseded(&failures.iter().map(message_key).collect::<Vec<_>>()).await?;
    let next = next_page(&failures, limit, FailureRow::cursor);
    let view = |row: FailureRow| FailedMessage {
        id: message_id(&row.merchant, row.message_id),
        superseded: row.kind.is_snapshot()
            && superseded.contains(&(row.merchant.clone(), row.message_id)),
        merchant: row.merchant,
        kind: row.kind,
        reference: row.reference,
        created_at: time_from_us(row.created_us),
        failed_at: time_from_us(row.failed_us),
        status: row.status,
        error: row.error,
    };
    Ok(FailurePage { failures: failures.into_iter().map(view).collect(), next })
}

/// Puts a failed message back into its queue. `force` includes a superseded message.
#[boxed]
pub async fn retry_message(
    scope: RequestScope<'_>,
    id: &MessageId,
    force: bool,
) -> Result<FailureResult, AppError> {
    let app = scope.app;
    let handled = commit_once(scope, || async {
        let (kind, reference) = find_failure(app, id).await?;
        let key = MessageKey {
            merchant: id.merchant.to_string(),
            kind,
            reference: reference.clone(),
            message_id: id.number,
        };
        if kind.is_snapshot() && !force && !app.store.superseded(&[key]).await?.is_empty() {
            return Err(AppError::Conflict(format!(
                "a newer message about {reference} was already delivered; force sends {id} anyway"
            )));
        }
        let mut transaction = Transaction::new("retrying a message");
        let failure = FailureKey { merchant: &id.merchant, kind, message_id: id.number };
        transaction.retry_failure(failure, app.world.now_us());
        let detail = json!({ "id": id.to_string(), "force": force });
        let scope = scope.for_merchant(&id.merchant);
        record_change(scope, &mut transaction, "message.retry", &detail);
        Ok((FailureResult { id: id.to_string(), result: "retried".to_owned() }, transaction))
    })
    .await;
    // The dispatcher finds no message that was put back unless it looks for it.
    if handled.as_ref().err().is_none_or(AppError::may_be_committed) {
        app.dispatcher.notify_retried(&id.merchant);
    }
    handled
}

/// Removes a failed message from the failure queue for good.
#[boxed]
pub async fn discard_message(
    scope: RequestScope<'_>,
    id: &MessageId,
    reason: &str,
) -> Result<FailureResult, AppError> {
    let app = scope.app;
    commit_once(scope, || async {
        let (kind, _) = find_failure(app, id).await?;
        app.store.update_message_index(id.merchant.as_str()).await?;
        let mut transaction = Transaction::new("discarding a message");
        let failure = FailureKey { merchant: &id.merchant, kind, message_id: id.number };
        transaction.discard_failure(failure, reason, app.world.now_us());
        let detail = json!({ "id": id.to_string(), "reason": reason });
        let scope = scope.for_merchant(&id.merchant);
        record_change(scope, &mut transaction, "message.discard", &detail);
        Ok((FailureResult { id: id.to_string(), result: "discarded".to_owned() }, transaction))
    })
    .await
}

/// The kind and reference of a message that is in the failure queue.
async fn find_failure(app: &App, id: &MessageId) -> Result<(MessageKind, String), AppError> {
    let found = app.store.message(&id.merchant, id.number).await?;
    let (row, _) = found.ok_or(AppError::NotFound("message"))?;
    let why = match row.state {
        MessageState::Failed => return Ok((row.kind, row.reference)),
        MessageState::Waiting => "is still waiting",
        MessageState::Delivered => "was delivered",
        MessageState::Discarded => "was discarded",
    };
    Err(AppError::Conflict(format!("{id} {why} and is not in the failure queue")))
}

pub(crate) fn message_key(row: &FailureRow) -> MessageKey {
    MessageKey {
        merchant: row.merchant.clone(),
        kind: row.kind,
        reference: row.reference.clone(),
        message_id: row.message_id,
    }
}
