//! What a check of the books reads.

use domain::{
    money::books::Balances,
    returns::{
        identifier::RmaId,
        journal::{Actor, ActorKind, ReturnChange, ReturnEvent},
        rma::Rma,
    },
    time::from_micros,
};

use crate::{
    Posting, PostingPosition,
    conformance::{Subject, acme, commit, on_every_engine, other},
};

on_every_engine!(
    all_returns_are_listed_in_the_order_of_their_keys,
    a_row_has_its_return_and_its_columns,
    a_posting_without_its_event_is_noticed,
);

fn sample_rma(number: u8) -> Rma {
    let rma_identifier = RmaId::from_random([number; 8]);
    Rma { rma_identifier, ..domain::samples::rma() }
}

async fn all_returns_are_listed_in_the_order_of_their_keys(Subject { store, .. }: Subject) {
    let mut expected = Vec::new();
    for (merchant, number) in [(acme(), 3), (other(), 1), (acme(), 2)] {
        let rma = sample_rma(number);
        commit(&store, |it| it.insert_return(&merchant, &rma)).await.unwrap();
        expected.push((merchant, rma.rma_identifier));
    }
    expected.sort_by_key(|(merchant, id)| (merchant.to_string(), id.to_string()));

    let first = store.return_keys("", "", 2).await.unwrap();
    let (merchant, id) = first.last().unwrap();
    let rest = store.return_keys(merchant.as_str(), id.as_str(), 2).await.unwrap();

    assert_eq!([first, rest].concat(), expected);
}

async fn a_row_has_its_return_and_its_columns(Subject { store, .. }: Subject) {
    let rma = sample_rma(1);
    commit(&store, |it| it.insert_return(&acme(), &rma)).await.unwrap();

    let row = store.return_row(&acme(), &rma.rma_identifier).await.unwrap().unwrap();

    assert_eq!((row.version, row.status.as_str(), row.is_posted), (1, rma.status.name(), true));
    assert_eq!((row.currency.as_str(), row.owed_cents), ("USD", 4610));
    assert_eq!(row.rma, rma);
    assert_eq!(store.return_row(&other(), &rma.rma_identifier).await.unwrap(), None);
}

async fn a_posting_without_its_event_is_noticed(Subject { store, .. }: Subject) {
    let rma = sample_rma(1);
    let posting = |at_us: i64, number: i64| Posting {
        at_us,
        rma_id: rma.rma_identifier.clone(),
        number,
        currency: "USD".to_owned(),
        amounts: Balances::of(&rma),
    };
    let event = ReturnEvent {
        number: 1,
        at: from_micros(1_000).unwrap(),
        actor: Actor::unnamed(ActorKind::Shopper),
        cause: None,
        change: ReturnChange::State(Box::new(rma.clone())),
    };
    let insert = |it: &mut crate::Transaction| {
        it.insert_return_event(&acme(), &rma.rma_identifier, &event);
    };
    commit(&store, insert).await.unwrap();

    let postings = [posting(1_000, 1), posting(2_000, 2)];
    let events = store.events_of_postings(&acme(), &postings).await.unwrap();

    assert_eq!(events, [postings[0].position()]);
    let later = store.events_of_postings(&acme(), &[posting(2_000, 1)]).await.unwrap();
    assert_eq!(later.iter().map(|it: &PostingPosition| it.at_us).collect::<Vec<_>>(), [1_000]);
}
