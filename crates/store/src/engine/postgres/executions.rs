//! What is sent to the server for a statement: once for each row, once for all rows of a batch, or,
//! on a distributed database, once for the rows of each merchant.

use std::{collections::BTreeMap, sync::Arc};

use bytes::{Bytes, BytesMut};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::statements::{Batch, Bound, Layout, Statements, Text};
use crate::{
    core::value::{Kind, Value},
    engine::dialect::distributed::Binding,
};

/// The most rows of an `INSERT` on a distributed database, where each row has its own parameters.
const VALUES_MAX: usize = 256;

enum Parameter<'a> {
    Value(&'a Value),
    Array(Box<dyn ToSql + Sync + Send + 'a>),
}

impl Parameter<'_> {
    fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Value(value) => value,
            Self::Array(array) => &**array,
        }
    }
}

/// One execution of a statement.
pub(super) struct Execution<'a> {
    pub(super) text: Arc<Text>,
    parameters: Vec<Parameter<'a>>,
    /// Whether the server checks that each row is touched, and fails otherwise.
    pub(super) is_checked: bool,
}

impl<'a> Execution<'a> {
    /// All values of the rows are plain parameters.
    pub(super) fn with_values(text: Arc<Text>, rows: &[&'a [Value]]) -> Self {
        let values = rows.iter().flat_map(|row| row.iter());
        Self { text, parameters: values.map(Parameter::Value).collect(), is_checked: false }
    }

    pub(super) fn of_batch(batch: &Batch, rows: &[&'a [Value]]) -> Self {
        let text = Arc::clone(&batch.text);
        let Bound::ArraysFrom(first) = batch.bound else { return Self::with_values(text, rows) };
        let merchant = rows.first().copied().unwrap_or_default().iter().take(first);
        let mut parameters: Vec<Parameter<'a>> = Vec::with_capacity(batch.kinds.len());
        parameters.extend(merchant.map(Parameter::Value));
        parameters.extend(to_arrays(rows, &batch.kinds, first));
        Self { text, parameters, is_checked: false }
    }

    /// The same, but the server fails unless each row is touched.
    pub(super) fn checked(self) -> Self {
        Self { text: self.text.checked(), is_checked: true, ..self }
    }

    pub(super) fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.parameters.iter().map(Parameter::as_sql).collect()
    }
}

impl Statements {
    /// What is sent to the server for a statement.
    pub(super) fn executions<'a>(
        &self,
        sql: &'static str,
        all: Vec<&'a [Value]>,
    ) -> Vec<Execution<'a>> {
        let known = self.known(sql);
        let Some(binding) = known.binding else {
            let with_values = |row| Execution::with_values(Arc::clone(&known.text), &[row]);
            return all.into_iter().map(with_values).collect();
        };
        let of_rows = |rows: &[&'a [Value]], counted: usize| {
            Execution::of_batch(&known.batch(self.layout, binding, rows, counted), rows)
        };
        match (self.layout, binding) {
            (Layout::OneServer, _) | (_, Binding::Arrays) => vec![of_rows(&all, 0)],
            (Layout::Distributed, Binding::MerchantAndArrays) => {
                let rows = by_merchant(all).into_values();
                rows.map(|rows| of_rows(&rows, rows.len().min(2))).collect()
            }
            (Layout::Distributed, Binding::Values) => {
                split_rows(&all).into_iter().map(|rows| of_rows(rows, rows.len())).collect()
            }
        }
    }
}

/// The rows of each merchant, in their order; the merchant is their first value.
pub(super) fn by_merchant(rows: Vec<&[Value]>) -> BTreeMap<&str, Vec<&[Value]>> {
    let mut merchants: BTreeMap<&str, Vec<&[Value]>> = BTreeMap::new();
    for row in rows {
        let merchant = row.first().and_then(Value::as_text).unwrap_or_default();
        merchants.entry(merchant).or_default().push(row);
    }
    merchants
}

