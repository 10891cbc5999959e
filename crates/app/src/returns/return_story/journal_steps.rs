//! The journal of a return as steps of its timeline, and the state after one of its events.
//!
//! A return of thousands of units has as many events. So never more than two states are in memory,
//! and only the newest events are described, because a description compares all units.

use domain::returns::{
    journal::{ActorKind, JournalFault, Replay, ReturnEvent, state_after},
    rma::Rma,
};
use jiff::Timestamp;

use super::{describe::describe_step, timeline::TimelineStep};

/// The most events that are described.
pub const STEPS_MAX: usize = 500;

/// When an event of the journal happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventMark {
    pub number: i64,
    pub at: Timestamp,
}

/// What a journal tells.
#[derive(Debug)]
pub(super) struct JournalReading {
    /// All events, oldest first.
    pub(super) marks: Vec<EventMark>,
    /// The newest events, described, oldest first.
    pub(super) steps: Vec<TimelineStep>,
    /// The state after the wanted event. None if there is no such event.
    pub(super) past: Option<Rma>,
}

/// Reads a journal, and the state after the event with the number `wanted`.
pub(super) fn read_journal(
    mut events: Vec<ReturnEvent>,
    wanted: Option<i64>,
) -> Result<JournalReading, JournalFault> {
    let marks = events.iter().map(|it| EventMark { number: it.number, at: it.at }).collect();
    let position = events.iter().position(|event| Some(event.number) == wanted);
    let led_to_it = position.map(|last| events.iter().take(last + 1).cloned().collect());
    let past = led_to_it.map(state_after).transpose()?;
    let recent = events.split_off(events.len().saturating_sub(STEPS_MAX));
    let mut replay =
        if events.is_empty() { Replay::default() } else { Replay::resume(state_after(events)?) };
    let mut steps = Vec::with_capacity(recent.len());
    for event in recent {
        let before = replay.follow(&event)?;
        let after = replay.current().ok_or(JournalFault::NoStart)?;
        let events = describe_step(&event, before.as_ref(), after);
        let actor = name_actor(&event);
        steps.push(TimelineStep {
            at: event.at,
            number: Some(event.number),
            events,
            actor,
            message: None,
        });
    }
    Ok(JournalReading { marks, steps, past })
}

/// Who did it, unless it was the shopper or the service itself.
fn name_actor(event: &ReturnEvent) -> Option<String> {
    match event.actor.kind {
        ActorKind::Shopper | ActorKind::Schedule => None,
        ActorKind::Client | ActorKind::Operator | ActorKind::Carrier | ActorKind::Warehouse => {
            event.actor.name.clone()
        }
    }
}
