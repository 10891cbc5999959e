//! A return while a use case changes it. Whatever changes, all of it is committed together: the
//! return, an event in its journal, what the event posts, the message about it, the mails to the
//! shopper, and the differences between refunds and promises that appear or disappear with it.

use bytes::Bytes;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    messages::kind::MessageKind,
    money::{
        books::Balances,
        comparison::{Difference, find_differences},
    },
    returns::{
        journal::{ReturnChange, ReturnEvent},
        message::RmaMessage,
        rma::{Rma, RmaDecision, RmaEvent, RmaRefusal, RmaStatus, apply},
    },
    time::micros,
    warehouse::stray::{awaits_units, keys_of_return},
};
use jiff::Timestamp;
use store::{EventHeader, Posting, RefundProblem, Transaction, Versioned};

use crate::{
    App, AppError,
    messages::{
        mail::return_mails::{ReturnStep, put_change_mails, put_start_mail},
        outbox::{self, About},
    },
    orders::shopper_keys::put_keys_of_return,
    returns::origin::Origin,
};

/// What ends a difference that no one has accepted.
const IN_AGREEMENT: &str = "the return and its refunds agree again";

/// A return as it was loaded, and the events that were applied to it since.
pub(crate) struct ReturnDraft {
    before: Versioned<Rma>,
    steps: Vec<DraftStep>,
}

/// An event, when it happened, and the return after it.
struct DraftStep {
    at: Timestamp,
    event: RmaEvent,
    rma: Rma,
}

impl ReturnDraft {
    pub(crate) fn new(before: Versioned<Rma>) -> Self {
        Self { before, steps: Vec::new() }
    }

    /// The return after the events so far.
    pub(crate) fn current(&self) -> &Rma {
        self.steps.last().map_or(&self.before.value, |step| &step.rma)
    }

    /// Applies an event. One that changes nothing is not recorded.
    pub(crate) fn apply(
        &mut self,
        event: &RmaEvent,
        now: Timestamp,
    ) -> Result<RmaDecision, RmaRefusal> {
        let at = self.current().next_change_at(now);
        let decision = apply(self.current(), event, at)?;
        if decision.changed {
            self.push(event.clone(), decision.rma.clone(), at);
        }
        Ok(decision)
    }

    /// Adds an event that was applied at `at`.
    pub(crate) fn push(&mut self, event: RmaEvent, rma: Rma, at: Timestamp) {
        self.steps.push(DraftStep { at, event, rma });
    }

    /// Adds the changes to the transaction.
    pub(crate) async fn put(
        self,
        app: &App,
        transaction: &mut Transaction,
        merchant: &MerchantId,
        origin: &Origin,
    ) -> Result<(), AppError> {
        let before = &self.before.value;
        let Some(last) = self.steps.last() else { return Ok(()) };
        transaction.update_return(merchant, &last.rma, self.before.version, before.status);
        put_differences(app, transaction, merchant, before, &last.rma);
        put_receiving(transaction, merchant, before, &last.rma);
        let mut balances = Balances::of(before);
        for DraftStep { at, event, rma } in &self.steps {
            let (at, after) = (*at, Balances::of(rma));
            let event = ReturnEvent {
                number: rma.messages_sent,
                at,
                actor: origin.actor.clone(),
                cause: origin.cause.clone(),
                change: ReturnChange::Event(event.clone()),
            };
            app.metrics.count_return(rma.status);
            transaction.insert_return_event(merchant, &rma.rma_identifier, &event);
            let posting = build_posting(rma, at, after.since(&balances));
            transaction.insert_posting(merchant, &posting);
            enqueue_message(app, transaction, merchant, rma);
            balances = after;
        }
        // Boxed, because every use case that changes a return contains it.
        Box::pin(put_change_mails(app, transaction, merchant, &self.list_changes())).await
    }

    /// Each event with the return before and after it.
    fn list_changes(&self) -> Vec<ReturnStep<'_>> {
        let before = std::iter::once(&self.before.value).chain(self.steps.iter().map(|it| &it.rma));
        let steps = self.steps.iter().zip(before);
        steps.map(|(it, before)| ReturnStep { before, event: &it.event, after: &it.rma }).collect()
    }
}

