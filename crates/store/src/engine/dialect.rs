//! The few places where the shared SQL has to be said differently to each engine.

use crate::value::Kind;

/// The table that `ROWS(a, b, ..)` stands for, cut out of a statement.
struct Batch<'a> {
    before: &'a str,
    columns: Vec<&'a str>,
    after: &'a str,
}

fn batch(sql: &str) -> Option<Batch<'_>> {
    let (before, rest) = sql.split_once("ROWS(")?;
    let (columns, after) = rest.split_once(')')?;
    Some(Batch { before, columns: columns.split(',').map(str::trim).collect(), after })
}

/// A statement for SQLite, where `$1` would be a name and `?1` is a position, and where a
/// batch is the same statement run once per row.
pub(super) fn statement_for_sqlite(sql: &str) -> String {
    let text = match batch(sql) {
        None => sql.to_owned(),
        Some(Batch { before, columns, after }) => {
            let values: Vec<String> = (1_usize..)
                .zip(columns)
                .map(|(position, column)| format!("${position} AS {column}"))
                .collect();
            format!("{before}(SELECT {}) AS r{after}", values.join(", "))
        }
    };
    text.replace('$', "?")
}

/// A statement for PostgreSQL, where a batch is one array for each column.
pub(super) fn statement_for_postgres(sql: &str, kinds: impl Iterator<Item = Kind>) -> String {
    let Some(Batch { before, columns, after }) = batch(sql) else {
        return sql.to_owned();
    };
    let arrays: Vec<String> = (1_usize..)
        .zip(kinds)
        .map(|(position, kind)| {
            let array = match kind {
                Kind::Text => "text[]",
                Kind::Int => "bigint[]",
                Kind::Bytes => "bytea[]",
            };
            format!("${position}::{array}")
        })
        .collect();
    format!("{before}unnest({}) AS r({}){after}", arrays.join(", "), columns.join(", "))
}

pub(super) fn schema_for_sqlite(text: &str) -> String {
    text.replace("BYTES", "BLOB").replace("CLUSTERED", "WITHOUT ROWID")
}

/// Text compares byte by byte, as in SQLite, whatever the database's locale is.
pub(super) fn schema_for_postgres(text: &str) -> String {
    text.replace("BYTES", "BYTEA").replace("CLUSTERED", "").replace("TEXT", "TEXT COLLATE \"C\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQL: &str = "INSERT INTO t (a, b) SELECT a, b FROM ROWS(a, b) WHERE true";

    #[test]
    fn a_batch_is_a_row_for_sqlite_and_arrays_for_postgres() {
        assert_eq!(
            statement_for_sqlite(SQL),
            "INSERT INTO t (a, b) SELECT a, b FROM (SELECT ?1 AS a, ?2 AS b) AS r WHERE true"
        );
        assert_eq!(
            statement_for_postgres(SQL, [Kind::Text, Kind::Int].into_iter()),
            "INSERT INTO t (a, b) SELECT a, b FROM unnest($1::text[], $2::bigint[]) AS r(a, b) WHERE true"
        );
    }
}
