//! Taking a return back.

use super::*;

#[test]
fn a_return_is_canceled_before_anything_has_begun() {
    for begun in [None, Some(label("P-1", &[]))] {
        let mut rma = mailed(&["1", "2"]);
        if let Some(event) = begun {
            rma = changed(&rma, &event);
        }

        let rma = changed(&rma, &RmaEvent::Canceled);

        assert_eq!(rma.status, RmaStatus::Canceled);
        assert_unchanged(&rma, &RmaEvent::Canceled);
    }
}

#[test]
fn goods_that_were_never_brought_or_never_came_do_not_hinder() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    let missed =
        changed(&open(ReturnMethod::ExpressReturns, goods), &scan(CarrierScan::NotDroppedOff));
    assert_eq!(changed(&missed, &RmaEvent::Canceled).status, RmaStatus::Canceled);

    let closed = changed(&mailed(&["1"]), &RmaEvent::ReceivingClosed);
    assert_eq!(changed(&closed, &RmaEvent::Canceled).status, RmaStatus::Canceled);
}

#[test]
fn a_return_is_not_canceled_once_any_unit_was_handed_over_or_settled() {
    let one =
        |scan: CarrierScan| RmaEvent::Scanned { scan, tracking_number: None, lines: owned(&["2"]) };
    let begun = [
        (one(CarrierScan::Accepted), RmaRefusal::DroppedOff),
        (one(CarrierScan::InTransit), RmaRefusal::Scanned),
        (one(CarrierScan::Failure), RmaRefusal::Scanned),
        (one(CarrierScan::Delivered), RmaRefusal::Scanned),
        (one(CarrierScan::Returned), RmaRefusal::Scanned),
        (received("LP-1", "2"), RmaRefusal::Received),
        (refunded("RF-1", &[("2", 1)]), RmaRefusal::Refunded),
    ];
    for (event, why) in begun {
        let rma = changed(&mailed(&["1", "2"]), &event);
        assert_eq!(refusal(&rma, &RmaEvent::Canceled), why);
    }
}

#[test]
fn a_return_is_not_canceled_while_the_merchant_may_have_its_exchange_order() {
    let goods = vec![goods(ORDER, "1", Resolution::Exchange)];
    let rma = open(ReturnMethod::MailBack, goods);

    assert_eq!(refusal(&rma, &RmaEvent::Canceled), RmaRefusal::ExchangePending);
    assert_eq!(
        refusal(&changed(&rma, &placed("EX-1")), &RmaEvent::Canceled),
        RmaRefusal::ExchangePlaced("EX-1".to_owned())
    );
    let rma = changed(&changed(&rma, &failed()), &RmaEvent::Canceled);
    assert_eq!(rma.status, RmaStatus::Canceled);
}

#[test]
fn to_a_canceled_return_nothing_happens_any_more() {
    let rma = changed(&mailed(&["1"]), &label("P-1", &[]));
    let rma = changed(&rma, &RmaEvent::Canceled);

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
fn a_refund_of_a_canceled_return_has_no_place() {
    let rma = changed(&mailed(&["1"]), &RmaEvent::Canceled);

    let decision = apply(&rma, &refunded("RF-1", &[("1", 1)]), time(60)).unwrap();

    assert!(!decision.changed);
    assert_eq!(decision.unplaced, quantities(&[("1", 1)]));
}

#[test]
fn every_refusal_says_why_in_a_sentence_of_its_own() {
    let name = || "X-1".to_owned();
    let refusals = [
        RmaRefusal::Canceled,
        RmaRefusal::Kept,
        RmaRefusal::UnknownParcel(name()),
        RmaRefusal::UnknownLine(name()),
        RmaRefusal::UnknownSku(name()),
        RmaRefusal::Labelled(name()),
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

    let words: std::collections::BTreeSet<String> =
        refusals.iter().map(ToString::to_string).collect();

    assert_eq!(words.len(), refusals.len());
    assert_eq!(words.iter().filter(|words| words.contains("X-1")).count(), 6);
}
