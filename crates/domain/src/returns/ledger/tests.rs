//! The ledger, by example.

use serde_json::json;

use super::*;
use crate::returns::UnitAmounts;
use crate::returns::test_orders::{order_line, order_of};

/// Three units for 1.00 net and 0.10 tax together: 0.37, 0.37 and 0.36.
fn three_units() -> Order {
    order_of(vec![order_line("a", 3, [101, 10, 1]), order_line("b", 1, [500, 0, 0])], 0)
}

fn refund<'a>(identifier: &'a str, line: &'a str, quantity: i64) -> MerchantRefund<'a> {
    MerchantRefund { identifier, line, quantity, now: "2026-02-01T00:00:00Z".parse().unwrap() }
}

fn states(ledger: &Ledger, order: &Order) -> String {
    let lines = ledger.units(order);
    let letters = lines[0].units.iter().map(|unit| match &unit.state {
        UnitState::Open => 'o',
        UnitState::RefundedOutside => 'x',
        UnitState::Spent(SpentBy::Return { refund_identifier: None, .. }) => 'r',
        UnitState::Spent(SpentBy::Return { refund_identifier: Some(_), .. }) => 'p',
        UnitState::Spent(SpentBy::Refund { .. }) => 'f',
    });
    letters.collect()
}

fn refund_cents(units: &[SpentUnit]) -> Vec<i64> {
    units.iter().map(|unit| unit.amounts.refund_cents()).collect()
}

#[test]
fn a_return_spends_the_lowest_open_units_and_freezes_their_value() {
    let order = three_units();

    let (ledger, units) = Ledger::default().spend(&order, "a", 2, "rma_1").unwrap();

    assert_eq!(refund_cents(&units), [37, 37]);
    assert_eq!(units[0].by.rma(), Some("rma_1"));
    assert_eq!(states(&ledger, &order), "rro");
    assert_eq!(ledger.rmas(), ["rma_1"]);
    assert_eq!(ledger.spent("a"), units);
    assert_eq!(ledger.units(&order)[0].units[2].amounts.refund_cents(), 36);
}

#[test]
fn more_units_than_are_open_are_refused_and_nothing_is_spent() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 2, "rma_1").unwrap();

    let refusal = ledger.spend(&order, "a", 2, "rma_2").unwrap_err();

    assert_eq!(
        refusal.to_string(),
        "2 units of line a were requested, but only 1 can still be returned"
    );
    assert_eq!(
        ledger.spend(&order, "c", 1, "rma_2").unwrap_err().to_string(),
        "the order has no line c"
    );
    assert!(ledger.spend(&order, "a", i64::MAX, "rma_2").is_err());
}

#[test]
fn a_canceled_return_opens_its_units_and_remains_listed() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 1, "rma_1").unwrap();
    let (ledger, _) = ledger.spend(&order, "a", 1, "rma_2").unwrap();

    let ledger = ledger.release("rma_1");

    assert_eq!(states(&ledger, &order), "oro");
    assert_eq!(ledger.rmas(), ["rma_1", "rma_2"]);
    let (ledger, units) = ledger.spend(&order, "a", 2, "rma_3").unwrap();
    assert_eq!(refund_cents(&units).iter().sum::<i64>(), 110 - 37);
    assert_eq!(states(&ledger, &order), "rrr");
}

#[test]
fn refunded_units_of_a_canceled_return_remain_spent() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 2, "rma_1").unwrap();
    let (ledger, _) = ledger.spend_shipping(&order, "rma_1").unwrap();
    let paid = ledger.refund_within("rma_1", &[0, 1], &refund("RF-1", "a", 1));

    let ledger = paid.ledger.release("rma_1");

    assert_eq!(states(&ledger, &order), "poo");
    assert!(ledger.shipping().is_some());
}

#[test]
fn a_newer_snapshot_changes_only_amounts_that_are_not_frozen() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 1, "rma_1").unwrap();
    let mut newer = order.clone();
    newer.items[0].product_amount_cents = 201;

    let units = &ledger.units(&newer)[0].units;

    let worth: Vec<i64> = units.iter().map(|unit| unit.amounts.refund_cents()).collect();
    assert_eq!(worth, [37, 87, 86]);
    assert_eq!(worth.iter().sum::<i64>(), 210);
}

