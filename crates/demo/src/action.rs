//! What somebody in the demo is going to do.

use domain::returns::carrier::CarrierEventKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{incidents::Scene, messages::Told};

/// One thing to do. What was not done when the demo stopped is written down, and done after the next start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    /// The day begins: its orders will be placed.
    Day { day: i64 },
    /// A shopper orders something.
    Order { number: u32, placed_us: i64 },
    /// The merchant ships it.
    Ship { number: u32, placed_us: i64 },
    /// The shopper sends something of it back.
    Return { number: u32, placed_us: i64, wish: Wish },
    /// The shopper keeps it after all.
    Cancel { rma: String },
    /// The carrier tells where a parcel is.
    Move { rma: String, event: CarrierEventKind },
    /// The merchant pays for a return, as it was told of.
    Refund { told: Told },
    /// The warehouse opens the parcel of a return.
    Receive { told: Told },
    /// The merchant publishes an exchange order as an order of its own.
    Exchange { body: Box<Value>, identifier: String, placed_us: i64, shipped: bool },
    /// An order for visitors, by its position, is placed or shipped.
    Try { position: usize, shipped: bool },
    /// Something that happens once.
    Scene(Scene),
}

/// What a shopper wants for what it sends back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wish {
    Refund,
    Exchange,
    GiftCard,
    /// It was a gift to whoever sends it back.
    Gift,
    /// The shopper thinks better of it.
    Nothing,
}
