//! Nothing about the shopper remains, and everything else does.

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::orders::order_message::read_stored_order;
use crate::returns::condition::Condition;
use crate::returns::journal::{Actor, ActorKind, ReturnEvent};
use crate::returns::journal::{ReturnChange, replay, state_after};
use crate::returns::rma::{CorrectedReceipt, Rma, RmaEvent, apply};
use crate::samples;

/// What the samples say about their shopper.
const PERSONAL_PARTS: [&str; 9] = [
    "Dana",
    "Whitfield",
    "dana.whitfield@example.com",
    "503 555",
    "Juniper",
    "Apartment 3",
    "Portland",
    "97205",
    "side door",
];

fn sample_order_body() -> Vec<u8> {
    let message = json::parse(samples::order_message().as_bytes()).unwrap();
    let orders = message.get("returns_portal_order").and_then(|it| it.get("orders")).unwrap();
    let Json::List(orders) = orders else { panic!("not a list") };
    let mut body = Vec::new();
    orders[0].write(&mut body);
    body
}

fn read_order(body: &[u8]) -> Order {
    read_stored_order(&json::parse(body).unwrap()).unwrap()
}

fn known() -> PersonalTexts {
    let mut known = PersonalTexts::default();
    known.add_order(&read_order(&sample_order_body()));
    known
}

fn assert_anonymous(text: &str) {
    for part in PERSONAL_PARTS {
        assert!(!text.to_lowercase().contains(&part.to_lowercase()), "{part} is in {text}");
    }
}

#[test]
fn an_erased_order_has_its_goods_and_amounts_and_nothing_of_its_shopper() {
    let before = read_order(&sample_order_body());
    let erased = erase_order(&sample_order_body(), &known()).unwrap();
    assert_anonymous(std::str::from_utf8(&erased).unwrap());
    let after = read_order(&erased);

    assert!(is_erased(&after) && !is_erased(&before));
    assert_eq!(after.items, before.items);
    assert_eq!(after.total_amount_cents, before.total_amount_cents);
    assert_eq!(after.shipping_address.country_code, before.shipping_address.country_code);
    assert_eq!(after.shipping_address.zip_code, "");
    assert_eq!(after.refunds.len(), before.refunds.len());
    assert_eq!(after.discounts, before.discounts);
    assert_eq!(erase_order(&erased, &known()).unwrap(), erased);
}

#[test]
fn fields_that_we_do_not_know_are_removed_from_an_order() {
    let mut body = sample_order_body();
    body.pop();
    body.extend_from_slice(
        br#","browser_ip":"203.0.113.9","gift_message":"For you","extra":{"a":1}}"#,
    );
    let erased = String::from_utf8(erase_order(&body, &known()).unwrap()).unwrap();
    for absent in ["203.0.113.9", "For you", "extra"] {
        assert!(!erased.contains(absent), "{absent}");
    }
    read_order(erased.as_bytes());
}

#[test]
fn a_name_inside_another_text_is_erased_and_a_color_is_not() {
    let document = br#"{"title":"Pen, engraved: DANA WHITFIELD","sku":"PEN","other":"Red pen"}"#;
    let erased = erase_document(document, &known()).unwrap();
    assert_eq!(erased, br#"{"title":"erased","sku":"PEN","other":"Red pen"}"#);
}

#[test]
fn a_shopper_whose_data_looks_like_a_status_or_a_time_leaves_documents_readable() {
    let mut order = read_order(&sample_order_body());
    order.customer.phone = Some("00000".to_owned());
    order.shipping_address.street1 = "Refund".to_owned();
    order.billing_address.street1 = "2026-02".to_owned();
    let mut known = PersonalTexts::default();
    known.add_order(&order);
    let document = br#"{"at":"2026-02-12T14:00:00.000001Z","day":"2026-02-12","kind":"refund",
                        "detail":"call 00000"}"#;

    let erased = erase_document(document, &known).unwrap();

    let erased: serde_json::Value = serde_json::from_slice(&erased).unwrap();
    let expected = serde_json::json!({
        "at": "2026-02-12T14:00:00.000001Z", "day": "2026-02-12", "kind": "refund",
        "detail": "erased"
    });
    assert_eq!(erased, expected);
}

#[test]
fn messages_lose_addresses_and_keep_countries() {
    for message in [
        samples::exchange_order_message(),
        samples::drop_shipment_cancellation_message(),
        samples::rma_message(),
    ] {
        let erased = erase_document(message.as_bytes(), &known()).unwrap();
        let erased = String::from_utf8(erased).unwrap();
        assert_anonymous(&erased);
        assert_eq!(message.contains("\"US\""), erased.contains("\"US\""), "{erased}");
        assert_eq!(message.matches("cents").count(), erased.matches("cents").count());
    }
}

