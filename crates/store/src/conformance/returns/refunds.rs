//! Refunds, and refunds with a problem.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    returns::{identifier::RmaId, ledger::Ledger},
};

use crate::{
    Cursor, IntakeKey, OrderRow, RefundProblem, RefundRow, Store, StoreError, Transaction,
    conformance::{Subject, acme, commit, on_every_engine, orders::order_row, other},
};

on_every_engine!(
    refunds_of_an_order_come_in_the_order_of_arrival,
    a_refund_identifier_is_taken_once_for_a_merchant,
    problems_are_listed_by_state_oldest_first_in_pages,
    problems_are_found_by_their_refunds,
    a_problem_that_is_listed_stays_as_it_is,
    a_problem_is_resolved_only_while_it_is_as_it_was_read,
    the_refunds_of_several_orders_are_read_together,
    problems_of_a_merchant_are_listed_by_state_or_as_far_as_they_are_open,
);

fn refund(id: &str, order_id: &str) -> RefundRow {
    RefundRow {
        refund_id: id.to_owned(),
        order_id: order_id.to_owned(),
        hash: Bytes::from_static(b"hash"),
        body: Bytes::from(format!("body of {id}")),
    }
}

async fn record(store: &Store, refunds: Vec<RefundRow>, now_us: i64) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("recording refunds");
    transaction.insert_refunds(&acme(), refunds, now_us);
    store.commit(transaction).await.map(drop)
}

async fn refunds_of_an_order_come_in_the_order_of_arrival(Subject { store, .. }: Subject) {
    record(&store, vec![refund("Z", "A-1"), refund("X", "A-2")], 1).await.unwrap();
    record(&store, vec![refund("B", "A-1")], 2).await.unwrap();

    assert_eq!(
        store.stored_order(&acme(), "A-1").await.unwrap(),
        None,
        "refunds do not make an order"
    );
    let order = OrderRow { body: Bytes::from_static(b"ours"), ..order_row("A-1", 0) };
    commit(&store, |it| it.put_orders(&acme(), vec![order], 9)).await.unwrap();
    let stored = store.stored_order(&acme(), "A-1").await.unwrap().unwrap();
    assert_eq!(stored.refunds, ["body of Z", "body of B"]);
    let refund_ids = vec!["B", "unknown"];
    let key = IntakeKey { order_id: "A-9", refund_ids, as_exchange: false };
    let found = store.intake_state(&acme(), &[key]).await.unwrap();
    assert_eq!((found.heads.len(), found.refunds.len()), (0, 1));
    assert_eq!(found.refunds["B"].order_id, "A-1", "it is another order's");
    assert!(found.ledgers.is_empty(), "nothing of it is spent");
    let ledger: Ledger = serde_json::from_str(r#"{"rmas":["RMA-1"]}"#).unwrap();
    commit(&store, |it| it.put_ledger(&acme(), "A-1", &ledger, 0)).await.unwrap();
    let key = IntakeKey { order_id: "A-1", refund_ids: vec!["B"], as_exchange: false };
    let found = store.intake_state(&acme(), &[key]).await.unwrap();
    assert!(found.heads["A-1"].refunded);
    assert_eq!((found.ledgers["A-1"].version, &found.ledgers["A-1"].value), (1, &ledger));
}

async fn a_refund_identifier_is_taken_once_for_a_merchant(Subject { store, .. }: Subject) {
    record(&store, vec![refund("R", "A-1")], 1).await.unwrap();

    let refused = record(&store, vec![refund("R", "A-2")], 2).await.unwrap_err();

    assert!(matches!(refused, StoreError::Conflict));
    let mut elsewhere = Transaction::new("recording refunds");
    elsewhere.insert_refunds(&other(), vec![refund("R", "A-1")], 1);
    store.commit(elsewhere).await.unwrap();
}

async fn problems_are_listed_by_state_oldest_first_in_pages(Subject { store, .. }: Subject) {
    let problem = |merchant: &MerchantId, refund: &str, noticed_us| RefundProblem {
        merchant: merchant.to_string(),
        refund_id: refund.to_owned(),
        order_id: "A".to_owned(),
        state: "unmatched".to_owned(),
        noticed_us,
        detail: "no return matches".to_owned(),
        ..RefundProblem::default()
    };
    let all = [
        (acme(), problem(&acme(), "RF-2", 10)),
        (other(), problem(&other(), "RF-1", 10)),
        (acme(), problem(&acme(), "RF-1", 20)),
    ];
    for (merchant, problem) in all.iter().rev() {
        commit(&store, |it| it.put_refund_problem(merchant, problem)).await.unwrap();
    }
    let rows = all.clone().map(|(_, problem)| problem);

    let mut found = Vec::new();
    let mut after = Cursor::oldest();
    while let Some(row) = store.refund_problems("unmatched", &after, 1).await.unwrap().pop() {
        after = row.cursor();
        found.push(row);
    }
    assert_eq!(found, rows);

    let settled = RefundProblem {
        state: "settled".to_owned(),
        detail: "left as it is".to_owned(),
        ..rows[0].clone()
    };
    commit(&store, |it| it.put_refund_problem(&acme(), &settled)).await.unwrap();
    let start = Cursor::oldest();
    assert_eq!(store.refund_problems("unmatched", &start, 9).await.unwrap(), rows[1..]);
    let listed = store.refund_problems("settled", &start, 9).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&settled));
    assert_eq!(store.refund_problem(&acme(), "RF-2").await.unwrap(), Some(settled));
    assert_eq!(store.refund_problem(&other(), "RF-2").await.unwrap(), None);
}

