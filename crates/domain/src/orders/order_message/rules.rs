//! What must hold between the fields of an order, beyond each field on its own.
//!
//! A rule runs only if the values that it needs were sent and are readable: a missing quantity is
//! reported once, as missing, and not again as a sum that does not match. Rules about arithmetic
//! that real systems break every day (rounding, refunds dated now) only raise doubts: warnings,
//! unless the merchant asked for strict reading.

use std::collections::HashSet;

use jiff::Timestamp;

use super::{OrderReadContext, RefundCheck, UNITS_MAX};
use crate::faults::FaultCode;
use crate::orders::order::{Order, OrderLine, Refund, RefundLine};
use crate::orders::payments;
use crate::reader::fields::{Fields, ListElement};
use crate::reader::path::PathStep;

/// The fewest letters and digits of a gift code.
const GIFT_CODE_MIN: usize = 6;
const DUPLICATE: &str = "must be unique";

/// What the rules need to know of a whole message: its time, and the identifiers that must be
/// unique in it, as far as it was read.
pub(super) struct IntakeRules {
    now: Timestamp,
    checks_refund_dates: bool,
    checks_refund_lines: bool,
    orders: HashSet<String>,
    refunds: HashSet<String>,
}

impl IntakeRules {
    pub(super) fn new(context: &OrderReadContext) -> Self {
        Self {
            now: context.now,
            // A doubt about a date is not a fault, so it need not wait.
            checks_refund_dates: context.refunds == RefundCheck::All || !context.strict,
            checks_refund_lines: context.refunds == RefundCheck::All,
            orders: HashSet::new(),
            refunds: HashSet::new(),
        }
    }

    pub(super) fn check_order_identifier(&mut self, at: &Fields<'_>, identifier: &str) {
        if at.sound(&["identifier"]) && !self.orders.insert(identifier.to_owned()) {
            at.note("identifier", DUPLICATE);
        }
    }
}

pub(super) fn check_line(at: &Fields<'_>, line: &OrderLine) {
    if line.sku.is_none() && line.upc.is_none() && at.sound(&["sku", "upc"]) {
        at.note_neither_of(["sku", "upc"]);
    }
    if at.sound(&["quantity", "quantity_shipped", "quantity_canceled"])
        && line.quantity < line.quantity_shipped + line.quantity_canceled
    {
        at.note("quantity", "must be at least quantity_shipped plus quantity_canceled");
    }
    let refunded = line.quantity_refunded.unwrap_or_default();
    if at.sound(&["quantity_refunded", "quantity_shipped"]) && refunded > line.quantity_shipped {
        at.note("quantity_refunded", "must not exceed quantity_shipped");
    }
    let product = line.unit_price_amount_cents.saturating_mul(line.quantity_shipped);
    if at.sound(&["unit_price_amount_cents", "quantity_shipped", "product_amount_cents"])
        && line.product_amount_cents != product
    {
        let reason = format!("should be {product} (unit price times quantity_shipped)");
        at.doubt("product_amount_cents", &reason);
    }
}

/// A gift code must not be easy to guess.
pub(super) fn check_gift_code(at: &Fields<'_>, code: Option<&str>) {
    let letters = |code: &str| code.chars().filter(|letter| letter.is_alphanumeric()).count();
    if code.is_some_and(|code| letters(code) < GIFT_CODE_MIN) {
        at.note("gift_code", &format!("must have at least {GIFT_CODE_MIN} letters or digits"));
    }
}

/// Every line of an order has a unique identifier.
pub(super) fn check_distinct_lines(at: &Fields<'_>, items: &[ListElement<OrderLine>]) {
    let mut identifiers = HashSet::with_capacity(items.len());
    for item in items.iter().filter(|item| item.sound("identifier")) {
        if !identifiers.insert(item.value.identifier.as_str()) {
            let steps = [
                PathStep::Key("items"),
                PathStep::Index(item.position),
                PathStep::Key("identifier"),
            ];
            at.reader().note_at(&steps, FaultCode::Invalid, DUPLICATE);
        }
    }
}

/// An order has at most [`UNITS_MAX`] shipped units.
pub(super) fn check_units(at: &Fields<'_>, items: &[ListElement<OrderLine>]) {
    if sum(items.iter().map(|item| item.value.quantity_shipped)) > UNITS_MAX {
        at.note("items", &format!("must have at most {UNITS_MAX} shipped units together"));
    }
}

/// The amounts of an order are the sums of its lines and payments.
pub(super) fn check_amounts(at: &Fields<'_>, order: &Order, items: &[ListElement<OrderLine>]) {
    let lines_together = |key, amount: fn(&OrderLine) -> i64| {
        let readable = at.sound(&["items"]) && items.iter().all(|item| item.sound(key));
        readable.then(|| sum(items.iter().map(|item| amount(&item.value))))
    };
    let expect = |key, sent: i64, expected: Option<i64>, meaning: &str| {
        if let Some(expected) = expected.filter(|expected| *expected != sent && at.sound(&[key])) {
            at.doubt(key, &format!("should be {expected} ({meaning})"));
        }
    };

    let product = lines_together("product_amount_cents", |line| line.product_amount_cents);
    let of_lines = "the sum of the lines";
    expect("product_amount_cents", order.product_amount_cents, product, of_lines);
    let tax = lines_together("tax_amount_cents", |line| line.tax_amount_cents);
    expect("tax_amount_cents", order.tax_amount_cents, tax, of_lines);

    let discount = lines_together("discount_amount_cents", |line| line.discount_amount_cents);
    let total = discount.filter(|_| at.sound(&TOTAL_PARTS)).map(|discount| {
        let charged = sum([
            order.product_amount_cents,
            order.tax_amount_cents,
            order.shipping_amount_cents,
            order.shipping_tax_amount_cents,
        ]);
        charged.saturating_sub(discount.max(order.discount_amount_cents))
    });
    let of_parts = "products, tax, shipping, and shipping tax, less the discount";
    expect("total_amount_cents", order.total_amount_cents, total, of_parts);

    let total = order.total_amount_cents;
    if at.sound(&["transactions", "total_amount_cents"])
        && payments::add_up(&order.transactions, total) == Some(false)
    {
        at.doubt("transactions", &format!("should add up to total_amount_cents ({total})"));
    }
}

