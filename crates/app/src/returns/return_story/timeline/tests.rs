//! Timelines of the sample return: with its messages, without them, and with changes by operators.

use domain::messages::kind::MessageKind;
use domain::returns::{
    message::RmaMessage,
    receipt::Condition,
    rma::{CarrierScan, LineQuantity, ReceivingStatus, RmaEvent, RmaStatus, apply},
};
use serde_json::json;

use super::*;
use crate::messages::message_log::MessageState;

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The sample return when it was started: without labels, receipts and exchange orders.
fn new_return() -> Rma {
    let mut rma = domain::samples::rma();
    rma.messages_sent = 1;
    rma.status = RmaStatus::PendingExchange;
    rma.updated_at = rma.created_at;
    for unit in &mut rma.units {
        (unit.tracking, unit.tracking_number, unit.receipt) = (None, None, None);
        (unit.refund, unit.exchange) = (None, None);
        unit.receiving = Some(ReceivingStatus::Pending);
    }
    rma
}

fn record(rma: &Rma) -> MessageRecord {
    MessageRecord {
        message: MessageView {
            id: format!("msg_acme_{}", rma.messages_sent),
            merchant: "acme".to_owned(),
            kind: MessageKind::Rma,
            reference: rma.rma_identifier.to_string(),
            sequence: rma.messages_sent,
            state: MessageState::Delivered,
            created_at: rma.updated_at,
            due_at: None,
            discard_reason: None,
        },
        body: serde_json::to_vec(&RmaMessage::of(rma)).unwrap().into(),
        attempts: Vec::new(),
    }
}

/// The return after these events, and the message about each state.
fn apply_all(events: &[(&str, RmaEvent)]) -> (Rma, Vec<MessageRecord>) {
    let mut rma = new_return();
    let mut messages = vec![record(&rma)];
    for (at, event) in events {
        rma = apply(&rma, event, time(at)).unwrap().rma;
        messages.push(record(&rma));
    }
    (rma, messages)
}

fn complete_return() -> (Rma, Vec<MessageRecord>) {
    let order_identifier = "ORD-100472".to_owned();
    let label = RmaEvent::LabelCreated { tracking_number: "9400".to_owned(), lines: Vec::new() };
    let scanned = RmaEvent::Scanned {
        scan: CarrierScan::InTransit,
        tracking_number: None,
        lines: Vec::new(),
    };
    let received = RmaEvent::Received {
        receipt_identifier: "LP-1".to_owned(),
        line: None,
        sku: None,
        condition: Condition::A,
        reject_reason: None,
    };
    let lines =
        vec![LineQuantity { order_line_item_identifier: "ORD-100472-1".to_owned(), quantity: 1 }];
    let refund_identifier = "RF-1".to_owned();
    let failed = RmaEvent::ExchangeFailed { order_identifier: order_identifier.clone() };
    let refunded = RmaEvent::Refunded { refund_identifier, order_identifier, lines };
    apply_all(&[
        ("2026-02-20T10:15:02Z", failed),
        ("2026-02-20T10:15:09Z", label),
        ("2026-02-21T08:00:00Z", scanned),
        ("2026-02-23T08:00:00Z", received),
        ("2026-02-24T08:00:00Z", refunded),
        ("2026-02-25T08:00:00Z", RmaEvent::ReceivingClosed),
    ])
}

fn sources<'a>(rma: &'a Rma, messages: &[MessageRecord]) -> TimelineSources<'a> {
    TimelineSources {
        rma,
        messages: messages.to_vec(),
        exchange_messages: Vec::new(),
        changes: Vec::new(),
    }
}

fn events_of(steps: &[TimelineStep]) -> Vec<String> {
    steps.iter().map(|step| step.events.join("; ")).collect()
}

