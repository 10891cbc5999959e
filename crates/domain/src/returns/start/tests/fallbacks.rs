//! What takes the place of a variant that is out of stock, where several items want the same one
//! and where the shopper named another.

use super::*;

/// The order, with so many units of the variants L and S in stock.
fn with_stocks(large: i64, small: i64) -> BTreeMap<String, OrderContext> {
    let mut orders = with_stock(large);
    let variants = orders.get_mut("O-1").unwrap().variants.get_mut("VAR-A").unwrap();
    let variants = variants.as_mut().unwrap();
    let mut other = variants[0].clone();
    (other.sku, other.title) = (Some("S".to_owned()), Some("Tee, S".to_owned()));
    (other.unit_price_amount_cents, other.quantity_in_stock) = (Some(300), Some(small));
    variants.push(other);
    orders
}

/// A request for variant L, or S if there is none.
fn large_or_small() -> ReturnRequest {
    let mut request = exchange_request(Some(Fallback::Variant));
    request.items[0].fallback_sku = Some("S".to_owned());
    request
}

/// The same twice, for different reasons.
fn large_or_small_twice() -> ReturnRequest {
    let mut request = large_or_small();
    let again = ReturnItem { return_reason: "too_large".to_owned(), ..request.items[0].clone() };
    request.items.push(again);
    request
}

/// Any price is offered.
fn any_price() -> Policy {
    Policy { cheaper_exchanges: true, dearer_exchanges: true, ..Policy::default() }
}

/// The variant or the resolution that each unit gets.
fn outcome(started: &StartedReturn) -> Vec<&str> {
    let goods = started.rma.units.iter().map(|unit| &unit.goods);
    goods.map(|it| it.exchange_sku.as_deref().unwrap_or(it.resolution.name())).collect()
}

#[test]
fn a_sold_out_variant_is_replaced_by_the_other_as_if_it_had_been_chosen() {
    let started = start_return(&with_stocks(0, 1), &any_price(), &large_or_small()).unwrap();
    let mut chosen = exchange_request(None);
    chosen.items[0].exchange_sku = Some("S".to_owned());

    assert_eq!(Ok(started), start_return(&with_stocks(0, 1), &any_price(), &chosen));
}

#[test]
fn a_variant_in_stock_is_not_replaced_whether_the_other_is_in_stock_or_not() {
    for small in [0, 1] {
        let orders = with_stocks(1, small);
        let started = start_return(&orders, &any_price(), &large_or_small()).unwrap();
        assert_eq!(outcome(&started), ["L"]);
        assert_eq!(started.rma.units[0].goods.fallback_sku.as_deref(), Some("S"));
    }
}

#[test]
fn another_variant_that_is_sold_out_or_unknown_is_refused_at_its_own_field() {
    let refused = start_return(&with_stocks(0, 0), &any_price(), &large_or_small()).unwrap_err();
    assert_eq!(refused[0].message, "S is out of stock");
    assert_refused(Err(refused), &[("$.items[0].fallback_sku", "variant_available")]);

    let mut unknown = large_or_small();
    unknown.items[0].fallback_sku = Some("XS".to_owned());
    assert_refused(
        start_return(&with_stocks(0, 1), &any_price(), &unknown),
        &[("$.items[0].fallback_sku", "variant_available")],
    );
}

#[test]
fn another_variant_at_a_price_that_is_not_offered_is_refused_even_if_it_is_not_needed() {
    let dearer = Policy { dearer_exchanges: true, ..Policy::default() };
    for large in [0, 1] {
        assert_refused(
            start_return(&with_stocks(large, 1), &dearer, &large_or_small()),
            &[("$.items[0].fallback_sku", "variant_price")],
        );
    }
}

#[test]
fn of_two_items_that_want_the_last_unit_the_first_gets_it() {
    let mut request = large_or_small_twice();

    let started = start_return(&with_stocks(1, 1), &any_price(), &request).unwrap();
    assert_eq!(outcome(&started), ["L", "S"]);
    assert_refused(
        start_return(&with_stocks(0, 1), &any_price(), &request),
        &[("$.items[1].fallback_sku", "variant_available")],
    );
    for item in &mut request.items {
        (item.fallback, item.fallback_sku) = (Some(Fallback::Refund), None);
    }
    let started = start_return(&with_stocks(1, 0), &any_price(), &request).unwrap();
    assert_eq!(outcome(&started), ["L", "refund"]);
}

#[test]
fn an_item_without_a_fallback_gets_the_last_unit_before_one_that_has_one() {
    let mut request = large_or_small_twice();
    (request.items[1].fallback, request.items[1].fallback_sku) = (None, None);

    let started = start_return(&with_stocks(1, 1), &any_price(), &request).unwrap();

    assert_eq!(outcome(&started), ["S", "L"]);
}

#[test]
fn a_variant_that_was_chosen_is_not_taken_away_by_the_fallback_of_another_item() {
    let mut request = large_or_small_twice();
    let small = Some("S".to_owned());
    let chosen = &mut request.items[1];
    (chosen.exchange_sku, chosen.fallback, chosen.fallback_sku) = (small, None, None);

    let refused = start_return(&with_stocks(0, 1), &any_price(), &request).unwrap_err();
    assert_eq!(refused[0].message, "only one unit of S is in stock");
    assert_refused(Err(refused), &[("$.items[0].fallback_sku", "variant_available")]);
    let started = start_return(&with_stocks(0, 2), &any_price(), &request).unwrap();
    assert_eq!(outcome(&started), ["S", "S"]);
}

#[test]
fn lines_of_one_identifier_have_their_own_variants_if_the_merchant_has_no_list() {
    let mut orders = with_stocks(9, 9);
    let context = orders.get_mut("O-1").unwrap();
    let variants = context.variants.insert("VAR-A".to_owned(), None).unwrap().unwrap();
    for (line, variant) in context.order.items.iter_mut().zip(variants) {
        line.variant_identifier = "VAR-A".to_owned();
        line.variants = vec![variant];
    }
    let mut request = exchange_request(None);
    let second = ReturnItem {
        order_line_item_identifier: "B".to_owned(),
        exchange_sku: Some("S".to_owned()),
        ..request.items[0].clone()
    };
    request.items.push(second);

    let started = start_return(&orders, &any_price(), &request).unwrap();
    assert_eq!(outcome(&started), ["L", "S"]);
    request.items[1].exchange_sku = Some("L".to_owned());
    let refused = start_return(&orders, &any_price(), &request);
    assert_refused(refused, &[("$.items[1].exchange_sku", "variant_available")]);
}
