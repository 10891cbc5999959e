//! What an order cost, how it was paid, and what was paid back.

use domain::orders::order::{Discount, Order, PaymentTransaction, Refund};

use crate::core::{
    lists::Moment,
    words::{money, path},
};

pub(super) struct RefundShown {
    pub(super) identifier: String,
    pub(super) total: String,
    pub(super) created: Moment,
    pub(super) units: String,
    /// The return that it names, and where that is shown.
    pub(super) rma: Option<(String, String)>,
    pub(super) note: String,
    pub(super) is_ignored: bool,
}

pub(super) struct PaymentShown {
    pub(super) identifier: String,
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) how: String,
    pub(super) amount: String,
}

/// What the total is made of.
pub(super) fn sums(order: &Order) -> Vec<(&'static str, String)> {
    let sums = [
        ("Products", order.product_amount_cents),
        ("Discount", -order.discount_amount_cents),
        ("Tax", order.tax_amount_cents),
        ("Shipping", order.shipping_amount_cents),
        ("Tax on shipping", order.shipping_tax_amount_cents),
    ];
    let shown = sums.into_iter().filter(|(_, cents)| *cents != 0);
    shown.map(|(name, cents)| (name, money(cents, &order.currency))).collect()
}

pub(super) fn refund_shown(refund: &Refund, amount: &impl Fn(i64) -> String) -> RefundShown {
    let parts = refund
        .refund_line_items
        .iter()
        .map(|it| format!("{} × {}", it.quantity, it.order_item_identifier));
    RefundShown {
        identifier: refund.identifier.clone(),
        total: amount(refund.total_refund_amount_cents),
        created: Moment(refund.created_at),
        units: parts.collect::<Vec<_>>().join(", "),
        rma: refund.rma_identifier.clone().map(|rma| (path(&["console", "returns", &rma]), rma)),
        note: refund.note.clone().unwrap_or_default(),
        is_ignored: refund.is_ignored(),
    }
}

/// The code, the kind and the amount of a discount.
pub(super) fn discount_shown(discount: &Discount, amount: &impl Fn(i64) -> String) -> [String; 3] {
    let code = discount.code.clone().or_else(|| discount.identifier.clone());
    let worth = discount.amount_cents.map(amount);
    [code, discount.kind.clone(), worth].map(Option::unwrap_or_default)
}

pub(super) fn payment_shown(
    payment: &PaymentTransaction,
    amount: &impl Fn(i64) -> String,
) -> PaymentShown {
    let card = payment.payment_details.as_ref().and_then(|it| it.credit_card_company.clone());
    let how: Vec<String> = payment.gateway.clone().into_iter().chain(card).collect();
    PaymentShown {
        identifier: payment.identifier.clone().unwrap_or_default(),
        kind: payment.kind.clone().unwrap_or_default(),
        status: payment.status.clone().unwrap_or_default(),
        how: how.join(", "),
        amount: payment.amount_cents.map(amount).unwrap_or_default(),
    }
}
