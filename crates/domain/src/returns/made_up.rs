//! Orders for tests: by hand, and by the hundred thousand from a seed.
//!
//! Building an order through proptest's strategies costs more than judging it, so the random
//! ones come from a small generator of their own; a failing test names the seed.

use crate::json;
use crate::orders::order::{Order, OrderLine};
use crate::orders::order_message::{OrderReadContext, read_message};
use crate::random::SeededRandom;
use crate::samples;

/// The order of the full sample without its lines and refunds, shipped at the start of 2026.
pub(crate) fn empty_order() -> Order {
    let document = json::parse(samples::order_message().as_bytes()).unwrap();
    let context = OrderReadContext { now: "2026-01-01T00:00:00Z".parse().unwrap(), strict: false };
    let reading = read_message(&document, &context).unwrap();
    let mut order = reading.orders.into_iter().next().unwrap().order;
    order.items.clear();
    order.refunds.clear();
    order.transactions.clear();
    order.tags.clear();
    order.created_at = "2026-01-01T00:00:00Z".parse().unwrap();
    order
}

/// A line of so many shipped units at this price; product, tax and discount are the line's.
pub(crate) fn line(identifier: &str, units: i64, amounts: [i64; 3]) -> OrderLine {
    let [product, tax, discount] = amounts;
    OrderLine {
        identifier: identifier.to_owned(),
        sku: Some(format!("SKU-{identifier}")),
        upc: None,
        quantity: units,
        quantity_shipped: units,
        quantity_canceled: 0,
        quantity_refunded: None,
        tracking_number: None,
        reverse_tracking_number: None,
        shipped_date: Some("2026-01-02T18:40:00Z".parse().unwrap()),
        return_policy_end_date: None,
        product_identifier: format!("PRD-{identifier}"),
        variant_identifier: format!("VAR-{identifier}"),
        dropship_identifier: None,
        title: "Organic cotton tee".to_owned(),
        tags: Vec::new(),
        concept: None,
        product_amount_cents: product,
        tax_amount_cents: tax,
        discount_amount_cents: discount,
        unit_price_amount_cents: product.checked_div(units).unwrap_or_default(),
        image_url: None,
        weight: Some(0.5),
        variants: Vec::new(),
    }
}

/// An order of these lines whose discount is the lines' and `beyond`.
pub(crate) fn order(lines: Vec<OrderLine>, beyond: i64) -> Order {
    let mut order = empty_order();
    fill(&mut order, lines, beyond);
    order
}

fn fill(order: &mut Order, lines: Vec<OrderLine>, beyond: i64) {
    let together =
        |amount: fn(&OrderLine) -> i64| lines.iter().map(amount).fold(0_i64, i64::saturating_add);
    order.product_amount_cents = together(|line| line.product_amount_cents);
    order.tax_amount_cents = together(|line| line.tax_amount_cents);
    order.discount_amount_cents =
        together(|line| line.discount_amount_cents).saturating_add(beyond);
    order.items = lines;
}

/// Puts random lines and discounts into `order`: mostly small amounts, where rounding bites, some
/// very large, and now and then free or discounted to nothing.
pub(crate) fn fill_at_random(order: &mut Order, numbers: &mut SeededRandom) {
    let most = if numbers.one_in(20) { 10_000_000_000_000 } else { 20_000 };
    let lines: Vec<OrderLine> = (0..=numbers.between(0, 3))
        .map(|position| {
            let units = numbers.between(0, 6);
            let product = if units == 0 { 0 } else { numbers.between(0, most) };
            let discount = if numbers.one_in(3) { numbers.between(0, product) } else { 0 };
            let tax = numbers.between(0, product / 4);
            line(&format!("L-{position}"), units, [product, tax, discount])
        })
        .collect();
    let left: i64 =
        lines.iter().map(|line| line.product_amount_cents - line.discount_amount_cents).sum();
    let beyond = match numbers.between(0, 3) {
        0 => numbers.between(0, left),
        1 => numbers.between(0, left.min(500)),
        2 => left,
        _ => 0,
    };
    fill(order, lines, beyond);
}
