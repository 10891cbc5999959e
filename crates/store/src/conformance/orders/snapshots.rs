//! Orders as merchants sent them.

use bytes::Bytes;
use domain::identifier::MerchantId;
use futures_util::future::join_all;

use super::order_row;
use crate::{
    AttemptWindow, OrderRow, RefundRow, Store, StoreError, Transaction,
    conformance::{Subject, acme, assert_conflict, commit, intake_keys, on_every_engine, other},
};

on_every_engine!(
    a_stored_order_reads_back,
    an_order_is_invisible_to_other_merchants,
    a_stale_version_changes_nothing,
    an_order_that_has_changed_is_a_conflict,
    an_order_that_exists_is_not_inserted_again,
    one_bad_row_undoes_the_whole_batch,
    only_stored_orders_have_heads,
    a_head_says_whether_the_order_has_refunds,
    an_order_that_changed_without_a_snapshot_is_replaced_at_its_new_version,
    concurrent_inserts_of_one_order_have_one_winner,
    a_thousand_rows_are_one_batch,
    everyone_who_looks_up_orders_at_the_same_time_gets_their_own,
);

fn order(id: &str, replaces: i64, body: &str) -> OrderRow {
    let hash = Bytes::from(format!("hash of {body}"));
    OrderRow { hash, body: Bytes::from(body.to_owned()), ..order_row(id, replaces) }
}

fn refund(id: &str, order_id: &str) -> RefundRow {
    RefundRow {
        refund_id: id.to_owned(),
        order_id: order_id.to_owned(),
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from_static(b"body"),
    }
}

async fn put(store: &Store, orders: Vec<OrderRow>) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("storing orders");
    transaction.put_orders(&acme(), orders, 9);
    store.commit(transaction).await.map(drop)
}

async fn body(store: &Store, id: &str) -> Option<String> {
    let stored = store.stored_order(&acme(), id).await.unwrap()?;
    Some(String::from_utf8(stored.body.to_vec()).unwrap())
}

async fn looked_up(store: &Store, merchant: &MerchantId, id: &str) -> Option<Bytes> {
    let window = AttemptWindow { slot_us: 0, from_us: 0 };
    store.look_up(merchant, id, ["order", "postal code"], window).await.unwrap().order
}

async fn a_stored_order_reads_back(Subject { store, .. }: Subject) {
    put(&store, vec![order("A-1", 0, "first")]).await.unwrap();
    put(&store, vec![order("A-1", 1, "second")]).await.unwrap();

    let stored = store.stored_order(&acme(), "A-1").await.unwrap().unwrap();

    assert_eq!(stored.version, 2);
    assert_eq!(stored.body, "second");
    assert_eq!(store.order_body(&acme(), "A-1").await.unwrap(), Some(stored.body.clone()));
    assert_eq!(looked_up(&store, &acme(), "A-1").await, Some(stored.body));
    assert_eq!(store.stored_order(&acme(), "A-2").await.unwrap(), None);
    assert_eq!(store.order_body(&acme(), "A-2").await.unwrap(), None);
    assert_eq!(looked_up(&store, &acme(), "A-2").await, None);
}

async fn an_order_is_invisible_to_other_merchants(Subject { store, .. }: Subject) {
    assert!(!store.has_orders(&acme()).await.unwrap());
    put(&store, vec![order("A-1", 0, "ours")]).await.unwrap();

    assert!(store.has_orders(&acme()).await.unwrap());
    assert!(!store.has_orders(&other()).await.unwrap());
    assert_eq!(store.stored_order(&other(), "A-1").await.unwrap(), None);
    assert_eq!(store.order_body(&other(), "A-1").await.unwrap(), None);
    assert_eq!(looked_up(&store, &other(), "A-1").await, None);
    let unknown = store.intake_state(&other(), &intake_keys(["A-1"])).await.unwrap();
    assert!(unknown.heads.is_empty());
}

async fn a_stale_version_changes_nothing(Subject { store, .. }: Subject) {
    put(&store, vec![order("A-1", 0, "first")]).await.unwrap();

    let refused = put(&store, vec![order("A-1", 7, "never")]).await.unwrap_err();

    assert!(matches!(refused, StoreError::Conflict));
    assert_eq!(body(&store, "A-1").await.unwrap(), "first");
}

async fn an_order_that_has_changed_is_a_conflict(Subject { store, .. }: Subject) {
    put(&store, vec![order("A-1", 0, "one")]).await.unwrap();
    let guard = async |version| {
        commit(&store, |transaction| transaction.guard_order(&acme(), "A-1", version)).await
    };

    guard(1).await.unwrap();
    let rival = put(&store, vec![order("A-1", 1, "never")]).await;
    assert_conflict(&rival);
    put(&store, vec![order("A-1", 2, "two")]).await.unwrap();

    assert_conflict(&guard(2).await);
    guard(3).await.unwrap();
    assert_eq!(body(&store, "A-1").await.as_deref(), Some("two"));
}

async fn an_order_that_exists_is_not_inserted_again(Subject { store, .. }: Subject) {
    put(&store, vec![order("A-1", 0, "first")]).await.unwrap();

    let refused = put(&store, vec![order("A-1", 0, "never")]).await.unwrap_err();

    assert!(matches!(refused, StoreError::Conflict));
    assert_eq!(body(&store, "A-1").await.unwrap(), "first");
}

