//! Many rows of one table, sent as a `COPY`.
//!
//! Citus writes an `INSERT` anew, with all values in its text, and parses it again; for a hundred
//! orders that takes three times as long as to store them. A `COPY` takes the values as they are.
//! Where an `INSERT` would skip a row that is already there, a `COPY` fails. Both are a conflict.
//!
//! The client sends the end of a `COPY` even if the server refused its beginning, and the server
//! answers both. From then on each request would get the answer of the one before: a `COMMIT`
//! would seem to have succeeded before it has. So a `COPY` is only begun when everything before it
//! has succeeded, nothing is sent behind it, and a connection on which one could not begin is
//! closed.

use std::pin::pin;

use deadpool_postgres::Object;
use tokio_postgres::{Statement, binary_copy::BinaryCopyInWriter, types::Type};

use crate::{
    core::{
        transaction::Guard,
        value::{Kind, Value},
    },
    engine::{
        dialect::distributed::{Cell, Insert, insert_of},
        group::MergedStep,
    },
};

/// For one row both cost the same, and an `INSERT` travels together with the other steps.
const ROWS_MIN: usize = 2;

pub(super) enum BulkError {
    /// The rows could not be stored.
    Refused(tokio_postgres::Error),
    /// The connection must be closed.
    OutOfStep(tokio_postgres::Error),
}

/// An insert of many rows.
pub(super) struct Bulk<'a> {
    insert: Insert,
    rows: Vec<&'a [Value]>,
}

impl<'a> Bulk<'a> {
    /// None if a step is something else.
    pub(super) fn new(step: &MergedStep<'a>) -> Option<Self> {
        let is_bulk = step.rows.len() >= ROWS_MIN && step.guard == Guard::OneEach && !step.returns;
        let insert = insert_of(step.sql).filter(|_| is_bulk)?;
        Some(Self { insert, rows: step.rows.clone() })
    }

    pub(super) fn text(&self) -> String {
        format!("COPY {} FROM STDIN BINARY", self.insert.target)
    }

    /// Returns how many rows were inserted.
    pub(super) async fn send(
        &self,
        client: &Object,
        statement: &Statement,
    ) -> Result<u64, BulkError> {
        let first = self.rows.first().copied().unwrap_or_default();
        let types: Vec<Type> = self.values_of(first).into_iter().map(type_of).collect();
        let sink = client.copy_in(statement).await.map_err(BulkError::OutOfStep)?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for row in &self.rows {
            let written = writer.as_mut().write_raw(self.values_of(row)).await;
            written.map_err(BulkError::OutOfStep)?;
        }
        writer.finish().await.map_err(BulkError::Refused)
    }

    /// The values of a new row, column by column.
    fn values_of<'b>(&'b self, row: &'b [Value]) -> Vec<&'b Value> {
        let value = |cell: &'b Cell| match cell {
            Cell::OfRow(position) => row.get(*position),
            Cell::Always(value) => Some(value),
        };
        self.insert.cells.iter().filter_map(value).collect()
    }
}

fn type_of(value: &Value) -> Type {
    match value.kind() {
        Kind::Text => Type::TEXT,
        Kind::Int => Type::INT8,
        Kind::Bytes => Type::BYTEA,
    }
}
