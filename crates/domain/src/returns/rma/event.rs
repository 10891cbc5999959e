//! What can happen to a return, and what is decided about it.

use std::fmt;

use super::{Rma, TrackingStatus};
use crate::returns::receipt::Condition;

/// Something that happened to a return, reported from outside. Where `lines` is empty, all lines
/// of the return are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RmaEvent {
    /// The carrier made a label. Units that have one keep it.
    LabelCreated { tracking_number: String, lines: Vec<String> },
    /// The carrier or the drop-off point told of a parcel, or of the whole return.
    Scanned { scan: CarrierScan, tracking_number: Option<String>, lines: Vec<String> },
    /// The warehouse has a unit of that line, or with that SKU. The identifier tells one receipt
    /// from another, so that the same one can be told twice.
    Received {
        receipt_identifier: String,
        line: Option<String>,
        sku: Option<String>,
        condition: Condition,
    },
    /// The warehouse awaits nothing more.
    ReceivingClosed,
    /// The merchant paid for units of one order.
    Refunded { refund_identifier: String, order_identifier: String, lines: Vec<LineQuantity> },
    /// The shopper or an operator takes the return back.
    Canceled,
    /// The merchant took the exchange order for what was bought with `order_identifier`.
    ExchangePlaced { order_identifier: String, exchange_order_identifier: String },
    /// The merchant shipped an exchange order. One that was shipped before it is known to be placed
    /// changes nothing: whoever tells that it was placed must look whether it was shipped.
    ExchangeFulfilled { exchange_order_identifier: String },
    /// The merchant cancelled an exchange order that it had taken. What it did not ship is money again.
    ExchangeCancelled { exchange_order_identifier: String },
    /// The exchange order for what was bought with `order_identifier` will never be placed.
    ExchangeFailed { order_identifier: String },
}

/// Units of one order line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineQuantity {
    pub order_line_item_identifier: String,
    pub quantity: i64,
}

/// What the carrier or the drop-off point can tell of a parcel that has a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarrierScan {
    Accepted,
    InTransit,
    Delivered,
    Returned,
    Failure,
    NotDroppedOff,
}

impl CarrierScan {
    pub const ALL: [Self; 6] = [
        Self::Accepted,
        Self::InTransit,
        Self::Delivered,
        Self::Returned,
        Self::Failure,
        Self::NotDroppedOff,
    ];

    /// Where the parcel is then.
    pub const fn tracking(self) -> TrackingStatus {
        match self {
            Self::Accepted => TrackingStatus::Accepted,
            Self::InTransit => TrackingStatus::Transit,
            Self::Delivered => TrackingStatus::Delivered,
            Self::Returned => TrackingStatus::Returned,
            Self::Failure => TrackingStatus::Failure,
            Self::NotDroppedOff => TrackingStatus::NotDroppedOff,
        }
    }
}

/// What an event comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RmaDecision {
    /// The return after the event.
    pub rma: Rma,
    /// Whether the event changed anything. Then the merchant is owed a message about the return,
    /// with the sequence [`Rma::messages_sent`].
    pub changed: bool,
    /// Refunded units that the return has no place for: the merchant paid for what was not on the
    /// return, paid already, or replaced. By line, and without the lines that were placed in full.
    pub unplaced: Vec<LineQuantity>,
}

/// Why an event cannot be. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RmaRefusal {
    /// The return was canceled.
    Canceled,
    /// The shopper keeps the goods, so no carrier has them.
    Kept,
    /// No unit travels under this tracking number.
    UnknownParcel(String),
    /// No unit is of this line, or none of the parcel.
    UnknownLine(String),
    /// No unit, or none of the line, has this SKU.
    UnknownSku(String),
    /// All of the units travel under this number already.
    Labelled(String),
    /// Only goods for a drop-off point can fail to be dropped off.
    NotExpressReturns,
    /// The goods are not received by our warehouse.
    ReceivingNotManaged,
    /// Receiving was closed, so no unit is awaited.
    ReceivingClosed,
    /// Every such unit was received already.
    NotAwaited,
    /// Too late to cancel: a unit was handed over at the drop-off point or to the driver.
    DroppedOff,
    /// Too late to cancel: the carrier scanned a parcel.
    Scanned,
    /// Too late to cancel: the warehouse has a unit.
    Received,
    /// Too late to cancel: a unit is paid for.
    Refunded,
    /// Too early to cancel: an exchange order is on its way to the merchant.
    ExchangePending,
    /// Too late to cancel, or to place another: this exchange order was placed.
    ExchangePlaced(String),
    /// Nothing bought with this order is to be exchanged.
    NoExchange(String),
}

impl fmt::Display for RmaRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Canceled => "the return was canceled",
            Self::Kept => "the shopper keeps the goods, so nothing travels",
            Self::UnknownParcel(number) => {
                return write!(formatter, "no unit of the return travels under {number}");
            }
            Self::UnknownLine(line) => {
                return write!(formatter, "no such unit of the return is of line {line}");
            }
            Self::UnknownSku(sku) => {
                return write!(formatter, "no such unit of the return has the SKU {sku}");
            }
            Self::Labelled(number) => {
                return write!(formatter, "the units travel under {number} already");
            }
            Self::NotExpressReturns => "the goods were not to be brought to a drop-off point",
            Self::ReceivingNotManaged => "the goods of the return are not received here",
            Self::ReceivingClosed => "receiving of the return was closed",
            Self::NotAwaited => "every such unit of the return was received already",
            Self::DroppedOff => "goods of the return were handed over already",
            Self::Scanned => "the carrier has goods of the return already",
            Self::Received => "goods of the return were received already",
            Self::Refunded => "goods of the return were refunded already",
            Self::ExchangePending => "an exchange order of the return is being placed",
            Self::ExchangePlaced(order) => {
                return write!(formatter, "the exchange order {order} was placed already");
            }
            Self::NoExchange(order) => {
                return write!(formatter, "nothing of order {order} is to be exchanged");
            }
        };
        formatter.write_str(words)
    }
}

impl std::error::Error for RmaRefusal {}
