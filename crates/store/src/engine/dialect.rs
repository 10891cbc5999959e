//! The few places where the shared SQL is written differently for each engine.
//!
//! A batch is a statement with a table `ROWS(a, b, ..)`, read as `r`. SQLite runs it once for each
//! row, PostgreSQL once for all of them, Citus once for each merchant ([`distributed`]). The
//! translations cut the text into pieces, so they know only the shapes that [`check_batch`] lists;
//! tests fail on any other.
//!
//! A query that Citus cannot run has a second text for it, after the word `DISTRIBUTED:`.

use crate::core::value::Kind;

pub(super) mod certain;
pub(super) mod distributed;

/// What stands between the text of a query and its text for Citus.
const DISTRIBUTED: &str = "DISTRIBUTED:";

/// Stands for the number of the change that a statement makes; see `change_numbers`.
pub(super) const CHANGE_NUMBER: &str = "CHANGE_NUMBER";

/// Where a statement is in memory, and its length. Statements are literals of this program, so
/// nothing else is ever there, and what is known of one is found sooner by numbers than by a text.
pub(super) type Address = (usize, usize);

pub(super) fn address(sql: &'static str) -> Address {
    (sql.as_ptr().addr(), sql.len())
}

/// A statement around the table that `ROWS(a, b, ..)` stands for.
struct Batch<'a> {
    before: &'a str,
    columns: Vec<&'a str>,
    after: &'a str,
}

fn split_batch(sql: &str) -> Option<Batch<'_>> {
    let (before, rest) = sql.split_once("ROWS(")?;
    let (columns, after) = rest.split_once(')')?;
    let batch = Batch { before, columns: columns.split(',').map(str::trim).collect(), after };
    debug_assert_eq!(check_batch(&batch), Ok(()), "a statement has an unknown shape:\n{sql}");
    Some(batch)
}

/// Says what is wrong with a batch that the translations do not know. They know:
///
/// - `INSERT .. SELECT .. FROM ROWS(..) WHERE true ..`
/// - `UPDATE .. FROM ROWS(..) WHERE ..`
/// - `DELETE FROM t USING ROWS(..) WHERE ..`
/// - `.. FROM t, ROWS(..) WHERE ..`
/// - `SELECT .. FROM ROWS(..)`, followed by `WHERE`, `JOIN` or `LEFT JOIN`
/// - `SELECT .. FROM ROWS(..), LATERAL (SELECT ..) x`, to limit what is found for each row
fn check_batch(batch: &Batch<'_>) -> Result<(), String> {
    let (before, after) = (batch.before.trim(), batch.after.trim_start());
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_part_of_name);
    if let Some(column) = batch.columns.iter().find(|column| !is_name(column)) {
        return Err(format!("`{column}` is not the name of a column"));
    }
    if after.contains("ROWS(") || before.contains('$') || after.contains('$') {
        return Err("there must be one ROWS and no other parameter".to_owned());
    }
    let preceded = ["FROM", "USING", ","].iter().any(|word| before.ends_with(word));
    let followed =
        ["WHERE ", "JOIN ", "LEFT JOIN ", ", LATERAL ("].iter().any(|word| after.starts_with(word));
    if !preceded || !followed {
        return Err("ROWS must be the last table, or joined to the ones after it".to_owned());
    }
    if is_insert_of_rows(batch) && !(before.contains("SELECT ") && after.starts_with("WHERE true"))
    {
        return Err("an INSERT must be a SELECT from ROWS with `WHERE true`".to_owned());
    }
    let deleted_from = before.strip_suffix(" USING").map(|it| it.strip_prefix("DELETE FROM "));
    if deleted_from.is_some_and(|table| !table.is_some_and(is_name)) {
        return Err("only `DELETE FROM t USING ROWS` may say USING".to_owned());
    }
    let unknown = |text| row_columns(text).find(|name| !batch.columns.contains(name));
    match unknown(before).or_else(|| unknown(after)) {
        Some(name) => Err(format!("`r.{name}` is not a column of ROWS")),
        None => Ok(()),
    }
}

/// Whether the rows, and nothing else, are inserted.
fn is_insert_of_rows(batch: &Batch<'_>) -> bool {
    batch.before.starts_with("INSERT ") && batch.before.trim_end().ends_with("FROM")
}

fn is_part_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The `a` of every `r.a` in a text.
fn row_columns(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("r.").filter_map(|(position, _)| {
        let is_alias = !text.get(..position)?.ends_with(is_part_of_name);
        let name = text.get(position + 2..)?.split(|letter| !is_part_of_name(letter)).next()?;
        is_alias.then_some(name)
    })
}

/// A statement for SQLite, where `$1` would be a name and `?1` is a position, and where a batch is
/// the same statement run once per row.
pub(super) fn statement_for_sqlite(sql: &str) -> String {
    let sql = query_for_one_server(sql);
    let text = match split_batch(sql) {
        None => sql.replace('$', "?"),
        Some(batch) => {
            let plain = for_one_row(&batch, |position| format!("?{position}"));
            plain.unwrap_or_else(|| with_a_table_of_one_row(&batch))
        }
    };
    with_change_number_last(text)
}

