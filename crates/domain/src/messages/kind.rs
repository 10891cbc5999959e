//! The kinds of messages: calls to a merchant's own systems, requests to its carrier, and mails.

use serde::{Deserialize, Serialize};

/// What a message is about. Each kind that goes to the merchant has an endpoint of its own.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = Kind)]
pub enum MessageKind {
    Rma,
    ExchangeVariants,
    ExchangeOrder,
    OutboundAsn,
    InventoryReceipt,
    DropShipmentConfirmation,
    DropShipmentCancellation,
    DropShipmentPartialCancellation,
    /// A shopper's statement of withdrawal from a contract.
    Withdrawal,
    /// A label that is bought from the merchant's carrier, or canceled there.
    CarrierRequest,
    /// A mail to a shopper. It goes through a mail server, or to a merchant that sends its own.
    Mail,
}

/// What is the same for all messages of a kind.
struct KindFacts {
    name: &'static str,
    api_version: &'static str,
    default_path: Option<&'static str>,
    response_content: ResponseContent,
    is_snapshot: bool,
    /// The kind that its queue is named after, if it is another one.
    queue: Option<MessageKind>,
}

impl KindFacts {
    /// What is usual, for everything but the name and the path.
    const fn new(name: &'static str, default_path: Option<&'static str>) -> Self {
        Self {
            name,
            api_version: "1",
            default_path,
            response_content: ResponseContent::Nothing,
            is_snapshot: false,
            queue: None,
        }
    }

    const fn version(self, api_version: &'static str) -> Self {
        Self { api_version, ..self }
    }

    const fn responds_with(self, response_content: ResponseContent) -> Self {
        Self { response_content, ..self }
    }

    const fn snapshot(self) -> Self {
        Self { is_snapshot: true, ..self }
    }

    const fn queued_as(self, queue: MessageKind) -> Self {
        Self { queue: Some(queue), ..self }
    }
}

/// What is read in a merchant's response, besides its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseContent {
    /// What a shopper can have instead of a variant.
    Variants,
    /// The merchant's identifier of the order that it created.
    OrderIdentifier,
    Nothing,
}

impl MessageKind {
    pub const ALL: [Self; 11] = [
        Self::Rma,
        Self::ExchangeVariants,
        Self::ExchangeOrder,
        Self::OutboundAsn,
        Self::InventoryReceipt,
        Self::DropShipmentConfirmation,
        Self::DropShipmentCancellation,
        Self::DropShipmentPartialCancellation,
        Self::Withdrawal,
        Self::CarrierRequest,
        Self::Mail,
    ];

