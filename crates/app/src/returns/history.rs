//! The history of a return: its events, and the return as it was at any time.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        journal::{Actor, JournalFault, ReturnChange, ReturnEvent, state_after},
        rma::Rma,
    },
};
use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::StoreError;
use utoipa::ToSchema;

use crate::{App, AppError, orders::publish_orders::run_on_suitable_thread};

/// The most events of a return that are read. Each takes a message, so no return has more.
pub(crate) const EVENTS_MAX: usize = 100_000;
/// An event is applied to every unit of the return, which takes as long as reading so many bytes.
const WEIGHT_OF_UNIT: usize = 4;

/// An event of a return.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ReturnEvent)]
pub struct EventView {
    /// Counted from 1 within the return: the `sequence` of the RMA message about it. 0 if the
    /// return is older than its journal.
    #[schema(example = 2, minimum = 0)]
    pub number: i64,
    /// When it happened.
    pub at: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    /// The request or the message that caused it. Absent if there was none.
    #[schema(example = "req-8c6f0a51e2b94d37")]
    pub cause: Option<String>,
    /// What happened: `event` names it, and the other fields depend on it.
    #[schema(value_type = Object)]
    pub change: Value,
}

/// The events of a return.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ReturnEvents)]
pub struct EventPage {
    /// Oldest first.
    pub events: Vec<EventView>,
    /// Pass as `after` to get the next page. Absent on the last page.
    pub next: Option<i64>,
}

/// Lists the events of a return, after the one with the number `after`.
#[boxed]
pub async fn list_events(
    app: &App,
    merchant: &MerchantId,
    rma: &str,
    after: Option<i64>,
    limit: usize,
) -> Result<EventPage, AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    app.store.rma(merchant, &id).await?.ok_or_else(missing)?;
    let events = app.store.return_events(merchant, &id, after.unwrap_or(-1), limit).await?;
    let next = events.last().filter(|_| events.len() == limit).map(|it| it.number);
    Ok(EventPage { events: events.iter().map(view_event).collect(), next })
}

fn view_event(event: &ReturnEvent) -> EventView {
    let change = match &event.change {
        ReturnChange::Event(event) => event.to_value(),
        ReturnChange::State(rma) => json!({ "event": "started", "units": rma.units.len() }),
    };
    EventView {
        number: event.number,
        at: event.at,
        actor: event.actor.clone(),
        cause: event.cause.clone(),
        change,
    }
}

/// The whole journal of a return.
pub(crate) async fn load_journal(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<Vec<ReturnEvent>, AppError> {
    Ok(app.store.return_events(merchant, id, -1, EVENTS_MAX).await?)
}

/// A journal that has no result is damaged.
pub(crate) fn report_fault(id: &RmaId, fault: &JournalFault) -> AppError {
    let (table, id, why) = ("return_events", id.to_string(), fault.to_string());
    AppError::Store(StoreError::Corrupt { table, id, why })
}

/// About what following the journal of a return with so many units takes, in bytes to read.
pub(crate) fn weigh_journal(units: usize, events: usize) -> usize {
    units.saturating_mul(events).saturating_mul(WEIGHT_OF_UNIT)
}

/// The return as it was at a time: what the last message before then said.
#[boxed]
pub async fn load_return_as_of(
    app: &App,
    merchant: &MerchantId,
    rma: &str,
    as_of: Timestamp,
) -> Result<Rma, AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    let now = app.store.rma(merchant, &id).await?.ok_or_else(missing)?.value;
    let mut events = load_journal(app, merchant, &id).await?;
    events.retain(|event| event.at <= as_of);
    if events.is_empty() {
        return Err(missing());
    }
    let weight = weigh_journal(now.units.len(), events.len());
    let past = run_on_suitable_thread(weight, || state_after(events)).await;
    past.map_err(|fault| report_fault(&id, &fault))
}
