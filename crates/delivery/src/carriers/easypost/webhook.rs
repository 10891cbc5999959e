//! EasyPost's webhooks: what happened to a parcel, signed with a secret that both sides know.

use domain::returns::carrier::{CarrierEvent, CarrierEventKind};
use jiff::Timestamp;
use ring::hmac;
use serde::Deserialize;
use world::Secret;

/// The header with the signature.
pub const SIGNATURE_HEADER: &str = "x-hmac-signature";
const SIGNATURE_PREFIX: &str = "hmac-sha256-hex=";

/// Whether `signature` is that of `body`, compared in constant time.
///
/// EasyPost brings the secret into a normal form (NFKD) first. The secrets of accounts are ASCII,
/// of which that is the same.
pub fn verify_webhook(secret: &Secret, signature: &str, body: &[u8]) -> bool {
    let Some(digits) = signature.strip_prefix(SIGNATURE_PREFIX) else { return false };
    let Some(tag) = decode_hexadecimal(digits) else { return false };
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
    hmac::verify(&key, body, &tag).is_ok()
}

/// The bytes that 64 hexadecimal digits spell.
fn decode_hexadecimal(digits: &str) -> Option<[u8; 32]> {
    if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (position, byte) in bytes.iter_mut().enumerate() {
        let pair = digits.get(2 * position..2 * position + 2)?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}

#[derive(Deserialize)]
struct WireEvent {
    description: String,
    result: serde_json::Value,
}

#[derive(Deserialize)]
struct WireTracker {
    tracking_code: String,
    status: String,
    updated_at: Option<String>,
    shipment_id: Option<String>,
}

/// What a webhook says about a parcel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParcelReport {
    pub event: CarrierEvent,
    /// The shipment of the parcel, if it was bought with the same account.
    pub shipment_id: Option<String>,
}

/// What a webhook reports, if it is about a parcel that moved.
pub fn read_webhook(body: &[u8]) -> Option<ParcelReport> {
    let event: WireEvent = serde_json::from_slice(body).ok()?;
    if !["tracker.created", "tracker.updated"].contains(&event.description.as_str()) {
        return None;
    }
    let tracker: WireTracker = serde_json::from_value(event.result).ok()?;
    let event = CarrierEvent {
        kind: read_status(&tracker.status)?,
        rma_identifier: None,
        tracking_number: Some(tracker.tracking_code),
        order_line_item_identifiers: Vec::new(),
        generation: None,
        label: None,
        occurred_at: tracker.updated_at.and_then(|text| text.parse::<Timestamp>().ok()),
    };
    Some(ParcelReport { event, shipment_id: tracker.shipment_id })
}

/// What a tracker's status means for a return. None if the parcel has not moved, or if nothing is
/// known about it.
fn read_status(status: &str) -> Option<CarrierEventKind> {
    match status {
        "in_transit" | "out_for_delivery" | "available_for_pickup" => {
            Some(CarrierEventKind::InTransit)
        }
        "delivered" => Some(CarrierEventKind::Delivered),
        "return_to_sender" => Some(CarrierEventKind::Returned),
        "failure" => Some(CarrierEventKind::Failure),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    /// A webhook as it arrives.
    fn sample(description: &str, status: &str) -> Value {
        json!({
            "id": "evt_1", "object": "Event", "mode": "test", "description": description,
            "status": "pending", "pending_urls": [], "completed_urls": [],
            "result": {
                "id": "trk_1", "object": "Tracker", "mode": "test", "carrier": "USPS",
                "tracking_code": "9400100000000000000001", "status": status,
                "status_detail": "unknown", "shipment_id": "shp_1",
                "updated_at": "2026-02-23T07:41:12Z",
                "tracking_details": [{ "object": "TrackingDetail", "message": "Arrived",
                    "status": status, "datetime": "2026-02-23T07:40:00Z" }],
            },
        })
    }

    fn read(document: &Value) -> Option<CarrierEventKind> {
        let report = read_webhook(document.to_string().as_bytes())?;
        assert_eq!(report.shipment_id.as_deref(), Some("shp_1"));
        let event = report.event;
        assert_eq!(event.tracking_number.as_deref(), Some("9400100000000000000001"));
        assert!(event.occurred_at.is_some());
        Some(event.kind)
    }

    #[test]
    fn each_status_of_a_tracker_is_what_it_means_for_a_return() {
        use CarrierEventKind::{Delivered, Failure, InTransit, Returned};
        for (status, kind) in [
            ("in_transit", Some(InTransit)),
            ("out_for_delivery", Some(InTransit)),
            ("available_for_pickup", Some(InTransit)),
            ("delivered", Some(Delivered)),
            ("return_to_sender", Some(Returned)),
            ("failure", Some(Failure)),
            ("pre_transit", None),
            ("unknown", None),
            ("cancelled", None),
            ("error", None),
            ("a_new_one", None),
        ] {
            assert_eq!(read(&sample("tracker.updated", status)), kind, "{status}");
        }
        assert_eq!(read(&sample("tracker.created", "delivered")), Some(Delivered));
        assert_eq!(read(&sample("batch.updated", "delivered")), None);
    }

    #[test]
    fn a_signature_fits_its_own_body_and_secret_only() {
        // HMAC-SHA256 of the text with the key, computed with another implementation.
        let body = b"The quick brown fox jumps over the lazy dog";
        let digits = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
        let signature = format!("hmac-sha256-hex={digits}");

        assert!(verify_webhook(&secret("key"), &signature, body));
        assert!(verify_webhook(
            &secret("key"),
            &signature.replace(digits, &digits.to_uppercase()),
            body
        ));
        assert!(!verify_webhook(&secret("kex"), &signature, body));
        assert!(!verify_webhook(&secret("key"), &signature, b"The quick brown fox"));
        for wrong in ["", digits, "hmac-sha256-hex=", "hmac-sha1-hex=00", &signature[..79]] {
            assert!(!verify_webhook(&secret("key"), wrong, body), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_webhook_makes_the_reader_panic(
            body in prop::collection::vec(any::<u8>(), 0..200),
            signature in ".{0,100}",
        ) {
            let _ = read_webhook(&body);
            prop_assert!(!verify_webhook(&secret("key"), &signature, &body));
        }
    }
}
