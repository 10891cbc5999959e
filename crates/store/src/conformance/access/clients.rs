//! Clients and their tokens.

use bytes::Bytes;
use domain::{
    access::{client::Client, scope::Scopes},
    identifier::ClientId,
};
use jiff::Timestamp;

use crate::conformance::{Subject, acme, commit, merchant, on_both_engines, other};

on_both_engines!(
    a_client_belongs_to_its_merchant,
    a_token_leads_to_its_client_and_merchant,
    a_platform_token_has_no_merchant,
    expired_tokens_are_removed_in_batches,
);

fn client(id: &ClientId) -> Client {
    Client {
        id: id.clone(),
        name: "shop".to_owned(),
        scopes: Scopes::merchant(),
        secrets: Vec::new(),
        created_at: Timestamp::UNIX_EPOCH,
        disabled_at: None,
    }
}

async fn a_client_belongs_to_its_merchant(Subject { store, .. }: Subject) {
    let ours = client(&ClientId::new(&acme(), "1"));
    commit(&store, |transaction| transaction.insert_client(&ours)).await.unwrap();

    assert_eq!(store.client(&ours.id).await.unwrap().unwrap().value, ours);
    assert_eq!(store.clients(&acme()).await.unwrap(), [ours]);
    assert_eq!(store.clients(&other()).await.unwrap(), []);
    assert!(store.client(&ClientId::new(&other(), "1")).await.unwrap().is_none());
}

async fn a_token_leads_to_its_client_and_merchant(Subject { store, .. }: Subject) {
    let (acme, ours) = (merchant(&acme()), client(&ClientId::new(&acme(), "1")));
    let hash = Bytes::from_static(b"hash");
    commit(&store, |transaction| {
        transaction.insert_merchant(&acme);
        transaction.insert_client(&ours);
        transaction.insert_token(&ours, hash.clone(), Scopes::merchant(), 99);
    })
    .await
    .unwrap();

    let owner = store.token_owner(&acme.id, hash.clone()).await.unwrap().unwrap();
    assert_eq!((&owner.client, owner.merchant.as_ref()), (&ours, Some(&acme)));
    assert_eq!((owner.scopes, owner.expires_us), (Scopes::merchant(), 99));
    assert!(store.token_owner(&other(), hash.clone()).await.unwrap().is_none());

    commit(&store, |transaction| transaction.delete_tokens(&ours)).await.unwrap();
    assert!(store.token_owner(&acme.id, hash).await.unwrap().is_none());
}

async fn a_platform_token_has_no_merchant(Subject { store, .. }: Subject) {
    let platform = domain::identifier::MerchantId::platform();
    let admin = client(&ClientId::new(&platform, "1"));
    let hash = Bytes::from_static(b"hash");
    commit(&store, |transaction| {
        transaction.insert_client(&admin);
        transaction.insert_token(&admin, hash.clone(), Scopes::admin(), 99);
    })
    .await
    .unwrap();

    let owner = store.token_owner(&platform, hash).await.unwrap().unwrap();
    assert_eq!((owner.client, owner.merchant), (admin, None));
}

async fn expired_tokens_are_removed_in_batches(Subject { store, .. }: Subject) {
    let ours = client(&ClientId::new(&acme(), "1"));
    let hash = |number: i64| Bytes::from(number.to_string());
    commit(&store, |transaction| {
        transaction.insert_client(&ours);
        for number in 0..10 {
            transaction.insert_token(&ours, hash(number), Scopes::merchant(), number);
        }
    })
    .await
    .unwrap();

    commit(&store, |transaction| transaction.delete_expired_tokens(5, 3)).await.unwrap();

    let mut left = Vec::new();
    for number in 0..10 {
        if store.token_owner(&acme(), hash(number)).await.unwrap().is_some() {
            left.push(number);
        }
    }
    assert_eq!(left, [3, 4, 5, 6, 7, 8, 9]);
}