/// The number of the change becomes the parameter after all others. It has a position and not a
/// name, because SQLite numbers names from left to right, and a later `?1` could be the same one.
fn with_change_number_last(text: String) -> String {
    if !text.contains(CHANGE_NUMBER) {
        return text;
    }
    let digits = |after: &str| after.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok();
    let positions = text.split('?').skip(1).filter_map(digits);
    let position: usize = positions.max().unwrap_or(0) + 1;
    text.replace(CHANGE_NUMBER, &format!("?{position}"))
}

/// The plain statement for a single row: the table of rows is left out, and its columns are
/// parameters, which `parameter` names by their positions. It costs half of what a table of one row
/// does, and a third of that when something is deleted. None when other tables are joined after
/// the rows, except for a single one that their columns lead to.
fn for_one_row(batch: &Batch<'_>, parameter: impl Fn(usize) -> String) -> Option<String> {
    let (before, after) = (batch.before.trim_end(), batch.after.trim_start());
    let bind_row = |text: &str| bind_columns(text, &batch.columns, |it| Some(parameter(it)));
    if after.starts_with("LEFT JOIN") {
        return None;
    }
    if let Some(joined) = after.strip_prefix("JOIN ") {
        return Some(bind_row(&format!("{before} {}", conditions_of_join(joined)?)));
    }
    if let Some(found) = after.strip_prefix(", LATERAL") {
        return Some(bind_row(&format!("{before}{found}")));
    }
    let inserted = before.strip_suffix("FROM").zip(after.strip_prefix("WHERE true"));
    if let Some((before, after)) = inserted
        && let Some((insert, values)) = before.split_once("SELECT ")
    {
        let values = values.trim_end();
        return Some(bind_row(&format!("{insert}VALUES ({values}){after}")));
    }
    let before = ["FROM", "USING", ","].iter().find_map(|word| before.strip_suffix(word))?;
    Some(bind_row(&format!("{} {after}", before.trim_end())))
}

/// `t WHERE ..` instead of `t ON ..`, if that means the same.
fn conditions_of_join(joined: &str) -> Option<String> {
    let (table, rest) = joined.split_once("ON ").filter(|(table, _)| table.ends_with(' '))?;
    let is_simple = !["JOIN ", "SELECT ", " OR "].iter().any(|word| rest.contains(word));
    is_simple.then(|| format!("{} WHERE {}", table.trim_end(), rest.replacen("WHERE ", "AND ", 1)))
}

/// Replaces `r.a` by what `bind` says about the position of `a`, from 1, if it says anything.
fn bind_columns(text: &str, columns: &[&str], bind: impl Fn(usize) -> Option<String>) -> String {
    let mut pieces = text.split("r.");
    let mut bound = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let name = piece.split(|letter| !is_part_of_name(letter)).next().unwrap_or_default();
        let column = (1_usize..).zip(columns).find(|(_, column)| **column == name);
        let column = column.filter(|_| !bound.ends_with(is_part_of_name));
        let (word, rest) = match column.and_then(|(position, _)| bind(position)) {
            Some(word) => (word, piece.get(name.len()..).unwrap_or_default()),
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

/// The text of a query for a database on one server.
pub(super) fn query_for_one_server(sql: &str) -> &str {
    sql.split_once(DISTRIBUTED).map_or(sql, |(text, _)| text)
}

/// A statement for PostgreSQL, where a batch is one array for each column.
pub(super) fn statement_for_postgres(sql: &str, kinds: impl Iterator<Item = Kind>) -> String {
    let Some(Batch { before, columns, after }) = split_batch(sql) else {
        return sql.to_owned();
    };
    let arrays: Vec<String> = (1_usize..)
        .zip(kinds)
        .map(|(position, kind)| format!("${position}::{}[]", type_name(kind)))
        .collect();
    let rows = format!("unnest({}) AS r({})", arrays.join(", "), columns.join(", "));
    match before.trim().strip_prefix("DELETE FROM ").and_then(|it| it.strip_suffix(" USING")) {
        Some(table) => delete_by_rows(table, &rows, after),
        None => format!("{before}{rows}{after}"),
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Int => "bigint",
        Kind::Bytes => "bytea",
    }
}

/// First finds what to delete, for each of the rows by itself. Otherwise the planner would read all
/// of a table that was nearly empty when it was last analyzed, once or even for each row.
fn delete_by_rows(table: &str, rows: &str, after: &str) -> String {
    let conditions = after.trim_start().trim_start_matches("WHERE");
    format!(
        "DELETE FROM {table} WHERE ctid = ANY (ARRAY(
             SELECT unnest(ARRAY(SELECT {table}.ctid FROM {table} WHERE {conditions}))
             FROM {rows}))"
    )
}

