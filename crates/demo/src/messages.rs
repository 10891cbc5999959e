//! What the merchant's server is told, as far as anybody in the demo reads it.

use domain::messages::kind::MessageKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sim::Call;

/// A return, as its messages tell of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) rma_identifier: String,
    pub(crate) status: String,
    pub(crate) return_method: String,
    #[serde(default)]
    pub(crate) return_shipping_cost_cents: i64,
    pub(crate) items: Vec<ToldUnit>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToldUnit {
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

impl Told {
    /// The order that the return is of.
    pub(crate) fn order(&self) -> &str {
        self.items.first().map(|unit| unit.order_identifier.as_str()).unwrap_or_default()
    }

    pub(crate) fn is_visitors(&self) -> bool {
        self.order().starts_with("DEMO-")
    }

    /// Whether any unit is at this place of its way.
    pub(crate) fn is_at(&self, place: &str) -> bool {
        self.items.iter().any(|unit| unit.package_tracking_status.as_deref() == Some(place))
    }

    /// The units that money is owed for.
    pub(crate) fn to_refund(&self) -> impl Iterator<Item = &ToldUnit> {
        self.items.iter().filter(|unit| unit.refund_type == "REFUND")
    }
}

/// What a call to the merchant's server was about.
pub(crate) enum Heard {
    Return(Told),
    /// An exchange order, and the number that the merchant gave it.
    Exchange {
        body: Value,
        identifier: String,
    },
}

/// What was said in a call that the merchant took in and had not heard before.
pub(crate) fn heard(call: &Call) -> Option<Heard> {
    let content = call.content.as_ref().filter(|_| call.answer.is_success())?;
    match call.kind? {
        MessageKind::Rma => serde_json::from_str(&content.body).ok().map(Heard::Return),
        MessageKind::ExchangeOrder => {
            let answer: Value = serde_json::from_str(&content.answer_body).ok()?;
            let identifier = answer.get("order_identifier")?.as_str()?.to_owned();
            let body = serde_json::from_str(&content.body).ok()?;
            Some(Heard::Exchange { body, identifier })
        }
        MessageKind::ExchangeVariants
        | MessageKind::OutboundAsn
        | MessageKind::InventoryReceipt
        | MessageKind::DropShipmentConfirmation
        | MessageKind::DropShipmentCancellation
        | MessageKind::DropShipmentPartialCancellation => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_return_is_understood() {
        let told: Told = serde_json::from_str(domain::samples::rma_message()).unwrap();
        assert_eq!(told.order(), "ORD-100472");
        assert!(told.is_at("TRANSIT") && !told.is_at("DELIVERED") && !told.is_visitors());
        assert_eq!(told.to_refund().count(), 1);
    }
}
