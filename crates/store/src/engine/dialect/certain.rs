//! Which steps need no check before they are committed: they do all they must, or they fail.

use std::borrow::Cow;

use super::{is_insert_of_rows, split_batch};
use crate::core::transaction::Guard;

const SKIP: &str = "ON CONFLICT DO NOTHING";

/// A statement that must touch each of its rows, for PostgreSQL. Where a row exists already it
/// fails instead of skipping it: both are a conflict, and to fail costs less for all the rows that
/// are new.
pub(in crate::engine) fn without_skipping(sql: &'static str, guard: Guard) -> &'static str {
    match guard {
        Guard::OneEach => sql.strip_suffix(SKIP).map_or(sql, str::trim_end),
        Guard::Any => sql,
    }
}

/// Whether a statement that skips nothing touches as many rows as `guard` demands, or fails.
pub(in crate::engine) fn is_certain(sql: &'static str, guard: Guard) -> bool {
    match guard {
        Guard::Any => true,
        Guard::OneEach => inserts_each_row(without_skipping(sql, guard)),
    }
}

/// A statement for PostgreSQL that fails unless it touches one row for each of its own. Its error
/// is that of a text which is not a number, and the text says what happened.
pub(in crate::engine) fn failing_unless_each(text: &str) -> String {
    let batch = text.split_once("unnest($1::").and_then(|(_, rest)| rest.split([',', ')']).next());
    let wanted = match batch {
        Some(array) => format!("cardinality($1::{array})"),
        None => "1".to_owned(),
    };
    format!(
        "WITH touched AS ({text} RETURNING 1)
         SELECT CASE WHEN count(*) = {wanted} THEN 1 ELSE CAST(format(
             'conflict: %s of %s rows were as expected', count(*), {wanted}) AS bigint) END
         FROM touched"
    )
}

fn inserts_each_row(sql: &str) -> bool {
    let conditions: Cow<'_, str> = match split_batch(sql) {
        Some(batch) if is_insert_of_rows(&batch) => {
            batch.after.replacen("WHERE true", "", 1).into()
        }
        Some(_) => return false,
        None => sql.into(),
    };
    let is_insert = sql.starts_with("INSERT ") && (conditions != sql || sql.contains("VALUES ("));
    is_insert && !conditions.contains("WHERE") && !conditions.contains("DO NOTHING")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insert_of_each_row_is_certain_and_anything_with_a_condition_is_not() {
        for (sql, certain) in [
            ("INSERT INTO t (a) SELECT r.a FROM ROWS(a) WHERE true", true),
            ("INSERT INTO t (a) SELECT r.a FROM ROWS(a) WHERE true ON CONFLICT DO NOTHING", true),
            (
                "INSERT INTO t (a) SELECT r.a FROM ROWS(a) WHERE true
                 ON CONFLICT (a) DO UPDATE SET a = excluded.a RETURNING a",
                true,
            ),
            (
                "INSERT INTO t (a) SELECT r.a FROM ROWS(a) WHERE true
                 ON CONFLICT (a) DO UPDATE SET a = excluded.a WHERE t.b = 1",
                false,
            ),
            (
                "INSERT INTO t (a) SELECT r.a FROM ROWS(a) WHERE true
                 ON CONFLICT DO NOTHING RETURNING a",
                false,
            ),
            ("INSERT INTO t (a) VALUES ($1) ON CONFLICT DO NOTHING", true),
            ("INSERT INTO t (a) SELECT $1 WHERE EXISTS (SELECT 1)", false),
            ("INSERT INTO t (a) SELECT a FROM u", false),
            ("UPDATE t SET a = r.a FROM ROWS(a) WHERE t.a = r.a", false),
            ("DELETE FROM t WHERE a = $1", false),
        ] {
            assert_eq!(is_certain(sql, Guard::OneEach), certain, "{sql}");
            assert!(is_certain(sql, Guard::Any), "{sql}");
        }
    }

    #[test]
    fn a_checked_statement_counts_its_rows() {
        let batch = "UPDATE t SET a = r.a FROM unnest($1::text[], $2::bigint[]) AS r(b, a)
            WHERE t.b = r.b";
        assert!(failing_unless_each(batch).contains("count(*) = cardinality($1::text[]) THEN"));
        assert!(failing_unless_each("DELETE FROM t WHERE a = $1").contains("count(*) = 1 THEN"));
    }

    #[test]
    fn a_row_that_may_be_skipped_is_still_skipped() {
        let sql = "INSERT INTO t (a) VALUES ($1) ON CONFLICT DO NOTHING";
        assert_eq!(without_skipping(sql, Guard::Any), sql);
        assert_eq!(without_skipping(sql, Guard::OneEach), "INSERT INTO t (a) VALUES ($1)");
    }
}
