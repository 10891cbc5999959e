//! Exchange orders.

use domain::{
    exchanges::record::{ExchangeRecord, ExchangeState},
    identifier::MerchantId,
    returns::{identifier::RmaId, ledger::Ledger},
};

use crate::{
    Cursor, ExchangeFilter, Store, StoreError, Transaction, Versioned,
    conformance::{Subject, acme, intake_keys, on_every_engine, orders::order_row, other},
};

on_every_engine!(
    an_exchange_order_reads_back_under_both_of_its_names,
    a_stored_order_includes_its_exchanges_and_its_ledger,
    there_is_one_exchange_order_for_an_order,
    a_stale_exchange_order_changes_nothing,
    exchange_orders_are_listed_newest_first_and_in_pages,
    pending_exchange_orders_are_read_in_pages_over_all_merchants,
);

const ANY: fn() -> ExchangeFilter =
    || ExchangeFilter { before: Cursor::newest(), state: None, rma_id: None, limit: 100 };

fn record(order: &str, second: i64) -> ExchangeRecord {
    ExchangeRecord {
        original_order_id: order.to_owned(),
        rma_identifier: RmaId::parse("RMA-7K3Q-9XWD-2M4T").unwrap(),
        transaction_id: "PAY-1".to_owned(),
        state: ExchangeState::Pending,
        credit_cents: 4610,
        goods_credit_cents: 4610,
        currency: "USD".to_owned(),
        created_at: format!("2026-02-20T10:15:{second:02}Z").parse().unwrap(),
        decided_at: None,
        exchange_order_identifier: None,
        total_amount_cents: None,
        product_amount_cents: None,
        tax_amount_cents: None,
    }
}

fn placed(order: &str, second: i64, name: &str) -> ExchangeRecord {
    ExchangeRecord {
        state: ExchangeState::Placed,
        exchange_order_identifier: Some(name.to_owned()),
        ..record(order, second)
    }
}

async fn insert(
    store: &Store,
    merchant: &MerchantId,
    record: &ExchangeRecord,
) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("asking for an exchange");
    transaction.insert_exchange_order(merchant, record);
    store.commit(transaction).await.map(drop)
}

async fn update(store: &Store, record: &ExchangeRecord, version: i64) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("placing an exchange");
    transaction.update_exchange_order(&acme(), record, version);
    store.commit(transaction).await.map(drop)
}

async fn listed(store: &Store, filter: &ExchangeFilter) -> Vec<String> {
    let found = store.exchange_orders(&acme(), filter).await.unwrap();
    found.into_iter().map(|record| record.original_order_id).collect()
}

/// The exchange orders among these orders of a message, each with its original order.
async fn originals(
    store: &Store,
    merchant: &MerchantId,
    order_ids: &[&str],
) -> Vec<(String, String)> {
    let keys = intake_keys(order_ids.iter().copied());
    let state = store.intake_state(merchant, &keys).await.unwrap();
    let original = |it: Versioned<ExchangeRecord>| it.value.original_order_id;
    state.exchanges.into_iter().map(|(id, found)| (id, original(found))).collect()
}

async fn an_exchange_order_reads_back_under_both_of_its_names(Subject { store, .. }: Subject) {
    insert(&store, &acme(), &record("O-1", 1)).await.unwrap();
    update(&store, &placed("O-1", 1, "E-1"), 1).await.unwrap();

    let stored = store.exchange_order(&acme(), "O-1").await.unwrap().unwrap();
    assert_eq!((stored.value, stored.version), (placed("O-1", 1, "E-1"), 2));
    let named = originals(&store, &acme(), &["E-1", "E-2", "O-1"]).await;
    assert_eq!(named, [("E-1".to_owned(), "O-1".to_owned())]);
    assert!(originals(&store, &other(), &["E-1"]).await.is_empty());
    assert!(store.exchange_order(&other(), "O-1").await.unwrap().is_none());
}

