//! Clients and their tokens.

use bytes::Bytes;
use domain::{
    access::{client::Client, scope::Scopes},
    identifier::ClientId,
};
use jiff::Timestamp;

use crate::{
    StoreError,
    conformance::{Subject, acme, commit, merchant, on_every_engine, other},
};

on_every_engine!(
    a_client_belongs_to_its_merchant,
    a_client_that_has_changed_is_a_conflict,
    a_token_leads_to_its_client_and_merchant,
    a_platform_token_has_no_merchant,
    expired_tokens_are_removed_in_batches,
    only_the_newest_tokens_of_a_client_are_kept,
    a_client_ends_its_own_tokens_only,
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

async fn a_client_that_has_changed_is_a_conflict(Subject { store, .. }: Subject) {
    let ours = client(&ClientId::new(&acme(), "1"));
    commit(&store, |transaction| transaction.insert_client(&ours)).await.unwrap();
    let guard = async |version| {
        commit(&store, |transaction| transaction.guard_client(&ours.id, version)).await
    };

    guard(1).await.unwrap();
    commit(&store, |transaction| transaction.update_client(&ours, 1)).await.unwrap();

    assert!(matches!(guard(1).await, Err(StoreError::Conflict)));
    guard(2).await.unwrap();
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

    assert!(!store.has_expired_tokens(0).await.unwrap());
    assert!(store.has_expired_tokens(5).await.unwrap());
    commit(&store, |transaction| transaction.delete_expired_tokens(5, 3)).await.unwrap();
    assert!(store.has_expired_tokens(5).await.unwrap());

    let mut left = Vec::new();
    for number in 0..10 {
        if store.token_owner(&acme(), hash(number)).await.unwrap().is_some() {
            left.push(number);
        }
    }
    assert_eq!(left, [3, 4, 5, 6, 7, 8, 9]);
}

async fn only_the_newest_tokens_of_a_client_are_kept(Subject { store, .. }: Subject) {
    let [ours, others] = ["1", "2"].map(|suffix| client(&ClientId::new(&acme(), suffix)));
    let hash = |client: &Client, number: i64| Bytes::from(format!("{} {number}", client.id));
    commit(&store, |transaction| {
        for client in [&ours, &others] {
            transaction.insert_client(client);
            for number in 0..6 {
                transaction.insert_token(client, hash(client, number), Scopes::merchant(), number);
            }
        }
    })
    .await
    .unwrap();

    for keep in [7, 6, 2] {
        commit(&store, |transaction| transaction.delete_oldest_tokens(&ours, keep)).await.unwrap();
    }

    let mut left = Vec::new();
    for client in [&ours, &others] {
        for number in 0..6 {
            let owner = store.token_owner(&acme(), hash(client, number)).await.unwrap();
            left.extend(owner.map(|owner| (owner.client.id.to_string(), number)));
        }
    }
    let kept = [("acme.1", 4), ("acme.1", 5)].into_iter();
    let kept = kept.chain((0..6).map(|number| ("acme.2", number)));
    let kept: Vec<_> = kept.map(|(id, number)| (id.to_owned(), number)).collect();
    assert_eq!(left, kept);
}

async fn a_client_ends_its_own_tokens_only(Subject { store, .. }: Subject) {
    let [ours, others] = ["1", "2"].map(|suffix| client(&ClientId::new(&acme(), suffix)));
    let hash = Bytes::from_static(b"hash");
    commit(&store, |transaction| {
        transaction.insert_client(&ours);
        transaction.insert_token(&ours, hash.clone(), Scopes::merchant(), 9);
    })
    .await
    .unwrap();

    commit(&store, |transaction| transaction.delete_token(&others, hash.clone())).await.unwrap();
    assert!(store.token_owner(&acme(), hash.clone()).await.unwrap().is_some());
    commit(&store, |transaction| transaction.delete_token(&ours, hash.clone())).await.unwrap();
    assert!(store.token_owner(&acme(), hash).await.unwrap().is_none());
}
