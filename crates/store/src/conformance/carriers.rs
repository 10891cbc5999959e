//! Accounts at carriers, and the shipments there.

use domain::carriers::{account::CarrierAccount, rate::ServiceRule};

use crate::{
    Store, StoreError, Transaction, Versioned,
    conformance::{Subject, acme, on_every_engine, other},
};

on_every_engine!(
    an_account_is_replaced_only_at_the_version_that_was_read,
    the_first_shipment_of_a_label_is_the_one_that_counts,
);

fn account(url: &str) -> CarrierAccount<String> {
    CarrierAccount {
        base_url: url.to_owned(),
        api_key: "sealed key".to_owned(),
        webhook_secret: Some("sealed secret".to_owned()),
        services: vec![ServiceRule::parse("USPS/Priority").unwrap()],
        unit_weight_grams: 500,
    }
}

async fn put(store: &Store, url: &str, version: i64) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("setting an account");
    transaction.put_carrier_account(&acme(), &account(url), version);
    store.commit(transaction).await.map(drop)
}

async fn an_account_is_replaced_only_at_the_version_that_was_read(Subject { store, .. }: Subject) {
    assert_eq!(store.carrier_account(&acme()).await.unwrap(), None);
    put(&store, "https://one.example", 0).await.unwrap();
    put(&store, "https://two.example", 1).await.unwrap();

    for stale in [0, 1, 3] {
        let refused = put(&store, "https://stale.example", stale).await;
        assert!(matches!(refused, Err(StoreError::Conflict)), "{stale}");
    }

    let expected = Versioned { value: account("https://two.example"), version: 2 };
    assert_eq!(store.carrier_account(&acme()).await.unwrap(), Some(expected));
    assert_eq!(store.carrier_account(&other()).await.unwrap(), None);
}

async fn the_first_shipment_of_a_label_is_the_one_that_counts(Subject { store, .. }: Subject) {
    for shipment in ["shp_1", "shp_2"] {
        let mut transaction = Transaction::new("remembering a shipment");
        transaction.remember_carrier_shipment(&acme(), "RMA-1-1", shipment, 7);
        store.commit(transaction).await.unwrap();
    }

    let found = store.carrier_shipment(&acme(), "RMA-1-1").await.unwrap();
    assert_eq!(found.as_deref(), Some("shp_1"));
    assert_eq!(store.carrier_shipment(&acme(), "RMA-1-2").await.unwrap(), None);
    assert_eq!(store.carrier_shipment(&other(), "RMA-1-1").await.unwrap(), None);
    for (merchant, shipment, known) in
        [(acme(), "shp_1", true), (acme(), "shp_2", false), (other(), "shp_1", false)]
    {
        assert_eq!(store.knows_carrier_shipment(&merchant, shipment).await.unwrap(), known);
    }
}
