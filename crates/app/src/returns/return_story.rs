//! A return with its timeline: what happened to it, which messages were sent about it, and what
//! operators did.

mod describe;
pub mod journal_steps;
pub mod timeline;

use boxed::boxed;
use domain::{
    exchanges::record::ExchangeRecord,
    identifier::MerchantId,
    messages::kind::MessageKind,
    returns::{
        identifier::RmaId,
        rma::{Rma, RmaEvent, apply},
    },
};
use store::MessageHistory;

use self::journal_steps::{EventMark, read_journal};
use self::timeline::{TimelineMessage, TimelineSources, TimelineStep, build_timeline};
use crate::{
    App, AppError,
    core::audit_trail::{AuditTrailQuery, list_changes},
    messages::message_log::{view_attempt, view_message},
    orders::publish_orders::run_on_suitable_thread,
    returns::{
        change_return::order_ids,
        history::{load_journal, report_fault, weigh_journal},
    },
};

/// The most messages about a return, or about an exchange order, that are shown.
const MESSAGES_MAX: usize = 200;
/// The most entries of the merchant's audit trail that are searched.
const CHANGES_MAX: usize = 500;

/// A return and its timeline.
#[derive(Clone, Debug)]
pub struct ReturnStory {
    pub merchant: MerchantId,
    pub rma: Rma,
    /// Exchange orders that the return requested.
    pub exchanges: Vec<ExchangeRecord>,
    /// All events of its journal, oldest first.
    pub marks: Vec<EventMark>,
    /// The return after the event that was asked for. None if there is no such event.
    pub past: Option<Rma>,
    /// Oldest first. Without the older events of a journal that is very long.
    pub steps: Vec<TimelineStep>,
    /// Whether the return can be canceled now.
    pub cancel: Availability,
    /// Whether its receiving can be closed now.
    pub close_receiving: Availability,
}

/// Whether an action is available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    Yes,
    /// The action would change nothing.
    Done,
    /// The reason why not.
    No(String),
}

/// A return with its timeline, and with its state after the event number `wanted`.
#[boxed]
pub async fn load_return_story(
    app: &App,
    rma: &str,
    wanted: Option<i64>,
) -> Result<ReturnStory, AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let merchant = app.store.merchant_of_rma(&id).await?.ok_or_else(missing)?;
    let rma = app.store.rma(&merchant, &id).await?.ok_or_else(missing)?.value;
    let query = AuditTrailQuery {
        merchant: Some(&merchant),
        limit: CHANGES_MAX,
        ..AuditTrailQuery::default()
    };
    let (events, messages, changes, exchanges) = tokio::try_join!(
        load_journal(app, &merchant, &id),
        async { Ok(app.store.message_histories(&merchant, id.as_str(), MESSAGES_MAX).await?) },
        list_changes(app, &query),
        load_exchanges(app, &merchant, &rma),
    )?;
    let (exchanges, exchange_messages) = exchanges;
    let mut changes = changes.changes;
    changes.retain(|change| change.at >= rma.created_at);
    let weight = weigh_journal(rma.units.len(), events.len());
    let reading = run_on_suitable_thread(weight, move || read_journal(events, wanted)).await;
    let reading = reading.map_err(|fault| report_fault(&id, &fault))?;
    let (marks, past) = (reading.marks, reading.past);
    let sources = TimelineSources {
        rma: &id,
        journal: reading.steps,
        messages: messages.into_iter().map(view_history).collect(),
        exchange_messages: exchange_messages.into_iter().map(view_history).collect(),
        changes,
    };
    let steps = build_timeline(sources);
    let check = |event: &RmaEvent| match apply(&rma, event, app.world.now()) {
        Ok(decision) if decision.changed => Availability::Yes,
        Ok(_) => Availability::Done,
        Err(refusal) => Availability::No(refusal.to_string()),
    };
    let (cancel, close_receiving) = (check(&RmaEvent::Canceled), check(&RmaEvent::ReceivingClosed));
    Ok(ReturnStory { merchant, rma, exchanges, marks, past, steps, cancel, close_receiving })
}

/// The exchange orders that the return requested, and the messages that requested them.
async fn load_exchanges(
    app: &App,
    merchant: &MerchantId,
    rma: &Rma,
) -> Result<(Vec<ExchangeRecord>, Vec<MessageHistory>), AppError> {
    let (mut records, mut messages) = (Vec::new(), Vec::new());
    for order_id in order_ids(rma) {
        let Some(record) = app.store.exchange_order(merchant, order_id).await? else { continue };
        if record.value.rma_identifier == rma.rma_identifier {
            let found = app.store.message_histories(merchant, order_id, MESSAGES_MAX).await?;
            let is_request = |it: &MessageHistory| it.message.kind == MessageKind::ExchangeOrder;
            messages.extend(found.into_iter().filter(is_request));
            records.push(record.value);
        }
    }
    Ok((records, messages))
}

fn view_history(history: MessageHistory) -> TimelineMessage {
    TimelineMessage {
        message: view_message(history.message),
        attempts: history.attempts.into_iter().map(view_attempt).collect(),
    }
}