    /// The kinds of calls to a merchant's own systems.
    pub fn to_merchant() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| kind.goes_to_merchant())
    }

    pub const fn goes_to_merchant(self) -> bool {
        self.default_path().is_some()
    }

    /// Whether a merchant can ask for delivered messages of this kind again. A shopper must not get
    /// a mail twice because of it.
    pub const fn is_replayable(self) -> bool {
        self.goes_to_merchant() && !matches!(self, Self::Mail)
    }

    const fn facts(self) -> KindFacts {
        match self {
            Self::Rma => KindFacts::new("rma", Some("/rmas")).version("3").snapshot(),
            Self::ExchangeVariants => {
                KindFacts::new("exchange_variants", Some("/sku/{variant_identifier}/variants"))
                    .responds_with(ResponseContent::Variants)
            }
            Self::ExchangeOrder => KindFacts::new("exchange_order", Some("/exchange_orders"))
                .version("2")
                .responds_with(ResponseContent::OrderIdentifier),
            Self::OutboundAsn => KindFacts::new("outbound_asn", Some("/outbound_asn")).snapshot(),
            Self::InventoryReceipt => {
                KindFacts::new("inventory_receipt", Some("/inventory_receipt"))
            }
            Self::DropShipmentConfirmation => {
                KindFacts::new("drop_shipment_confirmation", Some("/drop_shipment_confirmation"))
            }
            Self::DropShipmentCancellation => {
                KindFacts::new("drop_shipment_cancellation", Some("/drop_shipment_cancellation"))
                    .queued_as(Self::DropShipmentConfirmation)
            }
            Self::DropShipmentPartialCancellation => KindFacts::new(
                "drop_shipment_partial_cancellation",
                Some("/drop_shipment_partial_cancellation"),
            )
            .queued_as(Self::DropShipmentConfirmation),
            Self::Withdrawal => KindFacts::new("withdrawal", Some("/withdrawals")),
            Self::CarrierRequest => KindFacts::new("carrier_request", None),
            Self::Mail => KindFacts::new("mail", Some("/mails")),
        }
    }

    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The value of `X-Service-Api-Version` on calls of this kind.
    pub const fn api_version(self) -> &'static str {
        self.facts().api_version
    }

    /// The path under a merchant's base address unless the merchant sets another one. None if such
    /// messages do not go to the merchant.
    pub const fn default_path(self) -> Option<&'static str> {
        self.facts().default_path
    }

    /// What is read in the responses to messages of this kind.
    pub const fn response_content(self) -> ResponseContent {
        self.facts().response_content
    }

    /// The queue of this kind.
    pub const fn queue(self) -> QueueKind {
        match self.facts().queue {
            Some(queue) => QueueKind(queue),
            None => QueueKind(self),
        }
    }

    /// Whether a message contains the complete state of its subject, so that a later message makes
    /// an earlier one superfluous.
    pub const fn is_snapshot(self) -> bool {
        self.facts().is_snapshot
    }
}

impl std::fmt::Display for MessageKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Messages that are delivered in order if they are about the same subject: those of one kind, or
/// of several kinds about the same subjects. It is named after the first of its kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueueKind(MessageKind);

impl QueueKind {
    pub fn all() -> impl Iterator<Item = Self> {
        MessageKind::ALL.into_iter().map(QueueKind).filter(|queue| queue.0.queue() == *queue)
    }

    /// The kinds of its messages.
    pub const fn kinds(self) -> &'static [MessageKind] {
        match self.0 {
            MessageKind::Rma => &[MessageKind::Rma],
            MessageKind::ExchangeVariants => &[MessageKind::ExchangeVariants],
            MessageKind::ExchangeOrder => &[MessageKind::ExchangeOrder],
            MessageKind::OutboundAsn => &[MessageKind::OutboundAsn],
            MessageKind::InventoryReceipt => &[MessageKind::InventoryReceipt],
            MessageKind::Withdrawal => &[MessageKind::Withdrawal],
            MessageKind::CarrierRequest => &[MessageKind::CarrierRequest],
            MessageKind::Mail => &[MessageKind::Mail],
            MessageKind::DropShipmentConfirmation
            | MessageKind::DropShipmentCancellation
            | MessageKind::DropShipmentPartialCancellation => &[
                MessageKind::DropShipmentConfirmation,
                MessageKind::DropShipmentCancellation,
                MessageKind::DropShipmentPartialCancellation,
            ],
        }
    }

    pub const fn name(self) -> &'static str {
        self.0.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_its_name_and_written_by_it() {
        for kind in MessageKind::ALL {
            assert_eq!(MessageKind::parse(kind.name()), Some(kind));
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
        assert_eq!(MessageKind::parse("rmas"), None);
    }

    #[test]
    fn every_kind_is_in_one_queue_and_drop_ship_orders_have_one_for_all() {
        for kind in MessageKind::ALL {
            let queues = QueueKind::all().filter(|queue| queue.kinds().contains(&kind));
            assert_eq!(queues.collect::<Vec<_>>(), [kind.queue()], "{kind}");
        }
        assert_eq!(MessageKind::DropShipmentCancellation.queue().kinds().len(), 3);
    }
}
