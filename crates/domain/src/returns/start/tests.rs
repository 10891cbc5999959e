//! Returns that start, and every reason why others do not.

mod fallbacks;

use super::*;
use crate::json;
use crate::orders::order::Order;
use crate::returns::ReturnMethod;
use crate::returns::policy::{MethodOffer, ShippingRefunded};
use crate::returns::request::{Fallback, Gift, read_request};
use crate::returns::rma::RmaStatus;
use crate::returns::test_orders::{order_line, order_of};

const NOW: &str = "2026-01-10T12:00:00Z";

/// So many units of a line: the order, the line, the quantity.
struct Units(&'static str, &'static str, i64);

/// Orders by their identifiers, with nothing spent.
fn contexts(orders: Vec<Order>) -> BTreeMap<String, OrderContext> {
    orders
        .into_iter()
        .map(|it| (it.identifier.clone(), context_of(it, Ledger::default())))
        .collect()
}

fn context_of(order: Order, ledger: Ledger) -> OrderContext {
    let variants = BTreeMap::new();
    OrderContext { order, ledger, original_order_identifier: None, exchanged: false, variants }
}

fn sample_order() -> Order {
    let mut order =
        order_of(vec![order_line("A", 3, [1000, 80, 0]), order_line("B", 1, [500, 40, 0])], 100);
    order.identifier = "O-1".to_owned();
    order.customer.email = "dana@example.com".to_owned();
    order
}

