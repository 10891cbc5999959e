//! The few places where the shared SQL has to be said differently to each engine.

use crate::core::value::Kind;

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
    match batch(sql) {
        None => sql.replace('$', "?"),
        Some(batch) => for_one_row(&batch).unwrap_or_else(|| with_a_table_of_one_row(&batch)),
    }
}

/// The plain statement that somebody would write for a single row: the table of rows is left out,
/// and its columns are parameters. It costs half of what a table of one row does, and a third of
/// that when something is deleted. None when other tables are joined behind the rows.
fn for_one_row(batch: &Batch<'_>) -> Option<String> {
    let (before, after) = (batch.before.trim_end(), batch.after.trim_start());
    if after.starts_with("JOIN") || after.starts_with("LEFT JOIN") {
        return None;
    }
    let inserted = before.strip_suffix("FROM").zip(after.strip_prefix("WHERE true"));
    if let Some((before, after)) = inserted
        && let Some((insert, values)) = before.split_once("SELECT ")
    {
        let values = values.trim_end();
        return Some(bound(&format!("{insert}VALUES ({values}){after}"), &batch.columns));
    }
    let before = ["FROM", "USING", ","].iter().find_map(|word| before.strip_suffix(word))?;
    Some(bound(&format!("{} {after}", before.trim_end()), &batch.columns))
}

/// The text with `r.a`, `r.b` and so on as the first, second and so on parameter.
fn bound(text: &str, columns: &[&str]) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut pieces = text.split("r.");
    let mut bound = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let name = piece.split(|letter| !is_part(letter)).next().unwrap_or_default();
        let column = (1_usize..).zip(columns).find(|(_, column)| **column == name);
        let place = column.filter(|_| !bound.ends_with(is_part)).map(|(place, _)| place);
        let (word, rest) = match place {
            Some(place) => (format!("?{place}"), piece.get(name.len()..).unwrap_or_default()),
            None => ("r.".to_owned(), piece),
        };
        bound.push_str(&word);
        bound.push_str(rest);
    }
    bound
}

fn with_a_table_of_one_row(Batch { before, columns, after }: &Batch<'_>) -> String {
    let values: Vec<String> = (1_usize..)
        .zip(columns)
        .map(|(position, column)| format!("?{position} AS {column}"))
        .collect();
    format!("{before}(SELECT {}) AS r{after}", values.join(", "))
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
    let rows = format!("unnest({}) AS r({})", arrays.join(", "), columns.join(", "));
    match before.trim().strip_prefix("DELETE FROM ").and_then(|it| it.strip_suffix(" USING")) {
        Some(table) => delete_by_rows(table, &rows, after),
        None => format!("{before}{rows}{after}"),
    }
}

/// First finds what to delete, for each of the rows by itself. For a table that was nearly empty when it was last looked
/// at, a planner would rather read all of it, once or even for each row, if it could.
fn delete_by_rows(table: &str, rows: &str, after: &str) -> String {
    let conditions = after.trim_start().trim_start_matches("WHERE");
    format!(
        "DELETE FROM {table} WHERE ctid = ANY (ARRAY(
             SELECT unnest(ARRAY(SELECT {table}.ctid FROM {table} WHERE {conditions}))
             FROM {rows}))"
    )
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

    #[test]
    fn a_batch_is_a_row_for_sqlite_and_arrays_for_postgres() {
        let sql = "INSERT INTO t (a, b) SELECT r.a, 1 + r.b FROM ROWS(a, b) WHERE true RETURNING a";
        assert_eq!(
            statement_for_sqlite(sql),
            "INSERT INTO t (a, b) VALUES (?1, 1 + ?2) RETURNING a"
        );
        assert_eq!(
            statement_for_postgres(sql, [Kind::Text, Kind::Int].into_iter()),
            "INSERT INTO t (a, b) SELECT r.a, 1 + r.b FROM unnest($1::text[], $2::bigint[]) \
             AS r(a, b) WHERE true RETURNING a"
        );
    }

    #[test]
    fn what_rows_delete_is_found_from_the_rows_for_postgres() {
        assert_eq!(
            statement_for_postgres(
                "DELETE FROM t USING ROWS(a) WHERE t.a = r.a",
                [Kind::Int].into_iter()
            ),
            "DELETE FROM t WHERE ctid = ANY (ARRAY(
             SELECT unnest(ARRAY(SELECT t.ctid FROM t WHERE  t.a = r.a))
             FROM unnest($1::bigint[]) AS r(a)))"
        );
    }

    #[test]
    fn rows_beside_other_tables_are_parameters_for_sqlite() {
        for (shared, for_sqlite) in [
            ("DELETE FROM t USING ROWS(a, b) WHERE t.b = r.b", "DELETE FROM t WHERE t.b = ?2"),
            (
                "UPDATE t SET b = r.b FROM ROWS(b) WHERE t.b > 1",
                "UPDATE t SET b = ?1 WHERE t.b > 1",
            ),
            (
                "SELECT r.a FROM our o, ROWS(a) WHERE our.a = r.a",
                "SELECT ?1 FROM our o WHERE our.a = ?1",
            ),
            (
                "SELECT r.a FROM ROWS(a) WHERE EXISTS (SELECT 1)",
                "SELECT ?1 WHERE EXISTS (SELECT 1)",
            ),
        ] {
            assert_eq!(statement_for_sqlite(shared), for_sqlite);
        }
    }

    #[test]
    fn what_is_joined_behind_the_rows_finds_a_table_of_one_row() {
        assert_eq!(
            statement_for_sqlite("SELECT t.b FROM ROWS(a) JOIN t ON t.a = r.a"),
            "SELECT t.b FROM (SELECT ?1 AS a) AS r JOIN t ON t.a = r.a"
        );
    }

    #[test]
    fn only_whole_names_are_columns_of_the_rows() {
        assert_eq!(bound("our.a = r.a AND r.ab = r.a", &["a"]), "our.a = ?1 AND r.ab = ?1");
    }
}
