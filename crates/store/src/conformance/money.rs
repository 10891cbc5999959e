//! The journal of returns and what its events posted.

use domain::{
    money::books::{Account, Balances},
    returns::{
        identifier::RmaId,
        journal::{Actor, ActorKind, ReturnChange, ReturnEvent},
        rma::{Rma, RmaEvent},
    },
    time::micros,
};
use jiff::Timestamp;

use crate::{
    Cursor, Posting, PostingPosition, Transaction,
    conformance::{Subject, acme, assert_conflict, commit, on_every_engine, other},
};

on_every_engine!(
    events_read_back_in_order_and_a_number_is_taken_once,
    postings_are_listed_by_time_and_add_up_by_currency,
    a_posting_that_does_not_sum_to_zero_is_refused,
    what_returns_owe_is_found_by_the_age_of_the_return,
    an_event_is_stored_with_its_return_or_not_at_all,
);

fn at(us: i64) -> Timestamp {
    Timestamp::from_microsecond(us).unwrap()
}

fn rma_of(number: u8, created_us: i64) -> Rma {
    let rma_identifier = RmaId::from_random([number; 8]);
    Rma { rma_identifier, created_at: at(created_us), ..domain::samples::rma() }
}

fn event(number: i64, change: ReturnChange) -> ReturnEvent {
    let actor = Actor::new(ActorKind::Client, "acme.k7w2mq9d");
    let cause = (number > 1).then(|| "req-1".to_owned());
    ReturnEvent { number, at: at(number), actor, cause, change }
}

fn posting(number: u8, at_us: i64, currency: &str, cents: i64) -> Posting {
    let mut amounts = [0; Account::COUNT];
    (amounts[0], amounts[4]) = (-cents, cents);
    Posting {
        at_us,
        rma_id: RmaId::from_random([number; 8]),
        number: 1,
        currency: currency.to_owned(),
        amounts: Balances::from_amounts(amounts),
    }
}

async fn events_read_back_in_order_and_a_number_is_taken_once(Subject { store, .. }: Subject) {
    let rma = rma_of(1, 1);
    let id = &rma.rma_identifier;
    let events = [
        event(1, ReturnChange::State(Box::new(rma.clone()))),
        event(2, ReturnChange::Event(RmaEvent::ReceivingClosed)),
    ];
    for event in &events {
        commit(&store, |it| it.insert_return_event(&acme(), id, event)).await.unwrap();
    }
    assert_eq!(store.return_events(&acme(), id, -1, 9).await.unwrap(), events);
    assert_eq!(store.return_events(&acme(), id, 1, 9).await.unwrap(), events[1..]);
    assert_eq!(store.return_events(&acme(), id, -1, 1).await.unwrap(), events[..1]);
    assert_eq!(store.return_events(&other(), id, -1, 9).await.unwrap(), []);
    let taken = commit(&store, |it| it.insert_return_event(&acme(), id, &events[1])).await;
    assert_conflict(&taken);
}

async fn postings_are_listed_by_time_and_add_up_by_currency(Subject { store, .. }: Subject) {
    let all = [posting(1, 10, "USD", 100), posting(2, 10, "EUR", 7), posting(3, 20, "USD", -30)];
    for posting in &all {
        commit(&store, |it| it.insert_posting(&acme(), posting)).await.unwrap();
    }
    let start = PostingPosition::before(i64::MIN);
    assert_eq!(store.postings(&acme(), &start, i64::MAX, 9).await.unwrap(), all);
    let after = all[1].position();
    assert_eq!(store.postings(&acme(), &after, i64::MAX, 9).await.unwrap(), all[2..]);
    assert_eq!(store.postings(&acme(), &start, 20, 9).await.unwrap(), all[..2]);
    let from = PostingPosition::before(20);
    assert_eq!(store.postings(&acme(), &from, i64::MAX, 9).await.unwrap(), all[2..]);
    assert_eq!(store.postings(&other(), &start, i64::MAX, 9).await.unwrap(), []);

    let sums = store.posting_sums(&acme(), i64::MIN, i64::MAX).await.unwrap();
    let promised: Vec<(String, i64)> =
        sums.iter().map(|(code, sum)| (code.clone(), sum.get(Account::Promised))).collect();
    assert_eq!(promised, [("EUR".to_owned(), -7), ("USD".to_owned(), -70)]);
    let sums = store.posting_sums(&acme(), 20, 21).await.unwrap();
    assert_eq!(sums, [("USD".to_owned(), all[2].amounts)]);

    let events = [(10, 1), (10, 2)].into_iter();
    let found = store.postings_of_events(&acme(), &all[0].rma_id, events).await.unwrap();
    assert_eq!(found, all[..1]);
}

