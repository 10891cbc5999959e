//! Units.

use domain::{
    identifier::MerchantId,
    warehouse::{
        asn_number::AsnNumber,
        unit::{ExceptionKind, ReceivingQuestion, UnitEvent, UnitRecord, apply},
    },
};
use jiff::Timestamp;

use crate::{
    Cursor, DoubtfulUnit, Store, StoreError, UnitRow, UnitSteps,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    units_read_back_and_are_replaced_only_at_their_versions,
    a_stale_unit_undoes_all_others,
    units_are_read_with_their_steps,
    steps_of_a_unit_are_removed_and_those_of_others_stay,
    a_thousand_units_are_one_batch,
    units_in_doubt_are_listed_by_age_in_pages,
    a_unit_that_was_never_matched_has_no_merchant,
    concurrent_changes_of_one_unit_have_one_winner,
);

fn unit(plate: &str) -> UnitRecord {
    UnitRecord { unit_identifier: plate.to_owned(), ..domain::samples::received_unit() }
}

/// A unit that is only known from a scan in this second.
fn doubtful(plate: &str, second: i64) -> UnitRecord {
    let raised_at = Timestamp::from_second(second).unwrap();
    let asked = UnitEvent::Questioned(Box::new(ReceivingQuestion {
        asn_number: "A-1".to_owned(),
        kind: ExceptionKind::UnknownAsn,
        raised_at,
        scanned: domain::samples::asn_receipt(),
        candidates: Vec::new(),
        answer: None,
    }));
    apply(&UnitRecord::new(plate), &asked, raised_at).unwrap().unit
}

async fn put(store: &Store, merchant: &MerchantId, units: Vec<UnitRow>) -> Result<(), StoreError> {
    commit(store, |transaction| transaction.put_units(merchant, units)).await
}

fn row(unit: UnitRecord, replaces: i64) -> UnitRow {
    UnitRow { replaces, unit }
}

async fn versions(store: &Store, merchant: &MerchantId, plates: &[&str]) -> Vec<(String, i64)> {
    let found = store.units(merchant, plates.iter().copied()).await.unwrap();
    let mut found: Vec<_> =
        found.into_iter().map(|it| (it.value.unit_identifier, it.version)).collect();
    found.sort();
    found
}

fn at(plate: &str, version: i64) -> (String, i64) {
    (plate.to_owned(), version)
}

async fn units_read_back_and_are_replaced_only_at_their_versions(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![row(unit("LP-1"), 0)]).await.unwrap();
    assert_conflict(&put(&store, &acme(), vec![row(doubtful("LP-1", 1), 0)]).await);
    assert_conflict(&put(&store, &acme(), vec![row(doubtful("LP-1", 1), 2)]).await);

    let stored = store.units(&acme(), ["LP-1", "LP-2"].into_iter()).await.unwrap();

    assert_eq!(stored.len(), 1);
    assert_eq!((stored[0].version, &stored[0].value), (1, &unit("LP-1")));
    put(&store, &acme(), vec![row(doubtful("LP-1", 1), 1)]).await.unwrap();
    let stored = store.units(&acme(), ["LP-1"].into_iter()).await.unwrap();
    assert_eq!((stored[0].version, &stored[0].value), (2, &doubtful("LP-1", 1)));
    assert!(store.units(&other(), ["LP-1"].into_iter()).await.unwrap().is_empty());
    assert_eq!(store.merchants_of_unit("LP-1").await.unwrap(), [acme()]);
}

async fn a_stale_unit_undoes_all_others(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![row(unit("LP-1"), 0), row(unit("LP-2"), 0)]).await.unwrap();

    let units = vec![row(unit("LP-1"), 1), row(unit("LP-2"), 9), row(unit("LP-3"), 0)];
    assert_conflict(&put(&store, &acme(), units).await);

    let all = versions(&store, &acme(), &["LP-1", "LP-2", "LP-3"]).await;
    assert_eq!(all, [at("LP-1", 1), at("LP-2", 1)]);
}

async fn units_are_read_with_their_steps(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![row(unit("LP-1"), 0), row(unit("LP-2"), 0)]).await.unwrap();
    let event = UnitEvent::Packed { asn_number: AsnNumber::parse("OUT-1").unwrap() };
    let packed = |plate: &str| apply(&unit(plate), &event, Timestamp::MAX).unwrap().unit;
    let step = async |plate: &str, before: &UnitRecord, after: &UnitRecord, version: i64| {
        let row = UnitSteps { unit_id: plate, replaces: version, steps: after.since(before) };
        commit(&store, |it| it.put_unit_steps(&acme(), &[row])).await
    };

    assert_conflict(&step("LP-1", &unit("LP-1"), &packed("LP-1"), 2).await);
    step("LP-1", &unit("LP-1"), &packed("LP-1"), 1).await.unwrap();
    let event = UnitEvent::Shipped { asn_number: AsnNumber::parse("OUT-1").unwrap() };
    let gone = apply(&packed("LP-1"), &event, Timestamp::MAX).unwrap().unit;
    step("LP-1", &packed("LP-1"), &gone, 2).await.unwrap();

    let mut stored = store.units(&acme(), ["LP-2", "LP-1"].into_iter()).await.unwrap();
    stored.sort_by_key(|it| it.version);
    assert_eq!((stored[0].version, &stored[0].value), (1, &unit("LP-2")));
    assert_eq!((stored[1].version, &stored[1].value), (3, &gone));
    put(&store, &acme(), vec![row(doubtful("LP-1", 1), 3)]).await.unwrap();
    let stored = store.units(&acme(), ["LP-1"].into_iter()).await.unwrap();
    assert_eq!((stored[0].version, &stored[0].value), (4, &doubtful("LP-1", 1)), "as it was put");
}

