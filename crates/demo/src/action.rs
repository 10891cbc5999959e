//! What the actors of the demo do.

use domain::returns::carrier::CarrierEventKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::messages::ReturnMessage;

/// An action and its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scheduled {
    pub(crate) due_us: i64,
    pub(crate) action: Action,
}

impl Action {
    pub(crate) fn at(self, due_us: i64) -> Scheduled {
        Scheduled { due_us, action: self }
    }
}

/// One thing to do. Actions that are still scheduled when the demo stops are saved, and done after
/// the next start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// A day starts: its orders are scheduled.
    Day { day: i64 },
    /// A shopper places an order.
    Order { number: u32, placed_us: i64 },
    /// The merchant ships the order.
    Ship { number: u32, placed_us: i64 },
    /// The shopper returns something from the order.
    Return { number: u32, placed_us: i64, resolution: Resolution },
    /// The shopper cancels the return.
    Cancel { rma: String },
    /// The carrier reports an event of a parcel.
    Move { rma: String, event: CarrierEventKind },
    /// The merchant refunds a return.
    Refund { message: ReturnMessage },
    /// The warehouse opens the parcel of a return.
    Receive { message: ReturnMessage },
    /// The merchant publishes an exchange order as one of its orders.
    Exchange { body: Box<Value>, identifier: String, placed_us: i64, shipped: bool },
    /// A sample order, by its position, is placed or shipped.
    SampleOrder { position: usize, shipped: bool },
    /// Something that happens only once.
    Incident(Incident),
}

/// What a shopper wants for a return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Resolution {
    Refund,
    Exchange,
    GiftCard,
    /// The person who returns it received it as a gift.
    Gift,
    /// The shopper starts the return and cancels it.
    Cancel,
}

/// Something that happens only once in a demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Incident {
    /// The merchant's server refuses inventory receipts, until the outage ends.
    OutageBegins,
    OutageEnds,
    /// A shipment is announced to the warehouse, and received unit by unit.
    Announced {
        number: u32,
    },
    Received {
        number: u32,
        unit: u32,
    },
    /// A unit arrives that was not announced.
    Stray {
        number: u32,
    },
    /// A drop-ship order is placed, and later shipped or canceled.
    DropShip {
        number: u32,
    },
    DropShipEnds {
        number: u32,
    },
    /// A refund that could be for either of two returns.
    Unmatched,
    /// A refund for more units than its return has.
    Conflict,
    /// A refund that is a cent short of what was promised.
    RefundedShort,
    /// The other merchant pays the same refund twice.
    RefundedTwice,
    /// A return with one refunded unit and one that never arrives.
    PartlyRefunded,
    /// A return with one received unit and two that are expected.
    PartlyReceived,
    /// A return to the other merchant. Its server is down.
    OtherMerchant {
        number: u32,
    },
}
