//! What is sent to the server for a statement: once for each row, once for all rows of a batch, or,
//! on a distributed database, once for the rows of each merchant.

use std::{borrow::Cow, collections::BTreeMap};

use bytes::{Bytes, BytesMut};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::{
    core::value::{Kind, Value},
    engine::dialect::{
        self, certain,
        distributed::{self, Binding},
    },
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

/// Where the tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    OneServer,
    /// Tables with a merchant are distributed by merchant (Citus).
    Distributed,
}

/// One execution of a statement.
pub(super) struct Execution<'a> {
    pub(super) text: Cow<'static, str>,
    parameters: Vec<Parameter<'a>>,
    /// Whether the server checks that each row is touched, and fails otherwise.
    pub(super) is_checked: bool,
}

impl<'a> Execution<'a> {
    fn new(text: Cow<'static, str>, parameters: Vec<Parameter<'a>>) -> Self {
        Self { text, parameters, is_checked: false }
    }

    /// The same, but the server fails unless each row is touched.
    pub(super) fn checked(self) -> Self {
        let text = certain::failing_unless_each(&self.text).into();
        Self { text, is_checked: true, ..self }
    }

    pub(super) fn parameters(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.parameters.iter().map(Parameter::as_sql).collect()
    }
}

impl Layout {
    /// The text of a statement for this layout, but for `ROWS(..)`.
    pub(super) fn translate(self, sql: &'static str) -> Cow<'static, str> {
        match self {
            Self::OneServer => dialect::query_for_one_server(sql).into(),
            Self::Distributed => {
                distributed::with_time_as_change_number(distributed::query_for_citus(sql))
            }
        }
    }

    pub(super) fn executions<'a>(
        self,
        sql: &'static str,
        all: Vec<&'a [Value]>,
    ) -> Vec<Execution<'a>> {
        let text = self.translate(sql);
        if !text.contains("ROWS(") {
            return all.into_iter().map(|row| with_values(text.clone(), &[row])).collect();
        }
        let first = all.first().copied().unwrap_or_default();
        let kinds: Vec<Kind> = first.iter().map(Value::kind).collect();
        match (self, distributed::binding(&text)) {
            (Self::OneServer, _) | (_, Binding::Arrays) => {
                let batch = dialect::statement_for_postgres(&text, kinds.iter().copied());
                vec![Execution::new(batch.into(), to_arrays(&all, &kinds, 0))]
            }
            (Self::Distributed, Binding::MerchantAndArrays) => {
                let of_one = |rows: Vec<&'a [Value]>| of_merchant(&text, &rows, &kinds);
                by_merchant(all).into_values().map(of_one).collect()
            }
            (Self::Distributed, Binding::Values) => {
                let of_part = |rows: &[&'a [Value]]| {
                    let batch = distributed::batch_for_citus(&text, &kinds, rows.len());
                    with_values(batch.into(), rows)
                };
                split_rows(&all).into_iter().map(of_part).collect()
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

/// Binds the values of all rows.
fn with_values<'a>(text: Cow<'static, str>, rows: &[&'a [Value]]) -> Execution<'a> {
    let values = rows.iter().flat_map(|row| row.iter());
    Execution::new(text, values.map(Parameter::Value).collect())
}

/// Binds the rows of one merchant: a single one as it is, several as arrays.
fn of_merchant<'a>(sql: &str, rows: &[&'a [Value]], kinds: &[Kind]) -> Execution<'a> {
    if rows.len() == 1
        && let Some(text) = distributed::one_row_for_citus(sql, kinds)
    {
        return with_values(text.into(), rows);
    }
    let merchant = rows.first().and_then(|row| row.first());
    let mut parameters: Vec<Parameter<'a>> = Vec::with_capacity(kinds.len());
    parameters.extend(merchant.map(Parameter::Value));
    parameters.extend(to_arrays(rows, kinds, 1));
    let text = distributed::batch_for_citus(sql, kinds, rows.len()).into();
    Execution::new(text, parameters)
}

/// The rows of a batch as one array for each column from `first` on.
fn to_arrays<'a>(rows: &[&'a [Value]], kinds: &[Kind], first: usize) -> Vec<Parameter<'a>> {
    let columns = kinds.iter().enumerate().skip(first);
    columns
        .map(|(column, kind)| {
            let cells = rows.iter().map(|row| row.get(column));
            Parameter::Array(match kind {
                Kind::Text => {
                    Box::new(cells.map(|cell| cell.and_then(Value::as_text)).collect::<Vec<_>>())
                }
                Kind::Int => Box::new(cells.map(int).collect::<Vec<_>>()),
                Kind::Bytes => Box::new(cells.map(bytes).collect::<Vec<_>>()),
            })
        })
        .collect()
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
            let executions = layout.executions(sql, rows.iter().map(Vec::as_slice).collect());
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
