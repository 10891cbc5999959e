//! The merchant's refunds.

use super::*;

fn refunds(rma: &Rma) -> Vec<Option<&str>> {
    let refunds = rma.units.iter().map(|unit| unit.refund.as_ref());
    refunds.map(|made| made.map(|made| made.refund_identifier.as_str())).collect()
}

#[test]
fn a_refund_of_every_unit_closes_the_return() {
    let rma = change(&mailed(&["1", "1", "2"]), &refunded("RF-1", &[("1", 2), ("2", 1)]));

    assert_eq!(rma.status, RmaStatus::Refunded);
    assert_eq!(refunds(&rma), [Some("RF-1"); 3]);
    assert_eq!(rma.units[0].refund.as_ref().unwrap().refunded_at, time(60));
}

#[test]
fn a_refund_of_some_units_leaves_the_return_open() {
    let rma = change(&mailed(&["1", "1", "2"]), &refunded("RF-1", &[("1", 1)]));

    assert_eq!(rma.status, RmaStatus::Created);
    assert_eq!(refunds(&rma), [Some("RF-1"), None, None]);
}

#[test]
fn a_repeated_refund_settles_nothing_more() {
    let refund = refunded("RF-1", &[("1", 1)]);
    let rma = change(&mailed(&["1", "1"]), &refund);

    assert_unchanged(&rma, &refund);
    let rma = change(&rma, &refunded("RF-2", &[("1", 1)]));
    assert_eq!(rma.status, RmaStatus::Refunded);
    assert_unchanged(&rma, &refund);
}

#[test]
fn a_refund_may_name_a_line_twice() {
    let refund = refunded("RF-1", &[("1", 1), ("1", 1)]);
    let rma = change(&mailed(&["1", "1", "1"]), &refund);

    assert_eq!(refunds(&rma), [Some("RF-1"), Some("RF-1"), None]);
    assert_unchanged(&rma, &refund);
}

#[test]
fn units_that_arrived_are_refunded_first() {
    let rma = change(&mailed(&["1", "1", "1"]), &received("LP-1", "1"));
    let mut rma = change(&rma, &RmaEvent::ReceivingClosed);
    rma.units.rotate_left(1);

    let rma = change(&rma, &refunded("RF-1", &[("1", 1)]));

    assert_eq!(refunds(&rma), [None, None, Some("RF-1")]);
}

#[test]
fn units_that_cannot_be_assigned_are_returned() {
    let exchange = goods(ORDER, "2", Resolution::Exchange);
    let rma = open(ReturnMethod::MailBack, vec![goods(ORDER, "1", Resolution::Refund), exchange]);

    let lines = [("3", 1), ("1", 3), ("2", 1), ("4", 0)];
    let decision = apply(&rma, &refunded("RF-1", &lines), time(60)).unwrap();

    assert!(decision.changed);
    assert_eq!(refunds(&decision.rma), [Some("RF-1"), None]);
    assert_eq!(decision.unplaced, quantities(&[("1", 2), ("2", 1), ("3", 1)]));

    let again = apply(&decision.rma, &refunded("RF-1", &lines), time(60)).unwrap();
    assert!(!again.changed);
    assert_eq!(again.unplaced, decision.unplaced);
}

#[test]
fn a_refund_is_only_for_units_of_its_order() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund), goods("B-2", "1", Resolution::Refund)];
    let rma = open(ReturnMethod::MailBack, goods);

    let decision = apply(&rma, &refunded("RF-1", &[("1", 2)]), time(60)).unwrap();

    assert_eq!(refunds(&decision.rma), [Some("RF-1"), None]);
    assert_eq!(decision.unplaced, quantities(&[("1", 1)]));
}

#[test]
fn absurd_quantities_are_harmless() {
    let rma = mailed(&["1"]);
    let most = refunded("RF-1", &[("1", i64::MAX), ("1", i64::MAX), ("1", i64::MIN)]);

    let decision = apply(&rma, &most, time(60)).unwrap();

    assert_eq!(decision.rma.status, RmaStatus::Refunded);
    assert_eq!(decision.unplaced, quantities(&[("1", i64::MAX - 1)]));
    assert_unchanged(&rma, &refunded("RF-1", &[("1", -1)]));
}

#[test]
fn a_later_refund_of_the_rest_still_closes_the_return() {
    let rma = change(&mailed(&["1", "1"]), &received("LP-1", "1"));
    let rma = change(&rma, &refunded("RF-1", &[("1", 1)]));
    let rma = change(&rma, &RmaEvent::ReceivingClosed);
    assert_eq!(rma.status, RmaStatus::PartialRefund);

    let rma = change(&rma, &refunded("RF-2", &[("1", 1)]));

    assert_eq!(rma.status, RmaStatus::Refunded);
}
