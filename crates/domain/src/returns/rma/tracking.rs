//! Where the parcel of a unit is, as the carrier tells it.
//!
//! Carriers repeat themselves, skip scans, and report them late and out of order. So every
//! state has a height, and only what is higher can follow:
//!
//! | from            | to                                                               |
//! | --------------- | ---------------------------------------------------------------- |
//! | (none)          | any                                                              |
//! | PRE_TRANSIT     | NOT_DROPPED_OFF, ACCEPTED, TRANSIT, FAILURE, DELIVERED, RETURNED |
//! | NOT_DROPPED_OFF | ACCEPTED, TRANSIT, FAILURE, DELIVERED, RETURNED                  |
//! | ACCEPTED        | TRANSIT, FAILURE, DELIVERED, RETURNED                            |
//! | TRANSIT         | FAILURE, DELIVERED, RETURNED                                     |
//! | FAILURE         | DELIVERED, RETURNED                                              |
//! | DELIVERED       | final                                                            |
//! | RETURNED        | final                                                            |
//!
//! A shopper who missed the drop-off may still come, so NOT_DROPPED_OFF is followed by ACCEPTED.
//! A parcel that was given up may still be found, so FAILURE is followed by where it ends; not
//! by TRANSIT, because nothing tells a parcel that moves again from a scan that comes late.
//! DELIVERED and RETURNED are two ends, and neither follows the other. NOT_DROPPED_OFF is only
//! for express-returns, and what a shopper keeps is never tracked.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where the parcel of a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = PackageTrackingStatus)]
pub enum TrackingStatus {
    /// There is a label; the carrier has nothing yet.
    PreTransit,
    /// The shopper did not bring the unit to the drop-off point.
    NotDroppedOff,
    /// The drop-off point or the driver took the unit.
    Accepted,
    /// The carrier has it on its way.
    Transit,
    /// The carrier lost it, damaged it, or cannot deliver it.
    Failure,
    /// It arrived where it was sent.
    Delivered,
    /// It went back to the shopper.
    Returned,
}

impl TrackingStatus {
    pub const ALL: [Self; 7] = [
        Self::PreTransit,
        Self::NotDroppedOff,
        Self::Accepted,
        Self::Transit,
        Self::Failure,
        Self::Delivered,
        Self::Returned,
    ];

    /// What the messages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreTransit => "PRE_TRANSIT",
            Self::NotDroppedOff => "NOT_DROPPED_OFF",
            Self::Accepted => "ACCEPTED",
            Self::Transit => "TRANSIT",
            Self::Failure => "FAILURE",
            Self::Delivered => "DELIVERED",
            Self::Returned => "RETURNED",
        }
    }

    /// Whether this can come after `current`.
    pub fn follows(self, current: Option<Self>) -> bool {
        current.is_none_or(|current| current.height() < self.height())
    }

    const fn height(self) -> u8 {
        match self {
            Self::PreTransit => 0,
            Self::NotDroppedOff => 1,
            Self::Accepted => 2,
            Self::Transit => 3,
            Self::Failure => 4,
            Self::Delivered | Self::Returned => 5,
        }
    }
}
