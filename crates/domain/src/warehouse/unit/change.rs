//! Changes of a unit in the warehouse: its condition, channel or location.

use jiff::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{ChangedBy, UnitDecision, UnitEvent, UnitRecord, UnitRefusal, apply};
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::read;
use crate::returns::receipt::Condition;

/// A change of a unit: at least one of condition, channel and location.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub struct UnitChange {
    /// The new condition.
    pub condition: Option<Condition>,
    /// The new channel.
    #[schema(example = "RTV", max_length = 255)]
    pub channel: Option<String>,
    /// The new location.
    #[schema(example = "B-02-11", max_length = 255)]
    pub location_identifier: Option<String>,
    /// The reason.
    #[schema(example = "a stain was found")]
    pub reason: Option<String>,
    /// Who made the change.
    #[schema(example = "mkowalski", max_length = 255)]
    pub user_login: Option<String>,
}

/// Reads a change, or reports all of its faults.
pub fn read_unit_change(document: &Json<'_>) -> Result<UnitChange, Faults> {
    let (change, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            let change = UnitChange {
                condition: at.optional("condition", |value| {
                    value.named(Condition::parse, "must be one of N, R, A, B, C, X, TT")
                }),
                channel: at.optional_identifier("channel"),
                location_identifier: at.optional_identifier("location_identifier"),
                reason: at.optional_text("reason"),
                user_login: at.optional_identifier("user_login"),
            };
            let nothing = change.condition.is_none()
                && change.channel.is_none()
                && change.location_identifier.is_none();
            if nothing && at.sound(&["condition", "channel", "location_identifier"]) {
                at.note("condition", "must be sent, or a channel, or a location_identifier");
            }
            change
        })
    })?;
    Ok(change)
}

/// Applies `change` to `unit`, completely or not at all.
pub fn change_unit(
    unit: &UnitRecord,
    change: &UnitChange,
    now: Timestamp,
) -> Result<UnitDecision, UnitRefusal> {
    let by = || ChangedBy { reason: change.reason.clone(), user_login: change.user_login.clone() };
    let graded = change.condition.map(|condition| UnitEvent::Graded { condition, by: by() });
    let moved = (change.channel.is_some() || change.location_identifier.is_some()).then(|| {
        let UnitChange { location_identifier, channel, .. } = change.clone();
        UnitEvent::Moved { location_identifier, channel, by: by() }
    });
    let mut decision = UnitDecision { unit: unit.clone(), changed: false };
    for event in graded.iter().chain(&moved) {
        let next = apply(&decision.unit, event, now)?;
        decision = UnitDecision { changed: decision.changed || next.changed, unit: next.unit };
    }
    Ok(decision)
}
