//! Orders and returns for tests: built by hand, or a hundred thousand of them from seeds.
//!
//! Building an order with proptest's strategies takes longer than checking it, so random orders
//! come from a small generator instead. A failing test names the seed.

use crate::json;
use crate::orders::order::{Order, OrderLine};
use crate::orders::order_message::{OrderReadContext, RefundCheck, read_message};
use crate::random::SeededRandom;
use crate::returns::ReturnMethod;
use crate::returns::identifier::RmaId;
use crate::returns::rma::{LineQuantity, NewRma, ReturnAmounts, Rma, RmaEvent, RmaGoods};
use crate::samples;

/// The order of the full sample without its lines and refunds, shipped at the start of 2026.
pub(crate) fn empty_order() -> Order {
    let document = json::parse(samples::order_message().as_bytes()).unwrap();
    let context = OrderReadContext {
        now: "2026-01-01T00:00:00Z".parse().unwrap(),
        strict: false,
        refunds: RefundCheck::All,
    };
    let reading = read_message(&document, &context).unwrap();
    let mut order = reading.orders.into_iter().next().unwrap().order;
    order.items.clear();
    order.refunds.clear();
    order.transactions.clear();
    order.tags.clear();
    order.created_at = "2026-01-01T00:00:00Z".parse().unwrap();
    order
}

/// A line of so many shipped units. The amounts are the line's product, tax, and discount.
pub(crate) fn order_line(identifier: &str, units: i64, amounts: [i64; 3]) -> OrderLine {
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
        delivered_date: None,
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

/// An order of these lines. Its discount is `beyond` plus the discounts of the lines.
pub(crate) fn order_of(lines: Vec<OrderLine>, beyond: i64) -> Order {
    let mut order = empty_order();
    fill(&mut order, lines, beyond);
    order
}

fn fill(order: &mut Order, lines: Vec<OrderLine>, beyond: i64) {
    let sum =
        |amount: fn(&OrderLine) -> i64| lines.iter().map(amount).fold(0_i64, i64::saturating_add);
    order.product_amount_cents = sum(|line| line.product_amount_cents);
    order.tax_amount_cents = sum(|line| line.tax_amount_cents);
    order.discount_amount_cents = sum(|line| line.discount_amount_cents).saturating_add(beyond);
    order.items = lines;
}

/// Fills `order` with random lines and discounts: mostly small amounts, for which rounding matters,
/// some very large ones, and some that are free or discounted to zero.
pub(crate) fn fill_randomly(order: &mut Order, random: &mut SeededRandom) {
    let most = if random.one_in(20) { 10_000_000_000_000 } else { 20_000 };
    let lines: Vec<OrderLine> = (0..=random.between(0, 3))
        .map(|position| {
            let units = random.between(0, 6);
            let product = if units == 0 { 0 } else { random.between(0, most) };
            let discount = if random.one_in(3) { random.between(0, product) } else { 0 };
            let tax = random.between(0, product / 4);
            order_line(&format!("L-{position}"), units, [product, tax, discount])
        })
        .collect();
    let left: i64 =
        lines.iter().map(|line| line.product_amount_cents - line.discount_amount_cents).sum();
    let beyond = match random.between(0, 3) {
        0 => random.between(0, left),
        1 => random.between(0, left.min(500)),
        2 => left,
        _ => 0,
    };
    fill(order, lines, beyond);
}

/// A new return of `goods`, without fees.
pub(crate) fn new_rma(
    return_method: ReturnMethod,
    managed_receiving: bool,
    goods: Vec<RmaGoods>,
) -> NewRma {
    NewRma {
        rma_identifier: RmaId::from_random([7; 8]),
        return_method,
        amounts: ReturnAmounts::default(),
        giftee_email: None,
        email: Some("dana.whitfield@example.com".to_owned()),
        concept: None,
        currency: "USD".to_owned(),
        policy_version: 1,
        managed_receiving,
        refund_tolerance_cents: 0,
        message_extensions: false,
        withdrawal_identifier: None,
        goods,
    }
}

/// A refund of one unit of each of these lines of a return, or of none.
pub(crate) fn refund_event(
    rma: &Rma,
    refund: &str,
    lines: &[String],
    amount_cents: i64,
) -> RmaEvent {
    let (refund_identifier, accepted_cents) = (refund.to_owned(), 0);
    if lines.is_empty() {
        return RmaEvent::RefundedExtra { refund_identifier, amount_cents, accepted_cents };
    }
    let line =
        |line: &String| LineQuantity { order_line_item_identifier: line.clone(), quantity: 1 };
    let order_identifier = rma.units[0].goods.order_identifier.clone();
    let lines = lines.iter().map(line).collect();
    RmaEvent::Refunded { refund_identifier, order_identifier, lines, amount_cents, accepted_cents }
}