async fn a_stored_order_includes_its_exchanges_and_its_ledger(Subject { store, .. }: Subject) {
    let order = |id: &str| order_row(id, 0);
    let ledger: Ledger = serde_json::from_str(r#"{"rmas":["RMA-1"]}"#).unwrap();
    let mut transaction = Transaction::new("testing");
    transaction.put_orders(&acme(), ["E-1", "O-1", "O-9"].map(order).into(), 9);
    transaction.put_ledger(&acme(), "O-1", &ledger, 0);
    store.commit(transaction).await.unwrap();
    for original in ["O-1", "O-2"] {
        insert(&store, &acme(), &placed(original, 1, "E-1")).await.unwrap();
    }
    insert(&store, &other(), &placed("O-9", 1, "O-9")).await.unwrap();

    let file = async |id: &str| store.stored_order(&acme(), id).await.unwrap().unwrap();

    let bought = file("O-1").await;
    assert_eq!((bought.ledger.version, bought.ledger.value), (1, ledger));
    assert_eq!((bought.exchanged, bought.origin), (true, None));
    let exchange = file("E-1").await;
    assert_eq!((exchange.ledger.version, exchange.exchanged), (0, false));
    assert_eq!(exchange.origin.unwrap().exchange_order_identifier.as_deref(), Some("E-1"));
    assert!(exchange.refunds.is_empty());
    assert_eq!((file("O-9").await.exchanged, file("O-9").await.origin), (false, None));
}

async fn there_is_one_exchange_order_for_an_order(Subject { store, .. }: Subject) {
    insert(&store, &acme(), &record("O-1", 1)).await.unwrap();

    let refused = insert(&store, &acme(), &record("O-1", 2)).await.unwrap_err();

    assert!(matches!(refused, StoreError::Conflict));
    insert(&store, &other(), &record("O-1", 1)).await.unwrap();
}

async fn a_stale_exchange_order_changes_nothing(Subject { store, .. }: Subject) {
    insert(&store, &acme(), &record("O-1", 1)).await.unwrap();
    update(&store, &placed("O-1", 1, "E-1"), 1).await.unwrap();

    let refused = update(&store, &placed("O-1", 1, "E-2"), 1).await.unwrap_err();

    assert!(matches!(refused, StoreError::Conflict));
    assert!(originals(&store, &acme(), &["E-2"]).await.is_empty());
}

async fn exchange_orders_are_listed_newest_first_and_in_pages(Subject { store, .. }: Subject) {
    for (order, second) in [("O-1", 1), ("O-2", 2), ("O-3", 2)] {
        insert(&store, &acme(), &record(order, second)).await.unwrap();
    }
    insert(&store, &other(), &record("O-9", 9)).await.unwrap();
    update(&store, &placed("O-1", 1, "E-1"), 1).await.unwrap();

    assert_eq!(listed(&store, &ANY()).await, ["O-3", "O-2", "O-1"]);
    let of_state = |state| ExchangeFilter { state: Some(state), ..ANY() };
    assert_eq!(listed(&store, &of_state(ExchangeState::Placed)).await, ["O-1"]);
    assert_eq!(listed(&store, &of_state(ExchangeState::Pending)).await, ["O-3", "O-2"]);
    let of_return = |rma: &str| ExchangeFilter { rma_id: Some(rma.to_owned()), ..ANY() };
    assert_eq!(listed(&store, &of_return("RMA-7K3Q-9XWD-2M4T")).await.len(), 3);
    assert_eq!(listed(&store, &of_return("RMA-0000-0000-0000")).await, Vec::<String>::new());
    let at_us = record("O-3", 2).created_at.as_microsecond();
    let before = Cursor { at_us, merchant: String::new(), id: "O-3".to_owned() };
    let page = ExchangeFilter { before, limit: 1, ..ANY() };
    assert_eq!(listed(&store, &page).await, ["O-2"]);
}

async fn pending_exchange_orders_are_read_in_pages_over_all_merchants(
    Subject { store, .. }: Subject,
) {
    for (merchant, order) in [(acme(), "O-1"), (acme(), "O-2"), (other(), "O-1"), (acme(), "O-3")] {
        insert(&store, &merchant, &record(order, 1)).await.unwrap();
    }
    update(&store, &placed("O-2", 1, "E-2"), 1).await.unwrap();
    let read = async |merchant: &str, order: &str| {
        let page = store.pending_exchange_orders(merchant, order, 2).await.unwrap();
        let name = |(merchant, it): (MerchantId, crate::Versioned<ExchangeRecord>)| {
            format!("{merchant} {}", it.value.original_order_id)
        };
        page.into_iter().map(name).collect::<Vec<_>>()
    };

    assert_eq!(read("", "").await, ["acme O-1", "acme O-3"]);
    assert_eq!(read("acme", "O-3").await, ["other O-1"]);
    assert_eq!(read("other", "O-1").await, Vec::<String>::new());
}
