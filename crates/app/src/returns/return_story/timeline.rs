//! One time line out of everything that is stored about a return.
//!
//! Every change of a return is told to its merchant, so messages are the backbone: each is a whole snapshot, and
//! what differs from the one before is what happened. What the return itself remembers the time of (receipts,
//! refunds, exchange orders) joins the message of that moment. It stands alone where that message is
//! gone, because finished messages are not kept for ever.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bytes::Bytes;
use domain::returns::rma::Rma;
use jiff::Timestamp;
use serde_json::Value;

use super::snapshot::{ReturnSnapshot, count_units};
use crate::{
    core::audit_trail::AuditEntry,
    messages::message_log::{AttemptView, MessageView},
};

/// A message as it was sent, with every try.
#[derive(Clone, Debug)]
pub struct MessageRecord {
    pub message: MessageView,
    pub body: Bytes,
    pub attempts: Vec<AttemptView>,
}

/// What a time line is made of.
#[derive(Clone, Debug)]
pub struct TimelineSources<'a> {
    pub rma: &'a Rma,
    /// The messages about the return, in order.
    pub told: Vec<MessageRecord>,
    /// The messages that asked for exchange orders.
    pub asked: Vec<MessageRecord>,
    /// What operators changed; only what names the return or one of its messages is told.
    pub changes: Vec<AuditEntry>,
}

/// Something that happened at one moment.
#[derive(Clone, Debug)]
pub struct TimelineStep {
    pub at: Timestamp,
    /// What happened, in sentences. At least one.
    pub words: Vec<String>,
    /// The operator who did it.
    pub actor: Option<String>,
    /// The message that told of it.
    pub telling: Option<TimelineMessage>,
}

/// A message without its bytes.
#[derive(Clone, Debug)]
pub struct TimelineMessage {
    pub message: MessageView,
    pub attempts: Vec<AttemptView>,
}

/// Everything that happened, oldest first.
pub fn build_timeline(sources: TimelineSources<'_>) -> Vec<TimelineStep> {
    let TimelineSources { rma, told, asked, changes } = sources;
    let messages = told.iter().chain(&asked);
    let mut steps = operator_steps(rma, messages, &changes);
    steps.extend(asked.into_iter().map(order_asked));
    let mut facts = facts(rma);
    steps.extend(snapshots(told, &mut facts));
    steps.extend(facts.into_iter().map(|(at, words)| TimelineStep {
        at,
        words,
        actor: None,
        telling: None,
    }));
    let sequence = |step: &TimelineStep| step.telling.as_ref().map_or(0, |it| it.message.sequence);
    steps.sort_by_key(|step| (step.at, sequence(step)));
    steps
}

/// What the return remembers, by its time.
fn facts(rma: &Rma) -> BTreeMap<Timestamp, Vec<String>> {
    let mut counts: BTreeMap<(Timestamp, String), usize> = BTreeMap::new();
    let mut count = |at: Timestamp, words: String| *counts.entry((at, words)).or_default() += 1;
    for unit in &rma.units {
        if let Some(receipt) = &unit.receipt {
            let condition = receipt.condition.name();
            let plate = &receipt.receipt_identifier;
            count(receipt.received_at, format!("Received as {plate} in condition {condition}"));
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
    facts.insert(rma.created_at, vec![format!("Return started: {}", count_units(rma.units.len()))]);
    for ((at, words), units) in counts {
        let words = format!("{words}: {}", count_units(units));
        facts.entry(at).or_insert_with(Vec::new).push(words);
    }
    facts
}

/// A step for each message about the return; the facts of its moment are taken along.
fn snapshots(
    told: Vec<MessageRecord>,
    facts: &mut BTreeMap<Timestamp, Vec<String>>,
) -> Vec<TimelineStep> {
    let mut before: Option<ReturnSnapshot> = None;
    let mut steps = Vec::new();
    for file in told {
        let snapshot = ReturnSnapshot::read(&file.body);
        let at = snapshot.updated_at.unwrap_or(file.message.created_at);
        let mut words = facts.remove(&at).unwrap_or_default();
        words.extend(before.iter().flat_map(|before| snapshot.news(before)));
        if words.is_empty() {
            words.push("Update sent to the merchant".to_owned());
        }
        before = Some(snapshot);
        steps.push(TimelineStep { at, words, actor: None, telling: Some(without_bytes(file)) });
    }
    steps
}

fn without_bytes(file: MessageRecord) -> TimelineMessage {
    TimelineMessage { message: file.message, attempts: file.attempts }
}

fn order_asked(file: MessageRecord) -> TimelineStep {
    let words =
        format!("Exchange order for {} requested from the merchant", file.message.reference);
    TimelineStep {
        at: file.message.created_at,
        words: vec![words],
        actor: None,
        telling: Some(without_bytes(file)),
    }
}

/// What operators did to the return and to the messages about it.
fn operator_steps<'a>(
    rma: &'a Rma,
    messages: impl Iterator<Item = &'a MessageRecord>,
    changes: &[AuditEntry],
) -> Vec<TimelineStep> {
    let messages = messages.map(|it| it.message.id.as_str());
    let names: Vec<&str> = messages.chain([rma.rma_identifier.as_str()]).collect();
    let step = |change: &AuditEntry| TimelineStep {
        at: change.at,
        words: vec![deed(change)],
        actor: Some(change.actor.clone()),
        telling: None,
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

/// What an operator did, in words.
fn deed(change: &AuditEntry) -> String {
    let text = |name: &str| change.detail.get(name).and_then(Value::as_str).unwrap_or_default();
    let done = match change.action.as_str() {
        "return.cancel" => "Canceled by an operator".to_owned(),
        "return.close_receiving" => "Receiving closed by an operator".to_owned(),
        "message.retry" => format!("{} retried", text("id")),
        "message.discard" => format!("{} discarded", text("id")),
        "refund.match" => format!("Refund {} matched by an operator", text("refund")),
        other => other.to_owned(),
    };
    match text("reason") {
        "" => done,
        reason => format!("{done}: {reason}"),
    }
}
