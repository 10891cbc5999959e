//! Drop-ship orders: how they are read, and what becomes of them.

mod properties;
mod reading;

use super::*;
use crate::samples;

pub(super) fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_772_700_000 + second).unwrap()
}

/// The sample's order: two units of line 1, one of line 2.
fn sample_order() -> DropShipOrder {
    samples::drop_ship_order()
}

fn items(quantities: &[(&str, i64)]) -> Vec<DropShipItemQuantity> {
    let item = |(line, quantity): &(&str, i64)| DropShipItemQuantity {
        client_identifier: format!("DS-20417-{line}"),
        quantity: *quantity,
    };
    quantities.iter().map(item).collect()
}

fn ship(quantities: &[(&str, i64)]) -> DropShipAction {
    DropShipAction::Ship(DropShipShipRequest {
        carrier: "UPS".to_owned(),
        shipping_method: None,
        tracking_number: Some("1Z9".to_owned()),
        billed_weight: Some(1.5),
        shipping_cost_cents: None,
        items: items(quantities),
    })
}

fn cancel(quantities: &[(&str, i64)]) -> DropShipAction {
    DropShipAction::Cancel(DropShipCancelRequest {
        reason: "damaged".to_owned(),
        outcome: CancellationOutcome::Cancelled,
        items: items(quantities),
    })
}

fn reject() -> DropShipAction {
    DropShipAction::Cancel(DropShipCancelRequest {
        reason: "not found".to_owned(),
        outcome: CancellationOutcome::Rejected,
        items: Vec::new(),
    })
}

fn act(
    order: &DropShipOrder,
    identifier: &str,
    action: &DropShipAction,
) -> Result<DropShipDecision, DropShipRefusal> {
    apply(order, &IdentifiedAction { identifier, action, first_id: 60_000 }, time(60))
}

/// The order after actions, each of which must owe a message; and the last message.
fn after(actions: &[DropShipAction]) -> (DropShipOrder, Option<DropShipNotice>) {
    let mut state = (sample_order(), None);
    for (number, action) in actions.iter().enumerate() {
        let decision = act(&state.0, &format!("act-{number}"), action).unwrap();
        assert!(decision.owed.is_some(), "{action:?}");
        assert_eq!(decision.order.messages_sent, state.0.messages_sent + 1);
        state = (decision.order, decision.owed);
    }
    state
}

fn statuses(order: &DropShipOrder) -> (DropShipStatus, Vec<DropShipStatus>) {
    (order.status, order.order_items.iter().map(|item| item.status).collect())
}

const SHIPMENT: DropShipNotice = DropShipNotice::Confirmation { shipment_id: 60_000 };

#[test]
fn an_order_is_shipped_in_one_shipment_or_several() {
    use DropShipStatus::{Accepted, PartiallyShipped, Shipped};

    let (order, owed) = after(&[ship(&[("1", 1)])]);
    assert_eq!(statuses(&order), (PartiallyShipped, vec![PartiallyShipped, Accepted]));
    assert_eq!(owed, Some(SHIPMENT));

    let (order, owed) = after(&[ship(&[("1", 1)]), ship(&[("1", 1), ("2", 1)])]);
    assert_eq!(statuses(&order), (Shipped, vec![Shipped, Shipped]));
    assert_eq!(owed, Some(SHIPMENT));
    assert!(order.is_closed());
    let ids: Vec<i64> = order.shipments[1].items.iter().map(|item| item.id).collect();
    assert_eq!(ids, [60_001, 60_002]);
    assert_eq!(order.shipments[1].shipping_method, "STANDARD", "the order's");
}

#[test]
fn cancelling_some_units_is_partial_and_cancelling_the_rest_is_not() {
    use DropShipStatus::{Accepted, Cancelled, PartiallyShipped, Shipped};

    let (order, owed) = after(&[cancel(&[("1", 1), ("2", 1)])]);
    assert_eq!(statuses(&order), (Accepted, vec![Accepted, Cancelled]));
    assert_eq!((owed, order.reject_reason), (Some(DropShipNotice::PartialCancellation), None));

    let (order, owed) = after(&[cancel(&[("1", 2), ("2", 1)])]);
    assert_eq!(statuses(&order), (Cancelled, vec![Cancelled, Cancelled]));
    assert_eq!(owed, Some(DropShipNotice::Cancellation));

    let (order, owed) = after(&[ship(&[("1", 1)]), cancel(&[("1", 1)])]);
    assert_eq!(statuses(&order), (PartiallyShipped, vec![Shipped, Accepted]));
    assert_eq!(owed, Some(DropShipNotice::PartialCancellation));

    let (order, owed) = after(&[cancel(&[("1", 2)]), ship(&[("2", 1)])]);
    assert_eq!(statuses(&order), (Shipped, vec![Cancelled, Shipped]));
    assert_eq!(owed, Some(SHIPMENT));
}

#[test]
fn an_order_that_was_shipped_in_part_is_shipped_when_the_rest_is_cancelled() {
    use DropShipStatus::{Cancelled, Shipped};

    let (order, owed) = after(&[ship(&[("1", 1)]), cancel(&[])]);

    assert_eq!(statuses(&order), (Shipped, vec![Shipped, Cancelled]));
    assert_eq!(
        (owed, order.reject_reason.as_deref()),
        (Some(DropShipNotice::PartialCancellation), Some("damaged"))
    );
    assert_eq!(act(&order, "x", &cancel(&[])).unwrap().owed, None);
    assert_eq!(act(&order, "x", &reject()), Err(DropShipRefusal::Closed(Shipped)));
}

