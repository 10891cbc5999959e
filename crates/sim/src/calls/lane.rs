//! Which messages belong to the same lane.
//!
//! Messages of one lane must arrive in order. An identifier in the body determines the lane. The
//! three kinds of a drop shipment share a lane, because they are about the same order. Requests for
//! variants have no lane.

use domain::messages::kind::MessageKind;
use serde::Deserialize;
use serde_json::Value;

/// Every identifier that names a lane in some kind of body.
#[derive(Deserialize)]
struct Body {
    rma_identifier: Option<Value>,
    original_order_id: Option<Value>,
    asn_number: Option<Value>,
    unit_identifier: Option<Value>,
    withdrawal_identifier: Option<Value>,
}

#[derive(Deserialize)]
struct DropShipment {
    #[serde(alias = "order")]
    shipment: Named,
}

#[derive(Deserialize)]
struct Named {
    client_identifier: Value,
}

/// Finds the lane of a message of `kind`. None if its body does not name one.
pub(crate) fn find_lane(kind: MessageKind, body: &[u8]) -> Option<String> {
    let (group, name) = match kind {
        MessageKind::ExchangeVariants | MessageKind::CarrierRequest | MessageKind::Mail => {
            return None;
        }
        MessageKind::Rma => ("rma", read(body)?.rma_identifier?),
        MessageKind::ExchangeOrder => ("exchange order", read(body)?.original_order_id?),
        MessageKind::OutboundAsn => ("outbound asn", read(body)?.asn_number?),
        MessageKind::Withdrawal => ("withdrawal", read(body)?.withdrawal_identifier?),
        MessageKind::InventoryReceipt => ("unit", read(body)?.unit_identifier?),
        MessageKind::DropShipmentConfirmation
        | MessageKind::DropShipmentCancellation
        | MessageKind::DropShipmentPartialCancellation => {
            let body: DropShipment = serde_json::from_slice(body).ok()?;
            ("drop shipment", body.shipment.client_identifier)
        }
    };
    Some(match name.as_str() {
        Some(name) => format!("{group} {name}"),
        None => format!("{group} {name}"),
    })
}

fn read(body: &[u8]) -> Option<Body> {
    serde_json::from_slice(body).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_lane() {
        let lanes = [
            (MessageKind::Rma, r#"{"items": [1], "rma_identifier": "R1"}"#, "rma R1"),
            (MessageKind::ExchangeOrder, r#"{"original_order_id": "O1"}"#, "exchange order O1"),
            (
                MessageKind::OutboundAsn,
                r#"{"shipment_identifier": "S1", "asn_number": "A1_2"}"#,
                "outbound asn A1_2",
            ),
            (
                MessageKind::InventoryReceipt,
                r#"{"asn_number": "17", "unit_identifier": "LP-1"}"#,
                "unit LP-1",
            ),
            (
                MessageKind::DropShipmentConfirmation,
                r#"{"shipment": {"id": 1, "client_identifier": "D1"}}"#,
                "drop shipment D1",
            ),
            (
                MessageKind::DropShipmentPartialCancellation,
                r#"{"order": {"id": 1, "client_identifier": "D1"}}"#,
                "drop shipment D1",
            ),
        ];
        for (kind, body, expected) in lanes {
            assert_eq!(find_lane(kind, body.as_bytes()).as_deref(), Some(expected), "{kind}");
        }
    }

    #[test]
    fn a_body_without_an_identifier_has_no_lane() {
        for kind in MessageKind::ALL {
            assert_eq!(find_lane(kind, b"{}"), None);
            assert_eq!(find_lane(kind, b"not json"), None);
            assert_eq!(find_lane(kind, b""), None);
        }
    }
}
