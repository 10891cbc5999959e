//! In tests: how SQLite means to find what a statement asks for.
//!
//! A table that grows may not be gone through from end to end, whatever the tests hold at the time. So every statement
//! that any of them runs is explained first, and one that would do so fails its test.

use rusqlite::Connection;

/// Tables with a row for each merchant, operator, node or shard.
const SMALL: [&str; 4] = ["merchants", "nodes", "operators", "shard_leases"];

pub(super) fn check(connection: &Connection, text: &str) {
    let Ok(mut explain) = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")) else { return };
    let lines = explain.raw_query().mapped(|row| row.get::<_, String>(3));
    let plan: Vec<String> = lines.collect::<Result<_, _>>().expect("a plan can be read");
    let mut scanned = plan.iter().filter_map(|line| line.strip_prefix("SCAN "));
    let long = scanned.find(|name| !is_short(name, &plan));
    assert!(long.is_none(), "all of a table is gone through by\n{text}\n{plan:#?}");
}

/// Whether it is a small table, or no table but rows that another part of the plan makes.
fn is_short(name: &str, plan: &[String]) -> bool {
    let made = |step: &str| plan.iter().any(|line| *line == format!("{step} {name}"));
    name == "CONSTANT ROW" || SMALL.contains(&name) || made("CO-ROUTINE") || made("MATERIALIZE")
}
