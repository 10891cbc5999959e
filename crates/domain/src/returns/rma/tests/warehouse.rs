//! Units that arrive, and the end of receiving.

use super::*;

fn by_sku(receipt: &str, line: Option<&str>, sku: &str) -> RmaEvent {
    RmaEvent::Received {
        receipt_identifier: receipt.to_owned(),
        line: line.map(str::to_owned),
        sku: Some(sku.to_owned()),
        condition: Condition::TT,
        reject_reason: None,
        channel: None,
        assigned: false,
    }
}

#[test]
fn a_received_unit_has_its_condition() {
    let rma = change(&mailed(&["1", "2"]), &received("LP-1", "2"));

    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Pending), Some(ReceivingStatus::Received)]);
    let receipt = rma.units[1].receipt.as_ref().unwrap();
    assert_eq!((receipt.condition, receipt.received_at), (Condition::A, time(60)));
    assert!(!rma.receiving_complete);
    assert_eq!(rma.status, RmaStatus::Created);
}

#[test]
fn each_receipt_is_for_one_unit_of_a_line_and_a_repeated_one_for_none() {
    let rma = change(&mailed(&["1", "1"]), &received("LP-1", "1"));
    assert_unchanged(&rma, &received("LP-1", "1"));

    let rma = change(&rma, &received("LP-2", "1"));

    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Received); 2]);
    assert_unchanged(&rma, &received("LP-1", "1"));
    assert_eq!(refusal(&rma, &received("LP-3", "1")), RmaRefusal::NotAwaited);
}

#[test]
fn a_unit_is_found_by_its_sku_or_by_its_upc_if_it_has_no_sku() {
    let rma = change(&mailed(&["1", "2"]), &by_sku("LP-1", None, "SKU-2"));
    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Pending), Some(ReceivingStatus::Received)]);

    let plain = RmaGoods {
        sku: None,
        upc: Some("012345678905".to_owned()),
        ..goods(ORDER, "1", Resolution::Refund)
    };
    let rma = open(ReturnMethod::MailBack, vec![plain]);
    let rma = change(&rma, &by_sku("LP-1", None, "012345678905"));
    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Received)]);
}

#[test]
fn a_unit_that_is_not_on_the_return_is_refused() {
    let rma = mailed(&["1", "2"]);

    assert_eq!(refusal(&rma, &received("LP-1", "3")), RmaRefusal::UnknownLine("3".to_owned()));
    assert_eq!(
        refusal(&rma, &by_sku("LP-1", None, "SKU-3")),
        RmaRefusal::UnknownSku("SKU-3".to_owned())
    );
    assert_eq!(
        refusal(&rma, &by_sku("LP-1", Some("1"), "SKU-2")),
        RmaRefusal::UnknownSku("SKU-2".to_owned()),
        "the line has a different article"
    );
}

fn rejected(receipt: &str, line: &str, reason: &str) -> RmaEvent {
    RmaEvent::Received {
        receipt_identifier: receipt.to_owned(),
        line: Some(line.to_owned()),
        sku: None,
        condition: Condition::X,
        reject_reason: Some(reason.to_owned()),
        channel: None,
        assigned: false,
    }
}

#[test]
fn a_rejected_unit_is_not_received_and_keeps_its_reason() {
    let rma = change(&mailed(&["1", "2"]), &rejected("LP-1", "1", "stained"));

    assert_eq!(
        receivings(&rma),
        [Some(ReceivingStatus::NotReceived), Some(ReceivingStatus::Pending)]
    );
    let receipt = rma.units[0].receipt.as_ref().unwrap();
    assert_eq!(receipt.reject_reason.as_deref(), Some("stained"));
    assert_eq!((rma.status, rma.receiving_complete), (RmaStatus::Created, false));
    assert_unchanged(&rma, &rejected("LP-1", "1", "stained"));
    let rma = change(&rma, &received("LP-2", "2"));
    assert_eq!((rma.status, rma.receiving_complete), (RmaStatus::PartialRefund, true));
    assert_eq!(refusal(&rma, &received("LP-3", "1")), RmaRefusal::NotAwaited);
}

#[test]
fn receiving_is_complete_as_soon_as_no_unit_is_pending() {
    let rma = change(&mailed(&["1", "2"]), &received("LP-1", "1"));
    assert!(!rma.receiving_complete);

    let rma = change(&rma, &received("LP-2", "2"));

    assert_eq!((rma.status, rma.receiving_complete), (RmaStatus::Created, true));
    assert_unchanged(&rma, &RmaEvent::ReceivingClosed);
    assert_eq!(refusal(&rma, &received("LP-3", "1")), RmaRefusal::NotAwaited);
    let rma = change(&rma, &refunded("RF-1", &[("1", 1), ("2", 1)]));
    assert_eq!(rma.status, RmaStatus::Refunded);
}

