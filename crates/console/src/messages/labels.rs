//! The kinds and states of messages in words, and why a message failed.

use domain::messages::{kind::MessageKind, state::MessageState};

use crate::core::{badge::message_badge, format::to_sentence, lists::FilterOption};

const STATES: [MessageState; 4] =
    [MessageState::Waiting, MessageState::Delivered, MessageState::Failed, MessageState::Discarded];

pub(crate) const fn kind_label(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Rma => "Return",
        MessageKind::ExchangeVariants => "Exchange variants",
        MessageKind::ExchangeOrder => "Exchange order",
        MessageKind::OutboundAsn => "Outbound ASN",
        MessageKind::InventoryReceipt => "Inventory receipt",
        MessageKind::DropShipmentConfirmation => "Drop shipment confirmed",
        MessageKind::DropShipmentCancellation => "Drop shipment canceled",
        MessageKind::DropShipmentPartialCancellation => "Drop shipment partly canceled",
        MessageKind::Withdrawal => "Withdrawal",
        MessageKind::CarrierRequest => "Carrier request",
        MessageKind::Mail => "Mail",
    }
}

pub(crate) fn kind_options(selected: &str) -> Vec<FilterOption> {
    let option = |kind: MessageKind| FilterOption::new(kind.name(), kind_label(kind), selected);
    MessageKind::ALL.map(option).into()
}

/// The name of a state in addresses.
const fn state_name(state: MessageState) -> &'static str {
    match state {
        MessageState::Waiting => "waiting",
        MessageState::Delivered => "delivered",
        MessageState::Failed => "failed",
        MessageState::Discarded => "discarded",
    }
}

pub(crate) fn state_options(selected: &str) -> Vec<FilterOption> {
    let option = |state: MessageState| {
        FilterOption::new(state_name(state), message_badge(state).label, selected)
    };
    STATES.map(option).into()
}

pub(crate) fn parse_state(name: &str) -> Option<MessageState> {
    STATES.into_iter().find(|state| state_name(*state) == name)
}

/// Why an attempt failed, in a few words.
pub(crate) fn failure_cause(status: Option<i64>, error: Option<&str>) -> String {
    match (status, error) {
        (Some(status), Some(error)) => format!("Status {status}: {error}"),
        (Some(status), None) => format!("Status {status}"),
        (None, Some(error)) => to_sentence(error),
        (None, None) => "No response.".to_owned(),
    }
}
