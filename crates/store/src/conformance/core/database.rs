//! The database as a whole: schema, groups of commits, backup, closing.

use bytes::Bytes;
use domain::messages::kind::MessageKind;
use futures_util::future::join_all;

use crate::{
    Location, Migration, NewMessage, OrderRow, Store, StoreError, Transaction, backup,
    conformance::{Subject, acme, intake_keys, metrics, on_every_engine, other},
};

on_every_engine!(
    a_schema_is_brought_up_to_date_once,
    a_database_newer_than_the_binary_is_refused,
    transactions_committed_together_have_results_of_their_own,
    a_backup_taken_during_writes_is_consistent,
    committed_data_survives_reopening,
);

fn pair(number: usize) -> Transaction {
    let row = |half: &str| OrderRow {
        order_id: format!("{number:05}-{half}"),
        replaces: 0,
        updated_us: 1,
        status: domain::orders::order::OrderStatus::Shipped,
        shopper_hash: 5,
        secondary_id: String::new(),
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(&[0, 159, 146, 150]),
    };
    let mut transaction = Transaction::new("storing a pair");
    transaction.put_orders(&acme(), vec![row("left"), row("right")], 1);
    transaction
}

async fn halves(store: &Store, number: usize) -> usize {
    let ids = [format!("{number:05}-left"), format!("{number:05}-right")];
    let keys = intake_keys(ids.iter().map(String::as_str));
    store.intake_state(&acme(), &keys).await.unwrap().heads.len()
}

async fn a_schema_is_brought_up_to_date_once(Subject { store, .. }: Subject) {
    let version = store.schema_version().await.unwrap();

    assert!(version > 0);
    let again = Migration { from: version, to: version, distributed_tables: 0 };
    assert_eq!(store.migrate().await.unwrap(), again);
}

async fn a_database_newer_than_the_binary_is_refused(Subject { store, .. }: Subject) {
    store.engine.migrate("CREATE TABLE from_the_future (a BIGINT);", 999).await.unwrap();

    let refused = store.migrate().await.unwrap_err().to_string();

    assert!(refused.contains("999") && refused.contains("newer homeward"), "{refused}");
}

/// Stores a pair, and enqueues a message about it for both merchants.
fn pair_with_messages(number: usize) -> Transaction {
    let mut transaction = pair(number);
    for merchant in [other(), acme()] {
        transaction.enqueue(NewMessage {
            merchant,
            kind: MessageKind::Rma,
            reference: number.to_string(),
            sequence: 1,
            lane: 1,
            created_us: 1,
            replay: false,
            body: Bytes::from(number.to_string()),
        });
    }
    transaction
}

async fn transactions_committed_together_have_results_of_their_own(Subject { store, .. }: Subject) {
    store.commit(pair(7)).await.unwrap();
    let store = &store;

    let outcomes = join_all((0..100).map(|number| store.commit(pair_with_messages(number)))).await;

    let mut numbers = Vec::new();
    for (number, outcome) in outcomes.into_iter().enumerate() {
        if number == 7 {
            assert!(
                matches!(outcome, Err(StoreError::Conflict)),
                "it is there already: {outcome:?}"
            );
            continue;
        }
        for pending in outcome.unwrap() {
            let body = store.message(&pending.merchant, pending.message_id).await.unwrap();
            assert_eq!(body.unwrap().1, number.to_string(), "its own number");
            numbers.push((pending.merchant, pending.message_id));
        }
    }
    numbers.sort();
    let expected =
        [acme(), other()].into_iter().flat_map(|it| (1..100).map(move |n| (it.clone(), n)));
    let mut expected: Vec<_> = expected.collect();
    expected.sort();
    assert_eq!(numbers, expected, "without a gap");
    let counted = store.day_counts(0).await.unwrap();
    assert_eq!(counted.iter().map(|it| it.number).sum::<i64>(), 200);
}

async fn a_backup_taken_during_writes_is_consistent(subject: Subject) {
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
    let copy = Store::open(&Location::Sqlite(file), &metrics()).await.unwrap();
    assert_eq!(copy.schema_version().await.unwrap(), store.schema_version().await.unwrap());
    for number in 0..200 {
        assert_eq!(halves(&copy, number).await, 2);
    }
    for number in 200..600 {
        assert_ne!(halves(&copy, number).await, 1, "a transaction is copied whole or not at all");
    }
    let stored = copy.stored_order(&acme(), "00000-left").await.unwrap().unwrap();
    assert_eq!(stored.body.as_ref(), [0, 159, 146, 150]);
}

async fn committed_data_survives_reopening(subject: Subject) {
    let Subject { store, location, directory: _directory } = subject;
    store.commit(pair(1)).await.unwrap();
    store.close().await;
    assert!(store.commit(pair(2)).await.is_err(), "a closed store says so");

    let again = Store::open(&location, &metrics()).await.unwrap();

    assert_eq!(halves(&again, 1).await, 2);
}
