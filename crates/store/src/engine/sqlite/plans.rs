//! In tests: the query plans of SQLite.
//!
//! A table that grows must never be scanned. So every statement that any test runs is explained
//! first, and a statement that would scan such a table fails its test.

use rusqlite::Connection;

/// Tables with a row for each merchant, operator, node, shard, sealing key or warehouse.
const SMALL: [&str; 6] =
    ["merchants", "nodes", "operators", "sealing_keys", "shard_leases", "warehouses"];

pub(super) fn check_plan(connection: &Connection, text: &str) {
    let Ok(mut explain) = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")) else { return };
    let lines = explain.raw_query().mapped(|row| row.get::<_, String>(3));
    let plan: Vec<String> = lines.collect::<Result<_, _>>().expect("a plan can be read");
    let mut scanned = plan.iter().filter_map(|line| line.strip_prefix("SCAN "));
    let large = scanned.find(|name| !is_small(name, &plan));
    assert!(large.is_none(), "a table is scanned by\n{text}\n{plan:#?}");
}

/// Whether it is a small table, or rows that another part of the plan produces.
fn is_small(name: &str, plan: &[String]) -> bool {
    let produced = |step: &str| plan.iter().any(|line| *line == format!("{step} {name}"));
    name == "CONSTANT ROW"
        || SMALL.contains(&name)
        || produced("CO-ROUTINE")
        || produced("MATERIALIZE")
}