async fn a_posting_that_does_not_sum_to_zero_is_refused(Subject { store, .. }: Subject) {
    let mut wrong = posting(1, 10, "USD", 100);
    let mut amounts = wrong.amounts.amounts();
    amounts[0] += 1;
    wrong.amounts = Balances::from_amounts(amounts);
    assert!(commit(&store, |it| it.insert_posting(&acme(), &wrong)).await.is_err());
    let start = PostingPosition::before(i64::MIN);
    assert_eq!(store.postings(&acme(), &start, i64::MAX, 9).await.unwrap(), []);
}

async fn what_returns_owe_is_found_by_the_age_of_the_return(Subject { store, .. }: Subject) {
    let (old, new) = (rma_of(1, 10), rma_of(2, 20));
    for rma in [&old, &new] {
        commit(&store, |it| it.insert_return(&acme(), rma)).await.unwrap();
    }
    let owed_cents = -Balances::of(&old).get(Account::Promised);
    assert_eq!(owed_cents, 4610, "the sample owes one of its two units");
    let sums = store.owed_sums(&acme(), i64::MIN, i64::MAX).await.unwrap();
    let seen: Vec<_> = sums.iter().map(|it| (it.returns, it.owed_cents)).collect();
    assert_eq!(seen, [(2, 2 * owed_cents)]);
    let sums = store.owed_sums(&acme(), 11, i64::MAX).await.unwrap();
    assert_eq!(sums[0].returns, 1);

    let mut settled = old.clone();
    settled.status = domain::returns::rma::RmaStatus::Canceled;
    for unit in &mut settled.units {
        unit.exchange = None;
    }
    commit(&store, |it| it.update_return(&acme(), &settled, 1, old.status)).await.unwrap();
    let listed = store.owed_returns(&acme(), &Cursor::oldest(), 9).await.unwrap();
    let seen: Vec<_> = listed.iter().map(|it| (it.created_us, it.owed_cents)).collect();
    assert_eq!(seen, [(micros(new.created_at), owed_cents)]);
    assert_eq!(store.owed_returns(&acme(), &listed[0].cursor(), 9).await.unwrap(), []);
}

async fn an_event_is_stored_with_its_return_or_not_at_all(Subject { store, .. }: Subject) {
    let rma = rma_of(1, 1);
    commit(&store, |it| it.insert_return(&acme(), &rma)).await.unwrap();
    let mut transaction = Transaction::new("testing");
    let started = event(1, ReturnChange::State(Box::new(rma.clone())));
    transaction.insert_return_event(&acme(), &rma.rma_identifier, &started);
    transaction.insert_posting(&acme(), &posting(1, 10, "USD", 100));
    transaction.insert_return(&acme(), &rma);
    assert_conflict(&store.commit(transaction).await.map(|_| ()));
    let events = store.return_events(&acme(), &rma.rma_identifier, -1, 9).await.unwrap();
    assert_eq!(events, []);
    let start = PostingPosition::before(i64::MIN);
    assert_eq!(store.postings(&acme(), &start, i64::MAX, 9).await.unwrap(), []);
}
