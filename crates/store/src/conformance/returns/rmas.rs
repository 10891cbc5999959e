//! Returns with their policies, ledgers, parcels and label requests.

use bytes::Bytes;
use domain::{
    identifier::MerchantId,
    orders::{
        order::Order,
        order_message::{OrderReadContext, RefundCheck, read_message},
    },
    returns::{
        identifier::RmaId,
        ledger::Ledger,
        policy::Policy,
        rma::{Rma, RmaStatus},
    },
};
use jiff::Timestamp;

use crate::{
    Cursor, PolicyVersion, StoreError, Transaction,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    policies_are_read_newest_first_and_a_number_is_taken_once,
    a_ledger_is_empty_until_something_is_spent,
    a_ledger_changes_only_at_the_version_read,
    concurrent_returns_of_one_unit_have_one_winner,
    a_return_reads_back_and_changes_only_at_the_version_read,
    a_return_is_found_by_its_identifier_alone,
    returns_are_found_by_the_number_of_their_parcel,
    returns_of_a_parcel_are_found_whatever_others_have_under_its_number,
    label_requests_are_listed_oldest_first_until_they_end,
    a_return_is_stored_with_its_ledger_or_not_at_all,
    a_label_is_read_back_byte_for_byte_in_pieces,
);

fn order() -> Order {
    let text = domain::samples::order_message();
    let document = domain::json::parse(text.as_bytes()).unwrap();
    let context =
        OrderReadContext { now: Timestamp::UNIX_EPOCH, strict: false, refunds: RefundCheck::All };
    read_message(&document, &context).unwrap().orders.remove(0).order
}

/// The sample return, under another identifier.
fn sample_rma(number: u8) -> Rma {
    let rma_identifier = RmaId::from_random([number; 8]);
    Rma { rma_identifier, ..domain::samples::rma() }
}

/// A ledger with the one unit of the second line spent.
fn spent(rma: &RmaId) -> Ledger {
    Ledger::default().spend(&order(), "ORD-100472-2", 1, rma.as_str()).unwrap().0
}

async fn policies_are_read_newest_first_and_a_number_is_taken_once(Subject { store, .. }: Subject) {
    let policy = |version| PolicyVersion {
        version,
        created_us: version * 10,
        actor: "platform.k7w2mq9d".to_owned(),
        policy: Policy {
            window_days: u32::try_from(version).unwrap(),
            countries: vec!["DE".to_owned()],
            ..Policy::default()
        },
    };
    for version in 1..=3 {
        commit(&store, |it| it.insert_policy(&acme(), &policy(version))).await.unwrap();
    }

    let again = commit(&store, |it| it.insert_policy(&acme(), &policy(3))).await;

    assert_conflict(&again);
    let newest = store.policies(&acme(), i64::MAX, 2).await.unwrap();
    assert_eq!(newest, [policy(3), policy(2)]);
    assert_eq!(store.policies(&acme(), 2, 10).await.unwrap(), [policy(1)]);
    for _ in 0..2 {
        assert_eq!(store.policies(&acme(), i64::MAX, 1).await.unwrap(), [policy(3)]);
    }
    assert_eq!(store.policies(&other(), i64::MAX, 10).await.unwrap(), []);
}

async fn a_ledger_is_empty_until_something_is_spent(Subject { store, .. }: Subject) {
    let id = sample_rma(1).rma_identifier;
    let empty = store.ledger(&acme(), "A").await.unwrap();
    assert_eq!((empty.value, empty.version), (Ledger::default(), 0));
    commit(&store, |it| it.put_ledger(&acme(), "A", &spent(&id), 0)).await.unwrap();

    let read = store.ledger(&acme(), "A").await.unwrap();

    assert_eq!((read.value, read.version), (spent(&id), 1));
    assert_eq!(store.ledger(&other(), "A").await.unwrap().version, 0);
    assert_eq!(store.ledger(&acme(), "B").await.unwrap().version, 0);
}