#[test]
fn each_message_is_a_step_that_says_what_changed() {
    let (rma, messages) = complete_return();
    let steps = build_timeline(sources(&rma, &messages));

    assert_eq!(
        events_of(&steps),
        [
            "Return started: 2 units",
            "No exchange for order ORD-100472: refunded instead; Status: CREATED",
            "Label created for 2 units: 9400",
            "In transit: 2 units",
            "Received as LP-1 in condition A: 1 unit",
            "Refunded by RF-1: 1 unit",
            "Receiving closed: 1 unit never arrived; Status: PARTIAL_REFUND",
        ]
    );
    let sequences: Vec<_> =
        steps.iter().map(|it| it.message.as_ref().unwrap().message.sequence).collect();
    assert_eq!(sequences, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn facts_of_the_return_remain_when_its_messages_have_expired() {
    let (rma, messages) = complete_return();

    let steps = build_timeline(sources(&rma, &[]));
    assert_eq!(
        events_of(&steps),
        [
            "Return started: 2 units",
            "Received as LP-1 in condition A: 1 unit",
            "Refunded by RF-1: 1 unit",
        ]
    );
    assert!(steps.iter().all(|step| step.message.is_none()));

    let steps = build_timeline(sources(&rma, messages.get(3..).unwrap()));
    assert_eq!(
        events_of(&steps),
        [
            "Return started: 2 units",
            "Update sent to the merchant",
            "Received as LP-1 in condition A: 1 unit",
            "Refunded by RF-1: 1 unit",
            "Receiving closed: 1 unit never arrived; Status: PARTIAL_REFUND",
        ]
    );
}

#[test]
fn changes_by_operators_are_steps_if_they_name_the_return_or_a_message_about_it() {
    let (rma, messages) = apply_all(&[]);
    let change = |action: &str, detail: Value| AuditEntry {
        id: "x".to_owned(),
        at: time("2026-02-26T08:00:00Z"),
        merchant: "acme".to_owned(),
        actor: "lena".to_owned(),
        address: None,
        action: action.to_owned(),
        detail,
    };
    let id = rma.rma_identifier.as_str();
    let changes = vec![
        change("return.cancel", json!({ "rma_identifier": id, "reason": "asked by telephone" })),
        change("return.cancel", json!({ "rma_identifier": "RMA-0000-0000-0000" })),
        change("message.retry", json!({ "id": "msg_acme_1", "force": false })),
        change("message.retry", json!({ "id": "msg_acme_11", "force": false })),
        change("refund.match", json!({ "refund": "RF-1", "match": { "rma_identifier": id } })),
    ];

    let steps = build_timeline(TimelineSources { changes, ..sources(&rma, &messages) });

    assert_eq!(
        events_of(steps.get(1..).unwrap()),
        [
            "Canceled by an operator: asked by telephone",
            "msg_acme_1 retried",
            "Refund RF-1 matched by an operator",
        ]
    );
    assert_eq!(steps[1].actor.as_deref(), Some("lena"));
}

#[test]
fn the_request_for_an_exchange_order_is_a_step_between_others() {
    let placed = RmaEvent::ExchangePlaced {
        order_identifier: "ORD-100472".to_owned(),
        exchange_order_identifier: "EX-1".to_owned(),
    };
    let (rma, messages) = apply_all(&[("2026-02-20T10:15:02Z", placed)]);
    let mut request = record(&rma);
    request.message.reference = "ORD-100472".to_owned();
    request.message.created_at = time("2026-02-20T10:15:01Z");

    let steps = build_timeline(TimelineSources {
        exchange_messages: vec![request],
        ..sources(&rma, &messages)
    });

    assert_eq!(
        events_of(&steps),
        [
            "Return started: 2 units",
            "Exchange order for ORD-100472 requested from the merchant",
            "Exchange order EX-1 placed: 1 unit; Status: CREATED",
        ]
    );
}

#[test]
fn an_unreadable_message_is_a_step_too() {
    let (rma, mut messages) = apply_all(&[]);
    messages[0].body = Bytes::from_static(b"not JSON");

    let steps = build_timeline(sources(&rma, &messages));

    assert_eq!(events_of(&steps), ["Return started: 2 units"]);
}
