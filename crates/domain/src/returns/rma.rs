//! A return, from the shopper's confirmation until everything is settled.
//!
//! A return (RMA) is a list of units, each of them one item, because each can be shipped, received,
//! and settled on its own. Three small state machines move each unit: where its parcel is
//! ([`tracking`]), whether the warehouse has it ([`receiving`]), and whether it is refunded or
//! replaced. The [`status`] of the return follows from its units.
//!
//! What happens to a return arrives as an [`RmaEvent`], and [`apply()`] says what the return is
//! then and whether its merchant must be notified. A return is stored as the JSON of [`Rma`].

mod apply;
pub mod event;
pub mod label;
mod new_rma;
pub mod receiving;
mod record;
pub mod status;
#[cfg(test)]
mod tests;
pub mod tracking;
mod unit;

pub use self::apply::{apply, apply_again};
pub use self::event::{
    CarrierScan, CorrectedReceipt, LineQuantity, RmaDecision, RmaEvent, RmaRefusal,
};
pub use self::label::{
    DocumentFormat, DocumentPurpose, HandOff, Label, LabelCost, LabelDetails, LabelDocument,
    LabelVoid, VoidReason,
};
pub use self::new_rma::{NewRma, ReturnAmounts};
pub use self::receiving::ReceivingStatus;
pub use self::record::{LABEL_DAYS, LabelState, Rma};
pub use self::status::RmaStatus;
pub use self::tracking::TrackingStatus;
pub use self::unit::{
    RefundMade, ReportedRefund, RmaExchangeOrder, RmaGoods, RmaUnit, UnitReceipt, WrongItem,
};
