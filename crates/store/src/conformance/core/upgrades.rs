//! Databases of earlier schemas, with data that a server of that time wrote, are migrated.

use bytes::Bytes;
use domain::{identifier::MerchantId, returns::journal::state_after};
use serde_json::Value as Json;

use crate::{
    Backlog, Location, ShopperKeyKind, Store, StoreError, Transaction,
    conformance::{acme, create_schema, metrics},
    core::{schema::MIGRATIONS, value::Value},
};

/// An order with a refund, a return that was received and refunded and one that was canceled, a
/// drop-ship order, an ASN, and messages that wait: one row of a table in each line.
const SCHEMA_12: &str = include_str!("schema_12.ndjson");

/// A store as a server with the first 12 migrations left it.
async fn open_schema_12(location: &Location) -> Store {
    let store = Store::open(location, &metrics()).await.unwrap();
    for (number, text) in (1..).zip(MIGRATIONS).take(12) {
        store.engine.migrate(text, number).await.unwrap();
    }
    let mut transaction = Transaction::new("loading the rows of an earlier version");
    for line in SCHEMA_12.lines() {
        let line: Json = serde_json::from_str(line).unwrap();
        let row = line["row"].as_object().unwrap();
        let columns: Vec<&str> = row.keys().map(String::as_str).collect();
        let places: Vec<String> = (1..=columns.len()).map(|place| format!("${place}")).collect();
        let table = line["table"].as_str().unwrap();
        let sql =
            format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), places.join(", "));
        transaction.one_row(sql.leak(), row.values().map(read_value).collect());
    }
    store.commit(transaction).await.unwrap();
    store
}

fn read_value(value: &Json) -> Value {
    match value {
        Json::String(text) => Value::Text(text.clone()),
        Json::Number(number) => Value::Int(number.as_i64().unwrap()),
        Json::Object(bytes) => {
            let digits = bytes["hex"].as_str().unwrap();
            let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            Value::Bytes((0..digits.len()).step_by(2).map(byte).collect::<Bytes>())
        }
        Json::Null | Json::Bool(_) | Json::Array(_) => panic!("no column has {value}"),
    }
}

async fn migrate_and_examine(store: &Store) {
    let migrated = store.migrate().await.unwrap();
    assert_eq!((migrated.from, migrated.to), (12, i64::try_from(MIGRATIONS.len()).unwrap()));

    let merchant: MerchantId = acme();
    let order = store.stored_order(&merchant, "ORD-100472").await.unwrap().unwrap();
    assert_eq!((order.refunds.len(), order.ledger.value.rmas().len()), (1, 2));
    for rma in order.ledger.value.rmas() {
        let id = domain::returns::identifier::RmaId::parse(rma).unwrap();
        let stored = store.rma(&merchant, &id).await.unwrap().unwrap();
        let events = store.return_events(&merchant, &id, -1, 99).await.unwrap();
        assert_eq!(state_after(events).unwrap(), stored.value, "{rma}");
    }
    assert!(store.drop_ship_order(&merchant, "DS-20417").await.unwrap().is_some());
    let waiting = store.count_backlog(Backlog::Waiting, None, 99).await.unwrap();
    assert_eq!(waiting.iter().map(|it| it.messages).sum::<i64>(), 8);
    let unkeyed = store.unkeyed_shoppers(99).await.unwrap();
    let returns = unkeyed.iter().filter(|it| it.kind == ShopperKeyKind::Return);
    assert_eq!((unkeyed.len(), returns.count()), (3, 2));
}

#[tokio::test]
async fn a_database_of_schema_12_is_migrated_with_its_data_on_sqlite() {
    let directory = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(directory.path().join("homeward.db"));
    migrate_and_examine(&open_schema_12(&location).await).await;
}

#[tokio::test]
async fn a_database_of_schema_12_is_migrated_on_postgres_once_older_nodes_are_stopped() {
    let Ok(server) = std::env::var("TEST_POSTGRES_URL") else {
        assert!(std::env::var_os("CI").is_none(), "CI must test PostgreSQL: set TEST_POSTGRES_URL");
        return;
    };
    let location = create_schema(&server, "upgrade_from_12", "").await;
    let store = open_schema_12(&location).await;
    store.heartbeat("an older node", 0, i64::MAX).await.unwrap();

    let refused = store.migrate().await;
    let Err(StoreError::Unusable(why)) = refused else { panic!("{refused:?}") };
    assert!(why.starts_with("1 nodes of an older version use this database"), "{why}");
    assert_eq!(store.schema_version().await.unwrap(), 12);

    store.remove_node("an older node").await.unwrap();
    migrate_and_examine(&store).await;
}
