//! What can happen to a return, and what is decided about it.

use std::collections::BTreeMap;
use std::fmt;

use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::label::{LabelDetails, VoidReason};
use super::record::Rma;
use super::tracking::TrackingStatus;
use super::unit::WrongItem;
use crate::returns::condition::Condition;

/// Something that happened to a return, reported from outside. If `lines` is empty, all lines of
/// the return are meant.
///
/// The journal keeps every event that changed a return, and the return is the result of applying
/// them again. So what an event does must never change: a new rule needs a new event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RmaEvent {
    /// The carrier issued a label. Units that already have one keep it.
    LabelCreated {
        tracking_number: String,
        lines: Vec<String>,
        /// Which request it answers. Absent: the current one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<i64>,
        #[serde(flatten)]
        details: Box<LabelDetails>,
    },
    /// The carrier canceled a label, or those of a generation, or all.
    LabelVoided { tracking_number: Option<String>, generation: Option<i64> },
    /// The shopper or an operator wants new labels instead of those of a generation.
    LabelRenewed { generation: i64, reason: VoidReason },
    /// The carrier or the drop-off point scanned a parcel, or the whole return.
    Scanned { scan: CarrierScan, tracking_number: Option<String>, lines: Vec<String> },
    /// The warehouse received a unit of that line, or with that SKU. The identifier distinguishes
    /// receipts, so that a repeated report is recognized.
    Received {
        receipt_identifier: String,
        line: Option<String>,
        sku: Option<String>,
        condition: Condition,
        /// Why the warehouse rejects the unit. It then counts as not received.
        reject_reason: Option<String>,
        /// The channel that the unit is assigned to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<String>,
        /// Whether a person assigned the unit to the return. Then it may be one that receiving was
        /// closed without.
        #[serde(default, skip_serializing_if = "is_false")]
        assigned: bool,
    },
    /// The warehouse corrected a receipt. Without a new one, the unit was not received after all,
    /// and is expected again.
    ReceiptCorrected { receipt_identifier: String, corrected: Option<CorrectedReceipt> },
    /// The warehouse rejected something that was in a parcel and does not belong to the return.
    WrongItemRejected(WrongItem),
    /// The warehouse expects no more units.
    ReceivingClosed,
    /// The merchant refunded units of one order.
    Refunded {
        refund_identifier: String,
        order_identifier: String,
        lines: Vec<LineQuantity>,
        /// What was paid for units of this return, with shipping and less the fee.
        amount_cents: i64,
        /// How much more was promised, if the merchant tolerates it. Negative: less.
        #[serde(default)]
        accepted_cents: i64,
    },
    /// The merchant paid for the return without naming units, such as for shipping or as goodwill.
    RefundedExtra {
        refund_identifier: String,
        amount_cents: i64,
        #[serde(default)]
        accepted_cents: i64,
    },
    /// An operator accepted that a refund differs from the promise. The promise was `amount_cents`
    /// higher than the refund, or lower if negative.
    DifferenceAccepted { refund_identifier: String, amount_cents: i64, note: String },
    /// The shopper or an operator canceled the return.
    Canceled,
    /// The merchant accepted the exchange order for units of `order_identifier`.
    ExchangePlaced { order_identifier: String, exchange_order_identifier: String },
    /// The merchant shipped an exchange order. It changes nothing if the order is not known to be
    /// placed yet: who reports that it was placed must check whether it was shipped.
    ExchangeFulfilled { exchange_order_identifier: String },
    /// The merchant shipped so many units of an exchange order, by SKU, and will cancel the others.
    ExchangePartShipped { exchange_order_identifier: String, units: BTreeMap<String, i64> },
    /// The merchant canceled so many units of an exchange order, by SKU, and ships the others.
    /// They become refunds.
    ExchangePartCanceled { exchange_order_identifier: String, units: BTreeMap<String, i64> },
    /// The merchant canceled an exchange order. Units that it did not ship become refunds.
    ExchangeCanceled { exchange_order_identifier: String },
    /// The exchange order for units of `order_identifier` will not be placed.
    ExchangeFailed { order_identifier: String },
}

impl RmaEvent {
    /// A label of the current request, about which nothing but its number is known.
    pub fn label(tracking_number: String, lines: Vec<String>) -> Self {
        Self::LabelCreated { tracking_number, lines, generation: None, details: Box::default() }
    }

    /// A unit of a line that was received in the best condition.
    pub fn receipt(receipt_identifier: &str, line: &str) -> Self {
        Self::Received {
            receipt_identifier: receipt_identifier.to_owned(),
            line: Some(line.to_owned()),
            sku: None,
            condition: Condition::A,
            reject_reason: None,
            channel: None,
            assigned: false,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(assigned: &bool) -> bool {
    !*assigned
}

/// What a corrected receipt says. It replaces what the receipt said before.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CorrectedReceipt {
    pub condition: Condition,
    /// The channel that the unit is assigned to.
    #[schema(example = "RTS")]
    pub channel: Option<String>,
    /// Why the warehouse rejects the unit.
    pub reject_reason: Option<String>,
}

/// Units of one order line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineQuantity {
    pub order_line_item_identifier: String,
    pub quantity: i64,
}

/// What the carrier or the drop-off point can report about a parcel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