async fn steps_of_a_unit_are_removed_and_those_of_others_stay(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![row(unit("LP-1"), 0), row(unit("LP-2"), 0)]).await.unwrap();
    let event = UnitEvent::Packed { asn_number: AsnNumber::parse("OUT-1").unwrap() };
    let packed = |plate: &str| apply(&unit(plate), &event, Timestamp::MAX).unwrap().unit;
    for plate in ["LP-1", "LP-2"] {
        let after = packed(plate);
        let steps = after.since(&unit(plate));
        let row = UnitSteps { unit_id: plate, replaces: 1, steps };
        commit(&store, |it| it.put_unit_steps(&acme(), &[row])).await.unwrap();
    }

    commit(&store, |it| it.delete_unit_steps(&acme(), ["LP-1"].into_iter())).await.unwrap();

    let mut stored = store.units(&acme(), ["LP-1", "LP-2"].into_iter()).await.unwrap();
    stored.sort_by(|a, b| a.value.unit_identifier.cmp(&b.value.unit_identifier));
    assert_eq!(stored[0].value, unit("LP-1"));
    assert_eq!(stored[1].value, packed("LP-2"));
}

async fn a_thousand_units_are_one_batch(Subject { store, .. }: Subject) {
    let plates: Vec<String> = (0..1000).map(|place| format!("LP-{place:04}")).collect();
    let all = |version: i64| plates.iter().map(|plate| row(unit(plate), version)).collect();
    put(&store, &acme(), all(0)).await.unwrap();
    put(&store, &acme(), all(1)).await.unwrap();

    let plates: Vec<&str> = plates.iter().map(String::as_str).collect();
    let stored = versions(&store, &acme(), &plates).await;

    assert_eq!(stored.len(), 1000);
    assert!(stored.iter().all(|(_, version)| *version == 2));
}

async fn units_in_doubt_are_listed_by_age_in_pages(Subject { store, .. }: Subject) {
    let ours = vec![row(doubtful("LP-2", 2), 0), row(unit("LP-0"), 0), row(doubtful("LP-1", 2), 0)];
    put(&store, &acme(), ours).await.unwrap();
    put(&store, &other(), vec![row(doubtful("LP-9", 1), 0)]).await.unwrap();
    let page = async |after: &Cursor, limit: usize| -> Vec<Cursor> {
        let found = store.units_in_doubt(after, limit).await.unwrap();
        found.iter().map(DoubtfulUnit::cursor).collect()
    };
    let position = |second: i64, merchant: &str, plate: &str| {
        let (merchant, id) = (merchant.to_owned(), plate.to_owned());
        Cursor { at_us: second * 1_000_000, merchant, id }
    };
    let all =
        [position(1, "other", "LP-9"), position(2, "acme", "LP-1"), position(2, "acme", "LP-2")];

    assert_eq!(page(&Cursor::oldest(), 9).await, all);
    assert_eq!(page(&Cursor::oldest(), 2).await, all[..2]);
    assert_eq!(page(&all[1], 2).await, all[2..]);
    put(&store, &other(), vec![row(unit("LP-9"), 1)]).await.unwrap();
    assert_eq!(page(&Cursor::oldest(), 9).await, all[1..], "it was decided");
}

async fn a_unit_that_was_never_matched_has_no_merchant(Subject { store, .. }: Subject) {
    put(&store, &MerchantId::platform(), vec![row(doubtful("LP-1", 1), 0)]).await.unwrap();
    assert_eq!(store.merchants_of_unit("LP-1").await.unwrap(), []);

    put(&store, &acme(), vec![row(unit("LP-1"), 0)]).await.unwrap();

    assert_eq!(store.merchants_of_unit("LP-1").await.unwrap(), [acme()]);
}

async fn concurrent_changes_of_one_unit_have_one_winner(Subject { store, .. }: Subject) {
    put(&store, &acme(), vec![row(unit("LP-1"), 0)]).await.unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..16 {
        let store = store.clone();
        let units = vec![row(unit("LP-1"), 1), row(unit(&format!("own-{writer}")), 0)];
        writers.spawn(async move { put(&store, &acme(), units).await });
    }

    let outcomes = writers.join_all().await;

    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    let own: Vec<String> = (0..16).map(|writer| format!("own-{writer}")).collect();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    assert_eq!(versions(&store, &acme(), &own).await.len(), 1, "a loser's others are undone too");
}