#[test]
fn closing_marks_units_that_did_not_arrive() {
    let rma = change(&mailed(&["1", "2"]), &received("LP-1", "1"));

    let rma = change(&rma, &RmaEvent::ReceivingClosed);

    assert_eq!(
        receivings(&rma),
        [Some(ReceivingStatus::Received), Some(ReceivingStatus::NotReceived)]
    );
    assert!(rma.receiving_complete);
    assert_eq!(rma.status, RmaStatus::PartialRefund);
    assert_unchanged(&rma, &RmaEvent::ReceivingClosed);
    assert_unchanged(&rma, &received("LP-1", "1"));
    assert_eq!(refusal(&rma, &received("LP-2", "2")), RmaRefusal::ReceivingClosed);
}

/// A person assigns a unit to the return.
fn assigned(receipt: &str, line: &str, reject_reason: Option<&str>) -> RmaEvent {
    RmaEvent::Received {
        receipt_identifier: receipt.to_owned(),
        line: Some(line.to_owned()),
        sku: None,
        condition: Condition::A,
        reject_reason: reject_reason.map(str::to_owned),
        channel: None,
        assigned: true,
    }
}

#[test]
fn a_unit_that_comes_after_closing_is_received_if_a_person_assigns_it() {
    let rma = change(&mailed(&["1", "2", "3"]), &received("LP-1", "1"));
    let closed = change(&rma, &RmaEvent::ReceivingClosed);

    let late = change(&closed, &assigned("LP-2", "2", None));
    assert_eq!(late.units[1].receiving, Some(ReceivingStatus::Received));
    assert!(late.owes_for(&late.units[1]) && !late.owes_for(&late.units[2]));
    assert_eq!((late.status, late.receiving_complete), (RmaStatus::PartialRefund, true));
    assert_unchanged(&late, &assigned("LP-2", "2", None));
    assert_eq!(refusal(&late, &assigned("LP-4", "2", None)), RmaRefusal::NotAwaited);
    assert_eq!(refusal(&late, &received("LP-3", "3")), RmaRefusal::ReceivingClosed);

    let all = change(&late, &assigned("LP-3", "3", None));
    assert_eq!((all.status, all.receiving_complete), (RmaStatus::Created, true));
    let rejected = change(&late, &assigned("LP-3", "3", Some("stained")));
    assert!(rejected.units[2].is_rejected() && rejected.units[2].is_lapsed());
    assert_eq!(rejected.status, RmaStatus::PartialRefund);
}

#[test]
fn a_unit_that_was_refunded_although_it_did_not_come_stays_as_it_is() {
    let closed = change(&mailed(&["1", "1"]), &RmaEvent::ReceivingClosed);
    let paid = change(&closed, &refunded("RF-1", &[("1", 1)]));

    let late = change(&paid, &assigned("LP-1", "1", None));

    let receipts: Vec<bool> = late.units.iter().map(|unit| unit.receipt.is_some()).collect();
    let refunds: Vec<bool> = late.units.iter().map(|unit| unit.refund.is_none()).collect();
    assert_eq!(receipts, refunds);
    assert_eq!(refusal(&late, &assigned("LP-2", "1", None)), RmaRefusal::Refunded);
}

#[test]
fn a_unit_that_a_person_assigns_in_time_is_received_like_any_other() {
    let rma = change(&mailed(&["1"]), &assigned("LP-1", "1", None));
    assert_eq!(rma, change(&mailed(&["1"]), &received("LP-1", "1")));
}

#[test]
fn receiving_moves_exactly_as_in_its_table() {
    let follows = |next: ReceivingStatus, from| next.follows(from);
    for next in ReceivingStatus::ALL {
        assert!(!follows(next, None));
        assert!(!follows(next, Some(ReceivingStatus::Received)));
        assert!(!follows(next, Some(ReceivingStatus::NotReceived)));
    }
    assert!(!follows(ReceivingStatus::Pending, Some(ReceivingStatus::Pending)));
    assert!(follows(ReceivingStatus::Received, Some(ReceivingStatus::Pending)));
    assert!(follows(ReceivingStatus::NotReceived, Some(ReceivingStatus::Pending)));
}

#[test]
fn nothing_is_received_for_a_merchant_who_receives_goods_itself() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    let unmanaged = Rma::open(new_rma(ReturnMethod::MailBack, false, goods.clone()), time(0));
    let kept = open(ReturnMethod::CustomerKeep, goods);

    for rma in [unmanaged, kept] {
        assert_eq!(refusal(&rma, &received("LP-1", "1")), RmaRefusal::ReceivingNotManaged);
        assert_eq!(refusal(&rma, &RmaEvent::ReceivingClosed), RmaRefusal::ReceivingNotManaged);
    }
}

