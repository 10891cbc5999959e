//! States as colored labels.

use app::messages::message_log::MessageState;
use domain::{
    exchanges::record::ExchangeState, money::comparison::DifferenceKind,
    orders::order::OrderStatus, returns::rma::RmaStatus,
};

/// A state in words. The class selects its color in the style sheet.
#[derive(Clone, Copy)]
pub(crate) struct Badge {
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
}

impl Badge {
    pub(crate) const fn good(label: &'static str) -> Self {
        Self { class: "good", label }
    }

    /// In progress.
    pub(crate) const fn cool(label: &'static str) -> Self {
        Self { class: "cool", label }
    }

    pub(crate) const fn warn(label: &'static str) -> Self {
        Self { class: "warn", label }
    }

    pub(crate) const fn bad(label: &'static str) -> Self {
        Self { class: "bad", label }
    }

    pub(crate) const fn plain(label: &'static str) -> Self {
        Self { class: "", label }
    }
}

pub(crate) fn order_badge(status: &str) -> Badge {
    match OrderStatus::parse(status) {
        Some(OrderStatus::Created) => Badge::cool("Created"),
        Some(OrderStatus::Shipped) => Badge::good("Shipped"),
        Some(OrderStatus::Cancelled) => Badge::plain("Canceled"),
        None => Badge::warn("Unknown"),
    }
}

pub(crate) const fn return_badge(status: RmaStatus) -> Badge {
    match status {
        RmaStatus::Created => Badge::cool("In progress"),
        RmaStatus::PendingExchange => Badge::warn("Exchange pending"),
        RmaStatus::PartialRefund => Badge::warn("Partly settled"),
        RmaStatus::Refunded => Badge::good("Settled"),
        RmaStatus::Canceled => Badge::plain("Canceled"),
    }
}

pub(crate) const fn exchange_badge(state: ExchangeState) -> Badge {
    match state {
        ExchangeState::Pending => Badge::cool("Pending"),
        ExchangeState::Placed => Badge::good("Placed"),
        ExchangeState::Failed => Badge::bad("Failed"),
        ExchangeState::Cancelled => Badge::plain("Canceled"),
    }
}

/// The state of a refund problem.
pub(crate) fn problem_badge(state: &str) -> Badge {
    match state {
        "unmatched" => Badge::warn("Unmatched"),
        "conflict" => Badge::bad("Conflict"),
        "asked" => Badge::cool("Merchant asked"),
        "awaited" => Badge::cool("Rest expected"),
        "settled" => Badge::plain("Resolved"),
        other => Badge::warn(DifferenceKind::parse(other).map_or("Open", difference_label)),
    }
}

pub(crate) const fn difference_label(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::ShortPaid => "Paid too little",
        DifferenceKind::OverPaid => "Paid too much",
        DifferenceKind::PaidNotReceived => "Paid, not received",
        DifferenceKind::PaidAfterReject => "Paid, but rejected",
        DifferenceKind::ShippingNotPaid => "Shipping not paid",
    }
}

pub(crate) const fn message_badge(state: MessageState) -> Badge {
    match state {
        MessageState::Waiting => Badge::cool("Waiting"),
        MessageState::Delivered => Badge::good("Delivered"),
        MessageState::Failed => Badge::bad("Failed"),
        MessageState::Discarded => Badge::plain("Discarded"),
    }
}