/// Parts whose lengths are powers of two, so that there are few texts to prepare.
fn split_rows<'a, 'b>(rows: &'b [&'a [Value]]) -> Vec<&'b [&'a [Value]]> {
    let mut rest = rows;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let length = (1 << rest.len().ilog2()).min(VALUES_MAX);
        let (part, more) = rest.split_at(length);
        parts.push(part);
        rest = more;
    }
    parts
}

/// The rows of a batch as one array for each column from `first` on.
fn to_arrays<'a>(
    rows: &[&'a [Value]],
    kinds: &[Kind],
    first: usize,
) -> impl Iterator<Item = Parameter<'a>> {
    let columns = kinds.iter().enumerate().skip(first);
    columns.map(|(column, kind)| {
        let cells = rows.iter().map(|row| row.get(column));
        Parameter::Array(match kind {
            Kind::Text => {
                Box::new(cells.map(|cell| cell.and_then(Value::as_text)).collect::<Vec<_>>())
            }
            Kind::Int => Box::new(cells.map(int).collect::<Vec<_>>()),
            Kind::Bytes => Box::new(cells.map(bytes).collect::<Vec<_>>()),
        })
    })
}

fn int(cell: Option<&Value>) -> Option<i64> {
    if let Some(Value::Int(number)) = cell { Some(*number) } else { None }
}

fn bytes(cell: Option<&Value>) -> Option<SharedBytes> {
    if let Some(Value::Bytes(bytes)) = cell { Some(SharedBytes(bytes.clone())) } else { None }
}

/// Bytes of a batch, bound without copying them first.
#[derive(Debug)]
struct SharedBytes(Bytes);

impl ToSql for SharedBytes {
    fn to_sql(
        &self,
        wanted: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.0.as_ref().to_sql(wanted, out)
    }

    fn accepts(wanted: &Type) -> bool {
        *wanted == Type::BYTEA
    }

    to_sql_checked!();
}

impl ToSql for Value {
    fn to_sql(
        &self,
        wanted: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Text(text) => text.as_str().to_sql(wanted, out),
            Self::Shared(text) => text.as_ref().to_sql(wanted, out),
            Self::Fixed(text) => text.to_sql(wanted, out),
            Self::Int(number) => number.to_sql(wanted, out),
            Self::Bytes(bytes) => bytes.as_ref().to_sql(wanted, out),
            Self::Null(_) => Ok(IsNull::Yes),
        }
    }

    fn accepts(wanted: &Type) -> bool {
        [Type::TEXT, Type::INT8, Type::BYTEA].contains(wanted)
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::value::params;

    const INSERT: &str = "INSERT INTO t (merchant_id, a) SELECT r.merchant_id, r.a
        FROM ROWS(merchant_id, a) WHERE true";

    #[test]
    fn rows_of_several_merchants_are_one_execution_each_when_distributed() {
        let rows = [params!["b", 1_i64], params!["a", 2_i64], params!["b", 3_i64]];
        let sizes = |layout: Layout, sql| -> Vec<usize> {
            let statements = Statements::new(layout);
            let executions = statements.executions(sql, rows.iter().map(Vec::as_slice).collect());
            executions.iter().map(|it| it.parameters.len()).collect()
        };
        let delete = "DELETE FROM t USING ROWS(merchant_id, a)
            WHERE t.merchant_id = r.merchant_id AND t.a = r.a";
        assert_eq!(sizes(Layout::Distributed, delete), [2, 2], "a merchant and a value or array");
        assert_eq!(sizes(Layout::OneServer, delete), [2], "two arrays");
        assert_eq!(sizes(Layout::Distributed, INSERT), [4, 2], "all values of two rows, and one");
    }

    #[test]
    fn many_rows_are_split_into_few_lengths() {
        let rows: Vec<Vec<Value>> = (0_i64..300).map(|number| params!["a", number]).collect();
        let rows: Vec<&[Value]> = rows.iter().map(Vec::as_slice).collect();
        let lengths: Vec<_> = split_rows(&rows).into_iter().map(<[_]>::len).collect();
        assert_eq!(lengths, [256, 32, 8, 4]);
    }
}