#[test]
fn a_refunded_return_is_still_received() {
    let rma = change(&mailed(&["1"]), &refunded("RF-1", &[("1", 1)]));
    let rma = change(&rma, &received("LP-1", "1"));

    assert_eq!((rma.status, rma.receiving_complete), (RmaStatus::Refunded, true));
    assert_unchanged(&rma, &RmaEvent::ReceivingClosed);
}

fn corrected(receipt: &str, reject_reason: Option<&str>) -> RmaEvent {
    let corrected = CorrectedReceipt {
        condition: Condition::C,
        channel: Some("OUTLET".to_owned()),
        reject_reason: reject_reason.map(str::to_owned),
    };
    let receipt_identifier = receipt.to_owned();
    RmaEvent::ReceiptCorrected { receipt_identifier, corrected: Some(corrected) }
}

fn withdrawn(receipt: &str) -> RmaEvent {
    RmaEvent::ReceiptCorrected { receipt_identifier: receipt.to_owned(), corrected: None }
}

#[test]
fn a_corrected_receipt_replaces_what_it_said() {
    let rma = change(&mailed(&["1", "2"]), &received("LP-1", "1"));
    let rma = change(&rma, &corrected("LP-1", None));
    let receipt = rma.units[0].receipt.clone().unwrap();
    assert_eq!((receipt.condition, receipt.channel.as_deref()), (Condition::C, Some("OUTLET")));
    assert_eq!(rma.units[0].receiving, Some(ReceivingStatus::Received));
    assert_unchanged(&rma, &corrected("LP-1", None));

    let rma = change(&rma, &corrected("LP-1", Some("stained")));
    assert!(rma.units[0].is_rejected() && rma.units[0].is_lapsed());
    let rma = change(&rma, &corrected("LP-1", None));
    assert!(!rma.units[0].is_lapsed());
    let unknown = RmaRefusal::UnknownReceipt("LP-9".to_owned());
    assert_eq!(refusal(&rma, &corrected("LP-9", None)), unknown);
}

#[test]
fn a_unit_that_was_not_received_after_all_is_expected_again() {
    let rma = change(&mailed(&["1"]), &received("LP-1", "1"));
    assert!(rma.receiving_complete);
    let rma = change(&rma, &withdrawn("LP-1"));
    assert_eq!(
        (receivings(&rma), rma.receiving_complete),
        (vec![Some(ReceivingStatus::Pending)], false)
    );
    assert_unchanged(&rma, &withdrawn("LP-1"));
    let rma = change(&rma, &received("LP-1", "1"));
    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Received)]);
}

#[test]
fn what_was_refunded_or_closed_stays_received() {
    let rma = change(&mailed(&["1", "2"]), &received("LP-1", "1"));
    let paid = change(&rma, &refunded("RF-1", &[("1", 1)]));
    assert_eq!(refusal(&paid, &withdrawn("LP-1")), RmaRefusal::Refunded);
    assert_eq!(refusal(&paid, &corrected("LP-1", Some("stained"))), RmaRefusal::Refunded);
    change(&paid, &corrected("LP-1", None));
    let closed = change(&rma, &RmaEvent::ReceivingClosed);
    assert_eq!(refusal(&closed, &withdrawn("LP-1")), RmaRefusal::ReceivingClosed);
}

#[test]
fn a_unit_that_was_refunded_and_then_rejected_by_mistake_is_received() {
    let paid = change(&mailed(&["1"]), &refunded("RF-1", &[("1", 1)]));
    let rejected = change(&paid, &rejected("LP-1", "1", "stained"));

    let rma = change(&rejected, &corrected("LP-1", None));
    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Received)]);
    assert_eq!(refusal(&rma, &withdrawn("LP-1")), RmaRefusal::Refunded);
    let rma = change(&rejected, &withdrawn("LP-1"));
    assert_eq!(receivings(&rma), [Some(ReceivingStatus::Pending)]);
}

#[test]
fn a_wrong_item_is_listed_once_and_changes_no_unit() {
    let item = WrongItem {
        receipt_identifier: "LP-7".to_owned(),
        code: "MUG".to_owned(),
        reject_reason: "wrong item".to_owned(),
    };
    let before = mailed(&["1"]);
    let rma = change(&before, &RmaEvent::WrongItemRejected(item.clone()));
    assert_eq!((rma.wrong_items.len(), &rma.units), (1, &before.units));
    assert_unchanged(&rma, &RmaEvent::WrongItemRejected(item));
}
