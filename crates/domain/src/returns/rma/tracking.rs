//! Where the parcel of a unit is, as reported by the carrier.
//!
//! Carriers repeat scans, skip them, and report them late and out of order. So every state has a
//! rank, and only a higher rank can follow:
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
//! A shopper who missed the drop-off may still come, so ACCEPTED can follow NOT_DROPPED_OFF. A
//! parcel that was given up may still be found, so DELIVERED and RETURNED can follow FAILURE.
//! TRANSIT cannot, because a parcel that moves again looks the same as a late scan. DELIVERED and
//! RETURNED are both final. NOT_DROPPED_OFF occurs only with express-returns, and goods that the
//! shopper keeps are never tracked.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where the parcel of a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = PackageTrackingStatus)]
pub enum TrackingStatus {
    /// There is a label; the carrier does not have the unit yet.
    PreTransit,
    /// The shopper did not bring the unit to the drop-off point.
    NotDroppedOff,
    /// The drop-off point or the driver accepted the unit.
    Accepted,
    /// The carrier is transporting it.
    Transit,
    /// The carrier lost it, damaged it, or cannot deliver it.
    Failure,
    /// It arrived at its destination.
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

    /// Its name in messages.
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

    /// Whether the carrier has the parcel, or had it.
    pub const fn is_handed_over(self) -> bool {
        match self {
            Self::PreTransit | Self::NotDroppedOff => false,
            Self::Accepted | Self::Transit | Self::Failure | Self::Delivered | Self::Returned => {
                true
            }
        }
    }

    /// Whether this can follow `current`.
    pub fn follows(self, current: Option<Self>) -> bool {
        current.is_none_or(|current| current.rank() < self.rank())
    }

    const fn rank(self) -> u8 {
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
