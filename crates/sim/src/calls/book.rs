//! Records every call to the merchant.
//!
//! The book is bounded: it keeps the latest calls, fewer of them with their content, and of those
//! no more than fit in [`CONTENTS_MAX_BYTES`]. The counters include all calls.
//!
//! A call with a bad signature is counted and kept, but says nothing about a message: anyone could
//! have sent it.

use std::collections::{BTreeMap, VecDeque};

use axum::http::{HeaderMap, HeaderName};
use bytes::Bytes;

use crate::calls::{
    call::{Call, CallQuery, Calls, Content, SignatureCheck},
    recent::RecentMap,
    summary::{Summary, Violation},
};

const CONTENTS_MAX_BYTES: usize = 64 << 20;
const VIOLATIONS_MAX: usize = 1_000;
const REMEMBERED_IDS: usize = 1 << 20;
const REMEMBERED_LANES: usize = 1 << 18;

/// A call to record.
pub(crate) struct CallRecord {
    /// The book sets its number and whether it is a repetition.
    pub(crate) call: Call,
    pub(crate) content: RawContent,
    /// Hashes of the webhook-id and of the body.
    pub(crate) id_hash: u64,
    pub(crate) body_hash: u64,
    pub(crate) unauthorized: bool,
    /// The lane, if the order is checked.
    pub(crate) lane: Option<LaneKey>,
    /// The original order for which this is a second, different exchange order.
    pub(crate) changed_order: Option<String>,
}

/// The lane of a message, by its hash.
pub(crate) struct LaneKey {
    pub(crate) hash: u64,
    pub(crate) name: String,
}

/// Headers and bodies as received. They are decoded only when a page or a test asks for them.
pub(crate) struct RawContent {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) answer_body: Bytes,
}

pub(crate) struct Book {
    keep_calls: usize,
    keep_contents: usize,
    calls: VecDeque<Call>,
    /// The contents of the latest calls, in the same order.
    contents: VecDeque<RawContent>,
    content_bytes: usize,
    summary: Summary,
    messages: RecentMap<KnownMessage>,
    /// The highest sequence that was accepted in each lane.
    lanes: RecentMap<u64>,
    /// The header with the credentials, which is not shown.
    hidden: HeaderName,
}

/// What is remembered about a message.
struct KnownMessage {
    body_hash: u64,
    accepted: bool,
}

impl Book {
    pub(crate) fn new(keep_calls: usize, keep_contents: usize, hidden: HeaderName) -> Self {
        Self {
            keep_calls,
            keep_contents: keep_contents.min(keep_calls),
            calls: VecDeque::new(),
            contents: VecDeque::new(),
            content_bytes: 0,
            summary: Summary::default(),
            messages: RecentMap::new(REMEMBERED_IDS),
            lanes: RecentMap::new(REMEMBERED_LANES),
            hidden,
        }
    }