async fn a_problem_that_is_listed_stays_as_it_is(Subject { store, .. }: Subject) {
    let problem = |detail: &str| RefundProblem {
        merchant: "acme".to_owned(),
        refund_id: "R1".to_owned(),
        order_id: "A".to_owned(),
        state: "conflict".to_owned(),
        noticed_us: 3,
        detail: detail.to_owned(),
        ..RefundProblem::default()
    };
    for detail in ["first", "second"] {
        commit(&store, |it| it.insert_refund_problem(&acme(), &problem(detail))).await.unwrap();
    }

    assert_eq!(store.refund_problem(&acme(), "R1").await.unwrap(), Some(problem("first")));
}

async fn a_problem_is_resolved_only_while_it_is_as_it_was_read(Subject { store, .. }: Subject) {
    let known = RefundProblem {
        merchant: "acme".to_owned(),
        refund_id: "R1".to_owned(),
        order_id: "A".to_owned(),
        kind: "unmatched".to_owned(),
        state: "unmatched".to_owned(),
        rma_id: "RMA-7K3Q-9XWD-2M4T".to_owned(),
        paid_cents: 4_610,
        ..RefundProblem::default()
    };
    commit(&store, |it| it.put_refund_problem(&acme(), &known)).await.unwrap();
    let resolve = async |read: &RefundProblem| {
        let mut transaction = Transaction::new("testing");
        transaction.guard_refund_problem(&acme(), read);
        let after = RefundProblem { state: "settled".to_owned(), ..read.clone() };
        transaction.put_refund_problem(&acme(), &after);
        store.commit(transaction).await
    };

    let paid_otherwise = RefundProblem { paid_cents: 9, ..known.clone() };
    assert!(matches!(resolve(&paid_otherwise).await, Err(StoreError::Conflict)));
    let settle = async |rma: &str| {
        let rma = RmaId::parse(rma).unwrap();
        commit(&store, |it| it.settle_difference(&acme(), "R1", &rma, "agreed")).await.unwrap();
    };
    settle("RMA-2M4T-7K3Q-9XWD").await;
    let read = store.refund_problem(&acme(), "R1").await.unwrap();
    assert_eq!(read, Some(known.clone()), "it is about another return");
    settle("RMA-7K3Q-9XWD-2M4T").await;
    assert!(matches!(resolve(&known).await, Err(StoreError::Conflict)), "the difference is gone");
    let agreed = RefundProblem { rma_id: String::new(), ..known };
    resolve(&agreed).await.unwrap();
    assert!(matches!(resolve(&agreed).await, Err(StoreError::Conflict)), "it is settled");
}

async fn the_refunds_of_several_orders_are_read_together(Subject { store, .. }: Subject) {
    record(&store, vec![refund("Z", "A-1"), refund("X", "A-2")], 1).await.unwrap();
    record(&store, vec![refund("B", "A-1"), refund("C", "A-3")], 2).await.unwrap();

    let ids = ["A-1", "A-3", "unknown"].into_iter();
    let mut found = store.refunds_of_orders(&acme(), ids).await.unwrap();

    found.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("A-1", "body of Z"), ("A-1", "body of B"), ("A-3", "body of C")];
    assert_eq!(found, expected.map(|(order, body)| (order.to_owned(), Bytes::from(body))));
}

async fn problems_are_found_by_their_refunds(Subject { store, .. }: Subject) {
    let problem = |refund_id: &str| RefundProblem {
        merchant: "acme".to_owned(),
        refund_id: refund_id.to_owned(),
        order_id: "A".to_owned(),
        state: "unmatched".to_owned(),
        noticed_us: 3,
        detail: "unknown".to_owned(),
        ..RefundProblem::default()
    };
    let mut transaction = Transaction::new("testing");
    transaction.put_refund_problem(&acme(), &problem("R1"));
    transaction.put_refund_problem(&acme(), &problem("R2"));
    store.commit(transaction).await.unwrap();

    let found = store.problems_of_refunds(&acme(), ["R2", "R9"].into_iter()).await.unwrap();

    assert_eq!(found, [problem("R2")]);
    let elsewhere = store.problems_of_refunds(&other(), ["R2"].into_iter()).await.unwrap();
    assert_eq!(elsewhere, []);
}

async fn problems_of_a_merchant_are_listed_by_state_or_as_far_as_they_are_open(
    Subject { store, .. }: Subject,
) {
    let problem = |merchant: &MerchantId, refund: &str, state: &str| RefundProblem {
        merchant: merchant.to_string(),
        refund_id: refund.to_owned(),
        order_id: "A".to_owned(),
        state: state.to_owned(),
        noticed_us: 10,
        ..RefundProblem::default()
    };
    let (short, settled, asked) = (
        problem(&acme(), "RF-1", "short_paid"),
        problem(&acme(), "RF-2", "settled"),
        problem(&acme(), "RF-3", "asked"),
    );
    let elsewhere = problem(&other(), "RF-1", "short_paid");
    for row in [&asked, &settled, &short] {
        commit(&store, |it| it.put_refund_problem(&acme(), row)).await.unwrap();
    }
    commit(&store, |it| it.put_refund_problem(&other(), &elsewhere)).await.unwrap();

    let start = Cursor::oldest();
    let list = async |state: Option<&str>, after: &Cursor| {
        store.merchant_refund_problems(&acme(), state, after, 9).await.unwrap()
    };
    assert_eq!(list(None, &start).await, [short.clone(), asked.clone()]);
    assert_eq!(list(None, &short.cursor()).await, [asked]);
    assert_eq!(list(Some("settled"), &start).await, [settled]);
    assert_eq!(list(Some("short_paid"), &start).await, [short]);
}
