//! Sample values for documentation, tests and benchmarks alike. They are always valid,
//! because the tests of this crate read them.

mod carriers;
mod drop_ship;
mod exchange;
mod inbound;
mod mail;
mod outbound;
mod rma;
mod withdrawal;

use jiff::Timestamp;

pub use self::carriers::label_purchase;
pub use self::drop_ship::{
    drop_ship_cancellation_request, drop_ship_cancelled, drop_ship_order, drop_ship_order_request,
    drop_ship_shipment_request, drop_ship_story, drop_shipment_cancellation_message,
    drop_shipment_confirmation_message, drop_shipment_partial_cancellation_message,
};
pub use self::exchange::exchange_order;
pub use self::inbound::{
    asn_receipt, inbound_asn, inbound_asn_request, inventory_receipt_message, receipts_request,
    received_unit, unit_change_request,
};
pub use self::mail::mail_content;
pub use self::outbound::{
    outbound_asn_message, outbound_shipment, shipment_change_request, shipment_request,
};
pub use self::rma::{opening as rma_opening, rma};
pub use self::withdrawal::withdrawal;
use crate::{
    json::{self, Json},
    messages::kind::MessageKind,
};

/// A message of one order in which every field that is understood occurs.
pub fn order_message() -> &'static str {
    include_str!("returns_portal_order.json")
}

/// A message of one order in which nothing stands but what must.
pub fn minimal_order_message() -> &'static str {
    include_str!("returns_portal_order_minimal.json")
}

/// The message about [`rma()`], in which every field occurs.
pub fn rma_message() -> &'static str {
    include_str!("rma.json")
}

/// What the message about [`rma()`] says besides, for merchants who want it.
pub fn rma_extensions() -> &'static str {
    include_str!("rma_extensions.json")
}

/// The message that asks for [`exchange_order()`], in which every field occurs.
pub fn exchange_order_message() -> &'static str {
    include_str!("exchange_order.json")
}

/// The message about [`withdrawal()`], in which every field occurs.
pub fn withdrawal_message() -> &'static str {
    include_str!("withdrawal.json")
}

/// A mail to a shopper, as a merchant gets it that sends its own.
pub fn mail_message() -> &'static str {
    include_str!("mail.json")
}

/// The documented sample of a kind of message. None if a merchant gets no message of that kind.
pub fn message(kind: MessageKind) -> Option<&'static str> {
    Some(match kind {
        MessageKind::Rma => rma_message(),
        MessageKind::ExchangeOrder => exchange_order_message(),
        MessageKind::OutboundAsn => outbound_asn_message(),
        MessageKind::InventoryReceipt => inventory_receipt_message(),
        MessageKind::DropShipmentConfirmation => drop_shipment_confirmation_message(),
        MessageKind::DropShipmentCancellation => drop_shipment_cancellation_message(),
        MessageKind::DropShipmentPartialCancellation => {
            drop_shipment_partial_cancellation_message()
        }
        MessageKind::Withdrawal => withdrawal_message(),
        MessageKind::Mail => mail_message(),
        MessageKind::ExchangeVariants | MessageKind::CarrierRequest => return None,
    })
}

/// The sample of a kind of message, about the thing that `reference` names. None if a merchant gets
/// no message of that kind, or if JSON could not have the reference as it is.
pub fn message_about(kind: MessageKind, reference: &str) -> Option<String> {
    let named = match kind {
        MessageKind::Rma | MessageKind::Mail => "RMA-7K3Q-9XWD-2M4T",
        MessageKind::ExchangeOrder => "ORD-100472",
        MessageKind::OutboundAsn => "RTV-20260310-2",
        MessageKind::InventoryReceipt => "LP-0093321",
        MessageKind::DropShipmentConfirmation
        | MessageKind::DropShipmentCancellation
        | MessageKind::DropShipmentPartialCancellation => "DS-20417",
        MessageKind::Withdrawal => "WDR-4H8N-Q2XK-7RZ1",
        MessageKind::ExchangeVariants | MessageKind::CarrierRequest => return None,
    };
    let is_plain = !reference.contains(['"', '\\']) && !reference.contains(char::is_control);
    let quoted = format!("\"{named}\"");
    is_plain.then_some(message(kind)?.replace(&quoted, &format!("\"{reference}\"")))
}

