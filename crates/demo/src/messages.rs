//! The messages to the merchant's server that the demo reads.

use domain::messages::kind::MessageKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim::Call;

/// A return, as in its messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReturnMessage {
    pub(crate) rma_identifier: String,
    pub(crate) status: String,
    pub(crate) return_method: String,
    #[serde(default)]
    pub(crate) return_shipping_cost_cents: i64,
    pub(crate) items: Vec<ReturnedUnit>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReturnedUnit {
    pub(crate) order_identifier: String,
    pub(crate) order_line_item_identifier: String,
    pub(crate) sku: Option<String>,
    pub(crate) refund_type: String,
    pub(crate) package_tracking_status: Option<String>,
    pub(crate) receiving_status: Option<String>,
    pub(crate) refund_financials: Financials,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Financials {
    pub(crate) shopper_refund_amount_cents: i64,
}

impl ReturnMessage {
    /// The order of the returned units.
    pub(crate) fn order(&self) -> &str {
        self.items.first().map(|unit| unit.order_identifier.as_str()).unwrap_or_default()
    }

    /// Whether a visitor started the return, with a sample order.
    pub(crate) fn is_visitors(&self) -> bool {
        self.order().starts_with("DEMO-")
    }

    /// Whether any unit has this tracking status.
    pub(crate) fn has_tracking(&self, status: &str) -> bool {
        self.items.iter().any(|unit| unit.package_tracking_status.as_deref() == Some(status))
    }

    /// The units that the merchant has to refund.
    pub(crate) fn units_to_refund(&self) -> impl Iterator<Item = &ReturnedUnit> {
        self.items.iter().filter(|unit| unit.refund_type == "REFUND")
    }
}

/// A message that changes what happens next.
pub(crate) enum MerchantMessage {
    Return(ReturnMessage),
    /// An exchange order, and the number that the merchant assigned.
    Exchange {
        body: Value,
        identifier: String,
    },
}

/// Reads the message of a call that the merchant accepted.
pub(crate) fn read_message(call: &Call) -> Option<MerchantMessage> {
    let content = call.content.as_ref().filter(|_| call.answer.is_success())?;
    match call.kind? {
        MessageKind::Rma => serde_json::from_str(&content.body).ok().map(MerchantMessage::Return),
        MessageKind::ExchangeOrder => {
            let response: Value = serde_json::from_str(&content.answer_body).ok()?;
            let identifier = response.get("order_identifier")?.as_str()?.to_owned();
            let body = serde_json::from_str(&content.body).ok()?;
            Some(MerchantMessage::Exchange { body, identifier })
        }
        MessageKind::ExchangeVariants
        | MessageKind::OutboundAsn
        | MessageKind::InventoryReceipt
        | MessageKind::DropShipmentConfirmation
        | MessageKind::DropShipmentCancellation
        | MessageKind::DropShipmentPartialCancellation
        | MessageKind::Withdrawal
        | MessageKind::CarrierRequest
        | MessageKind::Mail => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_return_is_read() {
        let message: ReturnMessage = serde_json::from_str(domain::samples::rma_message()).unwrap();
        assert_eq!(message.order(), "ORD-100472");
        assert!(
            message.has_tracking("TRANSIT")
                && !message.has_tracking("DELIVERED")
                && !message.is_visitors()
        );
        assert_eq!(message.units_to_refund().count(), 1);
    }
}
