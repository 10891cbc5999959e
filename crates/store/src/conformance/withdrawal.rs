//! Statements of withdrawal.

use domain::withdrawal::{identifier::WithdrawalId, record::WithdrawalOutcome};

use crate::{
    Cursor, ListFilter, WithdrawalRow,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    a_withdrawal_is_added_once_and_read_back_as_it_was_written,
    withdrawals_are_listed_newest_first_by_merchant_outcome_and_order,
    only_the_seal_of_a_withdrawal_is_replaced,
);

fn row(number: u8, merchant: &str, outcome: WithdrawalOutcome) -> WithdrawalRow {
    WithdrawalRow {
        merchant: merchant.to_owned(),
        withdrawal_id: WithdrawalId::from_random([number; 8]).to_string(),
        order_id: format!("ORD-{}", number % 2),
        rma_id: "RMA-7K3Q-9XWD-2M4T".to_owned(),
        recorded_us: i64::from(number),
        outcome: outcome.name().to_owned(),
        record: format!(r#"{{"name":"Größe ✓ {number}"}}"#),
        sha256: "00".repeat(32),
        seal: "sealed".to_owned(),
        access_key: "key".to_owned(),
    }
}

fn id_of(row: &WithdrawalRow) -> WithdrawalId {
    WithdrawalId::parse(&row.withdrawal_id).unwrap()
}

async fn a_withdrawal_is_added_once_and_read_back_as_it_was_written(
    Subject { store, .. }: Subject,
) {
    let first = row(1, "acme", WithdrawalOutcome::Accepted);
    commit(&store, |it| it.insert_withdrawal(&acme(), &first)).await.unwrap();
    let changed = WithdrawalRow { record: "{}".to_owned(), ..first.clone() };
    assert_conflict(&commit(&store, |it| it.insert_withdrawal(&acme(), &changed)).await);

    let id = id_of(&first);
    assert_eq!(store.merchant_of_withdrawal(&id).await.unwrap(), Some(acme()));
    let unknown = WithdrawalId::from_random([9; 8]);
    assert_eq!(store.merchant_of_withdrawal(&unknown).await.unwrap(), None);
    assert_eq!(store.withdrawal(&acme(), &id).await.unwrap(), Some(first));
    assert_eq!(store.withdrawal(&other(), &id).await.unwrap(), None);
}

async fn withdrawals_are_listed_newest_first_by_merchant_outcome_and_order(
    Subject { store, .. }: Subject,
) {
    let rows = [
        row(1, "acme", WithdrawalOutcome::Accepted),
        row(2, "acme", WithdrawalOutcome::Late),
        row(3, "acme", WithdrawalOutcome::Accepted),
    ];
    for row in &rows {
        commit(&store, |it| it.insert_withdrawal(&acme(), row)).await.unwrap();
    }
    let foreign = row(4, "other", WithdrawalOutcome::Accepted);
    commit(&store, |it| it.insert_withdrawal(&other(), &foreign)).await.unwrap();
    let [first, second, third] = rows;
    let filter =
        |merchant, status, before: Cursor| ListFilter { before, merchant, status, limit: 2 };

    let (page, last) = store.withdrawals(&filter(None, None, Cursor::newest())).await.unwrap();
    assert_eq!(page, [foreign, third.clone()]);
    let next = filter(None, None, last.unwrap().cursor());
    assert_eq!(
        store.withdrawals(&next).await.unwrap(),
        (vec![second.clone(), first.clone()], None)
    );
    let accepted = Some(WithdrawalOutcome::Accepted);
    let of_acme = filter(Some(acme()), accepted, Cursor::newest());
    assert_eq!(
        store.withdrawals(&of_acme).await.unwrap(),
        (vec![third.clone(), first.clone()], None)
    );

    let mut of_order = store.withdrawals_of_order(&acme(), "ORD-1", 9).await.unwrap();
    of_order.sort_by_key(|row| row.recorded_us);
    assert_eq!(of_order, [first, third]);
    assert_eq!(store.withdrawals_of_order(&other(), "ORD-1", 9).await.unwrap(), []);
}

async fn only_the_seal_of_a_withdrawal_is_replaced(Subject { store, .. }: Subject) {
    let before = row(1, "acme", WithdrawalOutcome::Accepted);
    commit(&store, |it| it.insert_withdrawal(&acme(), &before)).await.unwrap();
    let stale = WithdrawalRow { seal: "another".to_owned(), ..before.clone() };
    for (row, new) in [(&before, "new"), (&stale, "newer")] {
        commit(&store, |it| it.reseal_withdrawal(row, new)).await.unwrap();
    }
    let expected = WithdrawalRow { seal: "new".to_owned(), ..before.clone() };
    assert_eq!(store.withdrawal(&acme(), &id_of(&before)).await.unwrap(), Some(expected));
}
