//! The timeline of a return, built from everything that is stored about it.
//!
//! Every change of a return sends a message to its merchant, so messages are the backbone: each is
//! a complete snapshot, and its difference from the one before is what happened. Facts that the
//! return itself stores with a time (receipts, refunds, exchange orders) are added to the message
//! of that time. If the message is gone, because finished messages expire, such a fact is a step of
//! its own.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::returns::rma::Rma;
use jiff::Timestamp;
use serde_json::Value;

use super::snapshot::{ReturnSnapshot, format_units};
use crate::{
    core::audit_trail::AuditEntry,
    messages::message_log::{AttemptView, MessageView},
};

/// A message as it was sent, with all attempts.
#[derive(Clone, Debug)]
pub struct MessageRecord {
    pub message: MessageView,
    pub body: Bytes,
    pub attempts: Vec<AttemptView>,
}

/// What a timeline is built from.
#[derive(Clone, Debug)]
pub struct TimelineSources<'a> {
    pub rma: &'a Rma,
    /// The messages about the return, in order.
    pub messages: Vec<MessageRecord>,
    /// The messages that requested exchange orders.
    pub exchange_messages: Vec<MessageRecord>,
    /// Changes by operators. Only those that name the return or one of its messages are used.
    pub changes: Vec<AuditEntry>,
}

/// What happened at one time.
#[derive(Clone, Debug)]
pub struct TimelineStep {
    pub at: Timestamp,
    /// At least one.
    pub events: Vec<String>,
    /// The operator who did it.
    pub actor: Option<String>,
    /// The message about it.
    pub message: Option<TimelineMessage>,
}

/// A message without its body.
#[derive(Clone, Debug)]
pub struct TimelineMessage {
    pub message: MessageView,
    pub attempts: Vec<AttemptView>,
}

/// The steps, oldest first.
pub fn build_timeline(sources: TimelineSources<'_>) -> Vec<TimelineStep> {
    let TimelineSources { rma, messages, exchange_messages, changes } = sources;
    let mut steps = operator_steps(rma, messages.iter().chain(&exchange_messages), &changes);
    steps.extend(exchange_messages.into_iter().map(exchange_step));
    let mut facts = collect_facts(rma);
    steps.extend(message_steps(messages, &mut facts));
    steps.extend(facts.into_iter().map(|(at, events)| TimelineStep {
        at,
        events,
        actor: None,
        message: None,
    }));
    let sequence = |step: &TimelineStep| step.message.as_ref().map_or(0, |it| it.message.sequence);
    steps.sort_by_key(|step| (step.at, sequence(step)));
    steps
}

/// The facts that the return stores with a time.
fn collect_facts(rma: &Rma) -> BTreeMap<Timestamp, Vec<String>> {
    let mut counts: BTreeMap<(Timestamp, String), usize> = BTreeMap::new();
    let mut count = |at: Timestamp, event: String| *counts.entry((at, event)).or_default() += 1;
    for unit in &rma.units {
        if let Some(receipt) = &unit.receipt {
            let condition = receipt.condition.name();
            let plate = &receipt.receipt_identifier;
            let event = match &receipt.reject_reason {
                Some(reason) => format!("Rejected as {plate} ({reason})"),
                None => format!("Received as {plate} in condition {condition}"),
            };
            count(receipt.received_at, event);
        }
        if let Some(refund) = &unit.refund {
            let identifier = &refund.refund_identifier;
            count(refund.refunded_at, format!("Refunded by {identifier}"));
        }
        if let Some(order) = &unit.exchange {
            let identifier = &order.exchange_order_identifier;
            count(order.placed_at, format!("Exchange order {identifier} placed"));
            if let Some(at) = order.fulfilled_at {
                count(at, format!("Exchange order {identifier} shipped"));
            }
        }
    }
    let mut facts = BTreeMap::new();
    for made in &rma.extra_refunds {
        let event = format!("Refunded by {}, for no units", made.refund_identifier);
        facts.entry(made.refunded_at).or_insert_with(Vec::new).push(event);
    }
    facts
        .insert(rma.created_at, vec![format!("Return started: {}", format_units(rma.units.len()))]);
    for ((at, event), units) in counts {
        let event = format!("{event}: {}", format_units(units));
        facts.entry(at).or_insert_with(Vec::new).push(event);
    }
    facts
}

/// A step for each message about the return. It takes the facts of the same time out of `facts`.
fn message_steps(
    messages: Vec<MessageRecord>,
    facts: &mut BTreeMap<Timestamp, Vec<String>>,
) -> Vec<TimelineStep> {
    let mut before: Option<ReturnSnapshot> = None;
    let mut steps = Vec::new();
    for record in messages {
        let snapshot = ReturnSnapshot::read(&record.body);
        let at = snapshot.updated_at.unwrap_or(record.message.created_at);
        let mut events = facts.remove(&at).unwrap_or_default();
        events.extend(before.iter().flat_map(|before| snapshot.describe_changes(before)));
        if events.is_empty() {
            events.push("Update sent to the merchant".to_owned());
        }
        before = Some(snapshot);
        steps.push(TimelineStep { at, events, actor: None, message: Some(drop_body(record)) });
    }
    steps
}

fn drop_body(record: MessageRecord) -> TimelineMessage {
    TimelineMessage { message: record.message, attempts: record.attempts }
}

fn exchange_step(record: MessageRecord) -> TimelineStep {
    let order = &record.message.reference;
    TimelineStep {
        at: record.message.created_at,
        events: vec![format!("Exchange order for {order} requested from the merchant")],
        actor: None,
        message: Some(drop_body(record)),
    }
}

/// A step for each change that an operator made to the return or to a message about it.
fn operator_steps<'a>(
    rma: &'a Rma,
    messages: impl Iterator<Item = &'a MessageRecord>,
    changes: &[AuditEntry],
) -> Vec<TimelineStep> {
    let messages = messages.map(|it| it.message.id.as_str());
    let names: Vec<&str> = messages.chain([rma.rma_identifier.as_str()]).collect();
    let step = |change: &AuditEntry| TimelineStep {
        at: change.at,
        events: vec![describe_change(change)],
        actor: Some(change.actor.clone()),
        message: None,
    };
    changes.iter().filter(|change| mentions(&change.detail, &names)).map(step).collect()
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
        "return.close_receiving" => "Receiving closed by an operator".to_owned(),
        "carrier.move" => format!("{} reported by an operator", text("event")),
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
