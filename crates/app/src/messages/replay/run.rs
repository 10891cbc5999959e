//! The work of a replay.
//!
//! The unit of work is a thing: its selected messages are enqueued together, and its newest one
//! with them, so that its lane keeps them in order. A few messages are in the queues at a time, and
//! the next follow when these are finished. So a merchant that asks for a million messages fills
//! neither its queues nor the memory, and its new messages do not wait.

use std::{collections::BTreeSet, time::Duration};

use domain::{
    exchanges::record::ExchangeState,
    identifier::MerchantId,
    messages::{
        kind::MessageKind,
        replay::{LoggedMessage, ReplaySelection, choose_messages},
        state::MessageState,
    },
};
use jiff::Timestamp;
use store::{
    HeadPosition, MessageFilter, MessageHead, MessageRow, NewMessage, ReplayedMessage,
    ScannedMessage, Transaction,
};

use super::ReplayJob;
use crate::{
    App, AppError,
    messages::{
        current_state::current_message,
        jobs::JobState,
        message_log::filter_by_reference,
        outbox::{self, About, lane_number},
    },
};

/// Messages of a replay that are in the queues at a time.
const WAITING_MAX: usize = 64;
/// Messages and things that are read at a time.
const PAGE: usize = 500;
/// The most messages about one thing that are considered, newest first.
const ABOUT_MAX: usize = 5_000;
/// Between two looks at what waits: short at first, and longer while nothing happens.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(500);
/// Numbers of messages rise with time, except for commits at the same time.
const DISORDER_US: i64 = 60_000_000;

pub(super) struct ReplayRun {
    pub(super) app: App,
    pub(super) id: String,
    merchant: MerchantId,
    selection: ReplaySelection,
    /// Things whose messages are in the queues.
    enqueued: Vec<EnqueuedThing>,
}

/// Messages about one thing, of one kind, that were enqueued together.
struct EnqueuedThing {
    kind: MessageKind,
    reference: String,
    messages: Vec<ReplayedMessage>,
}

/// The replay was canceled.
struct Canceled;

type Step = Result<Result<(), Canceled>, AppError>;

/// Continues unless the replay was canceled.
macro_rules! unless_canceled {
    ($step:expr) => {
        if let Err(canceled) = $step {
            return Ok(Err(canceled));
        }
    };
}

impl ReplayRun {
    pub(super) fn new(
        app: App,
        merchant: MerchantId,
        id: String,
        selection: ReplaySelection,
    ) -> Self {
        Self { app, id, merchant, selection, enqueued: Vec::new() }
    }

    /// Sends everything that is selected, and returns how it ended.
    pub(super) async fn finish(mut self) -> Result<JobState, AppError> {
        let examined = if !self.selection.ids.is_empty() {
            self.replay_ids().await?
        } else if !self.selection.references.is_empty() {
            self.replay_references().await?
        } else {
            self.replay_period().await?
        };
        let waited = match examined {
            Ok(()) => self.wait_for(0).await?,
            Err(canceled) => Err(canceled),
        };
        Ok(if waited.is_ok() { JobState::Done } else { JobState::Cancelled })
    }

    async fn replay_ids(&mut self) -> Step {
        let ids: Vec<i64> = self.selection.ids.iter().copied().collect();
        self.expect(ids.len());
        for id in ids {
            let found = self.app.store.scan_messages(&self.merchant, id - 1, id, 1).await?;
            match found.first().filter(|it| self.is_selected(it)) {
                Some(message) => unless_canceled!(self.replay_first(message).await?),
                None => self.progress(|job| job.skipped += 1),
            }
            self.progress(|job| job.examined += 1);
        }
        Ok(Ok(()))
    }

    async fn replay_references(&mut self) -> Step {
        let references: Vec<String> = self.selection.references.iter().cloned().collect();
        self.expect(references.len());
        for reference in references {
            let about = self.messages_about(&reference).await?;
            if about.is_empty() {
                unless_canceled!(self.renew_any(&reference).await?);
            } else {
                unless_canceled!(self.replay_thing(&reference, &about).await?);
            }
            self.progress(|job| job.examined += 1);
        }
        Ok(Ok(()))
    }

