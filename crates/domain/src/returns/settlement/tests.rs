//! Refunds that match a return, and those that a person must check.

use super::*;
use crate::orders::order::RefundLine;
use crate::returns::ReturnMethod;
use crate::returns::rma::{NewRma, RmaGoods};
use crate::returns::test_orders::{new_rma, order_line, order_of};

const NOW: &str = "2026-01-10T12:00:00Z";
const FIRST: &str = "RMA-7K3Q-9XWD-2M4T";
const SECOND: &str = "RMA-8K3Q-9XWD-2M4T";

/// A refund without tolerance.
fn report<'a>(order: &'a Order, refund: &'a Refund) -> RefundReport<'a> {
    RefundReport { order, refund, now: now() }
}

fn settle_three(ledger: &Ledger, returns: &[Rma], refund: &Refund) -> Settlement {
    settle(report(&three_units(), refund), ledger, returns)
}

/// What follows when an operator chooses the return.
fn match_three(ledger: &Ledger, rma: &Rma, refund: &Refund) -> Settlement {
    settle_with(report(&three_units(), refund), ledger, rma, std::slice::from_ref(rma))
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn three_units() -> Order {
    let mut order = order_of(vec![order_line("A", 3, [900, 0, 0])], 0);
    order.identifier = "O-1".to_owned();
    order
}

/// A return of so many units of line A, and the ledger in which they are spent.
fn start_return(ledger: &Ledger, id: &str, quantity: i64) -> (Ledger, Rma) {
    let order = three_units();
    let (ledger, units) = ledger.spend(&order, "A", quantity, id).unwrap();
    let goods = units.iter().map(|unit| RmaGoods {
        return_reason: "other".to_owned(),
        ..RmaGoods::of_unit(&order, &order.items[0], unit.unit, unit.amounts)
    });
    let new = NewRma {
        rma_identifier: RmaId::parse(id).unwrap(),
        email: Some("dana@example.com".to_owned()),
        ..new_rma(ReturnMethod::MailBack, false, goods.collect())
    };
    (ledger, Rma::open(new, now()))
}

fn refund_of(identifier: &str, quantity: i64, rma: Option<&str>) -> Refund {
    Refund {
        identifier: identifier.to_owned(),
        total_refund_amount_cents: 300 * quantity,
        refund_line_items: vec![RefundLine {
            identifier: format!("{identifier}-1"),
            quantity,
            order_item_identifier: "A".to_owned(),
        }],
        note: None,
        created_at: now(),
        rma_identifier: rma.map(str::to_owned),
        tags: Vec::new(),
    }
}

#[test]
fn a_refund_closes_the_return_that_it_names() {
    let (ledger, rma) = start_return(&Ledger::default(), FIRST, 2);

    let named = Some("rma-7k3q-9xwd-2m4t");
    let settled = settle_three(&ledger, &[rma], &refund_of("F", 2, named));

    assert_eq!(settled.changed.unwrap().rma.status, RmaStatus::Refunded);
    assert_eq!(settled.problem, None);
    assert!(settled.ledger.spent("A").iter().all(|unit| unit.by.refund() == Some("F")));
}

#[test]
fn a_refund_of_some_units_leaves_the_return_open_and_the_rest_closes_it() {
    let (ledger, rma) = start_return(&Ledger::default(), FIRST, 3);

    let some = settle_three(&ledger, &[rma], &refund_of("F", 1, None));
    let rma = some.changed.unwrap().rma;
    assert_eq!(rma.status, RmaStatus::Created);
    let rest = settle_three(&some.ledger, &[rma], &refund_of("G", 2, None));

    assert_eq!(rest.changed.unwrap().rma.status, RmaStatus::Refunded);
}

#[test]
fn a_refund_that_matches_several_returns_is_left_to_an_operator() {
    let (ledger, first) = start_return(&Ledger::default(), FIRST, 1);
    let (ledger, second) = start_return(&ledger, SECOND, 1);
    let both = [first, second.clone()];

    let unclear = settle_three(&ledger, &both, &refund_of("F", 1, None));

    assert_eq!(unclear.changed, None);
    assert_eq!(unclear.problem.unwrap().state(), "unmatched");
    assert_eq!(unclear.ledger, ledger);
    let matched = match_three(&ledger, &second, &refund_of("F", 1, None));
    assert_eq!(matched.changed.unwrap().rma.status, RmaStatus::Refunded);
    assert_eq!(matched.problem, None);
}

#[test]
fn the_units_of_a_refund_for_an_unknown_return_cannot_be_returned() {
    let refund = refund_of("F", 2, Some(SECOND));

    let unknown = settle_three(&Ledger::default(), &[], &refund);

    assert_eq!(unknown.problem.unwrap().state(), "unmatched");
    assert_eq!(unknown.ledger.spent("A").len(), 2);
}

#[test]
fn matching_by_hand_moves_the_units_to_the_return() {
    let (ledger, rma) = start_return(&Ledger::default(), FIRST, 1);
    let refund = refund_of("F", 1, Some(SECOND));
    let unknown = settle_three(&ledger, std::slice::from_ref(&rma), &refund);
    assert_eq!(unknown.ledger.spent("A").len(), 2);

    let matched = match_three(&unknown.ledger, &rma, &refund);

    assert_eq!(matched.ledger.spent("A").len(), 1);
    assert_eq!(matched.changed.unwrap().rma.status, RmaStatus::Refunded);
}

#[test]
fn a_refund_without_a_return_spends_open_units() {
    let settled = settle_three(&Ledger::default(), &[], &refund_of("F", 2, None));

    assert_eq!((settled.changed, settled.problem), (None, None));
    assert_eq!(settled.ledger.spent("A").len(), 2);
}

#[test]
fn a_refund_for_spent_units_is_a_conflict() {
    let (ledger, rma) = start_return(&Ledger::default(), FIRST, 3);
    let paid = settle_three(&ledger, &[rma], &refund_of("F", 3, None));

    let rma = paid.changed.unwrap().rma;
    let again = settle_three(&paid.ledger, &[rma], &refund_of("G", 1, None));

    assert_eq!(again.changed, None);
    assert_eq!(again.problem.unwrap().state(), "conflict");
    assert_eq!(again.ledger.conflicts().len(), 1);
}

#[test]
fn a_repeated_refund_and_an_ignored_one_change_nothing() {
    let (ledger, rma) = start_return(&Ledger::default(), FIRST, 1);
    let once = settle_three(&ledger, &[rma], &refund_of("F", 1, None));
    let rma = once.changed.unwrap().rma;
    let returns = std::slice::from_ref(&rma);

    let twice = settle_three(&once.ledger, returns, &refund_of("F", 1, None));
    let mut ignored = refund_of("G", 1, None);
    ignored.tags = vec!["ignore_refund".to_owned()];
    let ignored = settle_three(&once.ledger, returns, &ignored);

    for settled in [twice, ignored] {
        assert_eq!(settled.ledger, once.ledger);
        assert_eq!((settled.changed, settled.problem), (None, None));
    }
}

#[test]
fn a_refund_without_units_is_recorded_on_the_return_that_it_names() {
    let (ledger, rma) = start_return(&Ledger::default(), FIRST, 1);
    let mut shipping = refund_of("F", 1, Some(FIRST));
    shipping.refund_line_items.clear();
    shipping.total_refund_amount_cents = 595;

    let settled = settle_three(&ledger, &[rma], &shipping);

    let rma = settled.changed.unwrap().rma;
    assert_eq!((rma.status, rma.messages_sent), (RmaStatus::Created, 2));
    let recorded: Vec<_> =
        rma.refunds.iter().map(|it| (it.refund_identifier.as_str(), it.amount_cents)).collect();
    assert_eq!(recorded, [("F", 595)]);
    assert_eq!((settled.ledger, settled.problem), (ledger.clone(), None));
    let again = settle_three(&ledger, &[rma], &shipping);
    assert_eq!(again.changed, None);
}

#[test]
fn a_refund_without_units_for_a_canceled_return_is_left_to_an_operator() {
    let (ledger, rma) = start_return(&Ledger::default(), FIRST, 1);
    let canceled = apply(&rma, &RmaEvent::Canceled, now()).unwrap().rma;
    let mut shipping = refund_of("F", 1, Some(FIRST));
    shipping.refund_line_items.clear();

    let settled = settle_three(&ledger, &[canceled], &shipping);

    assert_eq!(settled.changed, None);
    assert_eq!(settled.problem.unwrap().state(), "unmatched");
}

#[test]
fn a_refund_pays_for_a_unit_in_only_one_return() {
    let (ledger, first) = start_return(&Ledger::default(), FIRST, 1);
    let (ledger, second) = start_return(&ledger, SECOND, 2);
    let refund = refund_of("F", 2, Some(FIRST));
    let named = settle_three(&ledger, &[first, second.clone()], &refund);
    assert!(matches!(named.problem, Some(SettlementProblem::Conflict(_))), "{:?}", named.problem);
    let first = named.changed.unwrap().rma;
    assert_eq!(first.status, RmaStatus::Refunded);

    let rest = match_three(&named.ledger, &second, &refund);

    let second = rest.changed.unwrap().rma;
    let paid = second.units.iter().filter(|unit| unit.refund.is_some()).count();
    assert_eq!((paid, second.status), (1, RmaStatus::Created), "one of two units is left to pay");
    assert_eq!(rest.problem, None);
    assert_eq!(rest.ledger.paid_by("F", "A"), 2);
    let again = match_three(&rest.ledger, &first, &refund);
    assert_eq!((again.changed, again.ledger), (None, rest.ledger));
}

#[test]
fn returns_that_share_a_refund_record_no_more_than_was_paid() {
    let (ledger, first) = start_return(&Ledger::default(), FIRST, 1);
    let (ledger, second) = start_return(&ledger, SECOND, 1);
    let order = three_units();
    for (total, rest) in [(500, 200), (600, 300), (650, 350), (200, 0)] {
        let mut refund = refund_of("F", 2, None);
        refund.total_refund_amount_cents = total;
        let pay = |ledger: &Ledger, rma: &Rma, other: &Rma| {
            let returns = [rma.clone(), other.clone()];
            let settled = settle_with(report(&order, &refund), ledger, rma, &returns);
            let paid = settled.changed.unwrap().rma;
            (settled.ledger, paid.refunds[0].amount_cents, paid)
        };

        let (after, recorded, paid) = pay(&ledger, &first, &second);
        assert_eq!(recorded, total.min(300), "what its unit was promised");
        let (_, recorded, _) = pay(&after, &second, &paid);

        assert_eq!(recorded, rest, "of {total}, the last one has what is left");
    }
}

#[test]
fn candidates_are_the_returns_that_await_the_refund_best_match_first() {
    let (ledger, two) = start_return(&Ledger::default(), FIRST, 2);
    let (ledger, one) = start_return(&ledger, SECOND, 1);
    let find = |refund: &Refund, returns: &[Rma]| {
        let found = find_candidates(report(&three_units(), refund), &ledger, returns);
        let named = |it: &ReturnCandidate<'_>| (it.rma.rma_identifier.to_string(), it.left_over);
        found.iter().map(named).collect::<Vec<_>>()
    };
    let both = [two.clone(), one.clone()];
    let (first, second) = (FIRST.to_owned(), SECOND.to_owned());

    assert_eq!(find(&refund_of("F", 1, None), &both), [(second.clone(), 0), (first.clone(), 0)]);
    assert_eq!(find(&refund_of("F", 2, None), &both), [(first.clone(), 0), (second, 1)]);

    let paid = match_three(&ledger, &one, &refund_of("E", 1, None));
    let rest = [two, paid.changed.unwrap().rma];
    assert_eq!(
        find(&refund_of("F", 1, None), &rest),
        [(first, 0)],
        "the other is already refunded"
    );
}

#[test]
fn a_difference_that_the_merchant_tolerates_is_accepted_with_the_refund() {
    let (ledger, mut rma) = start_return(&Ledger::default(), FIRST, 1);
    rma.refund_tolerance_cents = 5;
    let promised = rma.units[0].goods.amounts.refund_cents();
    let pay = |amount_cents: i64| {
        let mut refund = refund_of("F", 1, Some(FIRST));
        refund.total_refund_amount_cents = amount_cents;
        let paid = settle_three(&ledger, std::slice::from_ref(&rma), &refund).changed.unwrap().rma;
        (paid.refunds[0].accepted_cents, find_difference(&paid, "F").is_some())
    };

    assert_eq!(pay(promised), (0, false));
    assert_eq!(pay(promised - 5), (5, false));
    assert_eq!(pay(promised + 5), (-5, false));
    assert_eq!(pay(promised - 6), (0, true));
}
