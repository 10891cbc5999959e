//! Transactions that are committed together.
//!
//! Each runs its own steps, one transaction after another. What all of them do to the few rows that everybody changes,
//! the merchants' message counters and the counts of the day, is done once for all of them at the end and in the order
//! of the keys: those rows are locked as briefly as can be, and two groups never wait for each other in a circle.

use std::collections::BTreeMap;

use tokio::sync::oneshot;

use crate::{
    EngineError, NewMessage, PendingMessage, Transaction,
    core::{
        day_counts::day_count_step,
        transaction::{Guard, Step},
        value::{Row, Value, params},
    },
};

/// Transactions and bytes that one commit may cover.
const TRANSACTIONS_MAX: usize = 1024;
const BYTES_MAX: usize = 8 << 20;

pub(super) type Outcome = Result<Vec<PendingMessage>, EngineError>;
pub(super) type Answer = oneshot::Sender<Outcome>;

#[derive(Default)]
pub(super) struct Group {
    pub(super) transactions: Vec<Transaction>,
    answers: Vec<Answer>,
    bytes: usize,
}

impl Group {
    pub(super) fn push(&mut self, transaction: Transaction, answer: Answer) {
        self.bytes += transaction.size();
        self.transactions.push(transaction);
        self.answers.push(answer);
    }

    pub(super) fn is_full(&self) -> bool {
        self.transactions.len() >= TRANSACTIONS_MAX || self.bytes >= BYTES_MAX
    }

    /// Gives every transaction its messages: all are committed.
    pub(super) fn committed(self, counters: &Counters) {
        let pending = pending_by_transaction(self.transactions, counters);
        for (answer, pending) in self.answers.into_iter().zip(pending) {
            // Whoever asked may have gone; it is committed all the same.
            let _ = answer.send(Ok(pending));
        }
    }

    /// The transactions one by one, for outcomes of their own.
    pub(super) fn apart(self) -> impl Iterator<Item = (Transaction, Answer)> {
        self.transactions.into_iter().zip(self.answers)
    }
}

/// Every step of a group, in the order in which they run.
pub(super) struct Steps<'a> {
    group: &'a [Transaction],
    last: Vec<Step>,
}

impl<'a> Steps<'a> {
    /// `slot` names whoever commits.
    pub(super) fn new(group: &'a [Transaction], slot: i64) -> Self {
        let messages: Vec<&NewMessage> = group.iter().flat_map(|one| &one.messages).collect();
        let mut last = vec![day_count_step(group.iter().flat_map(|one| &one.counts), slot)];
        last.extend(message_steps(&messages));
        last.retain(|step| !step.rows.is_empty());
        Self { group, last }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Step> {
        self.group.iter().flat_map(|one| &one.steps).chain(&self.last)
    }
}

/// Numbers messages and stores them.
fn message_steps(messages: &[&NewMessage]) -> [Step; 3] {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for message in messages {
        *counts.entry(message.merchant.as_str()).or_default() += 1;
    }
    let back = places_from_the_end(messages);
    let each = || messages.iter().zip(&back);
    let step = |sql, rows| Step { sql, rows, guard: Guard::OneEach, returns: false };
    let counters = step(
        "INSERT INTO message_counters (merchant_id, last)
         SELECT r.merchant_id, r.messages FROM ROWS(merchant_id, messages) WHERE true
         ON CONFLICT (merchant_id) DO UPDATE
             SET last = message_counters.last + excluded.last
         RETURNING merchant_id, last",
        counts.iter().map(|(merchant, count)| params![*merchant, *count]).collect(),
    );
    let message_rows = step(
        "INSERT INTO messages
             (merchant_id, message_id, kind, reference, sequence, created_us, body)
         SELECT r.merchant_id, (SELECT c.last FROM message_counters c
                 WHERE c.merchant_id = r.merchant_id) - r.back,
             r.kind, r.reference, r.sequence, r.created_us, r.body
         FROM ROWS(merchant_id, back, kind, reference, sequence, created_us, body)
         WHERE true",
        each().map(|(message, back)| message_values(message, *back)).collect(),
    );
    let delivery_rows = step(
        "INSERT INTO deliveries
             (merchant_id, kind, message_id, lane, cycle, attempt, due_us)
         SELECT r.merchant_id, r.kind, (SELECT c.last FROM message_counters c
                 WHERE c.merchant_id = r.merchant_id) - r.back, r.lane, 1, 0, r.due_us
         FROM ROWS(merchant_id, kind, back, lane, due_us) WHERE true",
        each().map(|(message, back)| delivery_values(message, *back)).collect(),
    );
    [Step { returns: true, ..counters }, message_rows, delivery_rows]
}

fn message_values(message: &NewMessage, back: i64) -> Vec<Value> {
    params![
        &message.merchant,
        back,
        message.kind,
        message.reference.as_str(),
        message.sequence,
        message.created_us,
        message.body.clone()
    ]
}

fn delivery_values(message: &NewMessage, back: i64) -> Vec<Value> {
    params![&message.merchant, message.kind, back, message.lane, message.created_us]
}

/// For each message, how many of its merchant's come after it.
fn places_from_the_end(messages: &[&NewMessage]) -> Vec<i64> {
    let mut after: BTreeMap<&str, i64> = BTreeMap::new();
    let mut places: Vec<i64> = messages
        .iter()
        .rev()
        .map(|message| {
            let place = after.entry(message.merchant.as_str()).or_default();
            *place += 1;
            *place - 1
        })
        .collect();
    places.reverse();
    places
}

/// The last number that each merchant of a group has given to a message.
pub(super) struct Counters(BTreeMap<String, i64>);

impl Counters {
    /// Reads what the steps of a group returned.
    pub(super) fn read(returned: &[Row]) -> Result<Self, EngineError> {
        let each = returned.iter().map(|row| Ok((row.text(0)?.to_owned(), row.int(1)?)));
        each.collect::<Result<_, _>>().map(Self)
    }
}

/// The messages of each transaction of a group that is committed, with their numbers.
pub(super) fn pending_by_transaction(
    group: Vec<Transaction>,
    counters: &Counters,
) -> Vec<Vec<PendingMessage>> {
    let messages: Vec<&NewMessage> = group.iter().flat_map(|one| &one.messages).collect();
    let number = |(message, back): (&&NewMessage, i64)| {
        counters.0.get(message.merchant.as_str()).map_or(0, |last| last - back)
    };
    let numbers: Vec<i64> =
        messages.iter().zip(places_from_the_end(&messages)).map(number).collect();
    let mut numbers = numbers.into_iter();
    let mut numbered =
        |message| PendingMessage::committed(message, numbers.next().unwrap_or_default());
    group.into_iter().map(|one| one.messages.into_iter().map(&mut numbered).collect()).collect()
}
