//! The amounts of an order: its total, payments, discounts and refunds.

use domain::orders::order::{Discount, Order, PaymentTransaction, Refund};

use crate::core::{
    format::{TimeElement, format_money},
    urls::return_url,
};

pub(super) struct RefundRow {
    pub(super) identifier: String,
    pub(super) total: String,
    pub(super) created: TimeElement,
    pub(super) units: String,
    /// The return that the refund refers to.
    pub(super) rma: Option<ReturnLink>,
    pub(super) note: String,
    pub(super) is_ignored: bool,
}

pub(super) struct ReturnLink {
    pub(super) identifier: String,
    pub(super) url: String,
}

pub(super) struct PaymentRow {
    pub(super) identifier: String,
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) method: String,
    pub(super) amount: String,
}

pub(super) struct DiscountRow {
    pub(super) code: String,
    pub(super) kind: String,
    pub(super) amount: String,
}

/// The parts of the total.
pub(super) fn amount_lines(order: &Order) -> Vec<(&'static str, String)> {
    let parts = [
        ("Products", order.product_amount_cents),
        ("Discount", -order.discount_amount_cents),
        ("Tax", order.tax_amount_cents),
        ("Shipping", order.shipping_amount_cents),
        ("Shipping tax", order.shipping_tax_amount_cents),
    ];
    let present = parts.into_iter().filter(|(_, cents)| *cents != 0);
    present.map(|(label, cents)| (label, format_money(cents, &order.currency))).collect()
}

pub(super) fn refund_row(refund: &Refund, amount: &impl Fn(i64) -> String) -> RefundRow {
    let units = refund
        .refund_line_items
        .iter()
        .map(|it| format!("{} × {}", it.quantity, it.order_item_identifier));
    let rma = refund.rma_identifier.clone();
    RefundRow {
        identifier: refund.identifier.clone(),
        total: amount(refund.total_refund_amount_cents),
        created: TimeElement(refund.created_at),
        units: units.collect::<Vec<_>>().join(", "),
        rma: rma.map(|rma| ReturnLink { url: return_url(&rma), identifier: rma }),
        note: refund.note.clone().unwrap_or_default(),
        is_ignored: refund.is_ignored(),
    }
}

pub(super) fn discount_row(discount: &Discount, amount: &impl Fn(i64) -> String) -> DiscountRow {
    let code = discount.code.clone().or_else(|| discount.identifier.clone());
    DiscountRow {
        code: code.unwrap_or_default(),
        kind: discount.kind.clone().unwrap_or_default(),
        amount: discount.amount_cents.map(amount).unwrap_or_default(),
    }
}

pub(super) fn payment_row(
    payment: &PaymentTransaction,
    amount: &impl Fn(i64) -> String,
) -> PaymentRow {
    let card = payment.payment_details.as_ref().and_then(|it| it.credit_card_company.clone());
    let method: Vec<String> = payment.gateway.clone().into_iter().chain(card).collect();
    PaymentRow {
        identifier: payment.identifier.clone().unwrap_or_default(),
        kind: payment.kind.clone().unwrap_or_default(),
        status: payment.status.clone().unwrap_or_default(),
        method: method.join(", "),
        amount: payment.amount_cents.map(amount).unwrap_or_default(),
    }
}