async fn a_ledger_changes_only_at_the_version_read(Subject { store, .. }: Subject) {
    let [first, second] = [1, 2].map(|number| spent(&sample_rma(number).rma_identifier));
    commit(&store, |it| it.put_ledger(&acme(), "A", &first, 0)).await.unwrap();
    for version in [0, 2, -1] {
        let stale = commit(&store, |it| it.put_ledger(&acme(), "A", &second, version)).await;
        assert_conflict(&stale);
    }
    assert_eq!(store.ledger(&acme(), "A").await.unwrap().value, first);

    commit(&store, |it| it.put_ledger(&acme(), "A", &second, 1)).await.unwrap();

    let read = store.ledger(&acme(), "A").await.unwrap();
    assert_eq!((read.value, read.version), (second, 2));
}

async fn concurrent_returns_of_one_unit_have_one_winner(Subject { store, .. }: Subject) {
    for version in 0..5 {
        let writers = (0..8).map(|number| {
            let store = store.clone();
            tokio::spawn(async move {
                let rma = sample_rma(number);
                let ledger = spent(&rma.rma_identifier);
                commit(&store, |it| it.put_ledger(&acme(), "A", &ledger, version)).await
            })
        });
        let mut won = 0;
        for writer in writers.collect::<Vec<_>>() {
            let done = writer.await.unwrap();
            assert!(matches!(done, Ok(()) | Err(StoreError::Conflict)), "{done:?}");
            won += i64::from(done.is_ok());
        }
        assert_eq!(won, 1);
        assert_eq!(store.ledger(&acme(), "A").await.unwrap().version, version + 1);
    }
}

async fn a_return_reads_back_and_changes_only_at_the_version_read(Subject { store, .. }: Subject) {
    let first = sample_rma(1);
    commit(&store, |it| it.insert_return(&acme(), &first)).await.unwrap();
    assert_conflict(&commit(&store, |it| it.insert_return(&acme(), &first)).await);
    let changed = Rma { status: RmaStatus::Refunded, ..first.clone() };

    for version in [0, 2] {
        let stale =
            commit(&store, |it| it.update_return(&acme(), &changed, version, first.status)).await;
        assert_conflict(&stale);
    }
    let read = store.rma(&acme(), &first.rma_identifier).await.unwrap().unwrap();
    assert_eq!((read.value, read.version), (first.clone(), 1));
    commit(&store, |it| it.update_return(&acme(), &changed, 1, first.status)).await.unwrap();

    let read = store.rma(&acme(), &first.rma_identifier).await.unwrap().unwrap();
    assert_eq!((read.value, read.version), (changed.clone(), 2));
    assert!(store.rma(&other(), &first.rma_identifier).await.unwrap().is_none());
    let theirs = commit(&store, |it| it.update_return(&other(), &changed, 2, first.status)).await;
    assert_conflict(&theirs);
}

async fn a_return_is_found_by_its_identifier_alone(Subject { store, .. }: Subject) {
    let (mine, unknown) = (sample_rma(1), sample_rma(2));
    commit(&store, |it| it.insert_return(&other(), &mine)).await.unwrap();

    assert_eq!(store.merchant_of_rma(&mine.rma_identifier).await.unwrap(), Some(other()));
    assert_eq!(store.merchant_of_rma(&unknown.rma_identifier).await.unwrap(), None);
}

async fn returns_are_found_by_the_number_of_their_parcel(Subject { store, .. }: Subject) {
    let [mine, theirs] = [1, 2].map(|number| sample_rma(number).rma_identifier);
    for _ in 0..2 {
        // A label that is reported twice is one parcel.
        commit(&store, |it| it.put_parcel(&acme(), "1Z-1", &mine)).await.unwrap();
    }
    commit(&store, |it| it.put_parcel(&other(), "1Z-1", &theirs)).await.unwrap();

    let found = |owner: Option<MerchantId>, number: &'static str| {
        let store = store.clone();
        async move { store.returns_by_parcel(owner.as_ref(), number).await.unwrap() }
    };

    let (mine, theirs) = ((acme(), mine), (other(), theirs));
    assert_eq!(found(None, "1Z-1").await, [mine.clone(), theirs.clone()]);
    assert_eq!(found(Some(acme()), "1Z-1").await, [mine]);
    assert_eq!(found(Some(other()), "1Z-1").await, [theirs]);
    assert_eq!(found(None, "1Z-2").await, []);
}

