//! Transactions that are committed together.
//!
//! Each transaction runs its own steps, one after another. The few rows that all of them change,
//! the merchants' message counters and the counts of the day, are written once for the whole group,
//! at the end and in the order of the keys: so these rows are locked as briefly as possible, and
//! two groups never deadlock.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tokio::sync::oneshot;

use crate::{
    EngineError, NewMessage, PendingMessage, Transaction,
    core::{
        counted_events::{DispositionCount, EventCount},
        transaction::{Guard, Step},
        value::{Row, Value, params},
    },
    engine::dialect::{self, Address},
};

/// Transactions and bytes that one commit may cover.
const TRANSACTIONS_MAX: usize = 1024;
const BYTES_MAX: usize = 8 << 20;

/// What a commit returns: the messages that it enqueued.
pub(super) type CommitResult = Result<Vec<PendingMessage>, EngineError>;
/// Where the result of a commit is sent.
pub(super) type ReplySender = oneshot::Sender<CommitResult>;

#[derive(Default)]
pub(super) struct Group {
    pub(super) transactions: Vec<Transaction>,
    replies: Vec<ReplySender>,
    bytes: usize,
}

impl Group {
    pub(super) fn push(&mut self, transaction: Transaction, reply: ReplySender) {
        self.bytes += transaction.size();
        self.transactions.push(transaction);
        self.replies.push(reply);
    }

    pub(super) fn is_full(&self) -> bool {
        self.has(TRANSACTIONS_MAX, BYTES_MAX)
    }

    /// Whether it has so many transactions or bytes.
    pub(super) fn has(&self, transactions: usize, bytes: usize) -> bool {
        self.transactions.len() >= transactions || self.bytes >= bytes
    }

    /// Reports to every transaction that it is committed, with its messages.
    pub(super) fn report_committed(self, counters: &Counters) {
        let pending = pending_by_transaction(self.transactions, counters);
        for (reply, pending) in self.replies.into_iter().zip(pending) {
            // The caller may be gone; the transaction is committed nevertheless.
            let _ = reply.send(Ok(pending));
        }
    }

    /// Reports to every transaction that it may be committed or not.
    pub(super) fn report_unknown(self, error: &EngineError) {
        for reply in self.replies {
            let _ = reply.send(Err(EngineError::CommitUnknown(error.to_string())));
        }
    }

    /// Two groups of half the size, or the group itself if it cannot be divided.
    pub(super) fn halves(mut self) -> Result<[Self; 2], Self> {
        let half = self.transactions.len() / 2;
        if half == 0 {
            return Err(self);
        }
        let (transactions, replies) =
            (self.transactions.split_off(half), self.replies.split_off(half));
        let second = Self { transactions, replies, bytes: 0 };
        Ok([Self { bytes: 0, ..self }, second])
    }

    /// The transactions one by one, for a result of each.
    pub(super) fn into_parts(self) -> impl Iterator<Item = (Transaction, ReplySender)> {
        self.transactions.into_iter().zip(self.replies)
    }
}

/// When messages get their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbering {
    /// The statement that raises the counters inserts the messages, too.
    InTheStatement,
    /// The counters are read first: [`Steps::numbered_messages`] follow when they are known.
    BeforeTheStatement,
}

/// Every step of a group, in the order in which they run.
pub(super) struct Steps<'a> {
    group: &'a [Transaction],
    last: Vec<Step>,
}