    /// Where the parcel is after the scan.
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

/// What follows from an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RmaDecision {
    /// The return after the event.
    pub rma: Rma,
    /// Whether the event changed anything. If so, a message about the return is due, with the
    /// sequence [`Rma::messages_sent`].
    pub changed: bool,
    /// Refunded units that are not on the return, were already refunded, or are replaced, by line.
    pub unplaced: Vec<LineQuantity>,
}

/// Why an event is refused. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RmaRefusal {
    /// The return was canceled.
    Canceled,
    /// The shopper keeps the goods, so they are not shipped.
    Kept,
    /// No unit has this tracking number.
    UnknownParcel(String),
    /// The return is sent in only so many parcels.
    NoSuchParcel(i64),
    /// The return, or the parcel, has no unit of this line.
    UnknownLine(String),
    /// The return, or the line, has no unit with this SKU.
    UnknownSku(String),
    /// All of the units already have this tracking number.
    Labeled(String),
    /// No label of this generation was requested.
    UnknownGeneration(i64),
    /// There is no label that could be replaced.
    NoLabel,
    /// The label that is missed was issued.
    HasLabel,
    /// The return has as many labels as it can have.
    TooManyLabels,
    /// The label was used: the carrier or the warehouse has goods.
    LabelUsed,
    /// The goods do not go to a drop-off point.
    NotExpressReturns,
    /// Our warehouse does not receive the goods.
    ReceivingNotManaged,
    /// Receiving is closed, so no unit is expected.
    ReceivingClosed,
    /// All such units were already received.
    NotAwaited,
    /// No unit was received with this receipt.
    UnknownReceipt(String),
    /// Too late to cancel: a unit was dropped off or picked up.
    DroppedOff,
    /// Too late to cancel: the carrier scanned a parcel.
    Scanned,
    /// Too late to cancel: the warehouse has a unit.
    Received,
    /// Too late to cancel: a unit was refunded.
    Refunded,
    /// Too early to cancel: an exchange order is being placed.
    ExchangePending,
    /// Too late to cancel, or to place another one: this exchange order was placed.
    ExchangePlaced(String),
    /// The return exchanges no units of this order.
    NoExchange(String),
    /// The return has no such refund.
    UnknownRefund(String),
}

impl fmt::Display for RmaRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = match self {
            Self::Canceled => "the return was canceled",
            Self::Kept => "the shopper keeps the goods, so nothing is shipped",
            Self::NoSuchParcel(count) => {
                return write!(formatter, "the return is sent in {count} parcels");
            }
            Self::UnknownParcel(number) => {
                return write!(formatter, "no unit of the return has the tracking number {number}");
            }
            Self::UnknownLine(line) => {
                return write!(formatter, "the return has no such unit of line {line}");
            }
            Self::UnknownSku(sku) => {
                return write!(formatter, "the return has no such unit with the SKU {sku}");
            }
            Self::Labeled(number) => {
                return write!(formatter, "the units already have the tracking number {number}");
            }
            Self::UnknownGeneration(generation) => {
                return write!(formatter, "no label of generation {generation} was requested");
            }
            Self::NoLabel => "the return has no label yet",
            Self::HasLabel => "the return has its label",
            Self::TooManyLabels => "the return has too many labels",
            Self::LabelUsed => "the label was already used",
            Self::NotExpressReturns => "the return does not use a drop-off point",
            Self::ReceivingNotManaged => "our warehouse does not receive the goods of this return",
            Self::ReceivingClosed => "receiving for this return is closed",
            Self::NotAwaited => "all such units of the return were already received",
            Self::UnknownReceipt(receipt) => {
                return write!(formatter, "no unit of the return was received as {receipt}");
            }
            Self::DroppedOff => "goods of the return were already dropped off or picked up",
            Self::Scanned => "the carrier already has goods of the return",
            Self::Received => "goods of the return were already received",
            Self::Refunded => "goods of the return were already refunded",
            Self::ExchangePending => "an exchange order of the return is being placed",
            Self::ExchangePlaced(order) => {
                return write!(formatter, "exchange order {order} was already placed");
            }
            Self::NoExchange(order) => {
                return write!(formatter, "the return exchanges no units of order {order}");
            }
            Self::UnknownRefund(refund) => {
                return write!(formatter, "the return has no refund {refund}");
            }
        };
        formatter.write_str(message)
    }
}

impl std::error::Error for RmaRefusal {}
