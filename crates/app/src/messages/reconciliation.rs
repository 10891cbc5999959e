//! Reconciliation: tells a merchant how what it holds differs from what was sent.
//!
//! Both sides are in the same order, so they are merged while ours is read page by page. The
//! response is written while the comparison goes on, and nothing of it is kept.

use std::collections::{HashMap, VecDeque};

use boxed::boxed;
use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    messages::{
        kind::MessageKind,
        reconciliation::{HeldDifference, HeldEntry, compare_state},
    },
};
use futures_util::{Stream, stream};
use jiff::civil::Date;
use omit_none::omit_none;
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};
use store::{HeadPosition, MessageHead, ReplayedMessage};
use utoipa::ToSchema;

use crate::{App, AppError, access::secrets::hexadecimal};

const PAGE: usize = 2_000;

/// How a thing differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReconciliationResult {
    /// We have sent messages about it, and you do not list it.
    Missing,
    /// What you hold is not the last message.
    Older,
    /// You hold a later message than the last one that we know of.
    Newer,
    /// We have never sent a message about it, or the only one was discarded.
    Unknown,
}

/// Where the last message about a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LastMessageState {
    /// It was delivered or discarded, or is removed after its retention.
    Finished,
    /// It is still to be sent.
    Waiting,
    /// It failed all attempts.
    Failed,
}

/// A thing that differs: one line of the response.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReconciledThing {
    pub result: ReconciliationResult,
    pub kind: MessageKind,
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub reference: String,
    /// The sequence of the last message. Absent if we have sent none.
    pub sequence: Option<i64>,
    /// The SHA-256 of its body.
    pub hash: Option<String>,
    pub state: Option<LastMessageState>,
}

/// The numbers of things: the last line of the response.
#[omit_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReconciliationSummary {
    pub equal: u64,
    pub missing: u64,
    pub older: u64,
    pub newer: u64,
    pub unknown: u64,
    /// Pass as `after` in the next request. Absent after the last one.
    #[schema(example = "rma/RMA-7K3Q-9XWD-2M4T")]
    pub next: Option<String>,
}

/// The last line of the response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReconciliationEnd {
    pub summary: ReconciliationSummary,
}

/// The things that a request covers: those after a position, up to another one or to the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReconciliationRange {
    pub after: HeadPosition,
    pub until: Option<HeadPosition>,
}

impl ReconciliationRange {
    /// The range of a request with these entries, in order. If more requests follow, it ends with
    /// the last entry. None if an entry is not in the range.
    pub fn of(after: Option<&str>, more: bool, entries: &[HeldEntry]) -> Option<Self> {
        let after = match after.map(|after| after.split_once('/')) {
            None => HeadPosition::default(),
            Some(Some((kind, reference))) => position(kind, reference),
            Some(None) => return None,
        };
        let first = entries.first().map(position_of);
        if first.is_some_and(|first| first <= after) || (more && entries.is_empty()) {
            return None;
        }
        let until = entries.last().filter(|_| more).map(position_of);
        Some(Self { after, until })
    }
}

fn position(kind: &str, reference: &str) -> HeadPosition {
    HeadPosition { kind: kind.to_owned(), reference: reference.to_owned() }
}

fn position_of(entry: &HeldEntry) -> HeadPosition {
    let (kind, reference) = entry.key();
    position(kind, reference)
}

/// Compares the entries, which are in order and in the range, with what was sent. Each item of the
/// stream is some lines of the response.
#[boxed]
pub async fn reconcile(
    app: &App,
    merchant: &MerchantId,
    range: ReconciliationRange,
    entries: Vec<HeldEntry>,
) -> Result<impl Stream<Item = Result<Bytes, AppError>> + use<>, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    app.store.update_message_index(merchant.as_str()).await?;
    let comparison = Comparison {
        app: app.clone(),
        merchant: merchant.clone(),
        after: range.after,
        until: range.until,
        entries: entries.into(),
        summary: ReconciliationSummary::default(),
        ended: false,
    };
    Ok(stream::try_unfold(comparison, |mut comparison| async move {
        Ok(comparison.next_lines().await?.map(|lines| (lines, comparison)))
    }))
}

struct Comparison {
    app: App,
    merchant: MerchantId,
    /// Everything up to here is compared.
    after: HeadPosition,
    until: Option<HeadPosition>,
    /// Those that are not compared.
    entries: VecDeque<HeldEntry>,
    summary: ReconciliationSummary,
    ended: bool,
}

impl Comparison {
    async fn next_lines(&mut self) -> Result<Option<Bytes>, AppError> {
        if self.ended {
            return Ok(None);
        }
        let mut page = self.app.store.message_heads(&self.merchant, &self.after, PAGE).await?;
        let read = page.len();
        if let Some(until) = &self.until {
            page.retain(|head| head.position() <= *until);
        }
        let is_last = read < PAGE || page.len() < read;
        if let Some(last) = page.last() {
            self.after = last.position();
        }
        let mut things = Vec::new();
        for head in page {
            self.compare(&head, &mut things);
        }
        if is_last {
            while let Some(entry) = self.entries.pop_front() {
                self.add_unknown(entry, &mut things);
            }
        }
        let mut lines = self.write_lines(things).await?;
        if is_last {
            self.ended = true;
            let until = self.until.take();
            self.summary.next = until.map(|it| format!("{}/{}", it.kind, it.reference));
            write_line(&mut lines, &ReconciliationEnd { summary: self.summary.clone() });
        }
        Ok(Some(Bytes::from(lines)))
    }

