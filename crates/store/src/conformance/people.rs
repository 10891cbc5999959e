//! Merchants, clients, tokens, answers and the audit trail.

use bytes::Bytes;
use domain::{
    access::{client::Client, scope::Scopes},
    identifier::ClientId,
    merchants::merchant::{Merchant, MerchantSettings},
};
use jiff::Timestamp;

use super::{Subject, acme, on_both_engines, other};
use crate::{AuditFilter, AuditRecord, Cursor, Store, StoreError, StoredResponse, Transaction};

on_both_engines!(
    a_merchant_reads_back_and_is_listed,
    a_merchant_identifier_is_taken_once,
    a_merchant_changes_only_at_the_version_read,
    a_client_belongs_to_its_merchant,
    a_token_leads_to_its_client_and_merchant,
    a_platform_token_has_no_merchant,
    expired_tokens_are_removed_in_batches,
    an_answer_is_kept_for_its_key_until_forgotten,
    the_audit_trail_is_read_backwards_in_pages,
);

fn merchant(id: &domain::identifier::MerchantId) -> Merchant {
    Merchant {
        id: id.clone(),
        name: "Ümlaut & Söhne".to_owned(),
        settings: MerchantSettings { strict: true, ..MerchantSettings::default() },
        return_address: None,
        signing_secrets: Vec::new(),
        created_at: Timestamp::UNIX_EPOCH,
        disabled_at: None,
    }
}

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

async fn change(store: &Store, fill: impl FnOnce(&mut Transaction)) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("testing");
    fill(&mut transaction);
    store.commit(transaction).await.map(drop)
}

async fn a_merchant_reads_back_and_is_listed(Subject { store, .. }: Subject) {
    let (acme, other) = (merchant(&acme()), merchant(&other()));
    change(&store, |transaction| {
        transaction.insert_merchant(&other);
        transaction.insert_merchant(&acme);
    })
    .await
    .unwrap();

    assert_eq!(store.merchant(&acme.id).await.unwrap().unwrap().value, acme);
    assert_eq!(store.merchants("", 10).await.unwrap(), [acme.clone(), other.clone()]);
    assert_eq!(store.merchants("acme", 10).await.unwrap(), [other]);
    assert_eq!(store.merchants("", 1).await.unwrap(), [acme]);
}

async fn a_merchant_identifier_is_taken_once(Subject { store, .. }: Subject) {
    let acme = merchant(&acme());
    change(&store, |transaction| transaction.insert_merchant(&acme)).await.unwrap();

    let again = change(&store, |transaction| transaction.insert_merchant(&acme)).await;

    assert!(matches!(again, Err(StoreError::Conflict)));
}

async fn a_merchant_changes_only_at_the_version_read(Subject { store, .. }: Subject) {
    let mut acme = merchant(&acme());
    change(&store, |transaction| transaction.insert_merchant(&acme)).await.unwrap();
    acme.name = "New".to_owned();

    let refused = change(&store, |transaction| transaction.update_merchant(&acme, 2)).await;
    assert!(matches!(refused, Err(StoreError::Conflict)));
    change(&store, |transaction| transaction.update_merchant(&acme, 1)).await.unwrap();

    let found = store.merchant(&acme.id).await.unwrap().unwrap();
    assert_eq!((found.value, found.version), (acme, 2));
}

async fn a_client_belongs_to_its_merchant(Subject { store, .. }: Subject) {
    let ours = client(&ClientId::new(&acme(), "1"));
    change(&store, |transaction| transaction.insert_client(&ours)).await.unwrap();

    assert_eq!(store.client(&ours.id).await.unwrap().unwrap().value, ours);
    assert_eq!(store.clients(&acme()).await.unwrap(), [ours]);
    assert_eq!(store.clients(&other()).await.unwrap(), []);
    assert!(store.client(&ClientId::new(&other(), "1")).await.unwrap().is_none());
}

async fn a_token_leads_to_its_client_and_merchant(Subject { store, .. }: Subject) {
    let (acme, ours) = (merchant(&acme()), client(&ClientId::new(&acme(), "1")));
    let hash = Bytes::from_static(b"hash");
    change(&store, |transaction| {
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

    change(&store, |transaction| transaction.delete_tokens(&ours)).await.unwrap();
    assert!(store.token_owner(&acme.id, hash).await.unwrap().is_none());
}

async fn a_platform_token_has_no_merchant(Subject { store, .. }: Subject) {
    let platform = domain::identifier::MerchantId::platform();
    let admin = client(&ClientId::new(&platform, "1"));
    let hash = Bytes::from_static(b"hash");
    change(&store, |transaction| {
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
    change(&store, |transaction| {
        transaction.insert_client(&ours);
        for number in 0..10 {
            transaction.insert_token(&ours, hash(number), Scopes::merchant(), number);
        }
    })
    .await
    .unwrap();

    change(&store, |transaction| transaction.delete_expired_tokens(5, 3)).await.unwrap();

    let mut left = Vec::new();
    for number in 0..10 {
        if store.token_owner(&acme(), hash(number)).await.unwrap().is_some() {
            left.push(number);
        }
    }
    assert_eq!(left, [3, 4, 5, 6, 7, 8, 9]);
}

async fn an_answer_is_kept_for_its_key_until_forgotten(Subject { store, .. }: Subject) {
    let client = ClientId::new(&acme(), "1");
    let answer = |at_us: i64| StoredResponse {
        request_hash: Bytes::from_static(b"hash"),
        answered_us: at_us,
        body: Bytes::from(at_us.to_string()),
    };
    let keep = async |at_us, forgotten_us| {
        change(&store, |transaction| {
            transaction.store_response(&client, "key", &answer(at_us), forgotten_us);
        })
        .await
    };
    keep(10, 0).await.unwrap();

    assert_eq!(store.stored_response(&client, "key", 10).await.unwrap(), Some(answer(10)));
    assert_eq!(store.stored_response(&client, "key", 11).await.unwrap(), None);
    assert!(matches!(keep(12, 10).await, Err(StoreError::Conflict)));
    keep(20, 11).await.unwrap();
    assert_eq!(store.stored_response(&client, "key", 0).await.unwrap(), Some(answer(20)));
    change(&store, |transaction| transaction.delete_expired_responses(21, 10)).await.unwrap();
    assert_eq!(store.stored_response(&client, "key", 0).await.unwrap(), None);
}

async fn the_audit_trail_is_read_backwards_in_pages(Subject { store, .. }: Subject) {
    let record = |merchant: &str, at_us: i64, id: &str| AuditRecord {
        merchant: merchant.to_owned(),
        at_us,
        id: id.to_owned(),
        actor: "platform.1".to_owned(),
        action: "merchant.add".to_owned(),
        detail: "{}".to_owned(),
    };
    let all = [record("acme", 1, "a"), record("other", 2, "b"), record("acme", 2, "c")];
    change(&store, |transaction| all.iter().for_each(|one| transaction.insert_audit(one)))
        .await
        .unwrap();

    let (acme, newest, second) = (acme(), Cursor::newest(), all[1].cursor());
    let page = AuditFilter { merchant: None, actor: None, before: &newest, limit: 2 };
    assert_eq!(store.audit(&page).await.unwrap(), [all[2].clone(), all[1].clone()]);
    let rest = AuditFilter { before: &second, ..page };
    assert_eq!(store.audit(&rest).await.unwrap(), [all[0].clone()]);
    let ours = AuditFilter { merchant: Some(&acme), limit: 9, ..page };
    assert_eq!(store.audit(&ours).await.unwrap(), [all[2].clone(), all[0].clone()]);
}