#[test]
fn an_erased_exchange_order_has_neither_the_shoppers_identifier_nor_the_province() {
    let message = samples::exchange_order_message();
    let mut value: serde_json::Value = serde_json::from_str(message).unwrap();
    value["customer"]["identifier"] = "dana.whitfield@example.com".into();
    let body = value.to_string();
    let erased = erase_document(body.as_bytes(), &known()).unwrap();
    assert_anonymous(std::str::from_utf8(&erased).unwrap());
    assert!(is_erased_exchange_order(&erased) && !is_erased_exchange_order(body.as_bytes()));

    let erased: serde_json::Value = serde_json::from_slice(&erased).unwrap();
    assert_eq!(erased["customer"]["identifier"], ERASED);
    assert_eq!(erased["shipping_address"]["province"], ERASED);
    assert_eq!(erased["shipping_address"]["country_code"], "US");
}

#[test]
fn reasons_that_people_wrote_are_erased_and_reasons_of_returns_stay() {
    let document = br#"{"cancellations":[{"reason":"none for Dana","outcome":"cancelled"}],
        "items":[{"state":{"rejected":"worn by Dana"},"reason":"too_small"}]}"#;
    let erased: serde_json::Value =
        serde_json::from_slice(&erase_document(document, &known()).unwrap()).unwrap();
    let expected = serde_json::json!({
        "cancellations": [{ "reason": "erased", "outcome": "cancelled" }],
        "items": [{ "state": { "rejected": "erased" }, "reason": "too_small" }]
    });
    assert_eq!(erased, expected);
}

#[test]
fn what_the_warehouse_wrote_about_a_unit_is_erased_and_what_it_did_stays() {
    let document = br#"{"story":[{"happened":{"event":"graded","condition":"B",
        "reason":"worn by Dana"}},{"happened":{"event":"answered",
        "answer":{"action":"reject","reason":"not hers"}}}],"channel":"RTS"}"#;
    let erased: serde_json::Value =
        serde_json::from_slice(&erase_unit(document, &known()).unwrap()).unwrap();
    let expected = serde_json::json!({
        "story": [
            { "happened": { "event": "graded", "condition": "B", "reason": "erased" } },
            { "happened": {
                "event": "answered", "answer": { "action": "reject", "reason": "erased" }
            } }
        ],
        "channel": "RTS"
    });
    assert_eq!(erased, expected);
}

fn started() -> Rma {
    let mut rma = samples::rma();
    for unit in &mut rma.units {
        (unit.tracking_number, unit.tracking, unit.receipt) = (None, None, None);
        unit.receiving = Some(crate::returns::rma::ReceivingStatus::Pending);
    }
    rma.labels.clear();
    rma.messages_sent = 1;
    rma
}

fn erase_stored<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let body = serde_json::to_vec(value).unwrap();
    serde_json::from_slice(&erase_document(&body, &known()).unwrap()).unwrap()
}

proptest! {
    #[test]
    fn an_erased_return_is_still_the_result_of_its_erased_journal(
        reason in "[a-z ]{1,20}",
        other_reason in "[A-Z]{1,20}",
        note in "(Dana Whitfield|called again)",
        rejected in any::<bool>(),
    ) {
        let events = [
            RmaEvent::label("9400".to_owned(), Vec::new()),
            RmaEvent::Received {
                receipt_identifier: "RC-1".to_owned(),
                line: None,
                sku: None,
                condition: Condition::A,
                reject_reason: rejected.then_some(reason),
                channel: None, assigned: false },
            RmaEvent::ReceiptCorrected {
                receipt_identifier: "RC-1".to_owned(),
                corrected: Some(CorrectedReceipt {
                    condition: Condition::A,
                    channel: None,
                    reject_reason: Some(other_reason),
                }),
            },
            RmaEvent::RefundedExtra {
                refund_identifier: "RF-1".to_owned(),
                amount_cents: 100,
                accepted_cents: 0,
            },
            RmaEvent::DifferenceAccepted {
                refund_identifier: "RF-1".to_owned(),
                amount_cents: -100,
                note,
            },
        ];
        let at = |number: i64| Timestamp::from_second(1_772_000_000 + number).unwrap();
        let start = ReturnChange::State(Box::new(started()));
        let (mut rma, mut changes) = (started(), vec![(1, start)]);
        for event in events {
            let number = rma.messages_sent + 1;
            let decision = apply(&rma, &event, at(number)).unwrap();
            prop_assert!(decision.changed);
            rma = decision.rma;
            changes.push((number, ReturnChange::Event(event)));
        }
        let journal: Vec<ReturnEvent> = changes.into_iter().map(|(number, change)| ReturnEvent {
            number,
            at: at(number),
            actor: Actor::unnamed(ActorKind::Shopper),
            cause: None,
            change: erase_stored(&change),
        }).collect();
        let erased = erase_stored(&rma);
        let states = replay(&journal).unwrap();
        prop_assert_eq!(states.last(), Some(&erased));
        prop_assert_eq!(&state_after(journal).unwrap(), &erased);
        assert_anonymous(&serde_json::to_string(&erased).unwrap());
        prop_assert_eq!(
            crate::money::books::Balances::of(&erased),
            crate::money::books::Balances::of(&rma)
        );
    }
}