/// Requests units of lines, each of an order.
fn request_units(items: &[Units]) -> ReturnRequest {
    let item = |Units(order, line, quantity): &Units| {
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

fn start_return(
    orders: &BTreeMap<String, OrderContext>,
    policy: &Policy,
    request: &ReturnRequest,
) -> Result<StartedReturn, Vec<ReturnRefusal>> {
    start_as("RMA-7K3Q-9XWD-2M4T", orders, policy, request)
}

fn start_as(
    rma: &str,
    orders: &BTreeMap<String, OrderContext>,
    policy: &Policy,
    request: &ReturnRequest,
) -> Result<StartedReturn, Vec<ReturnRefusal>> {
    let now = NOW.parse().unwrap();
    let context = StartContext {
        request,
        orders,
        policy,
        policy_version: 7,
        settings: MerchantSettings::default(),
        now,
    };
    start(&context, RmaId::parse(rma).unwrap())
}

/// Asserts that the fields break these rules, and nothing else.
fn assert_refused(result: Result<StartedReturn, Vec<ReturnRefusal>>, expected: &[(&str, &str)]) {
    let refusals = result.unwrap_err();
    let broken: Vec<_> = refusals.iter().map(|it| (it.field.as_str(), it.rule.name())).collect();
    assert_eq!(broken, expected);
}

#[test]
fn a_return_has_one_unit_for_each_piece_and_spends_it_in_the_ledger() {
    let orders = contexts(vec![sample_order()]);

    let started =
        start_return(&orders, &Policy::default(), &request_units(&[Units("O-1", "A", 2)])).unwrap();

    let numbers: Vec<i64> = started.rma.units.iter().map(|unit| unit.goods.unit_number).collect();
    assert_eq!(numbers, [1, 2]);
    assert_eq!((started.rma.status, started.rma.policy_version), (RmaStatus::Created, 7));
    assert_eq!(started.ledgers["O-1"].spent("A").len(), 2);
    let worth: i64 = started.rma.units.iter().map(|it| it.goods.amounts.refund_cents()).sum();
    assert_eq!(started.quote.refund_cents, worth);
}

#[test]
fn the_same_unit_cannot_be_on_two_returns() {
    let mut orders = contexts(vec![sample_order()]);
    let request = request_units(&[Units("O-1", "B", 1)]);
    let started = start_return(&orders, &Policy::default(), &request).unwrap();
    orders.insert("O-1".to_owned(), context_of(sample_order(), started.ledgers["O-1"].clone()));

    let other = "RMA-8K3Q-9XWD-2M4T";
    let refused = start_as(other, &orders, &Policy::default(), &request).unwrap_err();

    assert!(refused.iter().all(ReturnRefusal::is_taken), "{refused:?}");
}

#[test]
fn everything_that_prevents_a_return_is_reported_at_once() {
    let orders = contexts(vec![sample_order()]);
    let request =
        request_units(&[Units("O-9", "A", 1), Units("O-1", "Z", 1), Units("O-1", "A", 9)]);

    assert_refused(
        start_return(&orders, &Policy::default(), &request),
        &[
            ("$.items[0].order_identifier", "order_known"),
            ("$.items[1].order_line_item_identifier", "line_known"),
            ("$.items[2]", "shipped"),
        ],
    );
}

#[test]
fn another_shoppers_order_is_refused_and_a_gift_needs_no_e_mail_address() {
    let orders = contexts(vec![sample_order()]);
    let mut request = request_units(&[Units("O-1", "A", 1)]);
    request.email = Some("someone@example.com".to_owned());
    assert_refused(
        start_return(&orders, &Policy::default(), &request),
        &[("$.email", "same_shopper")],
    );

    request.email = None;
    request.gift = Some(Gift { giftee_email: "robin@example.com".to_owned() });
    let policy = Policy { gift_returns: true, ..Policy::default() };
    let started = start_return(&orders, &policy, &request).unwrap();
    assert!(started.rma.gift_refund_only());
}

#[test]
fn a_return_may_have_several_orders_of_one_shopper_and_currency() {
    let mut second = sample_order();
    second.identifier = "O-2".to_owned();
    let mut foreign = sample_order();
    foreign.identifier = "O-3".to_owned();
    foreign.currency = "EUR".to_owned();
    let orders = contexts(vec![sample_order(), second, foreign]);

    let together = request_units(&[Units("O-1", "A", 1), Units("O-2", "A", 1)]);
    let started = start_return(&orders, &Policy::default(), &together).unwrap();
    assert_eq!(started.ledgers.keys().collect::<Vec<_>>(), ["O-1", "O-2"]);
    let apart = request_units(&[Units("O-1", "A", 1), Units("O-3", "A", 1)]);
    assert_refused(
        start_return(&orders, &Policy::default(), &apart),
        &[("$.items[1]", "same_currency")],
    );
}

#[test]
fn a_method_must_be_offered_in_the_country_of_each_order() {
    let (mut home, mut abroad) = (sample_order(), sample_order());
    home.shipping_address.country_code = "US".to_owned();
    abroad.identifier = "O-2".to_owned();
    abroad.shipping_address.country_code = "CA".to_owned();
    let orders = contexts(vec![home, abroad]);
    let mut policy = Policy::default();
    policy.methods[0].countries = vec!["US".to_owned()];
    policy.methods.push(MethodOffer::free(ReturnMethod::HomePickup));

    let together = request_units(&[Units("O-1", "A", 1), Units("O-2", "A", 1)]);
    assert_refused(
        start_return(&orders, &policy, &together),
        &[("$.return_method", "method_country")],
    );
    policy.methods[0].countries.push("CA".to_owned());
    assert!(start_return(&orders, &policy, &together).is_ok());
}

#[test]
fn an_item_keeps_its_position_when_an_item_before_it_is_refused() {
    let mut foreign = sample_order();
    foreign.identifier = "O-3".to_owned();
    foreign.currency = "EUR".to_owned();
    let orders = contexts(vec![sample_order(), foreign]);
    let request =
        request_units(&[Units("O-9", "A", 1), Units("O-1", "A", 1), Units("O-3", "A", 1)]);

    assert_refused(
        start_return(&orders, &Policy::default(), &request),
        &[("$.items[0].order_identifier", "order_known"), ("$.items[2]", "same_currency")],
    );
}

#[test]
fn what_the_merchant_does_not_offer_is_refused_with_its_rule_and_field() {
    let orders = contexts(vec![sample_order()]);
    let mut request = request_units(&[Units("O-1", "A", 1)]);
    request.return_method = ReturnMethod::HomePickup;
    request.items[0].return_reason = "bored".to_owned();

    assert_refused(
        start_return(&orders, &Policy::default(), &request),
        &[("$.items[0].return_reason", "reason_known"), ("$.return_method", "method_offered")],
    );
}

#[test]
fn shipping_is_refunded_once_with_the_last_unit() {
    let shipping_refunded = ShippingRefunded::WhenEverythingReturns;
    let policy = Policy { shipping_refunded, ..Policy::default() };
    let mut order = sample_order();
    (order.shipping_amount_cents, order.shipping_tax_amount_cents) = (700, 0);
    let mut orders = contexts(vec![order.clone()]);

    let some = start_return(&orders, &policy, &request_units(&[Units("O-1", "A", 3)])).unwrap();
    assert_eq!(some.quote.shipping_refund_cents, 0);
    orders.insert("O-1".to_owned(), context_of(order, some.ledgers["O-1"].clone()));
    let last = start_return(&orders, &policy, &request_units(&[Units("O-1", "B", 1)])).unwrap();

    assert_eq!(last.quote.shipping_refund_cents, 700);
    assert!(last.ledgers["O-1"].shipping().is_some());
}

/// A request for another variant of line A.
fn exchange_request(fallback: Option<Fallback>) -> ReturnRequest {
    let mut request = request_units(&[Units("O-1", "A", 1)]);
    let item = &mut request.items[0];
    item.return_reason = "too_small".to_owned();
    (item.resolution, item.exchange_sku) = (Resolution::Exchange, Some("L".to_owned()));
    item.fallback = fallback;
    request
}

/// The order, with so many units of variant L in stock.
fn with_stock(stock: i64) -> BTreeMap<String, OrderContext> {
    let mut orders = contexts(vec![sample_order()]);
    let variant = Variant {
        sku: Some("L".to_owned()),
        title: Some("Tee, L".to_owned()),
        product_identifier: None,
        attributes: Vec::new(),
        unit_price_amount_cents: Some(400),
        quantity_in_stock: Some(stock),
        image_url: None,
        product_url: None,
    };
    let order = orders.get_mut("O-1").unwrap();
    order.variants.insert("VAR-A".to_owned(), Some(vec![variant]));
    orders
}

#[test]
fn an_exchange_waits_for_its_order_and_has_the_price_and_name_of_the_variant() {
    let policy = Policy { dearer_exchanges: true, ..Policy::default() };
    let started = start_return(&with_stock(1), &policy, &exchange_request(None)).unwrap();

    assert_eq!(started.rma.status, RmaStatus::PendingExchange);
    assert_eq!(started.rma.units[0].goods.exchange_price_cents, Some(400));
    assert_eq!(started.rma.units[0].goods.exchange_title.as_deref(), Some("Tee, L"));
}

#[test]
fn a_sold_out_variant_is_replaced_by_the_fallback() {
    let refund = Some(Fallback::Refund);
    let started =
        start_return(&with_stock(0), &Policy::default(), &exchange_request(refund)).unwrap();
    assert_eq!(started.rma.units[0].goods.resolution, Resolution::Refund);
    assert_eq!(started.rma.status, RmaStatus::Created);

    assert_refused(
        start_return(&with_stock(0), &Policy::default(), &exchange_request(None)),
        &[("$.items[0].exchange_sku", "variant_available")],
    );
}

#[test]
fn a_variant_is_available_only_if_there_are_enough_for_all_items() {
    let policy = Policy { dearer_exchanges: true, ..Policy::default() };
    let mut both = exchange_request(None);
    both.items[0].quantity = 2;
    let refused = start_return(&with_stock(1), &policy, &both).unwrap_err();
    assert_eq!(refused[0].message, "only one unit of L is in stock");
    start_return(&with_stock(2), &policy, &both).unwrap();

    let mut each = exchange_request(None);
    each.items.extend(exchange_request(Some(Fallback::Refund)).items);
    let started = start_return(&with_stock(1), &policy, &each).unwrap();
    let resolutions: Vec<_> = started.rma.units.iter().map(|it| it.goods.resolution).collect();
    assert_eq!(resolutions, [Resolution::Exchange, Resolution::Refund]);
    each.items[1].fallback = None;
    let sku = |position: usize| format!("$.items[{position}].exchange_sku");
    let refused = start_return(&with_stock(1), &policy, &each);
    let (first, second) = (sku(0), sku(1));
    assert_refused(refused, &[(&first, "variant_available"), (&second, "variant_available")]);
}

#[test]
fn an_order_is_exchanged_once_and_then_only_refunded() {
    let mut orders = with_stock(1);
    orders.get_mut("O-1").unwrap().exchanged = true;

    assert_refused(
        start_return(&orders, &Policy::default(), &exchange_request(None)),
        &[("$.items[0].resolution", "one_exchange_order")],
    );
    start_return(&orders, &Policy::default(), &request_units(&[Units("O-1", "A", 1)])).unwrap();
}

#[test]
fn items_that_together_request_more_units_than_were_shipped_are_refused() {
    let orders = contexts(vec![sample_order()]);
    let mut request = request_units(&[Units("O-1", "A", 4)]);
    let item = ReturnItem { quantity: 2, ..request.items.remove(0) };
    request.items = vec![item.clone(), ReturnItem { return_reason: "damaged".to_owned(), ..item }];

    let refused = start_return(&orders, &Policy::default(), &request).unwrap_err();

    assert!(!refused.iter().any(ReturnRefusal::is_taken), "{refused:?}");
    assert_eq!(refused[0].message, "4 units were requested, but only 3 were shipped");
    assert_refused(Err(refused), &[("$.items[1]", "shipped")]);
}

#[test]
fn a_variant_at_another_price_is_offered_only_where_the_policy_says_so() {
    let default = Policy::default();
    let cheaper = Policy { cheaper_exchanges: true, ..Policy::default() };
    let dearer = Policy { dearer_exchanges: true, ..Policy::default() };
    let price = sample_order().items[0].unit_price_amount_cents;
    let start_at = |price_cents: i64, policy: &Policy| {
        let mut orders = with_stock(1);
        let variants = orders.get_mut("O-1").unwrap().variants.get_mut("VAR-A").unwrap();
        variants.as_mut().unwrap()[0].unit_price_amount_cents = Some(price_cents);
        let refused = start_return(&orders, policy, &exchange_request(None)).err();
        refused.map(|refusals| refusals[0].rule)
    };

    for policy in [&default, &cheaper, &dearer] {
        assert_eq!(start_at(price, policy), None);
    }
    let refused = Some(StartRule::VariantPrice);
    assert_eq!((start_at(price - 1, &default), start_at(price + 1, &default)), (refused, refused));
    assert_eq!((start_at(price - 1, &cheaper), start_at(price + 1, &cheaper)), (None, refused));
    assert_eq!((start_at(price - 1, &dearer), start_at(price + 1, &dearer)), (refused, None));
}

#[test]
fn a_gift_is_returned_only_where_the_policy_says_so() {
    let mut request = request_units(&[Units("O-1", "A", 1)]);
    request.gift = Some(Gift { giftee_email: "robin@example.com".to_owned() });
    let orders = contexts(vec![sample_order()]);
    let allowed = Policy { gift_returns: true, ..Policy::default() };

    assert!(start_return(&orders, &allowed, &request).is_ok());
    let refused = start_return(&orders, &Policy::default(), &request).unwrap_err();
    assert_eq!((refused[0].rule, refused[0].field.as_str()), (StartRule::GiftReturns, "$.gift"));
}
