//! What is stored of an order: the sender's JSON with two spellings normalized.

use super::*;

/// What is stored of the order in `text`.
fn stored_text(text: &str) -> String {
    String::from_utf8(read_text(text).body.bytes(text.as_bytes()).to_vec()).unwrap()
}

fn read_text(text: &str) -> Snapshot {
    let document = document::parse(text.as_bytes()).unwrap();
    read_order(&document, &context(false)).unwrap().0
}

#[test]
fn an_order_is_stored_as_it_was_sent_without_white_space() {
    let compact = sample_order().to_string();
    let spacious = serde_json::to_string_pretty(&sample_order()).unwrap();

    assert_eq!(stored_text(&spacious), compact);
    assert_eq!(stored_text(&compact), compact);
}

#[test]
fn unknown_fields_survive_to_the_digit_and_in_their_place() {
    let compact = sample_order().to_string();
    let extra = r#"{"x":[1.50,1E400,-0.0,12345678901234567890123],"é\n":{"b":1,"a":null},"#;
    let text = format!("{extra}{}", compact.strip_prefix('{').unwrap());

    assert_eq!(stored_text(&text), text);
}

#[test]
fn two_spellings_are_normalized() {
    let compact = edit_order(|order| {
        order["status"] = json!("Cancelled");
        order["items"][0]["status"] = json!("Canceled");
    })
    .to_string();
    let sent = compact.replacen("\"customer\":", "\"the service\":", 1).replacen(
        "\"status\":\"Cancelled\"",
        "\"status\":\"Canceled\"",
        1,
    );
    assert_ne!(sent, compact);

    assert_eq!(stored_text(&sent), compact);
}

#[test]
fn a_stored_order_reads_back_the_same() {
    let first = read_text(&sample_order().to_string());

    let again = read_text(&stored_text(&sample_order().to_string()));

    assert_eq!(again, first);
}

#[test]
fn a_stored_order_is_readable_although_it_breaks_the_rules_for_messages() {
    let contradictory = edit_order(|order| {
        let line = order["items"][0].clone();
        order["items"] = json!([line.clone(), line]);
        order["items"][0]["quantity_shipped"] = json!(999);
        let refund = |line: &str| {
            json!({
                "identifier": "R", "total_refund_amount_cents": 1, "created_at": "2026-01-01",
                "refund_line_items": [
                    { "identifier": "R-1", "quantity": 500, "order_item_identifier": line },
                ],
            })
        };
        order["refunds"] = json!([refund("gone"), refund("gone")]);
    })
    .to_string();
    let document = document::parse(contradictory.as_bytes()).unwrap();

    assert!(read_order(&document, &context(false)).is_err());
    let order = read_stored_order(&document).unwrap();

    assert_eq!((order.items.len(), order.refunds.len()), (2, 2));
}

#[test]
fn a_stored_refund_reads_back_the_same() {
    let snapshot = read_text(&sample_order().to_string());
    let document = document::parse(&snapshot.refunds[0].body).unwrap();

    assert_eq!(read_stored_refund(&document).unwrap(), snapshot.order.refunds[0]);
}

#[test]
fn a_refund_is_the_same_however_its_keys_are_ordered() {
    let refund = |text: &str| {
        let mut order = sample_order();
        order["refunds"] = json!([]);
        let text = order.to_string().replace("\"refunds\":[]", &format!("\"refunds\":[{text}]"));
        read_text(&text).refunds
    };
    let one = refund(
        r#"{"identifier": "R", "total_refund_amount_cents": 1, "refund_line_items": [],
            "created_at": "2126-01-01", "extra": {"b": 1, "a": 2}}"#,
    );
    let other = refund(
        r#"{"extra":{"a":2,"b":1},"created_at":"2126-01-01","refund_line_items":[],
            "total_refund_amount_cents":1,"identifier":"R"}"#,
    );

    assert_eq!((one[0].identifier.as_str(), one[0].position), ("R", 0));
    assert_eq!(one[0].canonical, other[0].canonical);
    assert_ne!(one[0].body, other[0].body);
    assert!(one[0].body.starts_with(br#"{"identifier":"R","total_refund_amount_cents":1,"#));
}

#[test]
fn an_order_is_written_with_the_names_it_was_read_by() {
    let snapshot = read_text(&sample_order().to_string());

    let written = serde_json::to_value(&snapshot.order).unwrap();

    let mut expected = sample_order();
    expected["items"][0]["return_policy_end_date"] = json!("2026-04-30T00:00:00Z");
    assert_eq!(written, expected);
}