impl<'a> Steps<'a> {
    /// `slot` is the number of the committer.
    pub(super) fn new(group: &'a [Transaction], slot: i64, numbering: Numbering) -> Self {
        let messages: Vec<&NewMessage> = group.iter().flat_map(|one| &one.messages).collect();
        let mut last = vec![day_count_step(group.iter().flat_map(|one| &one.counts), slot)];
        last.push(disposition_step(group.iter().flat_map(|one| &one.dispositions), slot));
        last.push(match numbering {
            Numbering::InTheStatement => numbering_step(&messages),
            Numbering::BeforeTheStatement => counter_step(&messages),
        });
        last.retain(|step| !step.rows.is_empty());
        Self { group, last }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Step> {
        self.group.iter().flat_map(|one| &one.steps).chain(&self.last)
    }

    /// The same, with equal steps of different transactions as one. The steps of each transaction
    /// stay in their order. Two of one transaction are never merged: the second may rely on the
    /// first.
    pub(super) fn merged(&self) -> Vec<MergedStep<'_>> {
        let mut merged: Vec<MergedStep<'_>> = Vec::new();
        // Where each statement is, if its steps can be merged.
        let mut positions: HashMap<(Address, Guard), Option<Vec<usize>>> = HashMap::new();
        for transaction in self.group {
            let mut first = 0;
            for step in &transaction.steps {
                let mut position = merged.len();
                let key = (dialect::address(step.sql), step.guard);
                let equal = positions.entry(key);
                if let Some(equal) = equal.or_insert_with(|| can_merge(step).then(Vec::new)) {
                    let next = equal.partition_point(|position| *position < first);
                    match equal.get(next) {
                        Some(next) => position = *next,
                        None => equal.push(position),
                    }
                }
                match merged.get_mut(position) {
                    Some(other) => other.rows.extend(step.rows.iter().map(Vec::as_slice)),
                    None => merged.push(MergedStep::new(step)),
                }
                first = position + 1;
            }
        }
        merged.extend(self.last.iter().map(MergedStep::new));
        merged
    }

    /// The messages of the group, stored with their numbers.
    pub(super) fn numbered_messages(&self, counters: &Counters) -> Vec<Step> {
        let messages: Vec<&NewMessage> = self.group.iter().flat_map(|one| &one.messages).collect();
        let numbers = counters.numbers(&messages);
        let each = || messages.iter().zip(&numbers);
        let step = |sql, rows| Step { sql, rows, guard: Guard::OneEach, returns: false };
        let message_rows = step(
            "INSERT INTO messages
                 (merchant_id, message_id, kind, reference, sequence, created_us, body)
             SELECT r.merchant_id, r.message_id, r.kind, r.reference, r.sequence, r.created_us,
                 r.body
             FROM ROWS(merchant_id, message_id, kind, reference, sequence, created_us, body)
             WHERE true",
            each().map(|(message, number)| message_values(message, *number)).collect(),
        );
        let delivery_rows = step(
            "INSERT INTO deliveries
                 (merchant_id, kind, message_id, lane, cycle, attempt, due_us, replay)
             SELECT r.merchant_id, r.kind, r.message_id, r.lane, 1, 0, r.due_us, r.replay
             FROM ROWS(merchant_id, kind, message_id, lane, due_us, replay) WHERE true",
            each().map(|(message, number)| delivery_values(message, *number)).collect(),
        );
        let steps = [message_rows, delivery_rows];
        steps.into_iter().filter(|step| !step.rows.is_empty()).collect()
    }
}

/// Whether rows of other transactions may be in the same statement. Where it must touch one row for
/// each of its rows, it fails if two of them are about the same. An insert that skips what is
/// already there may come first in any order: none of the transactions knew of the others.
fn can_merge(step: &Step) -> bool {
    step.sql.contains("ROWS(") && (step.guard == Guard::OneEach || step.sql.contains("DO NOTHING"))
}

/// A step of one or more transactions.
pub(super) struct MergedStep<'a> {
    pub(super) sql: &'static str,
    pub(super) rows: Vec<&'a [Value]>,
    pub(super) guard: Guard,
    pub(super) returns: bool,
}

impl<'a> MergedStep<'a> {
    pub(super) fn new(step: &'a Step) -> Self {
        let rows = step.rows.iter().map(Vec::as_slice).collect();
        Self { sql: step.sql, rows, guard: step.guard, returns: step.returns }
    }
}

