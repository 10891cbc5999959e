//! Portals and their logos.

use bytes::Bytes;
use domain::merchants::{
    language::Language,
    picture::PictureKind,
    portal::{Portal, PortalTexts},
};

use crate::{
    StoredPortal,
    conformance::{Subject, acme, commit, on_every_engine, other},
};

on_every_engine!(
    a_portal_is_the_default_until_it_is_set_and_then_reads_back,
    a_logo_belongs_to_one_merchant_and_can_be_replaced_and_removed,
);

async fn a_portal_is_the_default_until_it_is_set_and_then_reads_back(subject: Subject) {
    let store = subject.store;
    assert_eq!(store.portal(&acme()).await.unwrap(), StoredPortal::default());
    let texts =
        PortalTexts { welcome: Some("Grüß Gott <b>".to_owned()), ..PortalTexts::default() };
    let first = Portal { texts: [(Language::German, texts)].into(), ..Portal::default() };
    let second = Portal { default_language: Language::French, ..Portal::default() };

    for portal in [first, second] {
        commit(&store, |transaction| transaction.put_portal(&acme(), &portal)).await.unwrap();
        let stored = store.portal(&acme()).await.unwrap();
        assert_eq!(stored, StoredPortal { portal, has_logo: false });
    }
    assert_eq!(store.portal(&other()).await.unwrap(), StoredPortal::default());
}

async fn a_logo_belongs_to_one_merchant_and_can_be_replaced_and_removed(subject: Subject) {
    let store = subject.store;
    assert_eq!(store.logo(&acme()).await.unwrap(), None);

    for (kind, body) in [(PictureKind::Png, &b"\x89PNG\0"[..]), (PictureKind::Webp, b"RIFF")] {
        let body = Bytes::from_static(body);
        commit(&store, |transaction| transaction.put_logo(&acme(), kind, &body)).await.unwrap();
        assert_eq!(store.logo(&acme()).await.unwrap(), Some((kind, body)));
    }
    assert!(store.portal(&acme()).await.unwrap().has_logo);
    assert!(!store.portal(&other()).await.unwrap().has_logo);

    for _ in 0..2 {
        commit(&store, |transaction| transaction.delete_logo(&acme())).await.unwrap();
        assert_eq!(store.logo(&acme()).await.unwrap(), None);
    }
    assert_eq!(store.portal(&acme()).await.unwrap(), StoredPortal::default());
}
