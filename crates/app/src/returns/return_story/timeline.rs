//! The timeline of a return: its journal, the messages about it, and what operators did to them.
//!
//! Every event of the journal is a step, with the message that has the same number as long as it is
//! kept. Finished messages expire; the steps stay.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use domain::{
    messages::{kind::MessageKind, state::MessageState},
    returns::identifier::RmaId,
};
use jiff::Timestamp;
use serde_json::Value;

use crate::{
    core::audit_trail::AuditEntry,
    messages::message_log::{AttemptView, MessageView},
};

/// A message with all attempts.
#[derive(Clone, Debug)]
pub struct TimelineMessage {
    pub message: MessageView,
    pub attempts: Vec<AttemptView>,
}

/// What a timeline is built from.
#[derive(Clone, Debug)]
pub struct TimelineSources<'a> {
    pub rma: &'a RmaId,
    /// The steps of the journal.
    pub journal: Vec<TimelineStep>,
    /// The messages about the return that are kept.
    pub messages: Vec<TimelineMessage>,
    /// The messages that requested exchange orders.
    pub exchange_messages: Vec<TimelineMessage>,
    /// Changes by operators. Only those that name the return or one of its messages are used.
    pub changes: Vec<AuditEntry>,
}

/// What happened at one time.
#[derive(Clone, Debug)]
pub struct TimelineStep {
    pub at: Timestamp,
    /// The number of the event in the journal. None if the return did not change.
    pub number: Option<i64>,
    /// At least one.
    pub events: Vec<String>,
    /// Who did it, unless it was the shopper or the service itself.
    pub actor: Option<String>,
    /// The message about it.
    pub message: Option<TimelineMessage>,
}

/// The steps, oldest first.
pub fn build_timeline(sources: TimelineSources<'_>) -> Vec<TimelineStep> {
    let TimelineSources { rma, journal, messages, exchange_messages, changes } = sources;
    let mut steps = operator_steps(rma, messages.iter().chain(&exchange_messages), &changes);
    steps.extend(exchange_messages.into_iter().map(exchange_step));
    let is_mail = |it: &TimelineMessage| it.message.kind == MessageKind::Mail;
    let (mails, messages): (Vec<_>, Vec<_>) = messages.into_iter().partition(is_mail);
    steps.extend(mails.into_iter().map(mail_step));
    let mut by_number: HashMap<i64, TimelineMessage> =
        messages.into_iter().map(|it| (it.message.sequence, it)).collect();
    steps.extend(journal.into_iter().map(|step| {
        let message = step.number.and_then(|number| by_number.remove(&number));
        TimelineStep { message, ..step }
    }));
    steps.sort_by_key(|step| (step.at, step.number));
    steps
}

fn exchange_step(request: TimelineMessage) -> TimelineStep {
    let order = &request.message.reference;
    TimelineStep {
        at: request.message.created_at,
        number: None,
        events: vec![format!("Exchange order for {order} requested from the merchant")],
        actor: None,
        message: Some(request),
    }
}

/// A mail to the shopper. One that its server refused for good has ended.
fn mail_step(mail: TimelineMessage) -> TimelineStep {
    let bounced = matches!(mail.message.state, MessageState::Failed | MessageState::Discarded);
    let event = if bounced { "Mail to the shopper not accepted" } else { "Mail to the shopper" };
    TimelineStep {
        at: mail.message.created_at,
        number: None,
        events: vec![event.to_owned()],
        actor: None,
        message: Some(mail),
    }
}

/// A step for each change that an operator made to the return or to a message about it, unless the
/// journal says as much.
fn operator_steps<'a>(
    rma: &'a RmaId,
    messages: impl Iterator<Item = &'a TimelineMessage>,
    changes: &[AuditEntry],
) -> Vec<TimelineStep> {
    let messages = messages.map(|it| it.message.id.as_str());
    let names: Vec<&str> = messages.chain([rma.as_str()]).collect();
    let step = |change: &AuditEntry| TimelineStep {
        at: change.at,
        number: None,
        events: vec![describe_change(change)],
        actor: Some(change.actor.clone()),
        message: None,
    };
    let is_new = |change: &&AuditEntry| {
        let journaled = ["return.close_receiving", "carrier.move", "refund.difference"];
        let canceled = change.action == "return.cancel" && change.detail.get("reason").is_none();
        !canceled && !journaled.contains(&change.action.as_str())
    };
    let about_return = changes.iter().filter(|change| mentions(&change.detail, &names));
    about_return.filter(is_new).map(step).collect()
}

/// Whether one of the names is a value in the detail of a change.
fn mentions(detail: &Value, names: &[&str]) -> bool {
    match detail {
        Value::String(text) => names.contains(&text.as_str()),
        Value::Array(values) => values.iter().any(|value| mentions(value, names)),
        Value::Object(fields) => fields.values().any(|value| mentions(value, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn describe_change(change: &AuditEntry) -> String {
    let text = |name: &str| change.detail.get(name).and_then(Value::as_str).unwrap_or_default();
    let action = match change.action.as_str() {
        "return.cancel" => "Canceled by an operator".to_owned(),
        "message.retry" => format!("{} retried", text("id")),
        "message.discard" => format!("{} discarded", text("id")),
        "refund.match" => format!("Refund {} matched by an operator", text("refund")),
        other => other.to_owned(),
    };
    match text("reason") {
        "" => action,
        reason => format!("{action}: {reason}"),
    }
}
