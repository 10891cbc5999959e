//! Refunds that are short, over, or for goods that never came.

use super::*;
use crate::returns::condition::Condition;
use crate::returns::rma::{RmaEvent, RmaGoods, apply};
use crate::returns::test_orders::{new_rma, refund_event};
use crate::returns::{Resolution, ReturnMethod, UnitAmounts};
use crate::samples;

/// A return of units of 10.00, each a line of its own, with 5.00 shipping and a fee of 3.00.
fn started(units: usize) -> Rma {
    let unit = |position: usize| RmaGoods {
        order_line_item_identifier: format!("{position}"),
        resolution: Resolution::Refund,
        amounts: UnitAmounts { price_cents: 1000, discount_cents: 0, tax_cents: 0 },
        ..samples::rma().units.swap_remove(0).goods
    };
    let mut new = new_rma(ReturnMethod::MailBack, true, (0..units).map(unit).collect());
    (new.amounts.shipping_refund_cents, new.amounts.fee_cents) = (500, 300);
    Rma::open(new, "2026-01-10T12:00:00Z".parse().unwrap())
}

fn change(rma: &Rma, event: &RmaEvent) -> Rma {
    let now = rma.updated_at + jiff::SignedDuration::from_secs(60);
    apply(rma, event, now).unwrap().rma
}

fn pay(rma: &Rma, refund: &str, units: &[usize], amount_cents: i64) -> Rma {
    let lines: Vec<String> = units.iter().map(ToString::to_string).collect();
    change(rma, &refund_event(rma, refund, &lines, amount_cents))
}

fn found(rma: &Rma) -> Vec<(String, &'static str, i64, i64)> {
    let differences = find_differences(rma).into_iter();
    let view =
        |it: Difference| (it.refund_identifier, it.kind.name(), it.promised_cents, it.paid_cents);
    differences.map(view).collect()
}

fn difference(
    refund: &str,
    kind: &'static str,
    promised: i64,
    paid: i64,
) -> [(String, &'static str, i64, i64); 1] {
    [(refund.to_owned(), kind, promised, paid)]
}

#[test]
fn shipping_and_fee_may_be_in_any_refund() {
    assert_eq!(found(&pay(&started(1), "A", &[0], 1200)), []);
    for (first, second) in [(1200, 1000), (1000, 1200), (1500, 700), (700, 1500)] {
        let some = pay(&started(2), "A", &[0], first);
        assert_eq!(found(&some), [], "{first}");
        assert_eq!(found(&pay(&some, "B", &[1], second)), [], "{first} and {second}");
    }
    let units = pay(&started(1), "A", &[0], 700);
    assert_eq!(found(&units), difference("A", "shipping_not_paid", 1200, 700));
    assert_eq!(found(&pay(&units, "B", &[], 500)), []);
}

#[test]
fn a_cent_short_or_over_is_found_with_both_amounts() {
    assert_eq!(
        found(&pay(&started(1), "A", &[0], 1199)),
        difference("A", "short_paid", 1200, 1199)
    );
    assert_eq!(found(&pay(&started(1), "A", &[0], 1201)), difference("A", "over_paid", 1200, 1201));
    assert_eq!(found(&pay(&started(1), "A", &[0], 1500)), difference("A", "over_paid", 1200, 1500));
    // It is nearer to 1500, but no later refund deducts the fee.
    assert_eq!(found(&pay(&started(1), "A", &[0], 1400)), difference("A", "over_paid", 1200, 1400));
    assert_eq!(found(&pay(&started(2), "A", &[0], 1)), difference("A", "short_paid", 700, 1));
    let paid = pay(&started(1), "A", &[0], 1200);
    assert_eq!(found(&pay(&paid, "B", &[], 1)), difference("B", "over_paid", 0, 1));
}

#[test]
fn the_rest_of_a_short_refund_mends_it() {
    let short = pay(&started(1), "A", &[0], 1100);
    assert_eq!(found(&short), difference("A", "short_paid", 1200, 1100));

    let completed = pay(&short, "B", &[], 100);

    assert_eq!(found(&completed), []);
}

#[test]
fn money_for_goods_that_were_rejected_or_never_came_is_found() {
    let receipt = |reject_reason: Option<&str>| RmaEvent::Received {
        receipt_identifier: "LP-1".to_owned(),
        line: Some("0".to_owned()),
        sku: None,
        condition: Condition::A,
        reject_reason: reject_reason.map(str::to_owned),
        channel: None,
        assigned: false,
    };
    let rejected = change(&started(2), &receipt(Some("stained")));
    let paid = pay(&rejected, "A", &[0, 1], 2200);
    assert_eq!(found(&paid), difference("A", "paid_after_reject", 1200, 2200));

    let paid = pay(&started(2), "A", &[0, 1], 2200);
    assert_eq!(found(&paid), []);
    let late = change(&change(&paid, &receipt(None)), &RmaEvent::ReceivingClosed);
    assert_eq!(found(&late), difference("A", "paid_not_received", 1200, 2200));
    let rejected = change(&paid, &receipt(Some("stained")));
    assert_eq!(found(&rejected), difference("A", "paid_not_received", 1200, 2200));
}

#[test]
fn a_difference_that_was_accepted_is_none() {
    let rma = started(1);
    let beyond = pay(&rma, "A", &[0], 1194);
    assert_eq!(found(&beyond), difference("A", "short_paid", 1200, 1194));

    let accept = |amount_cents: i64| RmaEvent::DifferenceAccepted {
        refund_identifier: "A".to_owned(),
        amount_cents,
        note: "agreed by telephone".to_owned(),
    };
    let some = change(&beyond, &accept(5));
    assert_eq!(found(&some), difference("A", "short_paid", 1200, 1199));
    assert_eq!(found(&change(&beyond, &accept(6))), []);
}

#[test]
fn kinds_are_parsed_from_their_names() {
    for kind in DifferenceKind::ALL {
        assert_eq!(DifferenceKind::parse(kind.name()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}
