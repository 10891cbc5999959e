//! Changes of a shipment: pending, shipped, delivered; or canceled before it was shipped.
//!
//! | status    | may become          | ship_date may change |
//! | --------- | ------------------- | -------------------- |
//! | pending   | shipped, canceled   | yes                  |
//! | shipped   | delivered           | yes                  |
//! | delivered |                     | no                   |
//! | canceled  |                     | no                   |
//!
//! Setting a value that is already set changes nothing; everything else is refused. The messages
//! about a change have the same number.

use std::fmt;

use jiff::Timestamp;
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Shipment, ShipmentStatus};
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::read;

/// A change of a shipment: the date, the status, or both.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipmentChange {
    /// When the goods left, or will leave.
    #[schema(example = "2026-03-11T17:00:00Z")]
    pub ship_date: Option<Timestamp>,
    pub status: Option<ShipmentStatus>,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShipmentDecision {
    /// The shipment after the change. If it changed, [`Shipment::unit_event`] is applied to its
    /// units, and all of its messages are sent again.
    pub shipment: Shipment,
    pub changed: bool,
}

/// Why a change is refused. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShipmentRefusal {
    /// The status cannot change in this way.
    Status(ShipmentStatus, ShipmentStatus),
    /// The shipment arrived or was canceled, so its date cannot change.
    Ended(ShipmentStatus),
}

impl fmt::Display for ShipmentRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(from, to) => {
                write!(formatter, "a {} shipment cannot become {}", from.name(), to.name())
            }
            Self::Ended(status) => {
                write!(formatter, "the ship_date of a {} shipment stands", status.name())
            }
        }
    }
}

impl std::error::Error for ShipmentRefusal {}

/// Reads a change, or reports all of its faults.
pub fn read_change(document: &Json<'_>) -> Result<ShipmentChange, Faults> {
    let (change, _) = read(document, false, |root| {
        root.object(|at| {
            at.refuse_unknown();
            let ship_date = at.optional_time("ship_date");
            let status = at.optional("status", |value| {
                let refused = "must be one of pending, shipped, delivered, canceled";
                value.named(ShipmentStatus::parse, refused)
            });
            if ship_date.is_none() && status.is_none() && at.sound(&["ship_date", "status"]) {
                at.note_neither_of(["ship_date", "status"]);
            }
            ShipmentChange { ship_date, status }
        })
    })?;
    Ok(change)
}

/// Applies `change` to `shipment`, completely or not at all.
pub fn change(
    shipment: Shipment,
    change: &ShipmentChange,
    now: Timestamp,
) -> Result<ShipmentDecision, ShipmentRefusal> {
    let status = change.status.filter(|status| *status != shipment.status);
    if let Some(status) = status.filter(|status| !follows(*status, shipment.status)) {
        return Err(ShipmentRefusal::Status(shipment.status, status));
    }
    let ship_date = change.ship_date.filter(|date| *date != shipment.ship_date);
    if ship_date.is_some() && has_ended(shipment.status) {
        return Err(ShipmentRefusal::Ended(shipment.status));
    }
    if status.is_none() && ship_date.is_none() {
        return Ok(ShipmentDecision { shipment, changed: false });
    }
    let shipment = Shipment {
        status: status.unwrap_or(shipment.status),
        ship_date: ship_date.unwrap_or(shipment.ship_date),
        // If the clock was set back, the time of the shipment is not.
        updated_at: now.max(shipment.updated_at),
        announcements: shipment.announcements.saturating_add(1),
        ..shipment
    };
    Ok(ShipmentDecision { shipment, changed: true })
}

const fn follows(next: ShipmentStatus, status: ShipmentStatus) -> bool {
    match next {
        ShipmentStatus::Pending => false,
        ShipmentStatus::Shipped | ShipmentStatus::Canceled => {
            matches!(status, ShipmentStatus::Pending)
        }
        ShipmentStatus::Delivered => matches!(status, ShipmentStatus::Shipped),
    }
}

const fn has_ended(status: ShipmentStatus) -> bool {
    match status {
        ShipmentStatus::Pending | ShipmentStatus::Shipped => false,
        ShipmentStatus::Delivered | ShipmentStatus::Canceled => true,
    }
}
