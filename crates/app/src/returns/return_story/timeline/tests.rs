//! Timelines of the sample return: with its messages, without them, and with changes by operators.

use domain::messages::kind::MessageKind;
use domain::returns::{
    journal::{Actor, ActorKind, ReturnChange, ReturnEvent},
    receipt::Condition,
    rma::{CarrierScan, LineQuantity, ReceivingStatus, Rma, RmaEvent, RmaStatus, apply},
};
use serde_json::json;

use super::*;
use crate::{
    messages::message_log::MessageState,
    returns::return_story::journal_steps::{STEPS_MAX, read_journal},
};

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

fn record(rma: &RmaId, event: &ReturnEvent) -> TimelineMessage {
    TimelineMessage {
        message: MessageView {
            id: format!("msg_acme_{}", event.number),
            merchant: "acme".to_owned(),
            kind: MessageKind::Rma,
            reference: rma.to_string(),
            sequence: event.number,
            state: MessageState::Delivered,
            created_at: event.at,
            due_at: None,
            discard_reason: None,
        },
        attempts: Vec::new(),
    }
}

/// A journal with these events.
fn apply_all(events: &[(&str, RmaEvent)]) -> Vec<ReturnEvent> {
    let mut rma = new_return();
    let journaled = |rma: &Rma, change: ReturnChange| ReturnEvent {
        number: rma.messages_sent,
        at: rma.updated_at,
        actor: Actor::new(ActorKind::Client, "acme.k7w2mq9d"),
        cause: None,
        change,
    };
    let mut journal = vec![journaled(&rma, ReturnChange::State(Box::new(rma.clone())))];
    for (at, event) in events {
        rma = apply(&rma, event, time(at)).unwrap().rma;
        journal.push(journaled(&rma, ReturnChange::Event(event.clone())));
    }
    journal
}

fn complete_return() -> Vec<ReturnEvent> {
    let order_identifier = "ORD-100472".to_owned();
    let label = RmaEvent::label("9400".to_owned(), Vec::new());
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
        channel: None,
        assigned: false,
    };
    let lines =
        vec![LineQuantity { order_line_item_identifier: "ORD-100472-1".to_owned(), quantity: 1 }];
    let refund_identifier = "RF-1".to_owned();
    let failed = RmaEvent::ExchangeFailed { order_identifier: order_identifier.clone() };
    let refunded = RmaEvent::Refunded {
        refund_identifier,
        order_identifier,
        lines,
        amount_cents: 4610,
        accepted_cents: 0,
    };
    apply_all(&[
        ("2026-02-20T10:15:02Z", failed),
        ("2026-02-20T10:15:09Z", label),
        ("2026-02-21T08:00:00Z", scanned),
        ("2026-02-23T08:00:00Z", received),
        ("2026-02-24T08:00:00Z", refunded),
        ("2026-02-25T08:00:00Z", RmaEvent::ReceivingClosed),
    ])
}

/// With a message about each event.
fn sources<'a>(rma: &'a RmaId, journal: &[ReturnEvent]) -> TimelineSources<'a> {
    TimelineSources {
        rma,
        journal: read_journal(journal.to_vec(), None).unwrap().steps,
        messages: journal.iter().map(|event| record(rma, event)).collect(),
        exchange_messages: Vec::new(),
        changes: Vec::new(),
    }
}

fn events_of(steps: &[TimelineStep]) -> Vec<String> {
    steps.iter().map(|step| step.events.join("; ")).collect()
}

#[test]
fn each_event_is_a_step_that_says_what_changed() {
    let (id, journal) = (new_return().rma_identifier, complete_return());
    let steps = build_timeline(sources(&id, &journal));

    let expected = [
        "Return started: 2 units",
        "No exchange for order ORD-100472: refunded instead; Status: CREATED",
        "Label created for 2 units: 9400",
        "In transit: 2 units",
        "Received as LP-1 in condition A: 1 unit",
        "Refunded by RF-1: 1 unit, 46.10 USD",
        "Receiving closed: 1 unit never arrived; Status: PARTIAL_REFUND",
    ];
    assert_eq!(events_of(&steps), expected);
    let sequences: Vec<_> =
        steps.iter().map(|it| it.message.as_ref().unwrap().message.sequence).collect();
    assert_eq!(sequences, [1, 2, 3, 4, 5, 6, 7]);
    assert!(steps.iter().all(|step| step.actor.as_deref() == Some("acme.k7w2mq9d")));

    let expired = TimelineSources { messages: Vec::new(), ..sources(&id, &journal) };
    let steps = build_timeline(expired);
    assert_eq!(events_of(&steps), expected, "the steps outlive the messages");
    assert!(steps.iter().all(|step| step.message.is_none()));
}

#[test]
fn changes_by_operators_are_steps_if_they_name_the_return_or_a_message_about_it() {
    let (rma, journal) = (new_return().rma_identifier, apply_all(&[]));
    let change = |action: &str, detail: Value| AuditEntry {
        id: "x".to_owned(),
        at: time("2026-02-26T08:00:00Z"),
        merchant: "acme".to_owned(),
        actor: "lena".to_owned(),
        address: None,
        action: action.to_owned(),
        detail,
    };
    let id = rma.as_str();
    let changes = vec![
        change("return.cancel", json!({ "rma_identifier": id, "reason": "asked by telephone" })),
        change("return.cancel", json!({ "rma_identifier": "RMA-0000-0000-0000", "reason": "x" })),
        change("return.cancel", json!({ "rma_identifier": id })),
        change("message.retry", json!({ "id": "msg_acme_1", "force": false })),
        change("message.retry", json!({ "id": "msg_acme_11", "force": false })),
        change("refund.match", json!({ "refund": "RF-1", "match": { "rma_identifier": id } })),
    ];

    let steps = build_timeline(TimelineSources { changes, ..sources(&rma, &journal) });

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
    let id = new_return().rma_identifier;
    let journal = apply_all(&[("2026-02-20T10:15:02Z", placed)]);
    let mut request = record(&id, &journal[0]);
    request.message.reference = "ORD-100472".to_owned();
    request.message.created_at = time("2026-02-20T10:15:01Z");

    let steps = build_timeline(TimelineSources {
        exchange_messages: vec![request],
        ..sources(&id, &journal)
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
fn a_long_journal_keeps_its_newest_steps_and_every_state() {
    let refund = |turn: usize| RmaEvent::RefundedExtra {
        refund_identifier: format!("RF-{turn}"),
        amount_cents: 1,
        accepted_cents: 0,
    };
    let refunds = (0..STEPS_MAX + 9).map(|turn| ("2026-02-21T08:00:00Z", refund(turn)));
    let journal = apply_all(&refunds.collect::<Vec<_>>());

    let reading = read_journal(journal.clone(), Some(3)).unwrap();

    let newest = journal.last().unwrap().number;
    assert_eq!((reading.marks.len(), reading.steps.len()), (STEPS_MAX + 10, STEPS_MAX));
    assert_eq!(reading.steps.last().unwrap().number, Some(newest));
    assert_eq!(reading.steps[0].events.len(), 1, "{:?}", reading.steps[0].events);
    assert_eq!(reading.past.unwrap().messages_sent, 3);
    assert_eq!(read_journal(journal, Some(newest + 1)).unwrap().past, None);
}
