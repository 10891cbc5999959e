//! Returns newest first, and by their identifiers.

use domain::{
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaStatus},
    },
    time::from_micros,
};

use crate::{
    Cursor, ReturnFilter, Transaction,
    conformance::{Subject, acme, on_every_engine, other},
};

on_every_engine!(returns_come_newest_first_of_one_merchant_or_of_all,);

fn rma(number: u8, status: RmaStatus) -> Rma {
    let created_at = from_micros(i64::from(number)).unwrap();
    let rma_identifier = RmaId::from_random([number; 8]);
    Rma { rma_identifier, created_at, status, ..domain::samples::rma() }
}

async fn returns_come_newest_first_of_one_merchant_or_of_all(Subject { store, .. }: Subject) {
    let all = [
        (acme(), rma(1, RmaStatus::Created)),
        (other(), rma(2, RmaStatus::Created)),
        (acme(), rma(3, RmaStatus::Canceled)),
    ];
    let mut transaction = Transaction::new("testing");
    for (merchant, rma) in &all {
        transaction.insert_return(merchant, rma);
    }
    store.commit(transaction).await.unwrap();
    let filter = ReturnFilter { before: Cursor::newest(), merchant: None, status: None, limit: 2 };

    let (first, end) = store.returns(&filter).await.unwrap();
    let end = end.unwrap();
    assert_eq!(first.iter().map(|it| it.created_us).collect::<Vec<_>>(), [3, 2]);
    let (rest, end) =
        store.returns(&ReturnFilter { before: end.cursor(), ..filter }).await.unwrap();
    assert_eq!((rest.len(), rest[0].created_us, end), (1, 1, None));

    let merchant = Some(acme());
    let status = Some(RmaStatus::Created);
    let filter = ReturnFilter { before: Cursor::newest(), merchant, status, limit: 2 };
    let (found, end) = store.returns(&filter).await.unwrap();
    assert_eq!((found.len(), found[0].created_us, end), (1, 1, None));
    let named = all.iter().map(|(merchant, rma)| (merchant.as_str(), rma.rma_identifier.as_str()));
    let mut named = store.returns_named(named.chain([("acme", "no")])).await.unwrap();
    named.sort_by_key(|(_, rma)| rma.created_at);
    assert_eq!(named, all.map(|(merchant, rma)| (merchant.to_string(), rma)));
}
