//! What starts, refunds and cancellations post.

use super::*;
use crate::returns::rma::{RmaEvent, apply};
use crate::returns::test_orders::{new_rma, refund_event};
use crate::returns::{ReturnMethod, UnitAmounts};
use crate::samples;

fn posted(balances: &Balances) -> Vec<(&'static str, i64)> {
    balances.entries().map(|(account, amount)| (account.name(), amount)).collect()
}

/// A return of one unit for 45.00 with 3.60 tax and a fee of 5.95.
fn started() -> Rma {
    let mut goods = samples::rma().units.swap_remove(0).goods;
    goods.amounts = UnitAmounts { price_cents: 4500, discount_cents: 0, tax_cents: 360 };
    let mut new = new_rma(ReturnMethod::MailBack, false, vec![goods]);
    new.amounts.fee_cents = 595;
    Rma::open(new, "2026-01-10T12:00:00Z".parse().unwrap())
}

fn refunded(rma: &Rma, amount_cents: i64) -> Rma {
    let line = rma.units[0].goods.order_line_item_identifier.clone();
    let event = refund_event(rma, "RF-1", &[line], amount_cents);
    apply(rma, &event, "2026-01-11T12:00:00Z".parse().unwrap()).unwrap().rma
}

#[test]
fn a_promise_has_its_reasons_and_a_refund_ends_it() {
    let rma = started();
    let before = Balances::of(&rma);
    assert_eq!(
        posted(&before),
        [("promised", -4265), ("goods", 4500), ("tax", 360), ("fees", -595)]
    );

    let after = Balances::of(&refunded(&rma, 4265));

    assert_eq!(posted(&after.since(&before)), [("promised", 4265), ("refunds", -4265)]);
    assert_eq!((after.get(Account::Promised), after.sum()), (0, 0));
}

#[test]
fn what_is_paid_short_stays_promised_until_it_is_accepted() {
    let short = refunded(&started(), 4264);
    assert_eq!(Balances::of(&short).get(Account::Promised), -1);

    let event = RmaEvent::DifferenceAccepted {
        refund_identifier: "RF-1".to_owned(),
        amount_cents: 1,
        note: "agreed".to_owned(),
    };
    let accepted = apply(&short, &event, "2026-01-12T12:00:00Z".parse().unwrap()).unwrap().rma;

    let posting = Balances::of(&accepted).since(&Balances::of(&short));
    assert_eq!(posted(&posting), [("promised", 1), ("written_off", -1)]);
}

#[test]
fn a_canceled_return_takes_back_all_that_it_promised() {
    let rma = started();
    let now = "2026-01-11T12:00:00Z".parse().unwrap();

    let canceled = apply(&rma, &RmaEvent::Canceled, now).unwrap().rma;

    assert!(Balances::of(&canceled).is_zero());
    let posting = Balances::of(&canceled).since(&Balances::of(&rma));
    assert_eq!(posting.plus(&Balances::of(&rma)), Balances::default());
}

#[test]
fn accounts_are_numbered_in_their_order() {
    let amounts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let balances = Balances::from_amounts(amounts);
    assert_eq!(balances.amounts(), amounts);
    for (account, amount) in Account::ALL.into_iter().zip(amounts) {
        assert_eq!(balances.get(account), amount);
        assert_eq!(serde_json::to_value(account).unwrap(), account.name());
    }
}
