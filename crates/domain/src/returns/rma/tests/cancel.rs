//! Canceling a return.

use super::*;

#[test]
fn a_return_can_be_canceled_before_goods_or_money_have_moved() {
    for earlier in [None, Some(label("P-1", &[]))] {
        let mut rma = mailed(&["1", "2"]);
        if let Some(event) = earlier {
            rma = change(&rma, &event);
        }

        let rma = change(&rma, &RmaEvent::Canceled);

        assert_eq!(rma.status, RmaStatus::Canceled);
        assert_unchanged(&rma, &RmaEvent::Canceled);
    }
}

#[test]
fn goods_that_never_arrived_do_not_prevent_canceling() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    let missed =
        change(&open(ReturnMethod::ExpressReturns, goods), &scan(CarrierScan::NotDroppedOff));
    assert_eq!(change(&missed, &RmaEvent::Canceled).status, RmaStatus::Canceled);

    let closed = change(&mailed(&["1"]), &RmaEvent::ReceivingClosed);
    assert_eq!(change(&closed, &RmaEvent::Canceled).status, RmaStatus::Canceled);
}

#[test]
fn a_return_cannot_be_canceled_once_any_unit_was_dropped_off_or_settled() {
    let one =
        |scan: CarrierScan| RmaEvent::Scanned { scan, tracking_number: None, lines: owned(&["2"]) };
    let events = [
        (one(CarrierScan::Accepted), RmaRefusal::DroppedOff),
        (one(CarrierScan::InTransit), RmaRefusal::Scanned),
        (one(CarrierScan::Failure), RmaRefusal::Scanned),
        (one(CarrierScan::Delivered), RmaRefusal::Scanned),
        (one(CarrierScan::Returned), RmaRefusal::Scanned),
        (received("LP-1", "2"), RmaRefusal::Received),
        (refunded("RF-1", &[("2", 1)]), RmaRefusal::Refunded),
    ];
    for (event, why) in events {
        let rma = change(&mailed(&["1", "2"]), &event);
        assert_eq!(refusal(&rma, &RmaEvent::Canceled), why);
    }
}

#[test]
fn a_return_cannot_be_canceled_while_the_merchant_may_have_its_exchange_order() {
    let goods = vec![goods(ORDER, "1", Resolution::Exchange)];
    let rma = open(ReturnMethod::MailBack, goods);

    assert_eq!(refusal(&rma, &RmaEvent::Canceled), RmaRefusal::ExchangePending);
    assert_eq!(
        refusal(&change(&rma, &placed("EX-1")), &RmaEvent::Canceled),
        RmaRefusal::ExchangePlaced("EX-1".to_owned())
    );
    let rma = change(&change(&rma, &failed()), &RmaEvent::Canceled);
    assert_eq!(rma.status, RmaStatus::Canceled);
}

#[test]
fn a_canceled_return_does_not_change() {
    let rma = change(&mailed(&["1"]), &label("P-1", &[]));
    let rma = change(&rma, &RmaEvent::Canceled);

    for event in [
        label("P-1", &[]),
        scan(CarrierScan::InTransit),
        received("LP-1", "1"),
        RmaEvent::ReceivingClosed,
        placed("EX-1"),
    ] {
        assert_eq!(refusal(&rma, &event), RmaRefusal::Canceled);
    }
    assert_unchanged(&rma, &fulfilled("EX-1"));
    assert_unchanged(&rma, &failed());
}

#[test]
fn a_refund_cannot_be_assigned_to_a_canceled_return() {
    let rma = change(&mailed(&["1"]), &RmaEvent::Canceled);

    let decision = apply(&rma, &refunded("RF-1", &[("1", 1)]), time(60)).unwrap();

    assert!(!decision.changed);
    assert_eq!(decision.unplaced, quantities(&[("1", 1)]));
}

#[test]
fn every_refusal_has_its_own_message() {
    let name = || "X-1".to_owned();
    let refusals = [
        RmaRefusal::Canceled,
        RmaRefusal::Kept,
        RmaRefusal::UnknownParcel(name()),
        RmaRefusal::UnknownLine(name()),
        RmaRefusal::UnknownSku(name()),
        RmaRefusal::Labeled(name()),
        RmaRefusal::NotExpressReturns,
        RmaRefusal::ReceivingNotManaged,
        RmaRefusal::ReceivingClosed,
        RmaRefusal::NotAwaited,
        RmaRefusal::DroppedOff,
        RmaRefusal::Scanned,
        RmaRefusal::Received,
        RmaRefusal::Refunded,
        RmaRefusal::ExchangePending,
        RmaRefusal::ExchangePlaced(name()),
        RmaRefusal::NoExchange(name()),
    ];

    let messages: std::collections::BTreeSet<String> =
        refusals.iter().map(ToString::to_string).collect();

    assert_eq!(messages.len(), refusals.len());
    assert_eq!(messages.iter().filter(|message| message.contains("X-1")).count(), 6);
}
