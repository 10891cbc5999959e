//! Outcomes of attempts on their way to the store.
//!
//! They are stored at once when none are being stored, and otherwise collected meanwhile: a commit
//! costs about as much for one outcome as for a hundred, and load makes its own batches. Only the
//! next message of the same lane waits for an outcome, and no outcome waits for an attempt that is
//! still in flight, which may hang.
//!
//! A large batch does not wait, so that it is ready when the store has finished the previous one.
//! Two batches that are stored at the same time never touch the same message: it is not attempted
//! again until its outcome is stored.

use store::{Attempt, LastingFailure, Store, StoreError, Transaction, with_causes};

use super::{
    events::{DispatcherHandle, Event},
    parts::{DispatcherParts, RETRY_PAUSE},
};
use crate::scheduler::QueueId;

/// Attempts that one commit may cover.
const BATCH_MAX: usize = 1_000;
/// A batch that does not wait for the one before it.
const BATCH_WORTH: usize = 256;
/// Batches that may be stored at once.
const STORING_MAX: usize = 2;

/// Finished attempts of the queues that they belong to.
pub(super) type Batch = Vec<(QueueId, Attempt)>;

#[derive(Default)]
pub(super) struct OutcomeBatches {
    waiting: Batch,
    /// Batches that are being stored.
    storing: usize,
}

impl OutcomeBatches {
    pub(super) fn push(&mut self, queue: QueueId, attempt: Attempt) {
        self.waiting.push((queue, attempt));
    }

    /// Whether nothing waits and nothing is being stored.
    pub(super) fn are_stored(&self) -> bool {
        self.waiting.is_empty() && self.storing == 0
    }

    /// What to store now.
    pub(super) fn next_batch(&mut self) -> Option<Batch> {
        let worth = if self.storing == 0 { 1 } else { BATCH_WORTH };
        let waiting = self.waiting.len();
        if self.storing == STORING_MAX || waiting < worth {
            return None;
        }
        let rest = self.waiting.split_off(waiting.min(BATCH_MAX));
        self.storing += 1;
        Some(std::mem::replace(&mut self.waiting, rest))
    }

    pub(super) fn batch_is_stored(&mut self) {
        self.storing -= 1;
    }
}

/// Makes a batch durable, however many attempts it takes: until then its lanes stay closed.
pub(super) async fn store_batch(parts: DispatcherParts, handle: DispatcherHandle, batch: Batch) {
    let work = match batch.len() {
        1 => "storing 1 attempt outcome".to_owned(),
        count => format!("storing {count} attempt outcomes"),
    };
    let failures = LastingFailure::new(work, "retrying in 1 s");
    loop {
        let mut transaction = Transaction::new("storing attempt outcomes");
        transaction.record_attempts(batch.iter().map(|(_, attempt)| attempt));
        let stored = parts.store.commit(transaction).await;
        failures.note(&stored);
        if stored.is_ok() || find_out_whether_stored(&parts.store, &batch, &failures).await {
            break;
        }
    }
    for (_, attempt) in &batch {
        parts.observer.outcome_stored(attempt);
    }
    let stored = batch.iter().map(|(queue, attempt)| (*queue, attempt.message.message_id));
    handle.notify(Event::OutcomesStored(stored.collect()));
}

/// Whether a batch is stored although its commit failed, because only the response was lost. Stored
/// once more, it would be counted twice, so it must be known, however many attempts that takes.
async fn find_out_whether_stored(store: &Store, batch: &Batch, failures: &LastingFailure) -> bool {
    loop {
        tokio::time::sleep(RETRY_PAUSE).await;
        match was_stored(store, batch).await {
            Ok(is_stored) => return is_stored,
            Err(error) => failures.note_failure(&format!(
                "whether they are stored already is not known: {}",
                with_causes(&error)
            )),
        }
    }
}

