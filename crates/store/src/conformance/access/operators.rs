//! Operators and their sessions.

use bytes::Bytes;
use domain::access::operator::{Operator, OperatorName, Role};
use jiff::Timestamp;

use crate::{
    SessionRow, Store, StoreError,
    conformance::{Subject, commit, on_every_engine},
};

on_every_engine!(
    an_operator_reads_back_and_is_listed_by_name,
    an_operators_name_is_taken_once,
    an_operator_changes_only_at_the_version_read,
    a_session_leads_to_its_operator_until_it_is_ended,
    a_session_that_is_used_lasts_longer,
    all_sessions_of_an_operator_end_at_once,
    expired_sessions_are_removed_in_batches,
);

fn operator(name: &str) -> Operator {
    Operator {
        name: OperatorName::parse(name).unwrap(),
        role: Role::Warehouse,
        merchant: None,
        password_hash: "$argon2id$".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        disabled_at: None,
    }
}

fn hash(number: i64) -> Bytes {
    Bytes::from(number.to_string())
}

/// Two operators; the first has sessions 1 and 2, the second 3.
async fn people(store: &Store) -> (Operator, Operator) {
    let (lena, mara) = (operator("lena"), operator("mara"));
    commit(store, |transaction| {
        transaction.insert_operator(&mara);
        transaction.insert_operator(&lena);
        transaction.insert_session(hash(1), &lena.name, 10, 100);
        transaction.insert_session(hash(2), &lena.name, 20, 200);
        transaction.insert_session(hash(3), &mara.name, 30, 300);
    })
    .await
    .unwrap();
    (lena, mara)
}

async fn live(store: &Store) -> Vec<i64> {
    let mut live = Vec::new();
    for number in 1..=3 {
        live.extend(store.session(hash(number)).await.unwrap().map(|_| number));
    }
    live
}

async fn an_operator_reads_back_and_is_listed_by_name(Subject { store, .. }: Subject) {
    let (lena, mara) = people(&store).await;

    assert_eq!(store.operator(&lena.name).await.unwrap().unwrap().value, lena);
    assert_eq!(store.operators(10).await.unwrap(), [lena.clone(), mara]);
    assert_eq!(store.operators(1).await.unwrap(), [lena]);
    assert!(store.operator(&operator("unknown").name).await.unwrap().is_none());
}

async fn an_operators_name_is_taken_once(Subject { store, .. }: Subject) {
    let (lena, _) = people(&store).await;
    let again = commit(&store, |transaction| transaction.insert_operator(&lena)).await;
    assert!(matches!(again, Err(StoreError::Conflict)));
}

async fn an_operator_changes_only_at_the_version_read(Subject { store, .. }: Subject) {
    let (mut lena, _) = people(&store).await;
    lena.disabled_at = Some(Timestamp::UNIX_EPOCH);

    let refused = commit(&store, |transaction| transaction.update_operator(&lena, 2)).await;
    assert!(matches!(refused, Err(StoreError::Conflict)));
    let hold = async |version| {
        commit(&store, |transaction| transaction.guard_operator(&lena.name, version)).await
    };
    hold(1).await.unwrap();
    commit(&store, |transaction| transaction.update_operator(&lena, 1)).await.unwrap();
    assert!(matches!(hold(1).await, Err(StoreError::Conflict)));

    let found = store.operator(&lena.name).await.unwrap().unwrap();
    assert_eq!((found.value, found.version), (lena, 2));
}

async fn a_session_leads_to_its_operator_until_it_is_ended(Subject { store, .. }: Subject) {
    let (lena, _) = people(&store).await;
    let expected = SessionRow { operator: lena, created_us: 10, last_seen_us: 10, expires_us: 100 };
    assert_eq!(store.session(hash(1)).await.unwrap(), Some(expected));

    commit(&store, |transaction| transaction.delete_session(hash(1))).await.unwrap();

    assert_eq!(live(&store).await, [2, 3]);
}

async fn a_session_that_is_used_lasts_longer(Subject { store, .. }: Subject) {
    people(&store).await;
    commit(&store, |transaction| transaction.touch_session(hash(1), 50, 150)).await.unwrap();
    commit(&store, |transaction| transaction.touch_session(hash(9), 50, 150)).await.unwrap();

    let found = store.session(hash(1)).await.unwrap().unwrap();
    assert_eq!((found.created_us, found.last_seen_us, found.expires_us), (10, 50, 150));
    assert_eq!(store.session(hash(9)).await.unwrap(), None);
}

async fn all_sessions_of_an_operator_end_at_once(Subject { store, .. }: Subject) {
    let (lena, _) = people(&store).await;
    commit(&store, |transaction| transaction.delete_sessions(&lena.name)).await.unwrap();
    assert_eq!(live(&store).await, [3]);
}

async fn expired_sessions_are_removed_in_batches(Subject { store, .. }: Subject) {
    people(&store).await;
    commit(&store, |transaction| transaction.delete_expired_sessions(300, 1)).await.unwrap();
    assert_eq!(live(&store).await, [2, 3]);
    commit(&store, |transaction| transaction.delete_expired_sessions(300, 9)).await.unwrap();
    assert_eq!(live(&store).await, [3]);
}
