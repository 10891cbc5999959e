//! The audit trail.

use crate::{
    AuditFilter, AuditRecord, Cursor, Transaction,
    conformance::{Subject, acme, commit, on_every_engine},
};

on_every_engine!(the_audit_trail_is_read_backwards_in_pages, the_audit_trail_is_read_by_actor,);

async fn the_audit_trail_is_read_backwards_in_pages(Subject { store, .. }: Subject) {
    let record = |merchant: &str, at_us: i64, id: &str| AuditRecord {
        merchant: merchant.to_owned(),
        at_us,
        id: id.to_owned(),
        actor: "platform.1".to_owned(),
        address: "192.0.2.7".to_owned(),
        action: "merchant.add".to_owned(),
        detail: "{}".to_owned(),
    };
    let all = [record("acme", 1, "a"), record("other", 2, "b"), record("acme", 2, "c")];
    commit(&store, |transaction| {
        for one in &all {
            transaction.insert_audit(one, std::iter::empty());
        }
    })
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

async fn the_audit_trail_is_read_by_actor(Subject { store, .. }: Subject) {
    let mut transaction = Transaction::new("testing");
    let records = [("acme", "lena"), ("other", "lena"), ("acme", "omar"), ("acme", "lena")];
    for (at_us, (merchant, actor)) in (1..).zip(records) {
        let record = AuditRecord {
            merchant: merchant.to_owned(),
            at_us,
            id: format!("id{at_us}"),
            actor: actor.to_owned(),
            address: String::new(),
            action: "test".to_owned(),
            detail: "{}".to_owned(),
        };
        transaction.insert_audit(&record, std::iter::empty());
    }
    store.commit(transaction).await.unwrap();
    let times = |records: Vec<AuditRecord>| records.iter().map(|it| it.at_us).collect::<Vec<_>>();
    let (acme, newest) = (acme(), Cursor::newest());
    let fourth = Cursor { at_us: 4, merchant: "acme".to_owned(), id: "id4".to_owned() };
    let all = AuditFilter { merchant: None, actor: Some("lena"), before: &newest, limit: 9 };
    let of_acme = AuditFilter { merchant: Some(&acme), ..all };

    assert_eq!(times(store.audit(&all).await.unwrap()), [4, 2, 1]);
    let first = store.audit(&AuditFilter { limit: 1, ..of_acme }).await.unwrap();
    assert_eq!(times(first), [4]);
    let rest = store.audit(&AuditFilter { before: &fourth, ..of_acme }).await.unwrap();
    assert_eq!(times(rest), [1]);
    let none = store.audit(&AuditFilter { actor: Some("no one"), ..all }).await.unwrap();
    assert_eq!(times(none), Vec::<i64>::new());
}