/// Adds a new return to the transaction, with the first event of its journal and its message.
pub(crate) async fn put_new_return(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    rma: &Rma,
    origin: &Origin,
) -> Result<(), AppError> {
    let (number, at) = (rma.messages_sent, rma.created_at);
    let cause = origin.cause.as_deref();
    let header = EventHeader { number, at, actor: &origin.actor, cause };
    transaction.start_return(merchant, rma, &header);
    put_keys_of_return(transaction, merchant, rma);
    app.metrics.count_return(rma.status);
    transaction.insert_posting(merchant, &build_posting(rma, at, Balances::of(rma)));
    enqueue_message(app, transaction, merchant, rma);
    Box::pin(put_start_mail(app, transaction, merchant, rma)).await
}

fn build_posting(rma: &Rma, at: Timestamp, amounts: Balances) -> Posting {
    Posting {
        at_us: micros(at),
        rma_id: rma.rma_identifier.clone(),
        number: rma.messages_sent,
        currency: rma.currency.clone(),
        amounts,
    }
}

/// Enqueues the message about a return as it is now.
fn enqueue_message(app: &App, transaction: &mut Transaction, merchant: &MerchantId, rma: &Rma) {
    let body = RmaMessage::of(rma).to_json();
    let about = About {
        kind: MessageKind::Rma,
        reference: rma.rma_identifier.as_str(),
        sequence: rma.messages_sent,
    };
    transaction.enqueue(outbox::message(app, merchant, &about, Bytes::from(body)));
}

/// Counts what became of units, and keeps the return findable while it awaits units.
fn put_receiving(transaction: &mut Transaction, merchant: &MerchantId, before: &Rma, after: &Rma) {
    transaction.count_dispositions(merchant, before, after);
    let id = &after.rma_identifier;
    let is_live = |rma: &Rma| rma.status != RmaStatus::Canceled && awaits_units(rma);
    match (is_live(before), is_live(after)) {
        (true, false) => transaction.delete_receiving_keys(merchant, id),
        (false, true) => {
            transaction.put_receiving_keys(merchant, id, &keys_of_return(after, &[]));
        }
        (true, true) | (false, false) => (),
    }
}

/// Lists the differences that are new, and ends those that are gone.
fn put_differences(
    app: &App,
    transaction: &mut Transaction,
    merchant: &MerchantId,
    before: &Rma,
    after: &Rma,
) {
    let (known, now) = (find_differences(before), find_differences(after));
    for difference in now.iter().filter(|it| !known.contains(it)) {
        let problem = describe_problem(app, merchant, after, difference);
        transaction.put_difference(merchant, &problem);
    }
    let is_gone =
        |it: &&Difference| now.iter().all(|other| other.refund_identifier != it.refund_identifier);
    for difference in known.iter().filter(is_gone) {
        let (refund, rma) = (&difference.refund_identifier, &after.rma_identifier);
        transaction.settle_difference(merchant, refund, rma, IN_AGREEMENT);
    }
}

fn describe_problem(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
    difference: &Difference,
) -> RefundProblem {
    let paid_for = rma.units.iter().find(|unit| {
        let made = unit.refund.as_ref();
        made.is_some_and(|made| made.refund_identifier == difference.refund_identifier)
    });
    let unit = paid_for.or(rma.units.first());
    let kind = difference.kind.name().to_owned();
    RefundProblem {
        merchant: merchant.to_string(),
        refund_id: difference.refund_identifier.clone(),
        order_id: unit.map(|unit| unit.goods.order_identifier.clone()).unwrap_or_default(),
        state: kind.clone(),
        kind,
        noticed_us: app.world.now_us(),
        detail: describe_difference(rma, difference),
        rma_id: rma.rma_identifier.to_string(),
        currency: rma.currency.clone(),
        promised_cents: difference.promised_cents,
        paid_cents: difference.paid_cents,
    }
}

/// What is wrong, as part of a sentence about the refund.
pub(crate) fn describe_difference(rma: &Rma, difference: &Difference) -> String {
    let Difference { kind, promised_cents, paid_cents, .. } = difference;
    format!(
        "{}: {paid_cents} instead of {promised_cents} minor units of {} for {}",
        kind.message(),
        rma.currency,
        rma.rma_identifier
    )
}