fn time(text: &str) -> Timestamp {
    crate::time::parse(text).expect("the times of the samples are times")
}

fn document(text: &str) -> Json<'_> {
    json::parse(text.as_bytes()).expect("the samples are JSON")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde::Serialize;
    use serde_json::Value;
    use utoipa::openapi::RefOr;
    use utoipa::openapi::schema::Schema;
    use utoipa::{PartialSchema, ToSchema};

    use super::*;
    use crate::exchanges::order::{
        self as exchange, ExchangeGiftCard, ExchangeOrder, ExchangeReturnItem, Replacement,
    };
    use crate::messages::mail::Mail;
    use crate::money::extension::RmaExtensions;
    use crate::orders::order::{
        Customer, Discount, Order, OrderLine, PaymentDetails, PaymentTransaction, PostalAddress,
        Refund, RefundLine, Variant, VariantAttribute,
    };
    use crate::returns::message::{RefundFinancials, RmaItem, RmaMessage};
    use crate::returns::rma::Rma;
    use crate::withdrawal::{
        period::WithdrawalPeriod,
        record::{WithdrawalRecord, WithdrawnItem},
    };

    /// The fields of a type, and whether each is required.
    pub(super) fn fields<T: PartialSchema>() -> BTreeMap<String, bool> {
        let RefOr::T(Schema::Object(object)) = T::schema() else {
            panic!("not an object");
        };
        let required: BTreeSet<&String> = object.required.iter().collect();
        object.properties.keys().map(|name| (name.clone(), required.contains(name))).collect()
    }

    pub(super) fn assert_all_present<T: ToSchema>(sample: &Value) {
        let names = sample.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        let known: BTreeSet<String> = fields::<T>().into_keys().collect();
        assert_eq!(names, known, "{}", T::name());
    }

    /// Asserts that the sample has every field but those that only we write.
    pub(super) fn assert_all_sent<T: ToSchema>(sample: &Value, ours: &[&str]) {
        for name in fields::<T>().keys() {
            assert_eq!(sample.get(name).is_none(), ours.contains(&name.as_str()), "{name}");
        }
    }

    pub(super) fn assert_written(written: &impl Serialize, sample: &str) {
        let written = serde_json::to_string_pretty(written).unwrap();
        assert_eq!(written, sample.trim_end(), "fields stand in the order of the reference");
    }

    #[test]
    fn every_field_of_every_type_occurs_in_the_sample() {
        let message: Value = serde_json::from_str(order_message()).unwrap();
        let order = &message["returns_portal_order"]["orders"][0];

        assert_all_present::<Order>(order);
        assert_all_present::<OrderLine>(&order["items"][0]);
        assert_all_present::<Variant>(&order["items"][0]["variants"][0]);
        assert_all_present::<VariantAttribute>(&order["items"][0]["variants"][0]["attributes"][0]);
        assert_all_present::<Customer>(&order["customer"]);
        assert_all_present::<PostalAddress>(&order["shipping_address"]);
        assert_all_present::<PaymentTransaction>(&order["transactions"][0]);
        assert_all_present::<PaymentDetails>(&order["transactions"][0]["payment_details"]);
        assert_all_present::<Refund>(&order["refunds"][0]);
        assert_all_present::<RefundLine>(&order["refunds"][0]["refund_line_items"][0]);
        assert_all_present::<Discount>(&order["discounts"][0]);
    }

    #[test]
    fn the_reference_requires_what_the_minimal_sample_has() {
        let message: Value = serde_json::from_str(minimal_order_message()).unwrap();
        let order = &message["returns_portal_order"]["orders"][0];
        let required = |fields: BTreeMap<String, bool>, sample: &Value, either: &str| {
            for (name, required) in fields {
                let present = sample.get(&name).is_some() && name != either;
                assert_eq!(required, present, "{name}");
            }
        };

        required(fields::<Order>(), order, "");
        required(fields::<OrderLine>(), &order["items"][0], "sku");
        required(fields::<Customer>(), &order["customer"], "");
        required(fields::<PostalAddress>(), &order["billing_address"], "");
        let refund: Vec<String> = fields::<Refund>()
            .into_iter()
            .filter_map(|(name, must)| must.then_some(name))
            .collect();
        assert_eq!(
            refund,
            ["created_at", "identifier", "refund_line_items", "total_refund_amount_cents"]
        );
        assert!(!fields::<PaymentTransaction>().into_values().any(|required| required));
        assert!(!fields::<Discount>().into_values().any(|required| required));
        assert!(!fields::<Variant>().into_values().any(|required| required));
    }

    #[test]
    fn every_kind_of_message_to_a_merchant_has_a_sample_that_can_be_about_something_else() {
        for kind in MessageKind::ALL {
            let is_sent = kind.goes_to_merchant() && kind != MessageKind::ExchangeVariants;
            assert_eq!(message(kind).is_some(), is_sent, "{kind}");
            let changed = message_about(kind, "OTHER-1");
            assert_eq!(changed.is_some_and(|it| it.contains("\"OTHER-1\"")), is_sent, "{kind}");
        }
        assert_eq!(message_about(MessageKind::Rma, "a\"b"), None);
    }

    #[test]
    fn the_sample_mail_is_written_as_it_is_read() {
        let mail: Mail = serde_json::from_str(mail_message()).unwrap();
        assert_written(&mail, mail_message());
    }

    #[test]
    fn the_message_about_the_sample_return_is_the_sample_message() {
        assert_written(&RmaMessage::of(&rma()), rma_message());
    }

    #[test]
    fn the_sample_of_extensions_is_what_the_message_about_the_sample_return_has() {
        let wanted = Rma { message_extensions: true, ..rma() };
        assert_written(&RmaExtensions::of(&wanted).unwrap(), rma_extensions());
        let message = serde_json::to_value(RmaMessage::of(&wanted)).unwrap();
        let sample: Value = serde_json::from_str(rma_extensions()).unwrap();
        assert_eq!(message["extensions"], sample);
    }

    #[test]
    fn the_sample_exchange_order_is_what_is_asked_and_every_field_occurs_in_it() {
        assert_written(&exchange_order(), exchange_order_message());
        let message: Value = serde_json::from_str(exchange_order_message()).unwrap();

        assert_all_sent::<ExchangeOrder>(&message, &["extensions"]);
        assert_all_present::<Replacement>(&message["items"][0]);
        assert_all_present::<ExchangeGiftCard>(&message["items"][1]);
        assert_all_present::<ExchangeReturnItem>(&message["items"][1]["return_items"][0]);
        assert_all_present::<exchange::ExchangeCustomer>(&message["customer"]);
        assert_all_present::<exchange::ExchangeAddress>(&message["shipping_address"]);
        assert_all_present::<exchange::ExchangePayment>(&message["payment"]);
    }

    #[test]
    fn the_message_about_the_sample_withdrawal_is_the_sample_message() {
        assert_written(&withdrawal(), withdrawal_message());
        let message: Value = serde_json::from_str(withdrawal_message()).unwrap();
        assert_all_present::<WithdrawalRecord>(&message);
        assert_all_present::<WithdrawalPeriod>(&message["period"]);
        assert_all_present::<WithdrawnItem>(&message["items"][1]);
    }

    #[test]
    fn every_field_about_a_return_occurs_in_the_sample_message() {
        let message: Value = serde_json::from_str(rma_message()).unwrap();

        assert_all_sent::<RmaMessage<'_>>(&message, &["extensions"]);
        assert_all_present::<RmaItem<'_>>(&message["items"][0]);
        assert_all_present::<RefundFinancials>(&message["items"][0]["refund_financials"]);
        let optional: Vec<String> = fields::<RmaMessage<'_>>()
            .into_iter()
            .chain(fields::<RmaItem<'_>>())
            .filter_map(|(name, required)| (!required).then_some(name))
            .collect();
        assert_eq!(optional, ["extensions", "giftee_email"]);
    }
}
