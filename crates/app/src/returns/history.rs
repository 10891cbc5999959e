//! The history of a return: its events, and the return as it was at any time.

use domain::{
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        journal::{Actor, ReturnChange, ReturnEvent, replay},
        rma::Rma,
    },
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::StoreError;
use utoipa::ToSchema;

use crate::{App, AppError};

/// The most events of a return that are read. Each takes a message, so no return has more.
pub(crate) const EVENTS_MAX: usize = 100_000;

/// An event of a return.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ReturnEvent)]
pub struct EventView {
    /// Counted from 1 within the return: the `sequence` of the RMA message about it. 0 if the
    /// return is older than its journal.
    #[schema(example = 2, minimum = 0)]
    pub number: i64,
    /// When it happened.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// Who caused it.
    pub actor: Actor,
    /// The request or the message that caused it. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "req-8c6f0a51e2b94d37")]
    pub cause: Option<String>,
    /// What happened: `event` names it, and the other fields depend on it.
    #[schema(value_type = Object)]
    pub change: Value,
}

/// The events of a return.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ReturnEvents)]
pub struct EventPage {
    /// Oldest first.
    pub events: Vec<EventView>,
    /// Pass as `after` to get the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// Lists the events of a return, after the one with the number `after`.
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
        ReturnChange::Event(event) => serde_json::to_value(event).unwrap_or_default(),
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

/// A return after one of its events.
#[derive(Clone, Debug)]
pub struct PastState {
    pub event: ReturnEvent,
    pub rma: Rma,
}

/// All states of a return, oldest first.
pub async fn load_states(
    app: &App,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<Vec<PastState>, AppError> {
    let events = app.store.return_events(merchant, id, -1, EVENTS_MAX).await?;
    let states = replay(&events).map_err(|fault| {
        let (table, id, why) = ("return_events", id.to_string(), fault.to_string());
        AppError::Store(StoreError::Corrupt { table, id, why })
    })?;
    let pairs = events.into_iter().zip(states);
    Ok(pairs.map(|(event, rma)| PastState { event, rma }).collect())
}

/// The return as it was at a time: what the last message before then said.
pub async fn load_return_as_of(
    app: &App,
    merchant: &MerchantId,
    rma: &str,
    as_of: Timestamp,
) -> Result<Rma, AppError> {
    let missing = || AppError::NotFound("return");
    let id = RmaId::parse(rma).ok_or_else(missing)?;
    app.store.rma(merchant, &id).await?.ok_or_else(missing)?;
    let states = load_states(app, merchant, &id).await?;
    let past = states.into_iter().rfind(|state| state.event.at <= as_of);
    past.map(|state| state.rma).ok_or_else(missing)
}