    /// Compares the entries up to a thing that we know.
    fn compare(&mut self, head: &MessageHead, things: &mut Vec<(ReconciledThing, Option<i64>)>) {
        let key = (head.kind.name(), head.reference.as_str());
        let mut listed = false;
        while self.entries.front().is_some_and(|entry| entry.key() <= key)
            && let Some(entry) = self.entries.pop_front()
        {
            if entry.key() < key {
                self.add_unknown(entry, things);
                continue;
            }
            listed = true;
            match compare_state(&entry.state, head.sequence, &head.hash) {
                None => self.summary.equal += 1,
                Some(HeldDifference::Older) => {
                    self.summary.older += 1;
                    things.push(thing(ReconciliationResult::Older, head));
                }
                Some(HeldDifference::Newer) => {
                    self.summary.newer += 1;
                    things.push(thing(ReconciliationResult::Newer, head));
                }
            }
        }
        if !listed {
            self.summary.missing += 1;
            things.push(thing(ReconciliationResult::Missing, head));
        }
    }

    fn add_unknown(&mut self, entry: HeldEntry, things: &mut Vec<(ReconciledThing, Option<i64>)>) {
        self.summary.unknown += 1;
        let unknown = ReconciledThing {
            result: ReconciliationResult::Unknown,
            kind: entry.kind,
            reference: entry.reference.into(),
            sequence: None,
            hash: None,
            state: None,
        };
        things.push((unknown, None));
    }

    /// The lines about things, each with the number of its last message, whose state is added.
    async fn write_lines(
        &self,
        things: Vec<(ReconciledThing, Option<i64>)>,
    ) -> Result<Vec<u8>, AppError> {
        let known = things.iter().filter_map(|(thing, number)| {
            number.map(|message_id| ReplayedMessage { kind: thing.kind, message_id, lane: 0 })
        });
        let known: Vec<ReplayedMessage> = known.collect();
        let mut states: HashMap<i64, LastMessageState> = HashMap::new();
        if !known.is_empty() {
            let failed = self.app.store.failed_messages(&self.merchant, &known).await?;
            states.extend(failed.into_iter().map(|it| (it, LastMessageState::Failed)));
            let waiting = self.app.store.waiting_messages(&self.merchant, &known).await?;
            states.extend(waiting.into_iter().map(|it| (it, LastMessageState::Waiting)));
        }
        let mut lines = Vec::new();
        for (mut thing, number) in things {
            thing.state = number
                .map(|number| states.get(&number).copied().unwrap_or(LastMessageState::Finished));
            write_line(&mut lines, &thing);
        }
        Ok(lines)
    }
}

fn thing(result: ReconciliationResult, head: &MessageHead) -> (ReconciledThing, Option<i64>) {
    let thing = ReconciledThing {
        result,
        kind: head.kind,
        reference: head.reference.clone(),
        sequence: Some(head.sequence),
        hash: Some(hexadecimal(&head.hash)),
        state: None,
    };
    (thing, Some(head.message_id))
}

fn write_line(lines: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(&mut *lines, value).expect("a line has string keys");
    lines.push(b'\n');
}

/// One hash over everything whose last message is of one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReconciliationDigest {
    /// The day, in UTC.
    #[schema(example = "2026-02-14")]
    pub day: String,
    /// How many things it covers.
    pub things: u64,
    /// The SHA-256 over a line for each of them: kind, reference and sequence, separated by a
    /// space and ended by a newline, in the order of the bytes of kind and reference.
    #[schema(example = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")]
    pub digest: String,
}

/// The digest of a day in UTC.
#[boxed]
pub async fn digest_day(
    app: &App,
    merchant: &MerchantId,
    day: Date,
) -> Result<ReconciliationDigest, AppError> {
    app.store.merchant(merchant).await?.ok_or(AppError::NotFound("merchant"))?;
    app.store.update_message_index(merchant.as_str()).await?;
    let begin = day.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let begin_us = begin.map_or(i64::MAX, |begin| begin.timestamp().as_microsecond());
    let end_us = begin_us.saturating_add(24 * 60 * 60 * 1_000_000);
    let (mut after, mut things) = (HeadPosition::default(), 0);
    let mut context = Context::new(&SHA256);
    loop {
        let page = app.store.message_heads(merchant, &after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.position();
        for head in page.iter().filter(|it| (begin_us..end_us).contains(&it.created_us)) {
            things += 1;
            let line = format!("{} {} {}\n", head.kind, head.reference, head.sequence);
            context.update(line.as_bytes());
        }
    }
    let digest = hexadecimal(context.finish().as_ref());
    Ok(ReconciliationDigest { day: day.to_string(), things, digest })
}
