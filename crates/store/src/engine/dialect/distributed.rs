//! Batches for Citus, with the merchant as a plain parameter.
//!
//! Citus finds the one shard of a statement by comparing the merchant with a value. It cannot do
//! that when the merchant is inside an array, and it reads the rows of an `INSERT .. SELECT` on the
//! coordinator first. So an `INSERT` is a list of values, and any other batch is run once for each
//! merchant.
//!
//! It plans a statement of one table quickly, and others slowly, on two servers and every time. So
//! a single row becomes plain parameters, and keys of one table a list (`= ANY ($2)`). What is left
//! has an array for each column but the merchant.

use std::borrow::Cow;

use super::{
    Batch, CHANGE_NUMBER, DISTRIBUTED, bind_columns, for_one_row, is_insert_of_rows,
    is_part_of_name, split_batch, statement_for_postgres, type_name,
};
use crate::core::value::{Kind, Value};

/// How the rows of a batch are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Binding {
    /// No merchant: one array for each column, as on one server.
    Arrays,
    /// The merchant, then one array for each other column.
    MerchantAndArrays,
    /// All values, row by row.
    Values,
}

/// How a batch is bound, which its text decides.
pub(in crate::engine) fn binding(sql: &str) -> Binding {
    match split_batch(sql) {
        Some(batch) if !is_of_a_merchant(&batch) => Binding::Arrays,
        Some(batch) if is_insert_of_rows(&batch) => Binding::Values,
        Some(_) => Binding::MerchantAndArrays,
        None => Binding::Arrays,
    }
}

fn is_of_a_merchant(batch: &Batch<'_>) -> bool {
    batch.columns.len() > 1 && batch.columns.first() == Some(&"merchant_id")
}

/// The text of a query for a distributed database.
pub(in crate::engine) fn query_for_citus(sql: &str) -> &str {
    sql.split_once(DISTRIBUTED).map_or(sql, |(_, text)| text)
}

/// A statement in which the number of a change is its time: what the column after the number gets,
/// which is always `changed_us`.
pub(in crate::engine) fn with_time_as_change_number(sql: &str) -> Cow<'_, str> {
    let mut pieces = sql.split(CHANGE_NUMBER);
    let first = pieces.next().unwrap_or_default();
    let mut text = Cow::Borrowed(first);
    for piece in pieces {
        let next = piece.trim_start_matches(',').trim_start();
        let time = next.strip_prefix("changed_us = ").unwrap_or(next);
        let is_part = |letter: char| is_part_of_name(letter) || letter == '.' || letter == '$';
        let time = time.split(|letter| !is_part(letter)).next().unwrap_or_default();
        text = format!("{text}{time}{piece}").into();
    }
    text
}

/// A batch for `rows` rows whose columns have these kinds.
pub(in crate::engine) fn batch_for_citus(sql: &str, kinds: &[Kind], rows: usize) -> String {
    match (split_batch(sql), binding(sql)) {
        (Some(batch), Binding::Values) => insert_values(&batch, kinds, rows),
        (Some(batch), Binding::MerchantAndArrays) => {
            with_keys(&batch, kinds).unwrap_or_else(|| with_arrays(&batch, kinds))
        }
        _ => statement_for_postgres(sql, kinds.iter().copied()),
    }
}

/// A batch for a single row, with all columns as plain parameters, if it can be written so.
pub(in crate::engine) fn one_row_for_citus(sql: &str, kinds: &[Kind]) -> Option<String> {
    let batch = split_batch(sql)?;
    let parameters: Vec<String> = (1_usize..)
        .zip(kinds)
        .map(|(position, kind)| format!("${position}::{}", type_name(*kind)))
        .collect();
    let parameter = |position: usize| parameters.get(position - 1).cloned().unwrap_or_default();
    let text = for_one_row(&batch, parameter)?;
    // The server rejects a parameter that the text does not mention.
    parameters.iter().all(|parameter| text.contains(parameter)).then_some(text)
}

/// An `INSERT` of nothing but values.
pub(in crate::engine) struct Insert {
    /// The table and its columns.
    pub(in crate::engine) target: String,
    pub(in crate::engine) cells: Vec<Cell>,
}

/// What a column of a new row gets.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::engine) enum Cell {
    /// The value of the batch at this position.
    OfRow(usize),
    Always(Value),
}

