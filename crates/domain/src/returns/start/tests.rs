//! Returns that begin, and every reason why others do not.

use super::*;
use crate::json;
use crate::returns::ReturnMethod;
use crate::returns::made_up::{line, order};
use crate::returns::policy::ShippingRefunded;
use crate::returns::request::{Gift, read_request};
use crate::returns::rma::RmaStatus;

const NOW: &str = "2026-01-10T12:00:00Z";

/// Orders by their identifiers, with nothing spent.
fn known(orders: Vec<Order>) -> BTreeMap<String, OrderContext> {
    orders.into_iter().map(|it| (it.identifier.clone(), with(it, Ledger::default()))).collect()
}

fn with(order: Order, ledger: Ledger) -> OrderContext {
    let variants = BTreeMap::new();
    OrderContext { order, ledger, original_order_identifier: None, exchanged: false, variants }
}

fn one_order() -> Order {
    let mut order = order(vec![line("A", 3, [1000, 80, 0]), line("B", 1, [500, 40, 0])], 100);
    order.identifier = "O-1".to_owned();
    order.customer.email = "dana@example.com".to_owned();
    order
}

fn request(items: &[(&str, &str, i64)]) -> ReturnRequest {
    let item = |(order, line, quantity): &(&str, &str, i64)| {
        format!(
            r#"{{"order_identifier":"{order}","order_line_item_identifier":"{line}",
                "quantity":{quantity},"return_reason":"changed_mind","resolution":"refund"}}"#
        )
    };
    let items: Vec<String> = items.iter().map(item).collect();
    let text = format!(
        r#"{{"email":"Dana@Example.com","return_method":"mail-back","items":[{}]}}"#,
        items.join(",")
    );
    read_request(&json::parse(text.as_bytes()).unwrap()).unwrap()
}

fn begin(
    orders: &BTreeMap<String, OrderContext>,
    policy: &Policy,
    request: &ReturnRequest,
) -> Result<StartedReturn, Vec<ReturnRefusal>> {
    begin_as("RMA-7K3Q-9XWD-2M4T", orders, policy, request)
}

fn begin_as(
    rma: &str,
    orders: &BTreeMap<String, OrderContext>,
    policy: &Policy,
    request: &ReturnRequest,
) -> Result<StartedReturn, Vec<ReturnRefusal>> {
    let now = NOW.parse().unwrap();
    let basis =
        StartContext { request, orders, policy, policy_version: 7, managed_receiving: false, now };
    start(&basis, RmaId::parse(rma).unwrap())
}

