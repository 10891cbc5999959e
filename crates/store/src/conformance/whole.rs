//! The database as a whole: schema, backup, closing.

use bytes::Bytes;

use super::{Subject, acme, meters, on_both_engines};
use crate::{Location, OrderRow, Store, Transaction, backup};

on_both_engines!(
    a_schema_is_brought_up_to_date_once,
    a_database_newer_than_the_binary_is_refused,
    a_backup_taken_during_writes_is_whole,
    what_was_committed_is_there_after_reopening,
);

fn pair(number: usize) -> Transaction {
    let row = |half: &str| OrderRow {
        order_id: format!("{number:05}-{half}"),
        replaces: 0,
        updated_us: 1,
        status: domain::order::OrderStatus::Shipped,
        shopper_hash: 5,
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(&[0, 159, 146, 150]),
    };
    let mut transaction = Transaction::new("storing a pair");
    transaction.put_orders(&acme(), vec![row("left"), row("right")], 1);
    transaction
}

async fn halves(store: &Store, number: usize) -> usize {
    let ids = [format!("{number:05}-left"), format!("{number:05}-right")];
    store.order_heads(&acme(), ids.iter().map(String::as_str)).await.unwrap().len()
}

async fn a_schema_is_brought_up_to_date_once(Subject { store, .. }: Subject) {
    let version = store.schema_version().await.unwrap();

    assert!(version > 0);
    assert_eq!(store.migrate().await.unwrap(), (version, version));
}

async fn a_database_newer_than_the_binary_is_refused(Subject { store, .. }: Subject) {
    store.engine.migrate("CREATE TABLE from_the_future (a BIGINT);", 999).await.unwrap();

    let refused = store.migrate().await.unwrap_err().to_string();

    assert!(refused.contains("999") && refused.contains("newer homeward"), "{refused}");
}

async fn a_backup_taken_during_writes_is_whole(subject: Subject) {
    let Subject { store, location, directory } = subject;
    for number in 0..200 {
        store.commit(pair(number)).await.unwrap();
    }
    let writer = {
        let store = store.clone();
        tokio::spawn(async move {
            for number in 200..600 {
                store.commit(pair(number)).await.unwrap();
            }
        })
    };
    let file = directory.path().join("backup.db");

    backup(&location, &file).await.unwrap();

    writer.await.unwrap();
    let copy = Store::open(&Location::Sqlite(file), &meters()).await.unwrap();
    assert_eq!(copy.schema_version().await.unwrap(), store.schema_version().await.unwrap());
    for number in 0..200 {
        assert_eq!(halves(&copy, number).await, 2);
    }
    for number in 200..600 {
        assert_ne!(halves(&copy, number).await, 1, "a transaction is copied whole or not at all");
    }
    let stored = copy.order_file(&acme(), "00000-left").await.unwrap().unwrap();
    assert_eq!(stored.body.as_ref(), [0, 159, 146, 150]);
}

async fn what_was_committed_is_there_after_reopening(subject: Subject) {
    let Subject { store, location, directory: _directory } = subject;
    store.commit(pair(1)).await.unwrap();
    store.close().await;
    assert!(store.commit(pair(2)).await.is_err(), "a closed store says so");

    let again = Store::open(&location, &meters()).await.unwrap();

    assert_eq!(halves(&again, 1).await, 2);
}