    /// Deletes everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.keep_calls, self.keep_contents, self.hidden.clone());
    }

    pub(crate) fn record(&mut self, mut entry: CallRecord) {
        entry.call.number = self.summary.calls + 1;
        self.count(&entry);
        if entry.call.signature != SignatureCheck::Invalid {
            self.compare_with_history(&mut entry);
        }
        self.keep(entry.call, entry.content);
    }

    pub(crate) fn summary(&self) -> &Summary {
        &self.summary
    }

    fn count(&mut self, entry: &CallRecord) {
        let summary = &mut self.summary;
        let call = &entry.call;
        summary.calls += 1;
        summary.first_call_at.get_or_insert(call.at);
        summary.last_call_at = Some(call.at);
        summary.unauthorized += u64::from(entry.unauthorized);
        match call.signature {
            SignatureCheck::Valid => summary.valid_signatures += 1,
            SignatureCheck::Invalid => summary.bad_signatures += 1,
            SignatureCheck::Unchecked => summary.unchecked_signatures += 1,
        }
        if let Some(kind) = call.kind {
            let of_kind = summary.kinds.entry(kind).or_default();
            of_kind.calls += 1;
            *of_kind.answers.entry(call.answer).or_default() += 1;
        } else {
            summary.unknown_paths += 1;
        }
    }

    /// Compares the call with earlier ones.
    fn compare_with_history(&mut self, entry: &mut CallRecord) {
        let number = entry.call.number;
        if let Some(original_order_id) = entry.changed_order.take() {
            self.add_violation(Violation::ExchangeOrderChanged { call: number, original_order_id });
        }
        let Some(webhook_id) = entry.call.webhook_id.clone() else {
            self.summary.without_id += 1;
            return;
        };
        let accepted = entry.call.answer.is_success();
        let known = self.messages.get_mut(entry.id_hash);
        entry.call.repeated = known.is_some();
        let mut accepted_before = false;
        let mut changed = false;
        if let Some(message) = known {
            accepted_before = message.accepted;
            changed = message.body_hash != entry.body_hash;
            message.accepted |= accepted;
        } else {
            let message = KnownMessage { body_hash: entry.body_hash, accepted };
            self.messages.insert(entry.id_hash, message);
        }
        self.count_message(&entry.call, accepted, accepted_before);
        if changed {
            let webhook_id = webhook_id.clone();
            self.add_violation(Violation::BodyChanged { call: number, webhook_id });
        }
        self.check_order(entry, webhook_id);
    }

    fn count_message(&mut self, call: &Call, accepted: bool, accepted_before: bool) {
        let first = u64::from(!call.repeated);
        let first_success = u64::from(accepted && !accepted_before);
        let summary = &mut self.summary;
        summary.distinct_ids += first;
        summary.repeats += 1 - first;
        summary.accepted_ids += first_success;
        summary.accepted_again += u64::from(accepted && accepted_before);
        if let Some(of_kind) = call.kind.and_then(|kind| summary.kinds.get_mut(&kind)) {
            of_kind.distinct_ids += first;
            of_kind.accepted_ids += first_success;
        }
    }

    fn check_order(&mut self, entry: &mut CallRecord, webhook_id: String) {
        let Call { number, kind, sequence, repeated, answer, .. } = entry.call;
        let (Some(lane), Some(kind), Some(sequence)) = (entry.lane.take(), kind, sequence) else {
            return;
        };
        // A replay of what is no longer stored is a new message with the sequence of the last one.
        let is_replay = entry.content.headers.contains_key("x-service-replay");
        let highest = self.lanes.get_mut(lane.hash).copied();
        if let Some(accepted_sequence) = highest.filter(|highest| sequence <= *highest) {
            if !repeated && !is_replay {
                self.add_violation(Violation::OutOfOrder {
                    call: number,
                    kind,
                    lane: lane.name,
                    webhook_id,
                    sequence,
                    accepted_sequence,
                });
            } else if answer.is_success() && sequence < accepted_sequence {
                self.summary.accepted_late += 1;
            }
        } else if answer.is_success() {
            self.lanes.insert(lane.hash, sequence);
        }
    }

    fn add_violation(&mut self, violation: Violation) {
        self.summary.violation_count += 1;
        if self.summary.violations.len() < VIOLATIONS_MAX {
            self.summary.violations.push(violation);
        }
    }

    fn keep(&mut self, call: Call, content: RawContent) {
        self.calls.push_back(call);
        while self.calls.len() > self.keep_calls {
            self.calls.pop_front();
        }
        self.content_bytes += content.bytes();
        self.contents.push_back(content);
        while self.contents.len() > self.keep_contents || self.content_bytes > CONTENTS_MAX_BYTES {
            let Some(oldest) = self.contents.pop_front() else { break };
            self.content_bytes -= oldest.bytes();
        }
    }

    /// The kept calls that match `query`.
    pub(crate) fn calls(&self, query: &CallQuery) -> Calls {
        let limit = query.limit();
        let matches = |call: &&Call| query.matches(call);
        let Some(after) = query.after else {
            let mut calls: Vec<_> = self.calls.iter().rev().filter(matches).take(limit).collect();
            calls.reverse();
            let calls = calls.into_iter().map(|call| self.with_content(call)).collect();
            return Calls { calls, cursor: self.summary.calls, more: false };
        };
        let oldest = self.calls.front().map_or(1, |call| call.number);
        let skipped =
            usize::try_from(after.saturating_add(1).saturating_sub(oldest)).unwrap_or(usize::MAX);
        let mut wanted = self.calls.iter().skip(skipped).filter(matches);
        let calls: Vec<_> =
            wanted.by_ref().take(limit).map(|call| self.with_content(call)).collect();
        let more = wanted.next().is_some();
        let last = calls.last().map(|call| call.number);
        let cursor = if more { last.unwrap_or(after) } else { self.summary.calls };
        Calls { calls, cursor, more }
    }

    pub(crate) fn call(&self, number: u64) -> Option<Call> {
        let oldest = self.calls.front()?.number;
        let index = usize::try_from(number.checked_sub(oldest)?).ok()?;
        self.calls.get(index).map(|call| self.with_content(call))
    }

    fn with_content(&self, call: &Call) -> Call {
        let age = usize::try_from(self.summary.calls - call.number).unwrap_or(usize::MAX);
        let index = self.contents.len().checked_sub(age.saturating_add(1));
        let content = index.and_then(|index| self.contents.get(index));
        let content = content.map(|content| Box::new(content.decode(&self.hidden)));
        Call { content, ..call.clone() }
    }
}

impl RawContent {
    fn bytes(&self) -> usize {
        self.body.len() + self.answer_body.len()
    }

    fn decode(&self, hidden: &HeaderName) -> Content {
        let mut headers: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in &self.headers {
            let value = String::from_utf8_lossy(value.as_bytes());
            let shown = if name == hidden { "***" } else { value.as_ref() };
            let header = headers.entry(name.as_str().to_owned()).or_default();
            if !header.is_empty() {
                header.push_str(", ");
            }
            header.push_str(shown);
        }
        let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
        Content { headers, body: text(&self.body), answer_body: text(&self.answer_body) }
    }
}

#[cfg(test)]
mod tests;