/// Lines of one unit for 10.00 each, of which only these are shipped.
fn tens(shipped: &[&str], unshipped: &[&str], discount_cents: i64) -> Order {
    let shipped = shipped.iter().map(|id| order_line(id, 1, [1_000, 0, 0]));
    let unshipped = unshipped.iter().map(|id| order_line(id, 0, [0, 0, 0]));
    order_of(shipped.chain(unshipped).collect(), discount_cents)
}

fn spend_each(ledger: &Ledger, order: &Order, lines: &[&str]) -> (Ledger, Vec<i64>) {
    let (mut ledger, mut worth) = (ledger.clone(), Vec::new());
    for line in lines {
        let (next, units) = ledger.spend(order, line, 1, "rma_1").unwrap();
        worth.extend(refund_cents(&units));
        ledger = next;
    }
    (ledger, worth)
}

#[test]
fn lines_that_ship_later_share_the_order_discount_with_those_that_were_returned() {
    let first = tens(&["a"], &["b"], 1_000);
    let (ledger, worth) = spend_each(&Ledger::default(), &first, &["a"]);
    assert_eq!(worth, [0], "the whole discount is on the only line");

    let (_, worth) = spend_each(&ledger, &tens(&["a", "b"], &[], 1_000), &["b"]);

    assert_eq!(worth, [1_000]);
}

#[test]
fn a_canceled_line_leaves_its_share_of_the_discount_to_the_others() {
    let (ledger, worth) = spend_each(&Ledger::default(), &tens(&["a", "b", "c"], &[], 900), &["a"]);
    assert_eq!(worth, [700]);

    let (_, worth) = spend_each(&ledger, &tens(&["a", "b"], &["c"], 900), &["b"]);

    assert_eq!(worth, [400], "1,100 together");
}

#[test]
fn an_added_line_takes_no_more_of_the_discount_than_is_left() {
    let (ledger, worth) = spend_each(&Ledger::default(), &tens(&["a", "b"], &[], 1_000), &["a"]);
    assert_eq!(worth, [500]);

    let (_, worth) = spend_each(&ledger, &tens(&["a", "b", "c"], &[], 1_000), &["b", "c"]);

    assert_eq!(worth, [750, 750], "2,000 together");
}

#[test]
fn the_rest_is_worth_nothing_if_more_than_the_order_is_frozen() {
    let (ledger, _) = spend_each(&Ledger::default(), &tens(&["a", "b"], &[], 0), &["a"]);

    let (_, worth) = spend_each(&ledger, &tens(&["a", "b"], &[], 1_500), &["b"]);

    assert_eq!(worth, [0]);
}

#[test]
fn returned_units_that_a_newer_snapshot_omits_take_nothing_from_the_others() {
    let (ledger, _) = spend_each(&Ledger::default(), &tens(&["a", "b", "c"], &[], 0), &["a", "b"]);

    let (_, worth) = spend_each(&ledger, &tens(&["c"], &["b"], 0), &["c"]);

    assert_eq!(worth, [1_000]);
}

#[test]
fn a_snapshot_with_fewer_shipped_units_never_opens_more_than_are_left() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 1, "rma_1").unwrap();
    let (ledger, _) = ledger.spend(&order, "a", 1, "rma_2").unwrap();
    let ledger = ledger.release("rma_1");
    let mut fewer = order.clone();
    fewer.items[0].quantity_shipped = 1;

    let units = &ledger.units(&fewer)[0].units;

    assert_eq!(units.len(), 1);
    assert_eq!(units[0].unit, 1);
    assert!(ledger.spend(&fewer, "a", 1, "rma_3").is_err());
}

#[test]
fn a_refund_outside_of_returns_spends_open_units() {
    let order = three_units();

    let refunded = Ledger::default().refund_outside(&order, &[refund("RF-1", "a", 2)]);

    assert_eq!(refunded.conflicts, []);
    assert_eq!(refund_cents(&refunded.units), [37, 37]);
    assert_eq!(states(&refunded.ledger, &order), "ffo");
    assert!(refunded.ledger.knows_refund("RF-1"));
    assert!(!refunded.ledger.knows_refund("RF-2"));
}

