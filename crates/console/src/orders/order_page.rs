//! The page of one order.

mod amounts;
#[cfg(test)]
mod tests;
mod units;

use app::{orders::order_view::OrderView, returns::refund_problems::ProblemView};
use askama::Template;
use domain::{
    exchanges::record::ExchangeRecord,
    orders::order::{Order, OrderLine, PostalAddress},
    returns::rma::Rma,
};

use self::{
    amounts::{
        DiscountRow, PaymentRow, RefundRow, amount_lines, discount_row, payment_row, refund_row,
    },
    units::{UnitGroup, group_units},
};
use crate::{
    access::visitor::Visitor,
    core::{
        badge::{Badge, exchange_badge, order_badge, problem_badge, return_badge},
        format::{TimeElement, format_money},
        frame::{Frame, Section},
        urls::{merchant_url, order_url, original_order_url, policy_url, return_url},
    },
    messages::lines::MessageLine,
};

#[derive(Template)]
#[template(path = "orders/order.html", whitespace = "minimize")]
pub(super) struct OrderPage<'a> {
    frame: Frame<'a>,
    merchant: &'a str,
    merchant_url: String,
    order: &'a Order,
    status: Badge,
    created: TimeElement,
    updated: TimeElement,
    original_url: String,
    shopper: String,
    tags: String,
    amounts: Vec<(&'static str, String)>,
    total: String,
    addresses: [(&'static str, Vec<String>); 2],
    lines: Vec<LineRow<'a>>,
    units: Vec<UnitGroup>,
    policy_version: i64,
    policy_url: String,
    returns: Vec<ReturnRow>,
    refunds: Vec<RefundRow>,
    problems: Vec<RefundProblemNotice<'a>>,
    discounts: Vec<DiscountRow>,
    payments: Vec<PaymentRow>,
    exchange: Option<ExchangeSummary>,
    /// Set if this order is an exchange order itself.
    origin: Option<ExchangeSummary>,
    messages: Vec<MessageLine>,
}

struct LineRow<'a> {
    line: &'a OrderLine,
    codes: String,
    amount: String,
    tax: String,
    discount: String,
}

struct ReturnRow {
    url: String,
    identifier: String,
    units: usize,
    status: Badge,
    created: TimeElement,
}

struct RefundProblemNotice<'a> {
    refund: &'a str,
    state: Badge,
    is_open: bool,
    detail: &'a str,
    detected: TimeElement,
}

/// An exchange order, as its original order or the exchange order itself shows it.
struct ExchangeSummary {
    /// The other order, if there is one.
    order: Option<OrderLink>,
    rma: String,
    rma_url: String,
    state: Badge,
    credit: String,
    total: String,
}

struct OrderLink {
    identifier: String,
    url: String,
}

pub(super) fn order_page<'a>(
    visitor: &'a Visitor,
    merchant: &'a str,
    view: &'a OrderView,
) -> OrderPage<'a> {
    let order = &view.order;
    let amount = |cents: i64| format_money(cents, &order.currency);
    let names = [&order.customer.first_name, &order.customer.last_name].map(Option::as_deref);
    OrderPage {
        frame: Frame::new(visitor, Section::Orders, format!("Order {}", order.identifier)),
        merchant_url: merchant_url(merchant),
        status: order_badge(order.status.name()),
        created: TimeElement(order.created_at),
        updated: TimeElement(order.updated_at),
        original_url: original_order_url(merchant, &order.identifier),
        shopper: names.into_iter().flatten().collect::<Vec<_>>().join(" "),
        tags: order.tags.join(", "),
        amounts: amount_lines(order),
        total: amount(order.total_amount_cents),
        addresses: [
            ("Shipping", address_lines(&order.shipping_address)),
            ("Billing", address_lines(&order.billing_address)),
        ],
        lines: order.items.iter().map(|line| line_row(line, &amount)).collect(),
        units: group_units(view, &amount),
        policy_version: view.policy_version,
        policy_url: policy_url(merchant, view.policy_version),
        returns: view.returns.iter().map(return_row).collect(),
        refunds: order.refunds.iter().map(|refund| refund_row(refund, &amount)).collect(),
        problems: view.problems.iter().map(problem_notice).collect(),
        discounts: order.discounts.iter().map(|it| discount_row(it, &amount)).collect(),
        payments: order.transactions.iter().map(|it| payment_row(it, &amount)).collect(),
        exchange: view.exchange.as_ref().map(|record| {
            exchange_summary(merchant, record, record.exchange_order_identifier.as_deref())
        }),
        origin: view.origin.as_ref().map(|record| {
            exchange_summary(merchant, record, Some(record.original_order_id.as_str()))
        }),
        messages: view.messages.iter().map(MessageLine::new).collect(),
        merchant,
        order,
    }
}

/// The address, and how to call its owner.
fn address_lines(address: &PostalAddress) -> Vec<String> {
    let phone = address.phone.clone().filter(|phone| !phone.is_empty());
    address.lines().into_iter().chain(phone).collect()
}

fn line_row<'a>(line: &'a OrderLine, amount: &impl Fn(i64) -> String) -> LineRow<'a> {
    let codes = [&line.sku, &line.upc].map(Option::as_deref);
    LineRow {
        line,
        codes: codes.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        amount: amount(line.product_amount_cents),
        tax: amount(line.tax_amount_cents),
        discount: amount(line.discount_amount_cents),
    }
}

fn return_row(rma: &Rma) -> ReturnRow {
    ReturnRow {
        url: return_url(rma.rma_identifier.as_str()),
        identifier: rma.rma_identifier.to_string(),
        units: rma.units.len(),
        status: return_badge(rma.status),
        created: TimeElement(rma.created_at),
    }
}

fn problem_notice(problem: &ProblemView) -> RefundProblemNotice<'_> {
    RefundProblemNotice {
        refund: &problem.refund_identifier,
        state: problem_badge(&problem.state),
        is_open: problem.state != "settled",
        detail: &problem.detail,
        detected: TimeElement(problem.noticed_at),
    }
}

fn exchange_summary(
    merchant: &str,
    record: &ExchangeRecord,
    order: Option<&str>,
) -> ExchangeSummary {
    let total = record.total_amount_cents.map(|cents| format_money(cents, &record.currency));
    ExchangeSummary {
        order: order
            .map(|it| OrderLink { identifier: it.to_owned(), url: order_url(merchant, it) }),
        rma: record.rma_identifier.to_string(),
        rma_url: return_url(record.rma_identifier.as_str()),
        state: exchange_badge(record.state),
        credit: format_money(record.credit_cents, &record.currency),
        total: total.unwrap_or_default(),
    }
}
