//! What EasyPost answers, and what it is asked for.

use domain::samples::label_purchase;
use proptest::prelude::*;

use super::*;

/// A shipment as the API describes it: bought, with a code, and a rate that is not a number.
fn sample() -> Value {
    json!({
        "id": "shp_1f2e", "object": "Shipment", "mode": "test", "reference": "RMA-7K3Q-9XWD-2M4T-1",
        "is_return": true, "status": "unknown", "tracking_code": "9400100000000000000001",
        "refund_status": null, "messages": [],
        "rates": [
            { "id": "rate_a", "object": "Rate", "carrier": "USPS", "service": "GroundAdvantage",
                "rate": "7.58", "currency": "USD", "delivery_days": 3 },
            { "id": "rate_b", "object": "Rate", "carrier": "UPS", "service": "Ground",
                "rate": "unknown", "currency": "USD" },
        ],
        "selected_rate": { "id": "rate_a", "object": "Rate", "carrier": "USPS",
            "service": "GroundAdvantage", "rate": "7.58", "currency": "USD" },
        "postage_label": { "id": "pl_1", "object": "PostageLabel", "label_size": "4x6",
            "label_file_type": "application/pdf", "label_url": "https://files.example/label.pdf",
            "label_pdf_url": null, "label_zpl_url": null },
        "forms": [{ "id": "form_1", "object": "Form", "form_type": "label_qr_code",
            "form_url": "https://files.example/code.png" }],
    })
}

fn read(document: &Value) -> Option<Shipment> {
    read_shipment(document.to_string().as_bytes())
}

#[test]
fn a_bought_shipment_has_its_label_its_price_and_its_code() {
    let shipment = read(&sample()).unwrap();

    let label = shipment.label.unwrap();
    assert_eq!(shipment.id, "shp_1f2e");
    assert_eq!(label.tracking_number, "9400100000000000000001");
    assert_eq!(label.document_url, "https://files.example/label.pdf");
    assert_eq!(label.rate.unwrap().price_cents, 758);
    assert_eq!(shipment.rates.len(), 1, "a price that cannot be read is no offer");
    assert_eq!(shipment.code_url.as_deref(), Some("https://files.example/code.png"));
    assert_eq!(shipment.refund, None);
}

#[test]
fn a_new_shipment_has_no_label_even_if_empty_parts_are_named() {
    let mut document = sample();
    document["postage_label"] = Value::Null;
    document["tracking_code"] = Value::Null;
    document["selected_rate"] = Value::Null;
    document["forms"] = json!([]);

    assert_eq!(read(&document).unwrap().label, None);
}

#[test]
fn an_identifier_that_would_lead_to_another_address_is_not_read() {
    for id in ["", "shp_1/../shp_2", "shp_1?x", "shp 1", "shp_1\r\n"] {
        let mut document = sample();
        document["id"] = json!(id);
        assert_eq!(read(&document), None, "{id:?}");
    }
}

#[test]
fn states_of_refunds_are_known_and_others_are_none() {
    let mut document = sample();
    for (text, status) in [
        ("submitted", Some(RefundStatus::Submitted)),
        ("refunded", Some(RefundStatus::Refunded)),
        ("rejected", Some(RefundStatus::Rejected)),
        ("not_applicable", Some(RefundStatus::NotApplicable)),
        ("new_word", None),
    ] {
        document["refund_status"] = json!(text);
        assert_eq!(read(&document).unwrap().refund, status, "{text}");
    }
}

#[test]
fn a_return_is_described_as_the_shipment_that_it_reverses() {
    let body = new_shipment(&label_purchase(), 500);

    let shipment = &body["shipment"];
    assert_eq!(shipment["is_return"], true);
    assert_eq!(shipment["reference"], "RMA-7K3Q-9XWD-2M4T-1");
    assert_eq!(shipment["from_address"]["city"], "Reno", "the merchant");
    assert_eq!(shipment["to_address"]["city"], "Portland", "the shopper");
    assert_eq!(shipment["to_address"]["email"], "dana.whitfield@example.com");
    assert_eq!(shipment["parcel"]["weight"], 12.7, "360 g in ounces, rounded up");
    assert_eq!(shipment["options"]["label_format"], "PDF");
    assert!(shipment["customs_info"].is_null());
}

#[test]
fn a_parcel_that_crosses_a_border_is_described_to_customs() {
    let mut purchase = label_purchase();
    purchase.request.sender.address.country_code = "CA".to_owned();
    purchase.request.formats = vec![LabelFormat::Qr, LabelFormat::Zpl];

    let body = new_shipment(&purchase, 500);

    let item = &body["shipment"]["customs_info"]["customs_items"][0];
    assert_eq!((&item["quantity"], &item["value"]), (&json!(2), &json!("85.00")));
    assert_eq!(item["weight"], 12.7);
    assert_eq!(body["shipment"]["options"]["label_format"], "ZPL");
}

#[test]
fn amounts_have_the_decimals_of_their_currency() {
    assert_eq!(decimal(8_500, "USD"), "85.00");
    assert_eq!(decimal(5, "USD"), "0.05");
    assert_eq!(decimal(1_200, "JPY"), "1200");
    assert_eq!(decimal(0, "KWD"), "0.000");
}

#[test]
fn an_error_is_its_code_and_the_beginning_of_its_message() {
    let long = "x".repeat(1_000);
    let body = json!({ "error": { "code": "ADDRESS.INVALID", "message": long } }).to_string();
    let words = read_error(body.as_bytes()).unwrap();
    assert!(words.starts_with("ADDRESS.INVALID: xxx"), "{words}");
    assert_eq!(words.chars().count(), ERROR_CHARACTERS_MAX);
    assert_eq!(read_error(b"<html>"), None);
    assert_eq!(read_error(br#"{"error":"text"}"#), None);
}

proptest! {
    #[test]
    fn no_answer_makes_the_reader_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_shipment(&body);
        let _ = read_error(&body);
    }
}