#[test]
fn a_refund_for_more_than_the_open_units_is_kept_as_a_conflict() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 2, "rma_1").unwrap();

    let refunded = ledger.clone().refund_outside(&order, &[refund("RF-1", "a", 3)]);

    let conflict = refunded.conflicts[0].clone();
    assert_eq!((conflict.quantity, conflict.line_identifier.as_str()), (2, "a"));
    assert_eq!(refunded.ledger.conflicts(), [conflict]);
    assert_eq!(states(&refunded.ledger, &order), "rrf");

    let unknown = ledger.refund_outside(&order, &[refund("RF-2", "c", 1)]);
    assert_eq!(unknown.conflicts[0].quantity, 1);
    assert!(unknown.ledger.knows_refund("RF-2"));
}

#[test]
fn a_refund_within_a_return_pays_for_its_units_only() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 1, "rma_1").unwrap();
    let (ledger, _) = ledger.spend(&order, "a", 1, "rma_2").unwrap();

    let first = ledger.refund_within("rma_2", &[1], &refund("RF-1", "a", 1));
    assert_eq!(states(&first.ledger, &order), "rpo");
    assert_eq!(first.conflicts, []);

    let again = first.ledger.refund_within("rma_2", &[1], &refund("RF-2", "a", 1));
    assert_eq!(states(&again.ledger, &order), "rpo");
    assert_eq!(again.conflicts[0].quantity, 1);
}

#[test]
fn a_refund_for_an_exchanged_unit_is_a_conflict() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 3, "rma_1").unwrap();

    let refunded = ledger.refund_within("rma_1", &[1], &refund("RF-1", "a", 2));

    assert_eq!(states(&refunded.ledger, &order), "rpr");
    assert_eq!(refunded.conflicts[0].quantity, 1);
}

#[test]
fn units_that_the_order_reports_as_refunded_are_not_open() {
    let mut order = three_units();
    order.items[0].quantity_refunded = Some(1);
    let ledger = Ledger::default();
    assert_eq!(states(&ledger, &order), "oox");
    assert!(ledger.spend(&order, "a", 3, "rma_1").is_err());

    let known = ledger.clone().refund_outside(&order, &[refund("RF-1", "a", 1)]).ledger;
    assert_eq!(states(&known, &order), "oof", "the refund explains the quantity");

    let (returned, _) = ledger.spend(&order, "a", 1, "rma_1").unwrap();
    assert_eq!(states(&returned, &order), "rox", "a return that is not paid explains nothing");
    let paid = returned.refund_within("rma_1", &[0, 1], &refund("RF-1", "a", 1)).ledger;
    assert_eq!(states(&paid, &order), "poo");
}

#[test]
fn shipping_is_refunded_once_and_again_only_after_a_cancellation() {
    let order = three_units();

    let (ledger, amount_cents) = Ledger::default().spend_shipping(&order, "rma_1").unwrap();

    assert_eq!(amount_cents, 595 + 48);
    let refusal = ledger.spend_shipping(&order, "rma_2").unwrap_err();
    assert_eq!(refusal.to_string(), "shipping was already refunded in return rma_1");
    assert!(ledger.release("rma_2").shipping().is_some());
    assert_eq!(ledger.release("rma_1").shipping(), None);
}

#[test]
fn a_ledger_is_stored_as_plain_json_and_read_back() {
    let order = three_units();
    let (ledger, _) = Ledger::default().spend(&order, "a", 1, "rma_1").unwrap();
    let ledger = ledger.refund_outside(&order, &[refund("RF-1", "b", 2)]).ledger;
    let (ledger, _) = ledger.spend_shipping(&order, "rma_1").unwrap();

    let written = serde_json::to_value(&ledger).unwrap();

    assert_eq!(
        written["lines"]["a"],
        json!([{
            "unit": 0, "price_cents": 34, "discount_cents": 0, "tax_cents": 3,
            "rma_identifier": "rma_1",
        }])
    );
    assert_eq!(written["lines"]["b"][0]["refund_identifier"], "RF-1");
    assert_eq!(serde_json::from_value::<Ledger>(written).unwrap(), ledger);
    assert_eq!(serde_json::from_value::<Ledger>(json!({})).unwrap(), Ledger::default());
}

#[test]
fn a_unit_worth_nothing_can_be_returned() {
    let order = order_of(vec![order_line("a", 1, [0, 0, 0])], 0);

    let (_, units) = Ledger::default().spend(&order, "a", 1, "rma_1").unwrap();

    assert_eq!(units[0].amounts, UnitAmounts::default());
}