#[test]
fn an_identifier_is_not_used_for_other_units() {
    let (order, _) = after(&[ship(&[("1", 1)]), cancel(&[("1", 1)])]);
    for (identifier, action) in [("act-0", ship(&[("2", 1)])), ("act-1", cancel(&[("2", 1)]))] {
        let refusal = act(&order, identifier, &action).unwrap_err();
        assert_eq!(refusal, DropShipRefusal::IdentifierUsed(identifier.to_owned()));
    }
    // A tracking number and a key of a request can be the same text.
    assert!(act(&order, "act-1", &ship(&[("2", 1)])).unwrap().owed.is_some());
}

#[test]
fn an_order_is_rejected_as_long_as_nothing_was_shipped() {
    use DropShipStatus::{Cancelled, Rejected};

    let (order, owed) = after(&[cancel(&[("2", 1)]), reject()]);
    assert_eq!(statuses(&order), (Rejected, vec![Rejected, Cancelled]));
    assert_eq!(owed, Some(DropShipNotice::Cancellation));
    assert_eq!(order.reject_reason.as_deref(), Some("not found"));

    let (order, _) = after(&[ship(&[("1", 1)])]);
    assert_eq!(act(&order, "x", &reject()), Err(DropShipRefusal::Shipped));
}

#[test]
fn nothing_is_done_to_what_is_not_open() {
    let (closed, _) = after(&[ship(&[("1", 2), ("2", 1)])]);
    for action in [ship(&[("1", 1)]), cancel(&[]), cancel(&[("1", 1)]), reject()] {
        let refusal = act(&closed, "x", &action).unwrap_err();
        assert_eq!(refusal, DropShipRefusal::Closed(DropShipStatus::Shipped), "{action:?}");
    }
    let refused = |action: &DropShipAction| act(&sample_order(), "x", action).unwrap_err();
    let not_open = |line: &str, quantity_open| DropShipRefusal::NotOpen {
        client_identifier: format!("DS-20417-{line}"),
        quantity_open,
    };
    assert_eq!(refused(&ship(&[("1", 3)])), not_open("1", 2));
    assert_eq!(refused(&ship(&[("2", 1), ("2", 1)])), not_open("2", 0));
    assert_eq!(refused(&cancel(&[("1", 0)])), not_open("1", 2));
    assert_eq!(refused(&cancel(&[("1", i64::MIN)])), not_open("1", 2));
    assert_eq!(refused(&ship(&[])), DropShipRefusal::Nothing);
    assert_eq!(
        refused(&cancel(&[("9", 1)])),
        DropShipRefusal::UnknownItem("DS-20417-9".to_owned())
    );
}

#[test]
fn what_is_told_again_changes_nothing() {
    let (order, _) = after(&[ship(&[("1", 1)]), cancel(&[("1", 1)])]);
    for (identifier, action) in [("act-0", ship(&[("1", 1)])), ("act-1", cancel(&[("1", 1)]))] {
        let again = act(&order, identifier, &action).unwrap();
        assert_eq!((&again.order, again.owed), (&order, None));
    }
    let (cancelled, _) = after(&[cancel(&[])]);
    assert_eq!(act(&cancelled, "x", &cancel(&[])).unwrap().owed, None);
    let (rejected, _) = after(&[reject()]);
    assert_eq!(act(&rejected, "x", &reject()).unwrap().owed, None);
}

#[test]
fn there_is_no_message_about_a_shipment_that_is_not_there() {
    assert_eq!(message(&sample_order(), SHIPMENT), None);
}

#[test]
fn a_clock_that_was_set_back_does_not_take_an_order_back() {
    let (order, _) = after(&[ship(&[("1", 1)])]);
    let action = cancel(&[]);
    let told = IdentifiedAction { identifier: "x", action: &action, first_id: 1 };

    let decision = apply(&order, &told, time(-9_000)).unwrap();

    assert_eq!(decision.order.updated_at, order.updated_at);
    assert_eq!(decision.order.cancellations[0].created_at, order.updated_at);
}

#[test]
fn words_are_found_by_the_names_they_are_written_by() {
    for method in ShippingMethod::ALL {
        assert_eq!(ShippingMethod::parse(method.name()), Some(method));
        assert_eq!(serde_json::to_value(method).unwrap(), method.name());
    }
    for status in DropShipStatus::ALL {
        assert_eq!(DropShipStatus::parse(status.name()), Some(status));
        assert_eq!(serde_json::to_value(status).unwrap(), status.name());
    }
}

#[test]
fn every_refusal_says_what_is_in_the_way() {
    let line = || "DS-1".to_owned();
    let sentences = [
        (DropShipRefusal::UnknownItem(line()), "the order has no line DS-1"),
        (
            DropShipRefusal::NotOpen { client_identifier: line(), quantity_open: 2 },
            "line DS-1 has no more than 2 open units",
        ),
        (DropShipRefusal::Closed(DropShipStatus::Shipped), "the order is shipped already"),
        (DropShipRefusal::Shipped, "units of the order were shipped: cancel the rest instead"),
        (DropShipRefusal::Nothing, "no units are named"),
        (
            DropShipRefusal::IdentifierUsed("1Z9".to_owned()),
            "1Z9 was used before, with other lines or quantities",
        ),
    ];
    for (refusal, expected) in sentences {
        assert_eq!(refusal.to_string(), expected);
    }
}
