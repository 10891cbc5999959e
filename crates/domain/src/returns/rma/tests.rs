//! The lifecycle of a return, as in the tables of events and states.

mod cancel;
mod carrier;
mod exchanges;
mod labels;
mod properties;
mod refunds;
mod warehouse;

use jiff::Timestamp;

use super::*;
use crate::returns::condition::Condition;
use crate::returns::test_orders::new_rma;
use crate::returns::{Resolution, ReturnMethod, UnitAmounts};

const ORDER: &str = "A-1";

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_772_000_000 + second).unwrap()
}

/// A unit of a line of an order. Its SKU is `SKU-` and the line.
fn goods(order: &str, line: &str, resolution: Resolution) -> RmaGoods {
    RmaGoods {
        order_identifier: order.to_owned(),
        original_order_identifier: None,
        order_line_item_identifier: line.to_owned(),
        unit_number: 1,
        sku: Some(format!("SKU-{line}")),
        upc: None,
        title: "A thing".to_owned(),
        return_reason: "too_small".to_owned(),
        resolution,
        exchange_sku: (resolution == Resolution::Exchange).then(|| "SKU-L".to_owned()),
        exchange_price_cents: None,
        fallback: None,
        fallback_sku: None,
        amounts: UnitAmounts { price_cents: 1_000, discount_cents: 100, tax_cents: 90 },
        weight_thousandths: None,
        exchange_title: None,
    }
}

/// A return of goods that we receive for the merchant.
fn open(return_method: ReturnMethod, goods: Vec<RmaGoods>) -> Rma {
    Rma::open(new_rma(return_method, true, goods), time(0))
}

/// A mail-back return of lines of one order, each to be refunded.
fn mailed(lines: &[&str]) -> Rma {
    let goods = lines.iter().map(|line| goods(ORDER, line, Resolution::Refund)).collect();
    open(ReturnMethod::MailBack, goods)
}

/// Applies `event`, which must change the return.
fn change(rma: &Rma, event: &RmaEvent) -> Rma {
    let decision = apply(rma, event, time(60)).unwrap();
    assert!(decision.changed, "{event:?}");
    assert_eq!(decision.rma.updated_at, time(60));
    assert_eq!(decision.rma.messages_sent, rma.messages_sent + 1);
    assert_eq!(decision.unplaced, []);
    decision.rma
}

/// Asserts that `event` changes nothing and causes no message.
fn assert_unchanged(rma: &Rma, event: &RmaEvent) {
    let decision = apply(rma, event, time(90)).unwrap();
    assert!(!decision.changed, "{event:?}");
    assert_eq!(decision.rma, *rma);
}

fn refusal(rma: &Rma, event: &RmaEvent) -> RmaRefusal {
    apply(rma, event, time(60)).unwrap_err()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn label(number: &str, lines: &[&str]) -> RmaEvent {
    RmaEvent::label(number.to_owned(), owned(lines))
}

fn scan(scan: CarrierScan) -> RmaEvent {
    RmaEvent::Scanned { scan, tracking_number: None, lines: Vec::new() }
}

fn received(receipt: &str, line: &str) -> RmaEvent {
    RmaEvent::receipt(receipt, line)
}

/// A refund of so many units of each line.
fn refunded(refund: &str, lines: &[(&str, i64)]) -> RmaEvent {
    RmaEvent::Refunded {
        refund_identifier: refund.to_owned(),
        order_identifier: ORDER.to_owned(),
        lines: quantities(lines),
        amount_cents: 0,
        accepted_cents: 0,
    }
}

fn quantities(lines: &[(&str, i64)]) -> Vec<LineQuantity> {
    let quantity = |(line, quantity): &(&str, i64)| LineQuantity {
        order_line_item_identifier: (*line).to_owned(),
        quantity: *quantity,
    };
    lines.iter().map(quantity).collect()
}

fn placed(exchange: &str) -> RmaEvent {
    RmaEvent::ExchangePlaced {
        order_identifier: ORDER.to_owned(),
        exchange_order_identifier: exchange.to_owned(),
    }
}

fn fulfilled(exchange: &str) -> RmaEvent {
    RmaEvent::ExchangeFulfilled { exchange_order_identifier: exchange.to_owned() }
}

fn failed() -> RmaEvent {
    RmaEvent::ExchangeFailed { order_identifier: ORDER.to_owned() }
}

fn trackings(rma: &Rma) -> Vec<Option<TrackingStatus>> {
    rma.units.iter().map(|unit| unit.tracking).collect()
}

fn receivings(rma: &Rma) -> Vec<Option<ReceivingStatus>> {
    rma.units.iter().map(|unit| unit.receiving).collect()
}

#[test]
fn a_new_return_is_untracked_and_expected_and_has_a_message() {
    let rma = mailed(&["1", "2"]);

    assert_eq!(rma.status, RmaStatus::Created);
    assert_eq!((rma.created_at, rma.updated_at), (time(0), time(0)));
    assert_eq!(rma.messages_sent, 1);
    assert_eq!(trackings(&rma), [None, None]);
    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Pending); 2]);
    assert!(!rma.receiving_complete && !rma.gift_refund_only());
    assert!(rma.units.iter().all(|unit| unit.tracking_number.is_none()));
}