async fn returns_of_a_parcel_are_found_whatever_others_have_under_its_number(
    Subject { store, .. }: Subject,
) {
    let ids: Vec<RmaId> = (1..=102).map(|number| sample_rma(number).rma_identifier).collect();
    let (theirs, mine) = ids.split_at(101);
    commit(&store, |it| {
        for id in theirs {
            it.put_parcel(&acme(), "1Z-1", id);
        }
        it.put_parcel(&other(), "1Z-1", &mine[0]);
    })
    .await
    .unwrap();

    let found = store.returns_by_parcel(Some(&other()), "1Z-1").await.unwrap();
    assert_eq!(found, [(other(), mine[0].clone())]);
}

async fn label_requests_are_listed_oldest_first_until_they_end(Subject { store, .. }: Subject) {
    let ids: Vec<RmaId> = (1..=4).map(|number| sample_rma(number).rma_identifier).collect();
    let wishes = [(&acme(), 3, 30), (&other(), 0, 10), (&acme(), 1, 20)];
    for (merchant, position, at_us) in wishes {
        commit(&store, |it| it.request_label(merchant, &ids[position], "external", at_us))
            .await
            .unwrap();
    }
    commit(&store, |it| it.request_label(&acme(), &ids[2], "simulated", 5)).await.unwrap();

    let wanted = |after_us: i64, limit: usize| {
        let store = store.clone();
        let after = Cursor { at_us: after_us, ..Cursor::oldest() };
        async move {
            let found = store.label_requests("external", None, &after, limit).await.unwrap();
            found
                .into_iter()
                .map(|it| (it.merchant, it.rma_id, it.requested_us))
                .collect::<Vec<_>>()
        }
    };
    let row =
        |merchant: MerchantId, position: usize, at_us| (merchant, ids[position].to_string(), at_us);
    let all = [row(other(), 0, 10), row(acme(), 1, 20), row(acme(), 3, 30)];
    assert_eq!(wanted(0, 10).await, all);
    assert_eq!(wanted(0, 1).await, all[..1]);
    assert_eq!(wanted(11, 10).await, all[1..]);
    let ours =
        store.label_requests("external", Some(&other()), &Cursor::oldest(), 10).await.unwrap();
    assert_eq!(ours.iter().map(|it| it.requested_us).collect::<Vec<_>>(), [10]);
    commit(&store, |it| it.end_label_request(&acme(), &ids[0])).await.unwrap();
    assert_eq!(wanted(0, 10).await.len(), 3, "another merchant's wish stays");
    commit(&store, |it| it.end_label_request(&other(), &ids[0])).await.unwrap();

    assert_eq!(wanted(0, 10).await, all[1..]);
}

async fn a_return_is_stored_with_its_ledger_or_not_at_all(Subject { store, .. }: Subject) {
    let [first, second] = [sample_rma(1), sample_rma(2)];
    let begin = |rma: Rma, version: i64| {
        move |it: &mut Transaction| {
            let id = rma.rma_identifier.clone();
            it.insert_return(&acme(), &rma);
            it.request_label(&acme(), &id, "external", 1);
            it.put_ledger(&acme(), "A", &spent(&id), version);
        }
    };
    commit(&store, begin(first, 0)).await.unwrap();

    assert_conflict(&commit(&store, begin(second.clone(), 0)).await);

    assert!(store.rma(&acme(), &second.rma_identifier).await.unwrap().is_none());
    assert_eq!(
        store.label_requests("external", None, &Cursor::oldest(), 9).await.unwrap().len(),
        1
    );
}

async fn a_label_is_read_back_byte_for_byte_in_pieces(Subject { store, .. }: Subject) {
    let id = sample_rma(1).rma_identifier;
    let file: Bytes =
        (0..100_000_u32).flat_map(|it| [0, 1, 2].map(|at| it.to_le_bytes()[at])).collect();
    let put = |it: &mut Transaction| it.put_label_document(&acme(), &id, "a1", &file);
    commit(&store, put).await.unwrap();
    commit(&store, put).await.expect("the same file again is harmless");

    let mut read = Vec::new();
    while let Some(piece) =
        store.label_document_piece(&acme(), &id, "a1", read.len()).await.unwrap()
    {
        read.push(piece);
    }
    assert_eq!(read.len(), 3);
    assert_eq!(read.concat(), file);
    assert_eq!(store.label_document_piece(&other(), &id, "a1", 0).await.unwrap(), None);
    assert_eq!(store.label_document_piece(&acme(), &id, "a2", 0).await.unwrap(), None);
}
