//! Units that arrive, and the end of waiting for them.

use super::*;
use crate::returns::receipt::Condition;

fn by_sku(receipt: &str, line: Option<&str>, sku: &str) -> Event {
    Event::Received {
        receipt_identifier: receipt.to_owned(),
        line: line.map(str::to_owned),
        sku: Some(sku.to_owned()),
        condition: Condition::TT,
    }
}

#[test]
fn a_received_unit_is_there_with_its_condition() {
    let rma = changed(&mailed(&["1", "2"]), &received("LP-1", "2"));

    assert_eq!(receivings(&rma), [Some(Receiving::Pending), Some(Receiving::Received)]);
    let receipt = rma.units[1].receipt.as_ref().unwrap();
    assert_eq!((receipt.condition, receipt.received_at), (Condition::A, time(60)));
    assert!(!rma.receiving_complete);
    assert_eq!(rma.status, Status::Created);
}

#[test]
fn each_receipt_takes_one_unit_of_a_line_and_a_repeated_one_takes_none() {
    let rma = changed(&mailed(&["1", "1"]), &received("LP-1", "1"));
    assert_unchanged(&rma, &received("LP-1", "1"));

    let rma = changed(&rma, &received("LP-2", "1"));

    assert_eq!(receivings(&rma), [Some(Receiving::Received); 2]);
    assert_unchanged(&rma, &received("LP-1", "1"));
    assert_eq!(refusal(&rma, &received("LP-3", "1")), Refusal::NotAwaited);
}

#[test]
fn a_unit_is_found_by_its_sku_or_by_its_upc_if_it_has_no_sku() {
    let rma = changed(&mailed(&["1", "2"]), &by_sku("LP-1", None, "SKU-2"));
    assert_eq!(receivings(&rma), [Some(Receiving::Pending), Some(Receiving::Received)]);

    let plain = Goods {
        sku: None,
        upc: Some("012345678905".to_owned()),
        ..goods(ORDER, "1", Resolution::Refund)
    };
    let rma = open(ReturnMethod::MailBack, vec![plain]);
    let rma = changed(&rma, &by_sku("LP-1", None, "012345678905"));
    assert_eq!(receivings(&rma), [Some(Receiving::Received)]);
}

#[test]
fn what_is_not_on_the_return_is_refused() {
    let rma = mailed(&["1", "2"]);

    assert_eq!(refusal(&rma, &received("LP-1", "3")), Refusal::UnknownLine("3".to_owned()));
    assert_eq!(
        refusal(&rma, &by_sku("LP-1", None, "SKU-3")),
        Refusal::UnknownSku("SKU-3".to_owned())
    );
    assert_eq!(
        refusal(&rma, &by_sku("LP-1", Some("1"), "SKU-2")),
        Refusal::UnknownSku("SKU-2".to_owned()),
        "another article than the line has"
    );
}

#[test]
fn closing_gives_up_what_did_not_come() {
    let rma = changed(&mailed(&["1", "2"]), &received("LP-1", "1"));

    let rma = changed(&rma, &Event::ReceivingClosed);

    assert_eq!(receivings(&rma), [Some(Receiving::Received), Some(Receiving::NotReceived)]);
    assert!(rma.receiving_complete);
    assert_eq!(rma.status, Status::PartialRefund);
    assert_unchanged(&rma, &Event::ReceivingClosed);
    assert_unchanged(&rma, &received("LP-1", "1"));
    assert_eq!(refusal(&rma, &received("LP-2", "2")), Refusal::ReceivingClosed);
}

#[test]
fn receiving_moves_exactly_as_its_table_says() {
    let follows = |next: Receiving, from| next.follows(from);
    for next in Receiving::ALL {
        assert!(!follows(next, None));
        assert!(!follows(next, Some(Receiving::Received)));
        assert!(!follows(next, Some(Receiving::NotReceived)));
    }
    assert!(!follows(Receiving::Pending, Some(Receiving::Pending)));
    assert!(follows(Receiving::Received, Some(Receiving::Pending)));
    assert!(follows(Receiving::NotReceived, Some(Receiving::Pending)));
}

#[test]
fn nothing_is_received_where_the_merchant_does_it() {
    let goods = vec![goods(ORDER, "1", Resolution::Refund)];
    let unmanaged = Rma::open(opening(ReturnMethod::MailBack, false, goods.clone()), time(0));
    let kept = open(ReturnMethod::CustomerKeep, goods);

    for rma in [unmanaged, kept] {
        assert_eq!(refusal(&rma, &received("LP-1", "1")), Refusal::ReceivingNotManaged);
        assert_eq!(refusal(&rma, &Event::ReceivingClosed), Refusal::ReceivingNotManaged);
    }
}

#[test]
fn a_refunded_return_is_still_received() {
    let rma = changed(&mailed(&["1"]), &refunded("RF-1", &[("1", 1)]));
    let rma = changed(&rma, &received("LP-1", "1"));
    let rma = changed(&rma, &Event::ReceivingClosed);

    assert_eq!((rma.status, rma.receiving_complete), (Status::Refunded, true));
}
