//! A transaction is data: statements with the number of rows each must touch.
//!
//! Because it is data, SQLite can commit many of them together and PostgreSQL can send one in a
//! single burst. Each area adds its statements as methods (`Transaction::put_orders` and so on), so
//! that a use case can put everything it decided into one transaction without any SQL.
//!
//! A step has rows of values for `$1`, `$2`, ... and is run once for each. When its text says
//! `ROWS(a, b, ..)`, that stands for a table `r` with these columns that holds all the rows: SQLite
//! runs the statement once per row, PostgreSQL once in all. Written as the last table (`FROM
//! ROWS(..)`, `FROM t, ROWS(..)`, `USING ROWS(..)`), the rows are plain parameters for SQLite,
//! which is by far the cheapest.

use crate::{
    core::{
        counted_events::{DispositionCount, EventCount},
        value::Value,
    },
    messages::outbox::NewMessage,
};

/// Statements that take effect together or not at all.
#[derive(Debug)]
pub struct Transaction {
    pub(crate) operation: &'static str,
    pub(crate) steps: Vec<Step>,
    /// Messages that the transaction enqueues, in the order in which they were decided.
    pub(crate) messages: Vec<NewMessage>,
    /// The events of this transaction that are counted by day.
    pub(crate) counts: Vec<EventCount>,
    /// What became of returned units, which is counted by day, too.
    pub(crate) dispositions: Vec<DispositionCount>,
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) sql: &'static str,
    pub(crate) rows: Vec<Vec<Value>>,
    pub(crate) guard: Guard,
    /// Whether the rows that the statement returns are wanted.
    pub(crate) returns: bool,
}

/// How many rows a step must touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Guard {
    /// Any number.
    Any,
    /// Exactly one for each row of the step; anything else is a conflict.
    OneEach,
}

impl Transaction {
    /// `operation` completes the sentence "the database failed while ...".
    pub fn new(operation: &'static str) -> Self {
        Self {
            operation,
            steps: Vec::new(),
            messages: Vec::new(),
            counts: Vec::new(),
            dispositions: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.messages.is_empty() && self.dispositions.is_empty()
    }

    /// Enqueues a message: it is stored, and is sent, if and only if this transaction commits.
    pub fn enqueue(&mut self, message: NewMessage) {
        self.messages.push(message);
    }

    /// A statement that must touch exactly one row.
    pub(crate) fn one_row(&mut self, sql: &'static str, values: Vec<Value>) {
        self.push(sql, vec![values], Guard::OneEach);
    }

    /// A statement that may touch any number of rows.
    pub(crate) fn any_rows(&mut self, sql: &'static str, values: Vec<Value>) {
        self.push(sql, vec![values], Guard::Any);
    }

    /// A statement that must touch exactly one row for each of `rows`.
    pub(crate) fn one_row_each(&mut self, sql: &'static str, rows: Vec<Vec<Value>>) {
        self.push(sql, rows, Guard::OneEach);
    }

    /// A statement for each of `rows` that may touch any number of rows.
    pub(crate) fn any_rows_each(&mut self, sql: &'static str, rows: Vec<Vec<Value>>) {
        self.push(sql, rows, Guard::Any);
    }

    fn push(&mut self, sql: &'static str, rows: Vec<Vec<Value>>, guard: Guard) {
        if !rows.is_empty() {
            self.steps.push(Step { sql, rows, guard, returns: false });
        }
    }

    /// What all its rows begin with, which is their merchant; None when they differ.
    pub(crate) fn merchant(&self) -> Option<&str> {
        let rows = self.steps.iter().flat_map(|step| &step.rows);
        let of_rows = rows.map(|row| row.first().and_then(Value::as_text));
        let of_messages = self.messages.iter().map(|message| Some(message.merchant.as_str()));
        let of_counts = self.counts.iter().map(|count| Some(count.merchant.as_str()));
        let of_goods = self.dispositions.iter().map(|count| Some(count.merchant.as_str()));
        let mut all = of_rows.chain(of_messages).chain(of_counts).chain(of_goods);
        let first = all.next()??;
        all.all(|merchant| merchant == Some(first)).then_some(first)
    }

    /// About how much memory the transaction takes, for the limit of a commit group.
    pub(crate) fn size(&self) -> usize {
        let values = self.steps.iter().flat_map(|step| step.rows.iter().flatten());
        let bodies = self.messages.iter().map(|message| message.body.len());
        values.map(Value::size).chain(bodies).sum()
    }
}