#[test]
fn a_return_with_units_to_replace_first_waits_for_its_order() {
    for resolution in [Resolution::Exchange, Resolution::GiftCard] {
        let goods = vec![goods(ORDER, "1", Resolution::Refund), goods(ORDER, "2", resolution)];
        assert_eq!(open(ReturnMethod::MailBack, goods).status, RmaStatus::PendingExchange);
    }
}

#[test]
fn goods_that_a_shopper_keeps_are_not_expected() {
    let rma = open(ReturnMethod::CustomerKeep, vec![goods(ORDER, "1", Resolution::Refund)]);

    assert_eq!((rma.status, receivings(&rma)), (RmaStatus::Created, vec![None]));
    assert!(rma.receiving_complete);
}

#[test]
fn goods_that_the_merchant_receives_are_not_expected_here() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    let rma = Rma::open(new_rma(ReturnMethod::MailBack, false, goods), time(0));

    assert_eq!((rma.status, receivings(&rma)), (RmaStatus::Created, vec![None]));
    assert!(rma.receiving_complete);
    let rma = change(&rma, &refunded("RF-1", &[("1", 1)]));
    assert!(rma.receiving_complete);
}

/// Their messages said false, and their journals must lead to the stored state.
#[test]
fn what_an_older_version_started_without_receiving_stays_incomplete() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    let started = Rma::open(new_rma(ReturnMethod::MailBack, false, goods), time(0));
    let older = Rma { receiving_complete: false, ..started };

    assert!(!change(&older, &refunded("RF-1", &[("1", 1)])).receiving_complete);
}

#[test]
fn an_empty_return_does_not_count_as_settled() {
    assert_eq!(mailed(&[]).status, RmaStatus::Created);
}

#[test]
fn states_are_serialized_as_their_names() {
    for status in RmaStatus::ALL {
        assert_eq!(serde_json::to_value(status).unwrap(), status.name());
        assert_eq!(RmaStatus::parse(status.name()), Some(status));
    }
    for tracking in TrackingStatus::ALL {
        assert_eq!(serde_json::to_value(tracking).unwrap(), tracking.name());
    }
    for receiving in ReceivingStatus::ALL {
        assert_eq!(serde_json::to_value(receiving).unwrap(), receiving.name());
    }
    let finished: Vec<RmaStatus> =
        RmaStatus::ALL.into_iter().filter(|status| status.is_final()).collect();
    assert_eq!(finished, [RmaStatus::Refunded, RmaStatus::Canceled]);
}

#[test]
fn a_return_keeps_its_time_if_the_clock_was_set_back() {
    let rma = change(&mailed(&["1"]), &label("1Z9", &[]));

    let decision = apply(&rma, &scan(CarrierScan::InTransit), time(5)).unwrap();

    assert_eq!((decision.changed, decision.rma.updated_at), (true, time(60)));
}

#[test]
fn a_return_is_stored_as_flat_units_and_read_back() {
    let rma = change(&mailed(&["1"]), &label("1Z9", &[]));

    let stored = serde_json::to_value(&rma).unwrap();

    assert_eq!(stored["units"][0]["order_identifier"], ORDER);
    assert_eq!(stored["units"][0]["tracking"], "PRE_TRANSIT");
    assert_eq!(serde_json::from_value::<Rma>(stored).unwrap(), rma);
}

#[test]
fn a_label_is_shown_until_it_is_used_or_expires() {
    let rma = mailed(&["a"]);
    let later = |days: i64| {
        let seconds = rma.created_at.as_second() + days * 24 * 60 * 60;
        Timestamp::from_second(seconds).unwrap()
    };
    assert_eq!(rma.label_state(later(0)), LabelState::Usable);
    assert_eq!(rma.label_state(later(LABEL_DAYS)), LabelState::Usable);
    assert_eq!(rma.label_state(later(LABEL_DAYS + 1)), LabelState::Expired);
    for (tracking, state) in [
        (TrackingStatus::PreTransit, LabelState::Usable),
        (TrackingStatus::NotDroppedOff, LabelState::Usable),
        (TrackingStatus::Accepted, LabelState::Used),
        (TrackingStatus::Transit, LabelState::Used),
        (TrackingStatus::Delivered, LabelState::Used),
    ] {
        let mut rma = rma.clone();
        rma.units[0].tracking = Some(tracking);
        assert_eq!(rma.label_state(later(1)), state, "{tracking:?}");
    }
}
