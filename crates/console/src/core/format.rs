//! Words for what these pages have in common: kinds and states of messages, why one was not accepted, times.

use app::messages::message_log::MessageState;
use domain::{identifier::MerchantId, messages::kind::MessageKind, returns::identifier::RmaId};
use jiff::Timestamp;

use crate::core::words::{address, moment};

/// The longest reason or note that is kept, in characters. Fields say so too.
pub(crate) const WORDS_MAX: usize = 1_000;

/// A time, for machines and for people.
#[derive(Clone, Copy)]
pub(crate) struct When(pub(crate) Timestamp);

impl When {
    pub(crate) fn iso(&self) -> String {
        self.0.to_string()
    }

    pub(crate) fn words(&self) -> String {
        moment(&self.0)
    }
}

/// An entry of a list to choose from.
pub(crate) struct Choice {
    pub(crate) name: &'static str,
    pub(crate) words: &'static str,
    pub(crate) chosen: bool,
}

/// The kinds of messages; `chosen` is the name of one, or anything else.
pub(crate) fn kinds(chosen: &str) -> Vec<Choice> {
    let choice = |kind: MessageKind| Choice {
        name: kind.name(),
        words: kind_words(kind),
        chosen: kind.name() == chosen,
    };
    MessageKind::ALL.map(choice).into()
}

/// A kind of message, in words.
pub(crate) const fn kind_words(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Rma => "Return",
        MessageKind::ExchangeVariants => "Exchange variants",
        MessageKind::ExchangeOrder => "Exchange order",
        MessageKind::OutboundAsn => "Outbound ASN",
        MessageKind::InventoryReceipt => "Inventory receipt",
        MessageKind::DropShipmentConfirmation => "Drop shipment confirmed",
        MessageKind::DropShipmentCancellation => "Drop shipment cancelled",
        MessageKind::DropShipmentPartialCancellation => "Drop shipment cancelled in part",
    }
}

/// The states of messages; `chosen` is the name of one, or anything else.
pub(crate) fn states(chosen: &str) -> Vec<Choice> {
    let all = [
        MessageState::Waiting,
        MessageState::Delivered,
        MessageState::Failed,
        MessageState::Discarded,
    ];
    let choice = |state: MessageState| {
        let (name, words, _) = of_state(state);
        Choice { name, words, chosen: name == chosen }
    };
    all.map(choice).into()
}

/// What a state is called in an address and in words, and how it looks.
pub(crate) const fn of_state(state: MessageState) -> (&'static str, &'static str, &'static str) {
    match state {
        MessageState::Waiting => ("waiting", "Waiting", "cool"),
        MessageState::Delivered => ("delivered", "Delivered", "good"),
        MessageState::Failed => ("failed", "Failed", "bad"),
        MessageState::Discarded => ("discarded", "Discarded", ""),
    }
}

pub(crate) fn state_named(name: &str) -> Option<MessageState> {
    let all = [
        MessageState::Waiting,
        MessageState::Delivered,
        MessageState::Failed,
        MessageState::Discarded,
    ];
    all.into_iter().find(|state| of_state(*state).0 == name)
}

/// Why a try did not succeed, in a few words.
pub(crate) fn cause(status: Option<i64>, error: Option<&str>) -> String {
    match (status, error) {
        (Some(status), Some(error)) => format!("Answered {status}: {error}"),
        (Some(status), None) => format!("Answered {status}"),
        (None, Some(error)) => crate::core::problem::sentence(error),
        (None, None) => "No answer came.".to_owned(),
    }
}

/// Where to read more of what a message is about.
pub(crate) fn about_address(reference: &str) -> String {
    match RmaId::parse(reference) {
        Some(rma) => format!("/console/returns/{rma}"),
        None => address("/console/search", &[("q", reference)]),
    }
}

pub(crate) fn message_address(id: &str) -> String {
    format!("/console/messages/{id}")
}

/// The merchant that a field names; nothing is every merchant.
pub(crate) fn merchant_named(text: &str) -> Result<Option<MerchantId>, String> {
    match text {
        "" => Ok(None),
        text => MerchantId::parse(text).map(Some),
    }
}

/// `1 message`, `2,000 messages`.
pub(crate) fn messages(count: i64) -> String {
    counted(count, "message", "messages")
}

pub(crate) fn counted(count: i64, one: &str, many: &str) -> String {
    let word = if count == 1 { one } else { many };
    format!("{} {word}", crate::core::words::number(count))
}

/// A reason or a note, of some length and not too long; or what is wrong with it.
pub(crate) fn reason(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("Say why, for whoever looks at it later.".to_owned());
    }
    note(text).map(Option::unwrap_or_default)
}

/// The same where nothing need be said.
pub(crate) fn note(text: &str) -> Result<Option<String>, String> {
    if text.chars().count() > WORDS_MAX {
        return Err(format!("At most {WORDS_MAX} characters are kept."));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}