fn assert_refused(result: Result<StartedReturn, Vec<ReturnRefusal>>, expected: &[(&str, &str)]) {
    let refused = result.unwrap_err();
    let found: Vec<_> = refused.iter().map(|it| (it.field.as_str(), it.rule.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_return_has_one_unit_for_each_piece_and_spends_it_in_the_ledger() {
    let orders = known(vec![one_order()]);

    let started = begin(&orders, &Policy::default(), &request(&[("O-1", "A", 2)])).unwrap();

    let numbers: Vec<i64> = started.rma.units.iter().map(|unit| unit.goods.unit_number).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!((started.rma.status, started.rma.policy_version), (RmaStatus::Created, 7));
    assert_eq!(started.ledgers["O-1"].spent("A").len(), 2);
    let worth: i64 = started.rma.units.iter().map(|it| it.goods.amounts.refund_cents()).sum();
    assert_eq!(started.quote.refund_cents, worth);
}

#[test]
fn the_same_unit_cannot_be_on_two_returns() {
    let mut orders = known(vec![one_order()]);
    let asked = request(&[("O-1", "B", 1)]);
    let started = begin(&orders, &Policy::default(), &asked).unwrap();
    orders.insert("O-1".to_owned(), with(one_order(), started.ledgers["O-1"].clone()));

    let other = "RMA-8K3Q-9XWD-2M4T";
    let refused = begin_as(other, &orders, &Policy::default(), &asked).unwrap_err();

    assert!(refused.iter().all(ReturnRefusal::is_taken), "{refused:?}");
}

#[test]
fn everything_that_is_in_the_way_is_said_at_once() {
    let orders = known(vec![one_order()]);
    let asked = request(&[("O-9", "A", 1), ("O-1", "Z", 1), ("O-1", "A", 9)]);

    assert_refused(
        begin(&orders, &Policy::default(), &asked),
        &[
            ("$.items[0].order_identifier", "order_known"),
            ("$.items[1].order_line_item_identifier", "line_known"),
            ("$.items[2]", "shipped"),
        ],
    );
}

#[test]
fn another_shoppers_order_is_refused_and_a_gift_is_not_asked_for_the_address() {
    let orders = known(vec![one_order()]);
    let mut asked = request(&[("O-1", "A", 1)]);
    asked.email = Some("someone@example.com".to_owned());
    assert_refused(begin(&orders, &Policy::default(), &asked), &[("$.email", "same_shopper")]);

    asked.email = None;
    asked.gift = Some(Gift { giftee_email: "robin@example.com".to_owned() });
    let started = begin(&orders, &Policy::default(), &asked).unwrap();
    assert!(started.rma.gift_refund_only());
}

#[test]
fn one_return_may_hold_several_orders_of_one_shopper_and_currency_and_no_others() {
    let mut second = one_order();
    second.identifier = "O-2".to_owned();
    let mut foreign = one_order();
    foreign.identifier = "O-3".to_owned();
    foreign.currency = "EUR".to_owned();
    let orders = known(vec![one_order(), second, foreign]);

    let together = request(&[("O-1", "A", 1), ("O-2", "A", 1)]);
    let started = begin(&orders, &Policy::default(), &together).unwrap();
    assert_eq!(started.ledgers.keys().collect::<Vec<_>>(), ["O-1", "O-2"]);
    let apart = request(&[("O-1", "A", 1), ("O-3", "A", 1)]);
    assert_refused(begin(&orders, &Policy::default(), &apart), &[("$.items[1]", "same_currency")]);
}

#[test]
fn what_the_merchant_does_not_offer_names_its_rule_and_place() {
    let orders = known(vec![one_order()]);
    let mut asked = request(&[("O-1", "A", 1)]);
    asked.return_method = ReturnMethod::HomePickup;
    asked.items[0].return_reason = "bored".to_owned();

    assert_refused(
        begin(&orders, &Policy::default(), &asked),
        &[("$.items[0].return_reason", "reason_known"), ("$.return_method", "method_offered")],
    );
}

#[test]
fn shipping_comes_back_once_with_the_last_unit() {
    let shipping_refunded = ShippingRefunded::WhenEverythingReturns;
    let policy = Policy { shipping_refunded, ..Policy::default() };
    let mut order = one_order();
    (order.shipping_amount_cents, order.shipping_tax_amount_cents) = (700, 0);
    let mut orders = known(vec![order.clone()]);

    let some = begin(&orders, &policy, &request(&[("O-1", "A", 3)])).unwrap();
    assert_eq!(some.quote.shipping_refund_cents, 0);
    orders.insert("O-1".to_owned(), with(order, some.ledgers["O-1"].clone()));
    let last = begin(&orders, &policy, &request(&[("O-1", "B", 1)])).unwrap();

    assert_eq!(last.quote.shipping_refund_cents, 700);
    assert!(last.ledgers["O-1"].shipping().is_some());
}

/// A request for another variant of line A.
fn exchange(fallback: Option<Fallback>) -> ReturnRequest {
    let mut asked = request(&[("O-1", "A", 1)]);
    let item = &mut asked.items[0];
    item.return_reason = "too_small".to_owned();
    (item.resolution, item.exchange_sku) = (Resolution::Exchange, Some("L".to_owned()));
    item.fallback = fallback;
    asked
}

/// The order, with the merchant's word on how many of variant L there are.
fn stocked(stock: i64) -> BTreeMap<String, OrderContext> {
    let mut orders = known(vec![one_order()]);
    let variant = Variant {
        sku: Some("L".to_owned()),
        title: None,
        attributes: Vec::new(),
        unit_price_amount_cents: Some(400),
        quantity_in_stock: Some(stock),
        image_url: None,
        product_url: None,
    };
    let order = orders.get_mut("O-1").unwrap();
    order.variants.insert("VAR-A".to_owned(), vec![variant]);
    orders
}

#[test]
fn an_exchange_waits_for_its_order_and_knows_the_price_of_the_variant() {
    let started = begin(&stocked(1), &Policy::default(), &exchange(None)).unwrap();

    assert_eq!(started.rma.status, RmaStatus::PendingExchange);
    assert_eq!(started.rma.units[0].goods.exchange_price_cents, Some(400));
}

#[test]
fn a_variant_that_is_gone_gives_way_to_what_was_chosen_in_advance() {
    let refund = Some(Fallback::Refund);
    let started = begin(&stocked(0), &Policy::default(), &exchange(refund)).unwrap();
    assert_eq!(started.rma.units[0].goods.resolution, Resolution::Refund);
    assert_eq!(started.rma.status, RmaStatus::Created);

    assert_refused(
        begin(&stocked(0), &Policy::default(), &exchange(None)),
        &[("$.items[0].exchange_sku", "variant_available")],
    );
}

#[test]
fn an_order_is_exchanged_once_and_then_only_refunded() {
    let mut orders = stocked(1);
    orders.get_mut("O-1").unwrap().exchanged = true;

    assert_refused(
        begin(&orders, &Policy::default(), &exchange(None)),
        &[("$.items[0].resolution", "one_exchange_order")],
    );
    begin(&orders, &Policy::default(), &request(&[("O-1", "A", 1)])).unwrap();
}

#[test]
fn items_that_together_ask_for_more_than_was_shipped_are_refused_for_that() {
    let orders = known(vec![one_order()]);
    let mut asked = request(&[("O-1", "A", 4)]);
    let item = ReturnItem { quantity: 2, ..asked.items.remove(0) };
    asked.items = vec![item.clone(), ReturnItem { return_reason: "damaged".to_owned(), ..item }];

    let refused = begin(&orders, &Policy::default(), &asked).unwrap_err();

    assert!(!refused.iter().any(ReturnRefusal::is_taken), "{refused:?}");
    assert_eq!(refused[0].message, "4 units were asked for, and 3 were shipped");
    assert_refused(Err(refused), &[("$.items[1]", "shipped")]);
}
