//! How a shipment goes on: pending, shipped, delivered; or canceled before it was shipped.
//!
//! | status    | may become          | ship_date may change |
//! | --------- | ------------------- | -------------------- |
//! | pending   | shipped, canceled   | yes                  |
//! | shipped   | delivered           | yes                  |
//! | delivered |                     | no                   |
//! | canceled  |                     | no                   |
//!
//! What is true already changes nothing; everything else is refused. A change is told with the
//! same number.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Shipment, ShipmentStatus};
use crate::faults::Faults;
use crate::json::Json;
use crate::reader::read;

/// What is to change about a shipment: at least one of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShipmentChange {
    /// When the goods left, or will leave.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-11T17:00:00Z")]
    pub ship_date: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ShipmentStatus>,
}

/// What a change comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShipmentDecision {
    /// The shipment after the change. If it changed, [`Shipment::unit_event`] befalls its units,
    /// and all of its messages are owed again.
    pub shipment: Shipment,
    pub changed: bool,
}

/// Why a change cannot be. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShipmentRefusal {
    /// No shipment goes from this status to that one.
    Status(ShipmentStatus, ShipmentStatus),
    /// The shipment arrived or was canceled, so its date stands.
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

/// Reads a change, or says everything wrong with it.
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

/// Applies `change` to `shipment`: all of it or nothing.
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
        // A clock that was set back does not take the shipment back.
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
