//! What a replay has in the queues.
//!
//! Things are read at a steady pace, and a few are enqueued in each commit. When a hundred messages
//! are in the queues, the replay waits for them. So a merchant that asks for a million messages
//! fills neither its queues nor the memory, and new messages do not wait.

use std::{collections::BTreeSet, time::Duration};

use domain::messages::{kind::MessageKind, state::MessageState};
use store::{MessageFilter, MessageRow, ReplayedMessage, Transaction};

use super::{
    run::{PAGE, ReplayRun},
    steps::{Canceled, ReplayedThing, Step, unless_canceled},
};
use crate::{
    AppError,
    messages::{message_log::filter_by_reference, outbox::lane_number},
};

/// Messages of a replay that are in the queues at a time, except for more about one thing.
const BATCH: usize = 100;
/// Messages that are enqueued in one commit.
const PER_COMMIT: usize = 8;
/// Between two looks at what waits: short at first, and longer while nothing happens.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(500);

impl ReplayRun {
    /// Begins a batch, unless one is under way.
    pub(super) async fn begin_batch(&mut self) -> Result<(), AppError> {
        if self.chosen.is_empty() && self.enqueued.is_empty() {
            self.last = self.app.store.last_message_id(&self.merchant).await?;
        }
        Ok(())
    }

    /// Takes a thing into the batch.
    pub(super) async fn choose(&mut self, thing: ReplayedThing) -> Step {
        self.app.replay_pace.wait_for_turn(thing.messages.len()).await;
        unless_canceled!(self.check_running());
        self.chosen.push(thing);
        if count_messages(&self.chosen) >= PER_COMMIT {
            self.enqueue_chosen().await?;
        }
        self.send_if_full().await
    }

    /// Finishes the batch if it is full.
    pub(super) async fn send_if_full(&mut self) -> Step {
        if count_messages(&self.chosen) + count_messages(&self.enqueued) < BATCH {
            return Ok(self.check_running());
        }
        self.send_batch().await
    }

    fn check_running(&self) -> Result<(), Canceled> {
        if self.app.replays.is_running(&self.id) { Ok(()) } else { Err(Canceled) }
    }

    /// Enqueues what is chosen, and waits until the batch is finished. A thing about which a newer
    /// message came meanwhile gets its newest one once more: it may have been sent before the older
    /// ones.
    pub(super) async fn send_batch(&mut self) -> Step {
        loop {
            unless_canceled!(self.check_running());
            self.enqueue_chosen().await?;
            unless_canceled!(self.wait_for_enqueued().await?);
            self.mark_overtaken().await?;
            for thing in std::mem::take(&mut self.enqueued) {
                let newest = self.newest_if_overtaken(&thing).await?;
                let Some(message_id) = newest else { continue };
                let lane = lane_number(thing.kind.queue(), &thing.reference);
                let message = ReplayedMessage { kind: thing.kind, message_id, lane };
                let (messages, is_overtaken) = (vec![message], false);
                self.chosen.push(ReplayedThing { messages, is_overtaken, ..thing });
            }
            if self.chosen.is_empty() {
                return Ok(Ok(()));
            }
        }
    }

    async fn enqueue_chosen(&mut self) -> Result<(), AppError> {
        let messages: Vec<ReplayedMessage> =
            self.chosen.iter().flat_map(|thing| &thing.messages).copied().collect();
        if messages.is_empty() {
            return Ok(());
        }
        let mut transaction = Transaction::new("enqueueing messages again");
        transaction.replay_messages(&self.merchant, &messages, self.app.world.now_us());
        let count = i64::try_from(messages.len()).unwrap_or(i64::MAX);
        let committed = self.app.store.commit(transaction).await.map_err(AppError::from);
        if committed.as_ref().err().is_none_or(AppError::may_be_committed) {
            self.app.dispatcher.notify_replayed(&self.merchant, messages);
        }
        committed?;
        self.progress(|job| job.replayed += count);
        self.enqueued.append(&mut self.chosen);
        Ok(())
    }

    async fn wait_for_enqueued(&mut self) -> Step {
        let all: Vec<ReplayedMessage> =
            self.enqueued.iter().flat_map(|thing| &thing.messages).copied().collect();
        let (mut pause, mut before) = (PAUSE_MIN, all.len());
        loop {
            let waiting = self.app.store.waiting_messages(&self.merchant, &all).await?.len();
            self.progress(|job| job.waiting = i64::try_from(waiting).unwrap_or(i64::MAX));
            if waiting == 0 {
                return Ok(Ok(()));
            }
            pause = if waiting < before { PAUSE_MIN } else { PAUSE_MAX.min(pause * 2) };
            before = waiting;
            tokio::time::sleep(pause).await;
            unless_canceled!(self.check_running());
        }
    }

    /// Marks the things about which a message was committed since the batch was begun.
    async fn mark_overtaken(&mut self) -> Result<(), AppError> {
        let end = self.app.store.last_message_id(&self.merchant).await?;
        while self.last < end {
            let page = self.app.store.scan_messages(&self.merchant, self.last, end, PAGE).await?;
            self.last = page.last().map_or(end, |it| it.message_id);
            let newer: BTreeSet<(MessageKind, &str)> =
                page.iter().map(|it| (it.kind, it.reference.as_str())).collect();
            for thing in &mut self.enqueued {
                thing.is_overtaken |= newer.contains(&(thing.kind, thing.reference.as_str()));
            }
        }
        Ok(())
    }

    /// The newest message about a thing, if it is delivered and newer than those of the batch.
    async fn newest_if_overtaken(&self, thing: &ReplayedThing) -> Result<Option<i64>, AppError> {
        if !thing.is_overtaken {
            return Ok(None);
        }
        let last = thing.messages.iter().map(|it| it.message_id).max().unwrap_or_default();
        let filter =
            MessageFilter { kind: Some(thing.kind), ..filter_by_reference(&thing.reference, 1) };
        let (newest, _) = self.app.store.messages(&self.merchant, &filter).await?;
        let is_newer =
            |row: &&MessageRow| row.message_id > last && row.state == MessageState::Delivered;
        Ok(newest.first().filter(is_newer).map(|row| row.message_id))
    }
}

fn count_messages(things: &[ReplayedThing]) -> usize {
    things.iter().map(|thing| thing.messages.len()).sum()
}
