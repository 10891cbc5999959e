//! Messages that are sent again, and the last message about each thing.

use bytes::Bytes;
use domain::{identifier::MerchantId, messages::kind::MessageKind};
use ring::digest::{SHA256, digest};

use crate::{
    Attempt, AttemptOutcome, FailureCause, FailureKey, HeadPosition, MessageHead, NewMessage,
    PendingMessage, ReplayedMessage, Store, Transaction,
    conformance::{Subject, acme, commit, on_every_engine, other},
    core::{schema::MIGRATIONS, value::params},
};

on_every_engine!(
    a_delivered_message_is_put_back_and_marked,
    a_failed_message_leaves_the_failure_queue_when_it_is_replayed,
    a_replay_that_failed_is_still_marked_when_it_is_retried,
    what_waits_or_is_unknown_is_left_as_it_is,
    a_message_is_found_by_its_time,
    the_last_message_about_each_thing_outlives_it,
    a_thing_is_forgotten_if_its_only_message_was_never_delivered_and_is_discarded,
    a_thing_whose_only_message_was_discarded_before_it_was_indexed_is_not_known,
    an_upgrade_forgets_things_whose_only_message_was_discarded_and_no_others,
);

/// The number of the migration that removes heads of discarded messages.
const DISCARDED_MESSAGES: usize = 19;

fn message(merchant: &MerchantId, reference: &str, sequence: i64) -> NewMessage {
    NewMessage { created_us: sequence * 100, ..super::message(merchant, reference, sequence) }
}

async fn enqueue(store: &Store, message: NewMessage) -> PendingMessage {
    let mut transaction = Transaction::new("enqueueing a message");
    transaction.enqueue(message);
    store.commit(transaction).await.unwrap().remove(0)
}

async fn end(store: &Store, message: PendingMessage, outcome: AttemptOutcome) {
    let attempt = Attempt { outcome, ..super::failures::last_attempt(message) };
    commit(store, |it| it.record_attempts([&attempt].into_iter())).await.unwrap();
}

fn replayed(message_id: i64) -> ReplayedMessage {
    ReplayedMessage { kind: MessageKind::Rma, message_id, lane: 7 }
}

async fn replay(store: &Store, message_id: i64) {
    let messages = [replayed(message_id)];
    commit(store, |it| it.replay_messages(&acme(), &messages, 5_000)).await.unwrap();
}

async fn pending(store: &Store) -> Vec<PendingMessage> {
    store.pending_messages(&acme(), MessageKind::Rma.queue(), 0, 10).await.unwrap()
}

async fn a_delivered_message_is_put_back_and_marked(Subject { store, .. }: Subject) {
    let first = enqueue(&store, message(&acme(), "A", 1)).await;
    assert!(!pending(&store).await[0].replay);
    end(&store, first.clone(), AttemptOutcome::Delivered).await;

    replay(&store, 1).await;

    let expected = PendingMessage { replay: true, cycle: 2, due_us: 5_000, ..first };
    assert_eq!(pending(&store).await, std::slice::from_ref(&expected));
    let waiting = store.waiting_messages(&acme(), &[replayed(1), replayed(2)]).await.unwrap();
    assert_eq!(waiting.into_iter().collect::<Vec<_>>(), [1]);
    end(&store, expected, AttemptOutcome::Delivered).await;
    replay(&store, 1).await;
    assert_eq!(pending(&store).await[0].cycle, 3);
    assert_eq!(store.attempts(&acme(), 1).await.unwrap().len(), 2);
}

async fn a_failed_message_leaves_the_failure_queue_when_it_is_replayed(
    Subject { store, .. }: Subject,
) {
    let first = enqueue(&store, message(&acme(), "A", 1)).await;
    let failed = super::failures::last_attempt(first);
    commit(&store, |it| it.record_attempts([&failed].into_iter())).await.unwrap();
    assert_eq!(store.failing_endpoints(10, 10).await.unwrap().len(), 1);

    replay(&store, 1).await;

    assert_eq!(store.failing_endpoints(10, 10).await.unwrap(), []);
    assert_eq!(pending(&store).await[0].cycle, 2);
}

async fn a_replay_that_failed_is_still_marked_when_it_is_retried(Subject { store, .. }: Subject) {
    let first = enqueue(&store, message(&acme(), "A", 1)).await;
    end(&store, first, AttemptOutcome::Delivered).await;
    replay(&store, 1).await;
    let failed = super::failures::last_attempt(pending(&store).await.remove(0));
    commit(&store, |it| it.record_attempts([&failed].into_iter())).await.unwrap();
    assert_eq!(pending(&store).await, []);

    let merchant = acme();
    let key = FailureKey { merchant: &merchant, kind: MessageKind::Rma, message_id: 1 };
    commit(&store, |it| it.retry_failure(key, 9_000)).await.unwrap();

    let again = pending(&store).await.remove(0);
    assert!(again.replay);
    assert_eq!((again.cycle, again.attempts), (3, 0));
}

async fn what_waits_or_is_unknown_is_left_as_it_is(Subject { store, .. }: Subject) {
    let first = enqueue(&store, message(&acme(), "A", 1)).await;
    replay(&store, 1).await;
    replay(&store, 2).await;
    assert_eq!(pending(&store).await, [first]);
}

