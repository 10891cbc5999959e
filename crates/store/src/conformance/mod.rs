//! The contract of the store, run on every engine.
//!
//! Each test is declared once. SQLite gets a file of its own, PostgreSQL a schema of its own in the
//! server that `TEST_POSTGRES_URL` names; without the variable the PostgreSQL half is skipped on a
//! laptop and fails in CI. Citus gets a schema of its own at `TEST_CITUS_URL`, and is skipped
//! without it.

mod access;
mod carriers;
mod core;
mod exchanges;
mod merchants;
mod messages;
mod money;
mod orders;
mod returns;
mod warehouse;
mod withdrawal;

use std::sync::Arc;

use domain::{
    identifier::MerchantId,
    merchants::merchant::{Merchant, MerchantSettings},
};
use jiff::Timestamp;
use prometheus_client::registry::Registry;
use tempfile::TempDir;

use crate::{IntakeKey, Location, Store, StoreError, StoreMetrics, Transaction};

/// A store that is gone when the test ends.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) store: Store,
    pub(crate) location: Location,
    directory: Arc<TempDir>,
}

macro_rules! on_every_engine {
    ($($test:ident),+ $(,)?) => {
        mod sqlite { $(
            #[tokio::test]
            async fn $test() { super::$test(crate::conformance::sqlite().await).await; }
        )+ }
        mod postgres { $(
            #[tokio::test]
            async fn $test() {
                if let Some(subject) = crate::conformance::postgres(stringify!($test)).await {
                    super::$test(subject).await;
                }
            }
        )+ }
        mod citus { $(
            #[tokio::test]
            async fn $test() {
                if let Some(subject) = crate::conformance::citus(stringify!($test)).await {
                    super::$test(subject).await;
                }
            }
        )+ }
    };
}
use on_every_engine;

/// What is looked up for orders that may be exchange orders.
fn intake_keys<'a>(order_ids: impl IntoIterator<Item = &'a str>) -> Vec<IntakeKey<'a>> {
    let key = |order_id| IntakeKey { order_id, refund_ids: Vec::new(), as_exchange: true };
    order_ids.into_iter().map(key).collect()
}

async fn sqlite() -> Subject {
    let directory = tempfile::tempdir().unwrap();
    open(Location::Sqlite(directory.path().join("homeward.db")), directory).await
}

pub(crate) async fn postgres(test: &str) -> Option<Subject> {
    Some(open_schema(&postgres_server()?, test, "").await)
}

/// The address of a PostgreSQL server for tests, if there is one.
pub(crate) fn postgres_server() -> Option<String> {
    let server = std::env::var("TEST_POSTGRES_URL").ok();
    let must_exist = std::env::var_os("CI").is_some();
    assert!(server.is_some() || !must_exist, "CI must test PostgreSQL: set TEST_POSTGRES_URL");
    server
}

/// A connection beside those of the store.
pub(crate) async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Few shards, because every test creates all of them.
pub(crate) async fn citus(test: &str) -> Option<Subject> {
    let server = std::env::var("TEST_CITUS_URL").ok()?;
    Some(open_schema(&server, test, "%20-ccitus.shard_count%3D2").await)
}

async fn open_schema(server: &str, test: &str, settings: &str) -> Subject {
    open(create_schema(server, test, settings).await, tempfile::tempdir().unwrap()).await
}

/// An empty schema for a test.
async fn create_schema(server: &str, test: &str, settings: &str) -> Location {
    let client = connect(server).await;
    let schema = format!("conformance_{test}");
    let renew = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
    client.batch_execute(&renew).await.unwrap();
    let join = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{join}options=-csearch_path%3D{schema}{settings}");
    Location::Postgres(url)
}

async fn open(location: Location, directory: TempDir) -> Subject {
    let store = Store::open(&location, &metrics()).await.unwrap();
    store.migrate().await.unwrap();
    Subject { store, location, directory: Arc::new(directory) }
}

pub(crate) fn metrics() -> StoreMetrics {
    StoreMetrics::register(&mut Registry::default())
}

fn acme() -> MerchantId {
    MerchantId::parse("acme").unwrap()
}

fn other() -> MerchantId {
    MerchantId::parse("other").unwrap()
}

/// Commits what `fill` adds to a transaction.
async fn commit(store: &Store, fill: impl FnOnce(&mut Transaction)) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("testing");
    fill(&mut transaction);
    store.commit(transaction).await.map(drop)
}

fn assert_conflict(result: &Result<(), StoreError>) {
    assert!(matches!(result, Err(StoreError::Conflict)), "{result:?}");
}

fn merchant(id: &MerchantId) -> Merchant {
    Merchant {
        id: id.clone(),
        name: "Ümlaut & Söhne".to_owned(),
        settings: MerchantSettings { strict: true, ..MerchantSettings::default() },
        return_address: None,
        signing_secrets: Vec::new(),
        created_at: Timestamp::UNIX_EPOCH,
        disabled_at: None,
    }
}
