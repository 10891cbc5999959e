//! The journal: every change of a return, with its time, who caused it, and why.
//!
//! A return is the result of its events. The first one has the return as it started, and each of
//! the others is applied to the result of those before. Every event sends one message to the
//! merchant, with the same number, so the return at any time is what the message of that time said.

#[cfg(test)]
mod tests;

use std::fmt;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::rma::{Rma, RmaEvent, RmaRefusal, apply, apply_again};
use crate::orders::erasure::ERASED;

/// Who caused a change.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Actor {
    /// The role of who caused it.
    pub kind: ActorKind,
    /// The client or the operator. Absent for shoppers and for what is done by time.
    #[schema(example = "acme.k7w2mq9d")]
    pub name: Option<String>,
}

/// The role in which a change was caused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// At the portal.
    Shopper,
    /// A system of the merchant.
    Client,
    /// At the console, or with a client of the platform.
    Operator,
    Carrier,
    Warehouse,
    /// The service itself, such as after the merchant's response to a message.
    Schedule,
}

impl ActorKind {
    pub const ALL: [Self; 6] = [
        Self::Shopper,
        Self::Client,
        Self::Operator,
        Self::Carrier,
        Self::Warehouse,
        Self::Schedule,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Shopper => "shopper",
            Self::Client => "client",
            Self::Operator => "operator",
            Self::Carrier => "carrier",
            Self::Warehouse => "warehouse",
            Self::Schedule => "schedule",
        }
    }
}

impl Actor {
    pub fn new(kind: ActorKind, name: &str) -> Self {
        Self { kind, name: Some(name.to_owned()) }
    }

    pub const fn unnamed(kind: ActorKind) -> Self {
        Self { kind, name: None }
    }

    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, name) =
            text.split_once(' ').map_or((text, None), |(kind, name)| (kind, Some(name)));
        let kind = ActorKind::ALL.into_iter().find(|it| it.name() == kind)?;
        Some(Self { kind, name: name.map(str::to_owned) })
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.name())?;
        self.name.iter().try_for_each(|name| write!(formatter, " {name}"))
    }
}

/// What happened to a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReturnChange {
    /// Something happened to a return that exists.
    Event(RmaEvent),
    /// The return started, or its earlier events are not known. This is what it was then.
    State(Box<Rma>),
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnEvent {
    /// Counted from 1 within the return: the sequence of the message about it. 0 if the return is
    /// older than the journal.
    pub number: i64,
    pub at: Timestamp,
    pub actor: Actor,
    /// The request or the message that caused it, if there is one.
    pub cause: Option<String>,
    pub change: ReturnChange,
}

/// Why a journal has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalFault {
    /// The first event does not say what the return was.
    NoStart,
    /// This event cannot be applied, and why.
    Refused(i64, RmaRefusal),
    /// This event changes nothing although no text of it was erased, or has the wrong number.
    OutOfOrder(i64),
}

impl fmt::Display for JournalFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStart => formatter.write_str("its journal does not begin with a start"),
            Self::Refused(number, refusal) => {
                write!(formatter, "event {number} of its journal cannot be applied: {refusal}")
            }
            Self::OutOfOrder(number) => {
                write!(formatter, "event {number} of its journal is out of order")
            }
        }
    }
}

impl std::error::Error for JournalFault {}

/// Follows a journal and checks each event. Only one state of the return is in memory.
#[derive(Debug, Default)]
pub struct Replay {
    rma: Option<Rma>,
}

impl Replay {
    /// Begins in the middle of a journal, with the state that its events have led to.
    pub const fn resume(rma: Rma) -> Self {
        Self { rma: Some(rma) }
    }

    /// The return after the events so far.
    pub const fn current(&self) -> Option<&Rma> {
        self.rma.as_ref()
    }

    /// Applies the next event, and returns the state before it.
    pub fn follow(&mut self, event: &ReturnEvent) -> Result<Option<Rma>, JournalFault> {
        let after = match (&event.change, &self.rma) {
            (ReturnChange::State(rma), None) => (**rma).clone(),
            (ReturnChange::State(_), Some(_)) => {
                return Err(JournalFault::OutOfOrder(event.number));
            }
            (ReturnChange::Event(_), None) => return Err(JournalFault::NoStart),
            (ReturnChange::Event(it), Some(before)) => {
                let decision = apply(before, it, event.at)
                    .map_err(|refusal| JournalFault::Refused(event.number, refusal))?;
                let mut after = decision.rma;
                if !decision.changed {
                    // It changed a text that was erased, so it is the same before and after.
                    if !has_erased_text(it) {
                        return Err(JournalFault::OutOfOrder(event.number));
                    }
                    apply_again(&mut after, it, event.at)
                        .map_err(|refusal| JournalFault::Refused(event.number, refusal))?;
                }
                if after.messages_sent != event.number {
                    return Err(JournalFault::OutOfOrder(event.number));
                }
                after
            }
        };
        Ok(self.rma.replace(after))
    }
}

/// Whether an event may have changed nothing but a text that was erased later.
fn has_erased_text(event: &RmaEvent) -> bool {
    let RmaEvent::ReceiptCorrected { corrected: Some(corrected), .. } = event else { return false };
    corrected.reject_reason.as_deref() == Some(ERASED)
}

/// The return after these events. They are trusted to change it, which is much cheaper for a return
/// of thousands of units and events.
pub fn state_after(events: Vec<ReturnEvent>) -> Result<Rma, JournalFault> {
    let mut events = events.into_iter();
    let Some(ReturnEvent { change: ReturnChange::State(mut rma), .. }) = events.next() else {
        return Err(JournalFault::NoStart);
    };
    for ReturnEvent { number, at, change, .. } in events {
        let ReturnChange::Event(event) = change else {
            return Err(JournalFault::OutOfOrder(number));
        };
        apply_again(&mut rma, &event, at)
            .map_err(|refusal| JournalFault::Refused(number, refusal))?;
        if rma.messages_sent != number {
            return Err(JournalFault::OutOfOrder(number));
        }
    }
    Ok(*rma)
}

/// The return after each of its events, in order.
#[cfg(test)]
pub(crate) fn replay(events: &[ReturnEvent]) -> Result<Vec<Rma>, JournalFault> {
    let (mut replay, mut states) = (Replay::default(), Vec::new());
    for event in events {
        replay.follow(event)?;
        states.extend(replay.current().cloned());
    }
    if states.is_empty() { Err(JournalFault::NoStart) } else { Ok(states) }
}