async fn a_message_is_found_by_its_time(Subject { store, .. }: Subject) {
    assert_eq!(store.last_message_before(&acme(), i64::MAX).await.unwrap(), 0);
    for sequence in 1..=9 {
        let sent = enqueue(&store, message(&acme(), "A", sequence)).await;
        if [4, 5].contains(&sequence) {
            end(&store, sent, AttemptOutcome::Delivered).await;
        }
    }
    commit(&store, |it| it.remove_messages(&acme(), &[4, 5])).await.unwrap();
    for (before_us, last) in [(100, 0), (101, 1), (350, 3), (600, 3), (601, 6), (i64::MAX, 9)] {
        let found = store.last_message_before(&acme(), before_us).await.unwrap();
        assert_eq!(found, last, "before {before_us}");
    }
    let scanned = store.scan_messages(&acme(), 2, 7, 3).await.unwrap();
    let numbers: Vec<i64> = scanned.iter().map(|it| it.message_id).collect();
    assert_eq!(numbers, [3, 6, 7]);
    let stored = store.stored_messages(&acme(), [3, 4, 6].into_iter()).await.unwrap();
    assert!(stored.contains(&3) && stored.contains(&6) && stored.len() == 2, "{stored:?}");
    assert!(store.stored_messages(&acme(), [].into_iter()).await.unwrap().is_empty());
}

async fn the_last_message_about_each_thing_outlives_it(Subject { store, .. }: Subject) {
    for (reference, sequence) in [("B", 1), ("A", 1), ("A", 2), ("Z", 0)] {
        enqueue(&store, message(&acme(), reference, sequence)).await;
    }
    let shipment = NewMessage { kind: MessageKind::OutboundAsn, ..message(&acme(), "B", 1) };
    enqueue(&store, shipment).await;
    let carrier = NewMessage { kind: MessageKind::CarrierRequest, ..message(&acme(), "B", 1) };
    enqueue(&store, carrier).await;
    enqueue(&store, message(&other(), "C", 1)).await;
    store.update_message_index("acme").await.unwrap();
    commit(&store, |it| it.remove_messages(&acme(), &[1, 2, 3, 4, 5])).await.unwrap();
    enqueue(&store, message(&acme(), "B", 2)).await;
    store.update_message_index("acme").await.unwrap();

    let heads = store.message_heads(&acme(), &HeadPosition::default(), 10).await.unwrap();

    let head = |kind, reference: &str, message_id, sequence: i64| MessageHead {
        kind,
        reference: reference.to_owned(),
        message_id,
        sequence,
        created_us: sequence * 100,
        hash: Bytes::copy_from_slice(
            digest(&SHA256, format!("{reference} {sequence}").as_bytes()).as_ref(),
        ),
    };
    let expected = [
        head(MessageKind::OutboundAsn, "B", 5, 1),
        head(MessageKind::Rma, "A", 3, 2),
        head(MessageKind::Rma, "B", 7, 2),
    ];
    assert_eq!(heads, expected);
    let after = heads[1].position();
    assert_eq!(store.message_heads(&acme(), &after, 10).await.unwrap(), expected[2..]);
}

/// Fails messages 1 to 4: the only one about A, both about B, and a replay of the only one about C,
/// which was delivered.
async fn fail_messages(store: &Store) {
    let failed = AttemptOutcome::Failed { cause: FailureCause::Overloaded };
    for (reference, sequence) in [("A", 1), ("B", 1), ("B", 2)] {
        let message = enqueue(store, message(&acme(), reference, sequence)).await;
        end(store, message, failed).await;
    }
    let delivered = enqueue(store, message(&acme(), "C", 1)).await;
    end(store, delivered, AttemptOutcome::Delivered).await;
    replay(store, 4).await;
    let again = pending(store).await.remove(0);
    end(store, again, failed).await;
}

async fn discard_messages(store: &Store) {
    for message_id in 1..=4 {
        let key = FailureKey { merchant: &acme(), kind: MessageKind::Rma, message_id };
        commit(store, |it| it.discard_failure(key, "agreed", 9)).await.unwrap();
    }
}

/// All but A, which its merchant never got.
async fn examine_heads(store: &Store) {
    let heads = store.message_heads(&acme(), &HeadPosition::default(), 10).await.unwrap();
    let left: Vec<(&str, i64)> =
        heads.iter().map(|head| (head.reference.as_str(), head.sequence)).collect();
    assert_eq!(left, [("B", 2), ("C", 1)]);
}

async fn a_thing_is_forgotten_if_its_only_message_was_never_delivered_and_is_discarded(
    Subject { store, .. }: Subject,
) {
    fail_messages(&store).await;
    store.update_message_index("acme").await.unwrap();
    discard_messages(&store).await;
    examine_heads(&store).await;
}

async fn a_thing_whose_only_message_was_discarded_before_it_was_indexed_is_not_known(
    Subject { store, .. }: Subject,
) {
    fail_messages(&store).await;
    discard_messages(&store).await;
    store.update_message_index("acme").await.unwrap();
    examine_heads(&store).await;
}

async fn an_upgrade_forgets_things_whose_only_message_was_discarded_and_no_others(
    Subject { store, .. }: Subject,
) {
    fail_messages(&store).await;
    store.update_message_index("acme").await.unwrap();
    // As earlier versions did: the heads stay.
    let discards = (1..=4_i64).map(|id| params!["acme", id, 9_i64, "agreed"]).collect();
    let discard = |it: &mut Transaction| {
        it.any_rows_each(
            "INSERT INTO discards (merchant_id, message_id, discarded_us, reason)
             SELECT r.merchant_id, r.message_id, r.discarded_us, r.reason
             FROM ROWS(merchant_id, message_id, discarded_us, reason) WHERE true",
            discards,
        );
    };
    commit(&store, discard).await.unwrap();

    let next_version = i64::try_from(MIGRATIONS.len()).unwrap() + 1;
    store.engine.migrate(MIGRATIONS[DISCARDED_MESSAGES - 1], next_version).await.unwrap();

    examine_heads(&store).await;
}