/// Writes the sums of what several transactions count. Each slot has a row of its own, so that
/// groups with different slots never wait for each other.
fn day_count_step<'a>(counts: impl Iterator<Item = &'a EventCount>, slot: i64) -> Step {
    let mut sums: BTreeMap<_, i64> = BTreeMap::new();
    for count in counts {
        let key = (count.merchant.as_str(), count.day_us, count.event.name());
        *sums.entry(key).or_default() += count.number;
    }
    let rows = sums
        .into_iter()
        .map(|((merchant, day_us, event), number)| params![merchant, day_us, event, slot, number]);
    Step {
        sql: "INSERT INTO day_counts (merchant_id, day_us, what, slot, number)
              SELECT r.merchant_id, r.day_us, r.what, r.slot, r.number
              FROM ROWS(merchant_id, day_us, what, slot, number) WHERE true
              ON CONFLICT (merchant_id, day_us, what, slot) DO UPDATE
                  SET number = day_counts.number + excluded.number",
        rows: rows.collect(),
        guard: Guard::OneEach,
        returns: false,
    }
}

/// Writes what became of the returned units of several transactions.
fn disposition_step<'a>(counts: impl Iterator<Item = &'a DispositionCount>, slot: i64) -> Step {
    let mut sums: BTreeMap<_, [i64; 3]> = BTreeMap::new();
    for count in counts {
        let (merchant, condition) = (count.merchant.as_str(), count.condition.name());
        let key = (merchant, count.day_us, count.channel.as_str(), condition, count.outcome);
        let sum = sums.entry(key).or_default();
        for (sum, more) in sum.iter_mut().zip([count.units, count.weighed, count.weight]) {
            *sum = sum.saturating_add(more);
        }
    }
    sums.retain(|_, sum| *sum != [0; 3]);
    let rows = sums.into_iter().map(|(key, [units, weighed, weight])| {
        let (merchant, day_us, channel, condition, outcome) = key;
        params![merchant, day_us, channel, condition, outcome, slot, units, weighed, weight]
    });
    Step {
        sql: "INSERT INTO disposition_counts (merchant_id, day_us, channel, unit_condition,
                  outcome, slot, units, weighed, weight)
              SELECT r.merchant_id, r.day_us, r.channel, r.unit_condition, r.outcome, r.slot,
                  r.units, r.weighed, r.weight
              FROM ROWS(merchant_id, day_us, channel, unit_condition, outcome, slot, units,
                  weighed, weight) WHERE true
              ON CONFLICT (merchant_id, day_us, channel, unit_condition, outcome, slot) DO UPDATE
                  SET units = disposition_counts.units + excluded.units,
                      weighed = disposition_counts.weighed + excluded.weighed,
                      weight = disposition_counts.weight + excluded.weight",
        rows: rows.collect(),
        guard: Guard::OneEach,
        returns: false,
    }
}

/// Numbers messages: raises the counters of their merchants.
fn counter_step(messages: &[&NewMessage]) -> Step {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for message in messages {
        *counts.entry(message.merchant.as_str()).or_default() += 1;
    }
    Step {
        sql: "INSERT INTO message_counters (merchant_id, last)
              SELECT r.merchant_id, r.messages FROM ROWS(merchant_id, messages) WHERE true
              ON CONFLICT (merchant_id) DO UPDATE
                  SET last = message_counters.last + excluded.last
              RETURNING merchant_id, last",
        rows: counts.iter().map(|(merchant, count)| params![*merchant, *count]).collect(),
        guard: Guard::OneEach,
        returns: true,
    }
}