/// What the total consists of.
const TOTAL_PARTS: [&str; 5] = [
    "product_amount_cents",
    "tax_amount_cents",
    "shipping_amount_cents",
    "shipping_tax_amount_cents",
    "discount_amount_cents",
];

fn sum(amounts: impl IntoIterator<Item = i64>) -> i64 {
    amounts.into_iter().fold(0, i64::saturating_add)
}

/// The rules for the refunds of one order, and what they need to know while refunds are read.
pub(super) struct RefundRules<'a> {
    message: &'a mut IntakeRules,
    /// What the order costs, or None if that was not readable.
    total_cents: Option<i64>,
    /// The units shipped of all lines, or None if that was not readable.
    shipped: Option<i64>,
    line_identifiers: HashSet<String>,
    /// The lines by identifier, or None if it is not clear which lines there are.
    units: Option<Vec<RefundableUnits<'a>>>,
}

/// The units of one line.
struct RefundableUnits<'a> {
    identifier: &'a str,
    /// None if the quantity was not readable.
    shipped: Option<i64>,
    refunded: i64,
}

impl<'a> RefundRules<'a> {
    pub(super) fn of(
        at: &Fields<'_>,
        items: &'a [ListElement<OrderLine>],
        total_cents: i64,
        message: &'a mut IntakeRules,
    ) -> Self {
        let readable = at.sound(&["items"]) && items.iter().all(|item| item.sound("identifier"));
        let units = readable.then(|| units_by_identifier(items));
        let total_cents = at.sound(&["total_amount_cents"]).then_some(total_cents);
        let shipped: Option<Vec<i64>> =
            units.as_ref().and_then(|units| units.iter().map(|units| units.shipped).collect());
        Self {
            message,
            total_cents,
            shipped: shipped.map(sum),
            line_identifiers: HashSet::new(),
            units,
        }
    }

    pub(super) fn check(&mut self, at: &Fields<'_>, refund: &Refund) {
        if at.sound(&["identifier"]) && !self.message.refunds.insert(refund.identifier.clone()) {
            at.note("identifier", DUPLICATE);
        }
        let is_past = refund.created_at <= self.message.now;
        if self.message.checks_refund_dates && is_past && at.sound(&["created_at"]) {
            at.doubt("created_at", "should be in the future");
        }
    }

    /// A refund of every shipped unit pays back what the order cost. Not an error for strict
    /// merchants either: a fee, or shipping that is not refunded, makes less of a promised refund.
    pub(super) fn check_amount(&self, at: &Fields<'_>, refund: &Refund) {
        let refunded = sum(refund.refund_line_items.iter().map(|line| line.quantity));
        let readable = at.sound(&["total_refund_amount_cents", "refund_line_items"]);
        if let Some(total) = self.total_cents
            && readable
            && refunded > 0
            && self.shipped == Some(refunded)
            && refund.total_refund_amount_cents != total
            && !refund.is_ignored()
        {
            let reason = format!("should be {total} (total_amount_cents, for every shipped unit)");
            at.warn("total_refund_amount_cents", &reason);
        }
    }

    /// Checks a line of a refund. If the refund is `ignored`, its units do not count.
    pub(super) fn check_line(&mut self, at: &Fields<'_>, line: &RefundLine, ignored: bool) {
        if at.sound(&["identifier"]) && !self.line_identifiers.insert(line.identifier.clone()) {
            at.note("identifier", DUPLICATE);
        }
        if !self.message.checks_refund_lines {
            return;
        }
        let Some(units) = self.units.as_mut().filter(|_| at.sound(&["order_item_identifier"]))
        else {
            return;
        };
        let identifier = line.order_item_identifier.as_str();
        let position = units.binary_search_by(|units| units.identifier.cmp(identifier)).ok();
        let Some(units) = position.and_then(|position| units.get_mut(position)) else {
            at.note("order_item_identifier", "must be the identifier of a line of this order");
            return;
        };
        if ignored || !at.sound(&["quantity"]) {
            return;
        }
        units.refunded += line.quantity;
        if units.shipped.is_some_and(|shipped| units.refunded > shipped) {
            at.note(
                "quantity",
                "must not, together with earlier refunds, exceed the units shipped",
            );
        }
    }
}

/// Sorted for binary search. Lines that share an identifier become one, with unknown units.
fn units_by_identifier(items: &[ListElement<OrderLine>]) -> Vec<RefundableUnits<'_>> {
    let mut sorted: Vec<RefundableUnits<'_>> = items
        .iter()
        .map(|item| RefundableUnits {
            identifier: &item.value.identifier,
            shipped: Some(item.value.quantity_shipped).filter(|_| item.sound("quantity_shipped")),
            refunded: 0,
        })
        .collect();
    sorted.sort_unstable_by_key(|units| units.identifier);
    sorted.dedup_by(|later, first| {
        let shared = later.identifier == first.identifier;
        if shared {
            first.shipped = None;
        }
        shared
    });
    sorted
}