/// All of a batch is stored or nothing, so one attempt is enough.
async fn was_stored(store: &Store, batch: &Batch) -> Result<bool, StoreError> {
    let Some((_, attempt)) = batch.first() else { return Ok(true) };
    let message = &attempt.message;
    let known = store.attempts(&message.merchant, message.message_id).await?;
    Ok(known.iter().any(|row| {
        (row.cycle, row.attempt, row.at_us)
            == (message.cycle, i64::from(attempt.number), attempt.at_us)
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{identifier::MerchantId, messages::kind::MessageKind};
    use prometheus_client::registry::Registry;
    use store::{AttemptOutcome, FailureCause, Location, NewMessage, PendingMessage, StoreMetrics};

    use super::*;

    fn attempt(message_id: i64) -> Attempt {
        let message = PendingMessage {
            merchant: MerchantId::parse("acme").unwrap(),
            message_id,
            kind: MessageKind::Rma,
            lane: 1,
            cycle: 1,
            attempts: 0,
            due_us: 0,
            sequence: 1,
            created_us: 0,
            replay: false,
            body: bytes::Bytes::new(),
        };
        Attempt {
            message: Arc::new(message),
            number: 1,
            at_us: 0,
            latency_us: 0,
            waited_us: 0,
            status: Some(200),
            error: None,
            answer: None,
            outcome: AttemptOutcome::Delivered,
        }
    }

    fn new_message() -> NewMessage {
        NewMessage {
            merchant: MerchantId::parse("acme").unwrap(),
            kind: MessageKind::Rma,
            reference: "RMA-1".to_owned(),
            sequence: 1,
            lane: 1,
            created_us: 0,
            replay: false,
            body: bytes::Bytes::new(),
        }
    }

    fn waiting(count: i64) -> OutcomeBatches {
        let mut outcomes = OutcomeBatches::default();
        for message_id in 0..count {
            outcomes.push(QueueId(0), attempt(message_id));
        }
        outcomes
    }

    fn next(outcomes: &mut OutcomeBatches) -> Option<usize> {
        outcomes.next_batch().map(|batch| batch.len())
    }

    #[test]
    fn an_outcome_is_stored_at_once_when_none_is_being_stored() {
        let mut outcomes = waiting(1);
        assert_eq!((next(&mut outcomes), next(&mut outcomes)), (Some(1), None));
        assert!(!outcomes.are_stored());
        outcomes.batch_is_stored();
        assert!(outcomes.are_stored());
    }

    #[test]
    fn outcomes_are_collected_while_others_are_stored() {
        let mut outcomes = waiting(1);
        assert_eq!(next(&mut outcomes), Some(1));
        for message_id in 1..=3 {
            outcomes.push(QueueId(0), attempt(message_id));
        }
        assert_eq!(next(&mut outcomes), None);
        outcomes.batch_is_stored();
        assert_eq!(next(&mut outcomes), Some(3));
    }

    #[test]
    fn a_large_batch_follows_the_one_that_is_being_stored_and_a_third_waits() {
        let mut outcomes = waiting(2_500);
        assert_eq!(next(&mut outcomes), Some(BATCH_MAX));
        assert_eq!(next(&mut outcomes), Some(BATCH_MAX));
        assert_eq!(next(&mut outcomes), None);
        outcomes.batch_is_stored();
        assert_eq!(next(&mut outcomes), Some(500));
    }

    #[tokio::test]
    async fn a_batch_is_found_in_the_store_once_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(folder.path().join("homeward.db"));
        let metrics = StoreMetrics::register(&mut Registry::default());
        let store = Store::open(&location, &metrics).await.unwrap();
        store.migrate().await.unwrap();
        let retry = AttemptOutcome::Retry { due_us: 1, cause: FailureCause::Refused };
        for (message_id, outcome) in [(1, AttemptOutcome::Delivered), (2, retry)] {
            let batch = vec![(QueueId(0), Attempt { outcome, ..attempt(message_id) })];
            let mut transaction = Transaction::new("enqueueing a message");
            transaction.enqueue(new_message());
            store.commit(transaction).await.unwrap();
            assert!(!was_stored(&store, &batch).await.unwrap(), "{outcome:?}");

            let mut transaction = Transaction::new("storing attempt outcomes");
            transaction.record_attempts(batch.iter().map(|(_, attempt)| attempt));
            store.commit(transaction).await.unwrap();
            assert!(was_stored(&store, &batch).await.unwrap(), "{outcome:?}");
        }
        store.close().await;
    }
}
