//! PostgreSQL: a schema of its own for each server that needs one.
//!
//! Several runs of the tests may use one PostgreSQL at the same time. Each takes a slot, which is
//! an advisory lock held by a connection for as long as the process lives, and its schemas carry
//! the number of the slot. So no run takes another's tables away, and what a run leaves behind is
//! used again by a later one.

use std::sync::{OnceLock, mpsc};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};

/// Where the locks of the slots begin; the number means nothing but "these tests".
const FIRST_LOCK: i64 = 0x626c_6b00;
const SLOTS: i64 = 64;

/// The address of an empty schema, or nothing when there is no PostgreSQL to test with.
pub(crate) fn schema(name: &str) -> Option<String> {
    let Ok(server) = std::env::var("TEST_POSTGRES_URL") else {
        assert!(std::env::var_os("CI").is_none(), "CI must test PostgreSQL: set TEST_POSTGRES_URL");
        return None;
    };
    let schema = full_name(&server, name);
    execute(&server, &format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}"));
    let join = if server.contains('?') { '&' } else { '?' };
    Some(format!("{server}{join}options=-csearch_path%3D{schema}"))
}

/// Takes the tables away from under whoever uses them.
pub(crate) fn drop_schema(name: &str) {
    let server = std::env::var("TEST_POSTGRES_URL").unwrap();
    execute(&server, &format!("DROP SCHEMA {} CASCADE", full_name(&server, name)));
}

fn full_name(server: &str, name: &str) -> String {
    static SLOT: OnceLock<i64> = OnceLock::new();
    let slot = SLOT.get_or_init(|| take_slot(server.to_owned()));
    format!("blackbox_{slot}_{name}")
}

/// Takes the first free slot. A thread keeps its connection, and with it the lock, to the end.
fn take_slot(server: String) -> i64 {
    let (taken, slot) = mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            let client = connect(&server).await;
            taken.send(free_slot(&client).await).unwrap();
            std::future::pending::<()>().await;
        });
    });
    slot.recv().unwrap()
}

async fn free_slot(client: &Client) -> i64 {
    for slot in 0..SLOTS {
        let lock = FIRST_LOCK + slot;
        let row = client.query_one("SELECT pg_try_advisory_lock($1)", &[&lock]).await.unwrap();
        if row.get(0) {
            return slot;
        }
    }
    panic!("{SLOTS} runs of these tests use this PostgreSQL already");
}

fn execute(server: &str, sql: &str) {
    runtime().block_on(async { connect(server).await.batch_execute(sql).await.unwrap() });
}

/// A connection, spoken for by a task of the runtime it was made in.
async fn connect(server: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(server, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}
