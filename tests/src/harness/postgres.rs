//! PostgreSQL, on one server and distributed (Citus): a schema of its own for each server that
//! needs one.
//!
//! Several runs of the tests may use one database at the same time. Each takes a slot, which is an
//! advisory lock held by a connection for as long as the process lives, and its schemas carry the
//! number of the slot. So no run takes another's tables away, and what a run leaves behind is used
//! again by a later one.

use std::sync::{OnceLock, mpsc};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Error, NoTls, error::SqlState};

/// Where the locks of the slots begin; the number means nothing but "these tests".
const FIRST_LOCK: i64 = 0x626c_6b00;
const SLOTS: i64 = 64;

/// A database to test with, if the variable of the environment with its address is set.
pub(crate) struct Database {
    variable: &'static str,
    /// Whether CI must have it.
    required: bool,
    /// More settings of each connection.
    settings: &'static str,
    slot: OnceLock<i64>,
}

pub(crate) static POSTGRES: Database =
    Database { variable: "TEST_POSTGRES_URL", required: true, settings: "", slot: OnceLock::new() };

/// Few shards, because every schema has all of them.
const FEW_SHARDS: &str = "%20-ccitus.shard_count%3D2";

pub(crate) static CITUS: Database = Database {
    variable: "TEST_CITUS_URL",
    required: false,
    settings: FEW_SHARDS,
    slot: OnceLock::new(),
};

pub(crate) fn is_on_citus(address: &str) -> bool {
    address.ends_with(FEW_SHARDS)
}

/// The database for tests that any database will do for: the one that `TEST_STORE` names, or none
/// for SQLite.
pub(crate) fn chosen() -> Option<&'static Database> {
    match std::env::var("TEST_STORE").as_deref() {
        Err(_) | Ok("sqlite") => None,
        Ok("postgres") => Some(&POSTGRES),
        Ok("citus") => Some(&CITUS),
        Ok(other) => panic!("TEST_STORE is {other}, not sqlite, postgres or citus"),
    }
}

/// A schema that was empty when it was made.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) address: String,
    name: String,
    server: String,
}

/// A schema that is removed when it is no longer used: Citus gets slow with thousands of tables.
#[derive(Debug)]
pub(crate) struct OwnSchema(pub(crate) Schema);

impl Drop for OwnSchema {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.0.drop();
        }
    }
}

/// An empty schema in each database that there is to test with.
pub(crate) fn schemas(name: &str) -> impl Iterator<Item = Schema> {
    [&POSTGRES, &CITUS].into_iter().filter_map(move |database| database.schema(name))
}

impl Database {
    /// An empty schema, or nothing when there is no such database to test with.
    pub(crate) fn schema(&self, name: &str) -> Option<Schema> {
        let Ok(server) = std::env::var(self.variable) else {
            let required = self.required && std::env::var_os("CI").is_some();
            assert!(!required, "CI must test PostgreSQL: set {}", self.variable);
            return None;
        };
        let slot = self.slot.get_or_init(|| take_slot(server.clone()));
        let name = format!("blackbox_{slot}_{name}");
        execute(&server, &format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}"));
        let join = if server.contains('?') { '&' } else { '?' };
        let address = format!("{server}{join}options=-csearch_path%3D{name}{}", self.settings);
        Some(Schema { address, name, server })
    }
}

impl Schema {
    /// Makes every read of a table wait for some seconds, from a thread of its own.
    pub(crate) fn lock(&self, table: &str, seconds: u32) -> std::thread::JoinHandle<()> {
        let (server, name) = (self.server.clone(), &self.name);
        let sql = format!(
            "BEGIN; LOCK TABLE {name}.{table} IN ACCESS EXCLUSIVE MODE; \
             SELECT pg_sleep({seconds}); COMMIT"
        );
        std::thread::spawn(move || execute(&server, &sql))
    }

    /// Runs statements in the schema.
    pub(crate) fn execute(&self, sql: &str) {
        execute(&self.address, sql);
    }

    /// Removes the tables while servers use them: once more where that is a deadlock with one.
    pub(crate) fn drop(&self) {
        let sql = format!("DROP SCHEMA {} CASCADE", self.name);
        while let Err(error) = try_to_execute(&self.server, &sql) {
            assert_eq!(error.code(), Some(&SqlState::T_R_DEADLOCK_DETECTED), "{error:?}");
        }
    }
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
    try_to_execute(server, sql).unwrap();
}

fn try_to_execute(server: &str, sql: &str) -> Result<(), Error> {
    runtime().block_on(async { connect(server).await.batch_execute(sql).await })
}

/// The text that a statement returns; empty when it returns nothing.
pub(crate) fn read_text(server: &str, sql: &str) -> String {
    runtime().block_on(async {
        let rows = connect(server).await.query(sql, &[]).await.unwrap();
        rows.first().map_or(String::new(), |row| row.get(0))
    })
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