/// Numbers messages and stores them. The counters are raised in the order of the merchants, and
/// each message finds the one of its merchant by its place in this order: a join would compare all
/// messages with all merchants. So it needs no guard.
fn numbering_step(messages: &[&NewMessage]) -> Step {
    let back = positions_from_the_end(messages);
    let merchants: BTreeSet<&str> = messages.iter().map(|it| it.merchant.as_str()).collect();
    let places: HashMap<&str, i64> = merchants.into_iter().zip(1..).collect();
    let values = |(message, back): (&&NewMessage, &i64)| {
        let mut values = message_values(message, *back);
        let place = places.get(message.merchant.as_str()).copied().unwrap_or_default();
        values.extend(params![message.lane, i64::from(message.replay), place]);
        values
    };
    Step {
        sql: "WITH new AS MATERIALIZED (
                  SELECT r.merchant_id, r.back, r.kind, r.reference, r.sequence, r.created_us,
                      r.body, r.lane, r.replay, r.place
                  FROM ROWS(merchant_id, back, kind, reference, sequence, created_us, body, lane,
                      replay, place) WHERE true),
              raised AS (
                  INSERT INTO message_counters (merchant_id, last)
                  SELECT merchant_id, count(*) FROM new GROUP BY merchant_id ORDER BY merchant_id
                  ON CONFLICT (merchant_id) DO UPDATE
                      SET last = message_counters.last + excluded.last
                  RETURNING merchant_id, last),
              numbers AS MATERIALIZED (
                  SELECT array_agg(last ORDER BY merchant_id) AS last FROM raised),
              stored AS (
                  INSERT INTO messages
                      (merchant_id, message_id, kind, reference, sequence, created_us, body)
                  SELECT merchant_id, last[place] - back, kind, reference, sequence, created_us,
                      body
                  FROM numbers, new),
              pending AS (
                  INSERT INTO deliveries
                      (merchant_id, kind, message_id, lane, cycle, attempt, due_us, replay)
                  SELECT merchant_id, kind, last[place] - back, lane, 1, 0, created_us, replay
                  FROM numbers, new)
              SELECT merchant_id, last FROM raised",
        rows: messages.iter().zip(&back).map(values).collect(),
        guard: Guard::Any,
        returns: true,
    }
}

/// `number` is the number of the message, or its distance from the counter.
fn message_values(message: &NewMessage, number: i64) -> Vec<Value> {
    params![
        &message.merchant,
        number,
        message.kind,
        message.reference.as_str(),
        message.sequence,
        message.created_us,
        message.body.clone()
    ]
}

fn delivery_values(message: &NewMessage, number: i64) -> Vec<Value> {
    params![
        &message.merchant,
        message.kind,
        number,
        message.lane,
        message.created_us,
        i64::from(message.replay)
    ]
}

/// For each message, the number of messages of the same merchant after it.
fn positions_from_the_end(messages: &[&NewMessage]) -> Vec<i64> {
    let mut after: BTreeMap<&str, i64> = BTreeMap::new();
    let mut positions: Vec<i64> = messages
        .iter()
        .rev()
        .map(|message| {
            let position = after.entry(message.merchant.as_str()).or_default();
            *position += 1;
            *position - 1
        })
        .collect();
    positions.reverse();
    positions
}

/// The number of the last message of each merchant in a group.
#[derive(Default)]
pub(super) struct Counters(BTreeMap<String, i64>);

impl Counters {
    /// Reads the rows that the steps of a group returned.
    pub(super) fn read(returned: &[Row]) -> Result<Self, EngineError> {
        let each = returned.iter().map(|row| Ok((row.text(0)?.to_owned(), row.int(1)?)));
        each.collect::<Result<_, _>>().map(Self)
    }

    /// The number of each message.
    fn numbers(&self, messages: &[&NewMessage]) -> Vec<i64> {
        let number = |(message, back): (&&NewMessage, i64)| {
            self.0.get(message.merchant.as_str()).map_or(0, |last| last - back)
        };
        messages.iter().zip(positions_from_the_end(messages)).map(number).collect()
    }
}

/// The messages of each transaction of a committed group, with their numbers.
pub(super) fn pending_by_transaction(
    group: Vec<Transaction>,
    counters: &Counters,
) -> Vec<Vec<PendingMessage>> {
    let messages: Vec<&NewMessage> = group.iter().flat_map(|one| &one.messages).collect();
    let mut numbers = counters.numbers(&messages).into_iter();
    let mut numbered =
        |message| PendingMessage::committed(message, numbers.next().unwrap_or_default());
    group.into_iter().map(|one| one.messages.into_iter().map(&mut numbered).collect()).collect()
}
