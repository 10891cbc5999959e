//! How long data is kept, and what is to be examined.

use bytes::Bytes;
use domain::{merchants::retention::RetentionPeriods, messages::kind::MessageKind};

use crate::{
    AuditFilter, AuditRecord, Cursor, NewMessage, RetentionCandidate, RetentionClass, Store,
    conformance::{Subject, acme, commit, on_every_engine, orders::order_row, other},
};

on_every_engine!(
    periods_are_kept_by_merchant_and_new_ones_start_over,
    orders_are_examined_in_the_order_of_their_changes,
    deferred_orders_are_listed_until_they_are_done,
    messages_are_examined_once_in_the_order_of_commits,
    old_audit_records_are_removed_with_what_finds_them,
);

async fn put_order(store: &Store, order_id: &str, replaces: i64, now_us: i64) {
    let order = order_row(order_id, replaces);
    commit(store, |transaction| transaction.put_orders(&acme(), vec![order], now_us))
        .await
        .unwrap();
}

async fn candidates(store: &Store, class: RetentionClass) -> Vec<RetentionCandidate> {
    store.retention_candidates(&acme(), class, 9).await.unwrap()
}

fn names(candidates: &[RetentionCandidate]) -> Vec<(&str, i64)> {
    candidates.iter().map(|it| (it.reference.as_str(), it.changed_us)).collect()
}

async fn periods_are_kept_by_merchant_and_new_ones_start_over(Subject { store, .. }: Subject) {
    let days = |days| RetentionPeriods { orders_days: Some(days), ..Default::default() };
    assert_eq!(store.retention_periods(&acme()).await.unwrap(), RetentionPeriods::default());
    for (merchant, periods) in [(acme(), days(1)), (other(), days(2)), (acme(), days(3))] {
        commit(&store, |transaction| transaction.put_retention_periods(&merchant, &periods))
            .await
            .unwrap();
    }
    assert_eq!(store.retention_periods(&acme()).await.unwrap(), days(3));
    let all = store.merchants_with_retention("", 9).await.unwrap();
    assert_eq!(all, [(acme(), days(3)), (other(), days(2))]);
    assert_eq!(store.merchants_with_retention("acme", 9).await.unwrap(), [(other(), days(2))]);

    put_order(&store, "A", 0, 1).await;
    let found = candidates(&store, RetentionClass::Orders).await;
    let examined = |transaction: &mut crate::Transaction| {
        transaction.put_retention_progress(&acme(), RetentionClass::Orders, &found[0]);
    };
    commit(&store, examined).await.unwrap();
    assert_eq!(candidates(&store, RetentionClass::Orders).await, []);
    commit(&store, |transaction| transaction.put_retention_periods(&acme(), &days(1)))
        .await
        .unwrap();
    assert_eq!(candidates(&store, RetentionClass::Orders).await, found);
}

async fn orders_are_examined_in_the_order_of_their_changes(Subject { store, .. }: Subject) {
    put_order(&store, "B", 0, 1).await;
    put_order(&store, "A", 0, 2).await;
    let found = candidates(&store, RetentionClass::Orders).await;
    assert_eq!(names(&found), [("B", 1), ("A", 2)]);
    assert_eq!(candidates(&store, RetentionClass::Returns).await, []);

    commit(&store, |transaction| {
        transaction.put_retention_progress(&acme(), RetentionClass::Orders, &found[1]);
    })
    .await
    .unwrap();
    put_order(&store, "B", 1, 3).await;
    assert_eq!(names(&candidates(&store, RetentionClass::Orders).await), [("B", 3)]);
}

async fn deferred_orders_are_listed_until_they_are_done(Subject { store, .. }: Subject) {
    let deferred = async |class: RetentionClass, after: &str| {
        let page = store.deferred_candidates(&acme(), class, after, 9).await.unwrap();
        page.into_iter().map(|it| (it.reference, it.has_changed)).collect::<Vec<_>>()
    };
    put_order(&store, "A", 0, 1).await;
    put_order(&store, "B", 0, 2).await;
    let found = candidates(&store, RetentionClass::Orders).await;
    commit(&store, |transaction| {
        for candidate in &found {
            transaction.defer_retention(&acme(), RetentionClass::Orders, candidate);
        }
        transaction.put_retention_progress(&acme(), RetentionClass::Orders, &found[1]);
    })
    .await
    .unwrap();
    put_order(&store, "B", 1, 3).await;

    let (a, b) = (("A".to_owned(), false), ("B".to_owned(), true));
    assert_eq!(deferred(RetentionClass::Orders, "").await, [a, b.clone()]);
    assert_eq!(deferred(RetentionClass::Orders, "A").await, std::slice::from_ref(&b));
    assert_eq!(deferred(RetentionClass::Returns, "").await, []);
    assert_eq!(names(&candidates(&store, RetentionClass::Orders).await), [("B", 3)]);

    commit(&store, |transaction| {
        transaction.end_deferral(&acme(), RetentionClass::Orders, "A");
    })
    .await
    .unwrap();
    assert_eq!(deferred(RetentionClass::Orders, "").await, [b]);
}

async fn messages_are_examined_once_in_the_order_of_commits(Subject { store, .. }: Subject) {
    for (kind, created_us) in [(MessageKind::Rma, 1), (MessageKind::Mail, 2)] {
        let message = NewMessage {
            merchant: acme(),
            kind,
            lane: 1,
            reference: "A".to_owned(),
            sequence: 1,
            created_us,
            replay: false,
            body: Bytes::from_static(b"{}"),
        };
        commit(&store, |transaction| transaction.enqueue(message)).await.unwrap();
    }
    let found = candidates(&store, RetentionClass::Mails).await;
    assert_eq!(names(&found), [("rma", 1), ("mail", 2)]);

    commit(&store, |transaction| {
        transaction.put_retention_progress(&acme(), RetentionClass::Mails, &found[0]);
    })
    .await
    .unwrap();
    assert_eq!(names(&candidates(&store, RetentionClass::Mails).await), [("mail", 2)]);
    assert_eq!(candidates(&store, RetentionClass::Orders).await, []);
}

async fn old_audit_records_are_removed_with_what_finds_them(Subject { store, .. }: Subject) {
    let record = |at_us: i64| AuditRecord {
        merchant: "acme".to_owned(),
        at_us,
        id: format!("id{at_us}"),
        actor: "lena".to_owned(),
        address: String::new(),
        action: "test".to_owned(),
        detail: "{}".to_owned(),
    };
    commit(&store, |transaction| {
        (1..=3).for_each(|at| transaction.insert_audit(&record(at), ["RF-1"].into_iter()));
    })
    .await
    .unwrap();

    assert!(store.has_old_audit(&acme(), 3).await.unwrap());
    commit(&store, |transaction| transaction.delete_old_audit(&acme(), 3, 9)).await.unwrap();

    assert!(!store.has_old_audit(&acme(), 3).await.unwrap());
    assert_eq!(store.audit_about(&acme(), "RF-1", 9).await.unwrap(), [record(3)]);
    let (acme, newest) = (acme(), Cursor::newest());
    let filter = AuditFilter { merchant: Some(&acme), actor: None, before: &newest, limit: 9 };
    assert_eq!(store.audit(&filter).await.unwrap(), [record(3)]);
}
