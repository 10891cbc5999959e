//! The work of a replay.
//!
//! The unit of work is a thing: its selected messages are enqueued together, and its newest one
//! with them, so that its lane keeps them in order.

use std::collections::BTreeSet;

use domain::{
    exchanges::record::ExchangeState,
    identifier::MerchantId,
    messages::{
        kind::MessageKind,
        replay::{LoggedMessage, ReplaySelection, choose_messages},
        state::MessageState,
    },
    orders::erasure::is_erased_exchange_order,
};
use jiff::Timestamp;
use store::{HeadPosition, MessageHead, NewMessage, ReplayedMessage, ScannedMessage, Transaction};

use super::{
    ReplayJob,
    steps::{ReplayedThing, Step, unless_canceled},
};
use crate::{
    App, AppError,
    messages::{
        current_state::current_message,
        jobs::JobState,
        message_log::filter_by_reference,
        outbox::{self, About, lane_number},
    },
};

/// Messages and things that are read at a time.
pub(super) const PAGE: usize = 500;
/// The most messages about one thing that are considered, newest first.
const ABOUT_MAX: usize = 5_000;
/// Numbers of messages rise with time, except for commits at the same time.
const DISORDER_US: i64 = 60_000_000;

pub(super) struct ReplayRun {
    pub(super) app: App,
    pub(super) id: String,
    pub(super) merchant: MerchantId,
    selection: ReplaySelection,
    /// Things whose messages are chosen for the next batch.
    pub(super) chosen: Vec<ReplayedThing>,
    /// Things whose messages are in the queues.
    pub(super) enqueued: Vec<ReplayedThing>,
    /// The last message when the batch was begun; newer ones are not considered for it.
    pub(super) last: i64,
}

impl ReplayRun {
    pub(super) fn new(
        app: App,
        merchant: MerchantId,
        id: String,
        selection: ReplaySelection,
    ) -> Self {
        Self { app, id, merchant, selection, chosen: Vec::new(), enqueued: Vec::new(), last: 0 }
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
            Ok(()) => self.send_batch().await?,
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
        if !self.can_order_again(reference, &chosen).await? {
            chosen.retain(|it| it.kind != MessageKind::ExchangeOrder);
        }
        let selected = about.iter().filter(|it| self.selection.includes_message(it));
        let is_chosen = |it: &&LoggedMessage| chosen.iter().any(|other| other.number == it.number);
        let skipped = selected.filter(|it| !is_chosen(it)).count();
        self.progress(|job| job.skipped += i64::try_from(skipped).unwrap_or(i64::MAX));
        let kinds: BTreeSet<MessageKind> = chosen.iter().map(|it| it.kind).collect();
        for kind in kinds {
            let lane = lane_number(kind.queue(), reference);
            let replayed =
                |it: &LoggedMessage| ReplayedMessage { kind, message_id: it.number, lane };
            let of_kind = chosen.iter().filter(|it| it.kind == kind);
            let messages: Vec<ReplayedMessage> = of_kind.map(replayed).collect();
            let waits = |it: &LoggedMessage| it.kind == kind && it.state == MessageState::Waiting;
            let is_overtaken = about.iter().any(waits);
            let reference = reference.to_owned();
            unless_canceled!(
                self.choose(ReplayedThing { kind, reference, messages, is_overtaken }).await?
            );
        }
        Ok(Ok(()))
    }

    /// Whether exchange orders among the messages can be sent again. One whose shopper was erased
    /// has the idempotency key of the order that the merchant got, and not its body.
    async fn can_order_again(
        &self,
        reference: &str,
        chosen: &[LoggedMessage],
    ) -> Result<bool, AppError> {
        let orders = chosen.iter().filter(|it| it.kind == MessageKind::ExchangeOrder);
        let orders: Vec<i64> = orders.map(|it| it.number).collect();
        if !orders.is_empty() && self.is_exchange_pending(reference).await? {
            return Ok(false);
        }
        for number in orders {
            let message = self.app.store.message(&self.merchant, number).await?;
            if message.is_some_and(|(_, body)| is_erased_exchange_order(&body)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The response to its message is still to be applied to the return: another one must not be
    /// taken for it.
    async fn is_exchange_pending(&self, reference: &str) -> Result<bool, AppError> {
        let record = self.app.store.exchange_order(&self.merchant, reference).await?;
        Ok(record.is_some_and(|record| record.value.state == ExchangeState::Pending))
    }

    /// Every message about a thing that was in the log when the batch was begun, oldest first.
    async fn messages_about(&mut self, reference: &str) -> Result<Vec<LoggedMessage>, AppError> {
        self.begin_batch().await?;
        let mut about = Vec::new();
        let mut filter = filter_by_reference(reference, PAGE);
        filter.before = self.last + 1;
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
                return self.send_if_full().await;
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
                if !self.renew(head.kind, &head.reference).await? {
                    self.progress(|job| job.skipped += 1);
                }
                unless_canceled!(self.send_if_full().await?);
            }
        }
    }

    /// Enqueues the current state of a thing as a new message. Whether there is one.
    async fn renew(&mut self, kind: MessageKind, reference: &str) -> Result<bool, AppError> {
        self.begin_batch().await?;
        let mut sent = None;
        loop {
            let current = current_message(&self.app, &self.merchant, kind, reference).await?;
            let Some(current) = current else { return Ok(sent.is_some()) };
            // If the thing has changed meanwhile, the change may have been sent first.
            if sent == Some(current.sequence) {
                return Ok(true);
            }
            sent = Some(current.sequence);
            self.app.replay_pace.wait_for_turn(1).await;
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
            let (messages, reference) = (messages.collect(), reference.to_owned());
            let thing = ReplayedThing { kind, reference, messages, is_overtaken: false };
            self.enqueued.push(thing);
            self.app.dispatcher.enqueue(pending);
            self.progress(|job| job.renewed += 1);
        }
    }

    fn expect(&self, total: usize) {
        self.progress(|job| job.total = i64::try_from(total).unwrap_or(i64::MAX));
    }

    pub(super) fn progress(&self, change: impl FnOnce(&mut ReplayJob)) {
        self.app.replays.change(&self.id, change);
    }
}
