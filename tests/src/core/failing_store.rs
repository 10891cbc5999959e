//! The store fails under a running server. The log says why: operators read it at night, and a
//! line without the message of the database is of no use to them.

use std::{
    collections::BTreeSet,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use sim::Behavior;

use crate::harness::{
    eventually,
    home::Home,
    http::Request,
    postgres::{CITUS, Database, POSTGRES},
    samples::{message, sample_order},
    server::Server,
    stage::{QUICK, Stage},
    within,
};

/// Longer than the cleanup waits before it runs for the first time.
const LOGGED_WITHIN: Duration = Duration::from_secs(100);
/// So slow that a message is under way when the store fails.
const ANSWER_AFTER_MS: u64 = 1_500;

/// What must fail in the time of the test: a request, and work that no request asks for.
const FAILURES: [&str; 5] = [
    "request failed",
    "issuing labels failed, will retry",
    "settling exchange orders failed, will retry",
    "cleanup of expired tokens failed, will retry",
    "storing 1 attempt outcome failed, retrying in 1 s",
];
/// What must fail besides where several nodes share the store.
const SHARED_FAILURES: [&str; 2] =
    ["renewing leases failed, retrying in 5 s", "looking for pending deliveries failed"];
/// Work that is repeated every few seconds, and whose failure is logged once a minute.
const REPEATED: [&str; 2] =
    ["looking for pending deliveries failed", "asking for the keys of the database failed"];

#[test]
fn on_sqlite_every_warning_and_error_ends_with_the_message_of_the_database() {
    let server = Home::sqlite().serve(&QUICK);
    let file = server.home.data_dir().join("homeward.db");
    for line in fail_store(&server, || drop_tables(&file), &FAILURES) {
        let cause = line.split_once(": SQLite: ").map(|(_, cause)| cause);
        assert!(cause.is_some_and(|it| it.starts_with("no such table: ")), "{line}");
    }
}

#[test]
fn on_postgres_every_warning_and_error_ends_with_the_message_of_the_database() {
    fail_database(&POSTGRES);
}

#[test]
fn on_citus_every_warning_and_error_ends_with_the_message_of_the_database() {
    fail_database(&CITUS);
}

fn fail_database(database: &Database) {
    let Some(schema) = database.schema("failing_store") else { return };
    let server = Home::on(&schema.address).serve(&QUICK);
    let drop_schema = || schema.drop();
    let expected = [&FAILURES[..], &SHARED_FAILURES].concat();
    let begun = Instant::now();
    let warnings = fail_store(&server, drop_schema, &expected);
    let minutes = usize::try_from(begun.elapsed().as_secs() / 60).unwrap();
    for work in REPEATED {
        let lines = warnings.iter().filter(|line| line.contains(work)).count();
        assert!((1..=minutes + 1).contains(&lines), "{work}: {lines} lines in {minutes} min");
    }
    for line in warnings {
        let cause = line.split_once(": PostgreSQL: ").map(|(_, cause)| cause);
        // The message is followed by its code: the table does not exist.
        assert!(cause.is_some_and(|it| it.ends_with(" does not exist (42P01)")), "{line}");
    }
}

/// Removes all tables of a database that a server uses.
fn drop_tables(file: &Path) {
    let database = rusqlite::Connection::open(file).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let tables: Vec<String> = database
        .prepare(tables)
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(tables.len() > 20, "{tables:?}");
    let drops: Vec<String> = tables.iter().map(|table| format!("DROP TABLE {table};")).collect();
    database.execute_batch(&format!("BEGIN IMMEDIATE; {} COMMIT", drops.concat())).unwrap();
}

/// Makes the store of a busy server fail, waits until `expected` has been logged, and returns all
/// warnings and errors in the log, without their times.
fn fail_store(server: &Server, fail: impl FnOnce(), expected: &[&str]) -> Vec<String> {
    let (stage, running) = Stage::with_receiver(server);
    stage.publish(&[sample_order("A")]);
    let slow = Behavior { delay_ms: ANSWER_AFTER_MS, ..Behavior::NORMAL };
    running.merchant().behave(&[slow]).unwrap();
    stage.test("lane", 1);
    eventually("a message is under way", || (running.merchant().summary().calls > 0).then_some(()));
    assert_eq!(list_warnings(server), Vec::<String>::new(), "before the store fails");

    fail();
    let warnings = within(LOGGED_WITHIN, "every failure is logged", || {
        send_requests(server, &stage.token);
        let warnings = list_warnings(server);
        let is_logged = |it: &&str| warnings.iter().any(|line| line.contains(it));
        expected.iter().all(is_logged).then_some(warnings)
    });

    let different: BTreeSet<&str> =
        warnings.iter().filter_map(|line| line.split(": ").next()).collect();
    assert!(different.len() >= expected.len(), "{different:?}");
    warnings
}

/// Reads and writes, which fail without a word about the cause to the caller.
fn send_requests(server: &Server, token: &str) {
    let replies = [
        server.publish(token, &message(&[sample_order("B")])),
        server.order(token, "A"),
        server.send(&Request::get("/messages").bearer(token)),
    ];
    for reply in replies {
        assert_eq!(reply.said(), r#"500 {"message":"internal error; it has been logged"}"#);
    }
    thread::sleep(Duration::from_millis(200));
}

/// The lines of the log at the levels WARN and ERROR, from the level on.
fn list_warnings(server: &Server) -> Vec<String> {
    let log = server.log();
    // The last line may not be complete yet.
    let complete = log.rfind('\n').map_or("", |end| &log[..end]);
    let levels = [" WARN ", " ERROR "];
    let from_level = |line: &str| levels.iter().find_map(|level| line.find(level));
    complete.lines().filter_map(|line| Some(line[from_level(line)?..].trim().to_owned())).collect()
}