async fn one_bad_row_undoes_the_whole_batch(Subject { store, .. }: Subject) {
    put(&store, vec![order("A-1", 0, "first")]).await.unwrap();

    let orders = vec![order("A-0", 0, "new"), order("A-1", 9, "never"), order("A-2", 0, "new")];
    let refused = put(&store, orders).await.unwrap_err();

    assert!(matches!(refused, StoreError::Conflict));
    assert_eq!(body(&store, "A-0").await, None);
    assert_eq!(body(&store, "A-2").await, None);
}

async fn only_stored_orders_have_heads(Subject { store, .. }: Subject) {
    put(&store, vec![order("A-1", 0, "one"), order("A-2", 0, "two")]).await.unwrap();

    let keys = intake_keys(["A-2", "unknown", "A-1"]);
    let heads = store.intake_state(&acme(), &keys).await.unwrap().heads;

    let ids: Vec<&str> = heads.values().map(|head| head.order_id.as_str()).collect();
    assert_eq!(ids, ["A-1", "A-2"]);
    assert_eq!(heads["A-2"].hash, "hash of two");
    assert_eq!((heads["A-2"].version, heads["A-2"].updated_us), (1, 7));
}

async fn a_head_says_whether_the_order_has_refunds(Subject { store, .. }: Subject) {
    put(&store, vec![order("A-1", 0, "one"), order("A-2", 0, "two")]).await.unwrap();
    commit(&store, |it| it.insert_refunds(&acme(), vec![refund("R", "A-2")], 1)).await.unwrap();

    let state = store.intake_state(&acme(), &intake_keys(["A-1", "A-2"])).await.unwrap();

    let refunded: Vec<&str> =
        state.heads.values().filter(|it| it.refunded).map(|it| it.order_id.as_str()).collect();
    assert_eq!(refunded, ["A-2"]);
    assert!(state.refunds.is_empty(), "no refund was asked for");
}

async fn an_order_that_changed_without_a_snapshot_is_replaced_at_its_new_version(
    Subject { store, .. }: Subject,
) {
    put(&store, vec![order("A-1", 0, "one")]).await.unwrap();
    commit(&store, |it| it.touch_order(&acme(), "A-1", 1, 9)).await.unwrap();

    let late = commit(&store, |it| it.touch_order(&acme(), "A-1", 1, 9)).await.unwrap_err();
    assert!(matches!(late, StoreError::Conflict));
    let late = put(&store, vec![order("A-1", 1, "late")]).await.unwrap_err();
    assert!(matches!(late, StoreError::Conflict));
    put(&store, vec![order("A-1", 2, "newest")]).await.unwrap();
    assert_eq!(body(&store, "A-1").await.unwrap(), "newest");
}

async fn concurrent_inserts_of_one_order_have_one_winner(Subject { store, .. }: Subject) {
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..32 {
        let store = store.clone();
        let own = format!("own {writer}");
        let orders = vec![order("A-1", 0, &own), order(&own, 0, "")];
        // Steps that follow the one that fails.
        let refunds = vec![refund(&format!("R-{writer}"), &own), refund(&own, &own)];
        writers.spawn(async move {
            let fill = |it: &mut Transaction| {
                it.put_orders(&acme(), orders, 9);
                it.insert_refunds(&acme(), refunds, 9);
            };
            commit(&store, fill).await
        });
    }

    let outcomes = writers.join_all().await;

    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    outcomes.iter().filter(|outcome| outcome.is_err()).for_each(assert_conflict);
    let mut own = 0;
    for writer in 0..32 {
        own += usize::from(body(&store, &format!("own {writer}")).await.is_some());
    }
    assert_eq!(own, 1, "a loser's other orders are undone too");
}

async fn a_thousand_rows_are_one_batch(Subject { store, .. }: Subject) {
    let ids: Vec<String> = (0..1000).map(|number| format!("A-{number:04}")).collect();
    put(&store, ids.iter().map(|id| order(id, 0, id)).collect()).await.unwrap();
    put(&store, ids.iter().map(|id| order(id, 1, "again")).collect()).await.unwrap();

    let keys = intake_keys(ids.iter().map(String::as_str));
    let heads = store.intake_state(&acme(), &keys).await.unwrap().heads;

    assert_eq!(heads.len(), 1000);
    assert!(heads.values().all(|head| head.version == 2));
}

async fn everyone_who_looks_up_orders_at_the_same_time_gets_their_own(
    Subject { store, .. }: Subject,
) {
    let ids: Vec<String> = (0..200).map(|number| format!("A-{number}")).collect();
    put(&store, ids.iter().map(|id| order(id, 0, id)).collect()).await.unwrap();
    let [acme, other] = [acme(), other()];

    let asked = ids.iter().enumerate().map(|(number, id)| {
        let store = &store;
        // Some ask for many, some in vain, and some for what no database can store.
        let wanted: Vec<&str> = match number % 8 {
            0 => ids.iter().map(String::as_str).collect(),
            1 => vec![id, "not\0stored"],
            2 => vec!["not stored", id],
            _ => vec![id],
        };
        let merchant = if number % 8 == 3 { &other } else { &acme };
        async move { store.intake_state(merchant, &intake_keys(wanted)).await }
    });
    let answers = join_all(asked).await;

    for (number, (id, answer)) in ids.iter().zip(answers).enumerate() {
        let heads = answer.unwrap().heads;
        match number % 8 {
            0 => assert_eq!(heads.len(), ids.len()),
            // An engine may answer the whole question with nothing.
            1 => assert!(heads.keys().all(|found| found == id), "{heads:?}"),
            3 => assert!(heads.is_empty(), "{heads:?}"),
            _ => assert_eq!(heads.keys().collect::<Vec<_>>(), [id]),
        }
    }
}