pub(super) fn schema_for_sqlite(text: &str) -> String {
    text.replace("BYTES", "BLOB").replace("CLUSTERED", "WITHOUT ROWID").replace("SPARSE", "")
}

/// Text compares byte by byte, as in SQLite, whatever the locale of the database. The pages of a
/// sparse table have room for one update of each row, which then touches no index.
pub(super) fn schema_for_postgres(text: &str) -> String {
    text.replace("BYTES", "BYTEA")
        .replace("CLUSTERED", "")
        .replace("SPARSE", "WITH (fillfactor = 50)")
        .replace("TEXT", "TEXT COLLATE \"C\"")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

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
            (
                "SELECT few.b FROM ROWS(a, n), LATERAL (SELECT b FROM t WHERE a = r.a LIMIT r.n) few",
                "SELECT few.b FROM (SELECT b FROM t WHERE a = ?1 LIMIT ?2) few",
            ),
        ] {
            assert_eq!(statement_for_sqlite(shared), for_sqlite);
        }
    }

    #[test]
    fn a_table_that_the_rows_lead_to_is_read_without_them() {
        assert_eq!(
            statement_for_sqlite("SELECT t.b FROM ROWS(a) JOIN t ON t.a = r.a WHERE t.b > 1"),
            "SELECT t.b FROM t WHERE t.a = ?1 AND t.b > 1"
        );
    }

    #[test]
    fn what_else_is_joined_behind_the_rows_finds_a_table_of_one_row() {
        for (shared, for_sqlite) in [
            (
                "SELECT t.b FROM ROWS(a) LEFT JOIN t ON t.a = r.a",
                "SELECT t.b FROM (SELECT ?1 AS a) AS r LEFT JOIN t ON t.a = r.a",
            ),
            (
                "SELECT u.b FROM ROWS(a) JOIN t ON t.a = r.a JOIN u ON u.b = t.b",
                "SELECT u.b FROM (SELECT ?1 AS a) AS r JOIN t ON t.a = r.a JOIN u ON u.b = t.b",
            ),
        ] {
            assert_eq!(statement_for_sqlite(shared), for_sqlite);
        }
    }

    #[test]
    fn the_number_of_a_change_is_the_last_parameter_for_sqlite() {
        assert_eq!(
            statement_for_sqlite("UPDATE t SET b = CHANGE_NUMBER FROM ROWS(a) WHERE t.a = r.a"),
            "UPDATE t SET b = ?2 WHERE t.a = ?1"
        );
    }

    #[test]
    fn only_whole_names_are_columns_of_the_rows() {
        let bound = bind_columns("our.a = r.a AND r.ab = r.a", &["a"], |it| Some(format!("?{it}")));
        assert_eq!(bound, "our.a = ?1 AND r.ab = ?1");
    }

    /// The batches in a source file.
    fn batches(source: &str) -> Vec<String> {
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        // Statements are literals, and no statement has a quotation mark in it.
        let literals = code.match_indices("ROWS(").map(|(position, _)| {
            let start = code[..position].rfind('"').unwrap() + 1;
            code[start..].split('"').next().unwrap().to_owned()
        });
        literals.filter(|literal| literal != "ROWS(").collect()
    }

    #[test]
    fn every_statement_of_the_store_has_a_shape_that_the_dialect_knows() {
        let mut statements = 0;
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.ends_with("dialect.rs") {
                    for statement in batches(&fs::read_to_string(&path).unwrap()) {
                        assert!(split_batch(&statement).is_some(), "{statement}");
                        statements += 1;
                    }
                }
            }
        }
        assert!(statements > 25, "{statements}");
    }

    #[test]
    fn other_shapes_are_rejected() {
        for (sql, complaint) in [
            ("SELECT 1 FROM ROWS(a, b c) WHERE true", "`b c` is not the name of a column"),
            ("SELECT 1 FROM ROWS(a) WHERE r.a = $1", "no other parameter"),
            ("SELECT 1 FROM ROWS(a), t WHERE t.a = r.a", "the last table"),
            ("SELECT 1 FROM t CROSS JOIN ROWS(a) WHERE t.a = r.a", "the last table"),
            ("INSERT INTO t SELECT r.a FROM ROWS(a) WHERE r.a > 1", "with `WHERE true`"),
            ("DELETE FROM t AS x USING ROWS(a) WHERE x.a = r.a", "may say USING"),
            ("DELETE FROM t USING ROWS(a) WHERE t.a = r.b", "`r.b` is not a column of ROWS"),
        ] {
            let (before, rest) = sql.split_once("ROWS(").unwrap();
            let (columns, after) = rest.split_once(')').unwrap();
            let columns = columns.split(',').map(str::trim).collect();
            let refused = check_batch(&Batch { before, columns, after }).unwrap_err();
            assert!(refused.contains(complaint), "{sql}: {refused}");
        }
    }
}
