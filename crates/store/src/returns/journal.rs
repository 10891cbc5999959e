//! The journal of returns: every event that changed one, in order.

use boxed::boxed;
use domain::{
    bodies::WriteJson,
    identifier::MerchantId,
    returns::{
        identifier::RmaId,
        journal::{Actor, ReturnChange, ReturnEvent},
    },
    time::{from_micros, micros},
};

use jiff::Timestamp;

use crate::{
    EngineError, Store, StoreError, Transaction,
    core::{
        body::{corrupt, parse_body},
        value::{Row, params},
    },
};

/// What the journal has of an event besides what happened.
#[derive(Clone, Copy, Debug)]
pub struct EventHeader<'a> {
    pub number: i64,
    pub at: Timestamp,
    pub actor: &'a Actor,
    pub cause: Option<&'a str>,
}

impl Transaction {
    /// Adds an event to the journal of a return; a conflict when its number is taken.
    pub fn insert_return_event(&mut self, merchant: &MerchantId, rma: &RmaId, event: &ReturnEvent) {
        let ReturnEvent { number, at, actor, cause, change } = event;
        let header = EventHeader { number: *number, at: *at, actor, cause: cause.as_deref() };
        self.insert_return_event_body(merchant, rma, &header, change.to_json());
    }

    pub(crate) fn insert_return_event_body(
        &mut self,
        merchant: &MerchantId,
        rma: &RmaId,
        event: &EventHeader<'_>,
        body: String,
    ) {
        self.one_row_each(
            "INSERT INTO return_events (merchant_id, rma_id, number, at_us, actor, cause, body)
             SELECT r.merchant_id, r.rma_id, r.number, r.at_us, r.actor, r.cause, r.body
             FROM ROWS(merchant_id, rma_id, number, at_us, actor, cause, body)
             WHERE true ON CONFLICT DO NOTHING",
            vec![params![
                merchant,
                rma.as_str(),
                event.number,
                micros(event.at),
                event.actor.to_string(),
                event.cause.unwrap_or_default(),
                body
            ]],
        );
    }
}

impl Store {
    /// The events of a return with numbers above `after`, in order.
    #[boxed]
    pub async fn return_events(
        &self,
        merchant: &MerchantId,
        rma: &RmaId,
        after: i64,
        limit: usize,
    ) -> Result<Vec<ReturnEvent>, StoreError> {
        self.read_all(
            "reading the journal of a return",
            "SELECT number, at_us, actor, cause, body FROM return_events
             WHERE merchant_id = $1 AND rma_id = $2 AND number > $3 ORDER BY number LIMIT $4",
            params![merchant, rma.as_str(), after, limit],
            |row| read_event(rma, row),
        )
        .await
    }
}

fn read_event(rma: &RmaId, row: &Row) -> Result<ReturnEvent, EngineError> {
    let unreadable = |why: &str| corrupt("return_events", rma.as_str(), &why);
    let cause = Some(row.text(3)?).filter(|it| !it.is_empty());
    Ok(ReturnEvent {
        number: row.int(0)?,
        at: from_micros(row.int(1)?).ok_or_else(|| unreadable("not a time"))?,
        actor: Actor::parse(row.text(2)?).ok_or_else(|| unreadable("not an actor"))?,
        cause: cause.map(str::to_owned),
        change: parse_body::<ReturnChange>("return_events", rma.as_str(), row.text(4)?)?,
    })
}
