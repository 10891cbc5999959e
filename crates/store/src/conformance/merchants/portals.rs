//! Portals and their logos.

use bytes::Bytes;
use domain::{
    merchants::{
        language::Language,
        picture::PictureKind,
        portal::{Portal, PortalTexts},
    },
    returns::policy::Policy,
    withdrawal::terms::WithdrawalTerms,
};

use crate::{
    PolicyVersion, Store, StoredPortal,
    conformance::{Subject, acme, commit, merchant, on_every_engine, other},
};

on_every_engine!(
    a_portal_is_the_default_until_it_is_set_and_then_reads_back,
    a_portal_has_the_withdrawal_terms_of_the_newest_policy,
    a_logo_belongs_to_one_merchant_and_can_be_replaced_and_removed,
);

/// The portal of a merchant for whom nothing is set.
fn default_portal() -> StoredPortal {
    StoredPortal {
        merchant: merchant(&acme()),
        portal: Portal::default(),
        has_logo: false,
        withdrawal: WithdrawalTerms::default(),
    }
}

async fn add_merchants(store: &Store) {
    let add = commit(store, |transaction| {
        transaction.insert_merchant(&merchant(&acme()));
        transaction.insert_merchant(&merchant(&other()));
    });
    add.await.unwrap();
}

async fn portal_of_acme(store: &Store) -> StoredPortal {
    store.portal(&acme()).await.unwrap().unwrap()
}

async fn a_portal_is_the_default_until_it_is_set_and_then_reads_back(subject: Subject) {
    let store = subject.store;
    assert_eq!(store.portal(&acme()).await.unwrap(), None, "there is no such merchant");
    add_merchants(&store).await;
    assert_eq!(portal_of_acme(&store).await, default_portal());
    let texts =
        PortalTexts { welcome: Some("Grüß Gott <b>".to_owned()), ..PortalTexts::default() };
    let first = Portal { texts: [(Language::German, texts)].into(), ..Portal::default() };
    let second = Portal { default_language: Language::French, ..Portal::default() };

    for portal in [first, second] {
        commit(&store, |transaction| transaction.put_portal(&acme(), &portal)).await.unwrap();
        assert_eq!(portal_of_acme(&store).await, StoredPortal { portal, ..default_portal() });
    }
    let others = store.portal(&other()).await.unwrap().unwrap();
    assert_eq!(others, StoredPortal { merchant: merchant(&other()), ..default_portal() });
}

async fn a_portal_has_the_withdrawal_terms_of_the_newest_policy(subject: Subject) {
    let store = subject.store;
    add_merchants(&store).await;
    let terms = |delivery_days_assumed| WithdrawalTerms {
        delivery_days_assumed,
        ..WithdrawalTerms::default()
    };
    for (owner, version, days) in
        [(acme(), 1, 11), (acme(), 2, 12), (acme(), 3, 13), (other(), 4, 14)]
    {
        let policy = PolicyVersion {
            version,
            created_us: version,
            actor: "client".to_owned(),
            policy: Policy { withdrawal: terms(days), ..Policy::default() },
        };
        commit(&store, |transaction| transaction.insert_policy(&owner, &policy)).await.unwrap();
    }

    assert_eq!(portal_of_acme(&store).await.withdrawal, terms(13));
    assert_eq!(store.portal(&other()).await.unwrap().unwrap().withdrawal, terms(14));
}

async fn a_logo_belongs_to_one_merchant_and_can_be_replaced_and_removed(subject: Subject) {
    let store = subject.store;
    add_merchants(&store).await;
    assert_eq!(store.logo(&acme()).await.unwrap(), None);

    for (kind, body) in [(PictureKind::Png, &b"\x89PNG\0"[..]), (PictureKind::Webp, b"RIFF")] {
        let body = Bytes::from_static(body);
        commit(&store, |transaction| transaction.put_logo(&acme(), kind, &body)).await.unwrap();
        assert_eq!(store.logo(&acme()).await.unwrap(), Some((kind, body)));
    }
    assert!(portal_of_acme(&store).await.has_logo);
    assert!(!store.portal(&other()).await.unwrap().unwrap().has_logo);

    for _ in 0..2 {
        commit(&store, |transaction| transaction.delete_logo(&acme())).await.unwrap();
        assert_eq!(store.logo(&acme()).await.unwrap(), None);
    }
    assert_eq!(portal_of_acme(&store).await, default_portal());
}