/// What a batch inserts, if it computes nothing and fails where a row exists already.
pub(in crate::engine) fn insert_of(sql: &str) -> Option<Insert> {
    let sql = with_time_as_change_number(sql);
    let batch = split_batch(&sql).filter(is_insert_of_rows)?;
    let otherwise = batch.after.trim_start().strip_prefix("WHERE true")?.trim();
    let (target, values) = batch.before.trim_start().split_once("SELECT ")?;
    let cell = |text: &str| match text.trim().strip_prefix("r.") {
        Some(name) => batch.columns.iter().position(|column| *column == name).map(Cell::OfRow),
        None => text.trim().parse().ok().map(|number| Cell::Always(Value::Int(number))),
    };
    let values = values.trim_end().strip_suffix("FROM")?;
    let cells = values.split(',').map(cell).collect::<Option<_>>()?;
    let target = target.strip_prefix("INSERT INTO ")?.trim_end().to_owned();
    matches!(otherwise, "" | "ON CONFLICT DO NOTHING").then_some(Insert { target, cells })
}

fn insert_values(batch: &Batch<'_>, kinds: &[Kind], rows: usize) -> String {
    let before = batch.before.trim_end().trim_end_matches("FROM");
    let after = batch.after.trim_start().trim_start_matches("WHERE true");
    let (insert, values) = before.split_once("SELECT ").unwrap_or((before, ""));
    let row = |number: usize| {
        let bound = bind_columns(values.trim_end(), &batch.columns, |position| {
            let kind = kinds.get(position - 1).copied()?;
            Some(format!("${}::{}", number * batch.columns.len() + position, type_name(kind)))
        });
        format!("({bound})")
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("{insert}VALUES {}{after}", rows.join(", "))
}

/// Rows that are only keys of one table.
fn with_keys(batch: &Batch<'_>, kinds: &[Kind]) -> Option<String> {
    let ([_, key], [_, kind]) = (batch.columns.as_slice(), kinds) else { return None };
    let condition = format!("= r.{key}");
    let is_compared_once = !batch.before.contains(&format!("r.{key}"))
        && batch.after.matches("r.").count() == 2
        && batch.after.contains(&condition);
    is_compared_once.then_some(())?;
    for_one_row(batch, |position| match position {
        1 => "$1::text".to_owned(),
        _ => format!("ANY (${position}::{}[])", type_name(*kind)),
    })
}

fn with_arrays(batch: &Batch<'_>, kinds: &[Kind]) -> String {
    let bind = |text| {
        bind_columns(text, &batch.columns, |position| (position == 1).then(|| "$1".to_owned()))
    };
    let arrays: Vec<String> = (1_usize..)
        .zip(kinds)
        .skip(1)
        .map(|(position, kind)| format!("${position}::{}[]", type_name(*kind)))
        .collect();
    let columns = batch.columns.get(1..).unwrap_or_default().join(", ");
    let (before, after) = (bind(batch.before), bind(batch.after));
    format!("{before}unnest({}) AS r({columns}){after}", arrays.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT_AND_INT: [Kind; 2] = [Kind::Text, Kind::Int];

    #[test]
    fn an_insert_is_a_list_of_values() {
        let sql = "INSERT INTO t (merchant_id, b) SELECT r.merchant_id, 1 + r.b
            FROM ROWS(merchant_id, b) WHERE true ON CONFLICT DO NOTHING";
        assert_eq!(binding(sql), Binding::Values);
        assert_eq!(
            batch_for_citus(sql, &TEXT_AND_INT, 2),
            "INSERT INTO t (merchant_id, b) VALUES ($1::text, 1 + $2::bigint), \
             ($3::text, 1 + $4::bigint) ON CONFLICT DO NOTHING"
        );
    }

    #[test]
    fn the_number_of_a_change_is_its_time() {
        for (sql, for_citus) in [
            ("SET changed = CHANGE_NUMBER, changed_us = $4", "SET changed = $4, changed_us = $4"),
            ("SELECT 1, CHANGE_NUMBER,\n  r.at_us FROM", "SELECT 1, r.at_us,\n  r.at_us FROM"),
            ("VALUES ($1, CHANGE_NUMBER, $2)", "VALUES ($1, $2, $2)"),
            ("SELECT 1", "SELECT 1"),
        ] {
            assert_eq!(with_time_as_change_number(sql), for_citus);
        }
    }

    #[test]
    fn an_insert_of_values_is_known_column_by_column() {
        let sql = "INSERT INTO t
                (merchant_id, b, changed, changed_us) SELECT r.merchant_id, 1, CHANGE_NUMBER,
                r.d
            FROM ROWS(merchant_id, d) WHERE true ON CONFLICT DO NOTHING";
        let insert = insert_of(sql).unwrap();
        assert_eq!(insert.target, "t\n                (merchant_id, b, changed, changed_us)");
        let one = Cell::Always(Value::Int(1));
        assert_eq!(insert.cells, [Cell::OfRow(0), one, Cell::OfRow(1), Cell::OfRow(1)]);
        for sql in [
            "INSERT INTO t (a) SELECT 1 + r.a FROM ROWS(a) WHERE true",
            "INSERT INTO t (a) SELECT r.a FROM ROWS(a) WHERE true ON CONFLICT (a) DO UPDATE SET a = 1",
            "UPDATE t SET a = 1 FROM ROWS(a) WHERE t.a = r.a",
        ] {
            assert!(insert_of(sql).is_none(), "{sql}");
        }
    }

    #[test]
    fn keys_of_one_table_are_a_list_beside_the_merchant() {
        let sql = "DELETE FROM t USING ROWS(merchant_id, b) WHERE t.merchant_id = r.merchant_id
            AND t.b = r.b";
        assert_eq!(binding(sql), Binding::MerchantAndArrays);
        assert_eq!(
            batch_for_citus(sql, &TEXT_AND_INT, 7),
            "DELETE FROM t WHERE t.merchant_id = $1::text
            AND t.b = ANY ($2::bigint[])"
        );
        assert_eq!(
            batch_for_citus(
                "SELECT t.c FROM ROWS(merchant_id, b) JOIN t ON t.merchant_id = r.merchant_id AND t.b = r.b",
                &TEXT_AND_INT,
                7
            ),
            "SELECT t.c FROM t WHERE t.merchant_id = $1::text AND t.b = ANY ($2::bigint[])"
        );
    }

    #[test]
    fn other_batches_have_arrays_beside_the_merchant() {
        let sql = "UPDATE t SET b = r.b FROM ROWS(merchant_id, a, b)
            WHERE t.merchant_id = r.merchant_id AND t.a = r.a";
        let kinds = [Kind::Text, Kind::Int, Kind::Int];
        assert_eq!(
            batch_for_citus(sql, &kinds, 7),
            "UPDATE t SET b = r.b FROM unnest($2::bigint[], $3::bigint[]) AS r(a, b)
            WHERE t.merchant_id = $1 AND t.a = r.a"
        );
        assert_eq!(
            one_row_for_citus(sql, &kinds).as_deref(),
            Some("UPDATE t SET b = $3::bigint WHERE t.merchant_id = $1::text AND t.a = $2::bigint")
        );
    }

    #[test]
    fn a_row_with_a_value_that_is_not_used_stays_an_array() {
        let sql = "SELECT t.a FROM ROWS(merchant_id, b, c) JOIN t ON t.b = r.b";
        assert_eq!(one_row_for_citus(sql, &[Kind::Text, Kind::Int, Kind::Int]), None);
    }

    #[test]
    fn a_batch_without_a_merchant_is_as_on_one_server() {
        let sql = "UPDATE t SET b = r.b FROM ROWS(a, b) WHERE t.a = r.a";
        assert_eq!(binding(sql), Binding::Arrays);
        assert_eq!(
            batch_for_citus(sql, &TEXT_AND_INT, 7),
            "UPDATE t SET b = r.b FROM unnest($1::text[], $2::bigint[]) AS r(a, b) WHERE t.a = r.a"
        );
    }

    #[test]
    fn a_query_may_have_a_second_text() {
        let sql = "SELECT 1 DISTRIBUTED: SELECT 2";
        assert_eq!(query_for_citus(sql), " SELECT 2");
        assert_eq!(super::super::query_for_one_server(sql), "SELECT 1 ");
        assert_eq!(query_for_citus("SELECT 1"), "SELECT 1");
    }
}