    async fn replay_period(&mut self) -> Step {
        let from_us = self.selection.from.map_or(i64::MIN, Timestamp::as_microsecond);
        let to_us = self.selection.to.map_or(i64::MAX, Timestamp::as_microsecond);
        let store = self.app.store.clone();
        let from_us = from_us.saturating_sub(DISORDER_US);
        let mut after = store.last_message_before(&self.merchant, from_us).await?;
        let end = store.last_message_before(&self.merchant, to_us.saturating_add(DISORDER_US));
        let end = end.await?;
        self.expect(usize::try_from(end - after).unwrap_or(0));
        loop {
            let page = store.scan_messages(&self.merchant, after, end, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.message_id;
            let mut seen = BTreeSet::new();
            for message in &page {
                if self.is_selected(message) && seen.insert(message.reference.as_str()) {
                    unless_canceled!(self.replay_first(message).await?);
                }
                self.progress(|job| job.examined += 1);
            }
        }
        self.renew_period().await
    }

    fn is_selected(&self, message: &ScannedMessage) -> bool {
        self.selection.includes(message.kind, message.created_us)
    }

    /// Replays the thing that a message is about, if no earlier selected message is about it:
    /// otherwise that was done.
    async fn replay_first(&mut self, message: &ScannedMessage) -> Step {
        let about = self.messages_about(&message.reference).await?;
        let selected = about.iter().filter(|it| self.selection.includes_message(it));
        if selected.map(|it| it.number).min() != Some(message.message_id) {
            return Ok(Ok(()));
        }
        self.replay_thing(&message.reference, &about).await
    }

    /// Enqueues the chosen messages about a thing.
    async fn replay_thing(&mut self, reference: &str, about: &[LoggedMessage]) -> Step {
        let mut chosen = choose_messages(about, &self.selection);
        if chosen.iter().any(|it| it.kind == MessageKind::ExchangeOrder)
            && self.is_exchange_pending(reference).await?
        {
            chosen.retain(|it| it.kind != MessageKind::ExchangeOrder);
        }
        let selected = about.iter().filter(|it| self.selection.includes_message(it));
        let is_chosen = |it: &&LoggedMessage| chosen.iter().any(|other| other.number == it.number);
        let skipped = selected.filter(|it| !is_chosen(it)).count();
        self.progress(|job| job.skipped += i64::try_from(skipped).unwrap_or(i64::MAX));
        let kinds: BTreeSet<MessageKind> = chosen.iter().map(|it| it.kind).collect();
        for kind in kinds {
            let numbers = chosen.iter().filter(|it| it.kind == kind).map(|it| it.number);
            unless_canceled!(self.enqueue(kind, reference, numbers.collect()).await?);
        }
        Ok(Ok(()))
    }

    /// The response to its message is still to be applied to the return: another one must not be
    /// taken for it.
    async fn is_exchange_pending(&self, reference: &str) -> Result<bool, AppError> {
        let record = self.app.store.exchange_order(&self.merchant, reference).await?;
        Ok(record.is_some_and(|record| record.value.state == ExchangeState::Pending))
    }

    async fn enqueue(&mut self, kind: MessageKind, reference: &str, numbers: Vec<i64>) -> Step {
        unless_canceled!(self.wait_for(WAITING_MAX).await?);
        let lane = lane_number(kind.queue(), reference);
        let replayed = |message_id| ReplayedMessage { kind, message_id, lane };
        let messages: Vec<ReplayedMessage> = numbers.into_iter().map(replayed).collect();
        let mut transaction = Transaction::new("enqueueing messages again");
        let now_us = self.app.world.now_us();
        transaction.replay_messages(&self.merchant, &messages, now_us);
        self.app.store.commit(transaction).await?;
        self.app.dispatcher.notify_retried(&self.merchant);
        let count = i64::try_from(messages.len()).unwrap_or(i64::MAX);
        self.progress(|job| job.replayed += count);
        self.enqueued.push(EnqueuedThing { kind, reference: reference.to_owned(), messages });
        Ok(Ok(()))
    }

    /// Waits until at most `most` messages of this replay are in the queues.
    async fn wait_for(&mut self, most: usize) -> Step {
        let mut pause = PAUSE_MIN;
        loop {
            if !self.app.replays.is_running(&self.id) {
                return Ok(Err(Canceled));
            }
            let before = self.waiting();
            if before <= most && most > 0 {
                return Ok(Ok(()));
            }
            self.collect_finished().await?;
            let waiting = self.waiting();
            self.progress(|job| job.waiting = i64::try_from(waiting).unwrap_or(i64::MAX));
            if waiting <= most {
                return Ok(Ok(()));
            }
            pause = if waiting < before { PAUSE_MIN } else { PAUSE_MAX.min(pause * 2) };
            tokio::time::sleep(pause).await;
        }
    }

    fn waiting(&self) -> usize {
        self.enqueued.iter().map(|thing| thing.messages.len()).sum()
    }

    /// Forgets the messages that are finished. A thing whose messages all are gets its newest one
    /// once more, if that came in the meantime: it may have been sent before the older ones.
    async fn collect_finished(&mut self) -> Result<(), AppError> {
        let all: Vec<ReplayedMessage> =
            self.enqueued.iter().flat_map(|thing| &thing.messages).copied().collect();
        let waiting = self.app.store.waiting_messages(&self.merchant, &all).await?;
        let mut still = Vec::new();
        let mut overtaken = Vec::new();
        for mut thing in std::mem::take(&mut self.enqueued) {
            let last = thing.messages.iter().map(|it| it.message_id).max().unwrap_or_default();
            thing.messages.retain(|it| waiting.contains(&it.message_id));
            if !thing.messages.is_empty() {
                still.push(thing);
            } else if let Some(newest) = self.newest_delivered(&thing, last).await? {
                overtaken.push((thing, newest));
            }
        }
        self.enqueued = still;
        for (thing, newest) in overtaken {
            let lane = lane_number(thing.kind.queue(), &thing.reference);
            let message = ReplayedMessage { kind: thing.kind, message_id: newest, lane };
            let mut transaction = Transaction::new("enqueueing the newest message again");
            transaction.replay_messages(&self.merchant, &[message], self.app.world.now_us());
            self.app.store.commit(transaction).await?;
            self.app.dispatcher.notify_retried(&self.merchant);
            self.progress(|job| job.replayed += 1);
            self.enqueued.push(EnqueuedThing { messages: vec![message], ..thing });
        }
        Ok(())
    }

    /// The newest message about a thing, if it is newer than `last` and delivered.
    async fn newest_delivered(
        &self,
        thing: &EnqueuedThing,
        last: i64,
    ) -> Result<Option<i64>, AppError> {
        let filter =
            MessageFilter { kind: Some(thing.kind), ..filter_by_reference(&thing.reference, 1) };
        let (newest, _) = self.app.store.messages(&self.merchant, &filter).await?;
        let is_overtaken =
            |row: &&MessageRow| row.message_id > last && row.state == MessageState::Delivered;
        Ok(newest.first().filter(is_overtaken).map(|row| row.message_id))
    }

    /// Every message about a thing that is in the log, oldest first.
    async fn messages_about(&self, reference: &str) -> Result<Vec<LoggedMessage>, AppError> {
        let mut about = Vec::new();
        let mut filter = filter_by_reference(reference, PAGE);
        loop {
            let (rows, next) = self.app.store.messages(&self.merchant, &filter).await?;
            about.extend(rows.into_iter().map(|row| LoggedMessage {
                number: row.message_id,
                kind: row.kind,
                created_us: row.created_us,
                state: row.state,
            }));
            match next.filter(|_| about.len() < ABOUT_MAX) {
                Some(before) => filter.before = before,
                None => break,
            }
        }
        about.reverse();
        Ok(about)
    }

    /// Sends the current state of a thing of which no message is left.
    async fn renew_any(&mut self, reference: &str) -> Step {
        for kind in MessageKind::to_merchant() {
            if (self.selection.kinds.is_empty() || self.selection.kinds.contains(&kind))
                && self.renew(kind, reference).await?
            {
                return self.wait_for(WAITING_MAX).await;
            }
        }
        self.progress(|job| job.skipped += 1);
        Ok(Ok(()))
    }

    /// Sends the current state of everything whose last message is of the period, and is removed.
    async fn renew_period(&mut self) -> Step {
        let store = self.app.store.clone();
        store.update_message_index(self.merchant.as_str()).await?;
        let mut after = HeadPosition::default();
        loop {
            let page = store.message_heads(&self.merchant, &after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(Ok(())) };
            after = last.position();
            let is_selected =
                |head: &&MessageHead| self.selection.includes(head.kind, head.created_us);
            let selected: Vec<&MessageHead> = page.iter().filter(is_selected).collect();
            let numbers = selected.iter().map(|head| head.message_id);
            let stored = store.stored_messages(&self.merchant, numbers).await?;
            for head in selected.into_iter().filter(|head| !stored.contains(&head.message_id)) {
                unless_canceled!(self.wait_for(WAITING_MAX).await?);
                if !self.renew(head.kind, &head.reference).await? {
                    self.progress(|job| job.skipped += 1);
                }
            }
        }
    }

    /// Enqueues the current state of a thing as a new message. Whether there is one.
    async fn renew(&mut self, kind: MessageKind, reference: &str) -> Result<bool, AppError> {
        let mut sent = None;
        loop {
            let current = current_message(&self.app, &self.merchant, kind, reference).await?;
            let Some(current) = current else { return Ok(sent.is_some()) };
            // If the thing has changed meanwhile, the change may have been sent first.
            if sent == Some(current.sequence) {
                return Ok(true);
            }
            sent = Some(current.sequence);
            let about = About { kind, reference, sequence: current.sequence };
            let message = outbox::message(&self.app, &self.merchant, &about, current.body);
            let mut transaction = Transaction::new("enqueueing a current state");
            transaction.enqueue(NewMessage { replay: true, ..message });
            let pending = self.app.store.commit(transaction).await?;
            let messages = pending.iter().map(|it| ReplayedMessage {
                kind,
                message_id: it.message_id,
                lane: it.lane,
            });
            let messages = messages.collect();
            let reference = reference.to_owned();
            self.enqueued.push(EnqueuedThing { kind, reference, messages });
            self.app.dispatcher.enqueue(pending);
            self.progress(|job| job.renewed += 1);
        }
    }

    fn expect(&self, total: usize) {
        self.progress(|job| job.total = i64::try_from(total).unwrap_or(i64::MAX));
    }

    fn progress(&self, change: impl FnOnce(&mut ReplayJob)) {
        self.app.replays.change(&self.id, change);
    }
}
