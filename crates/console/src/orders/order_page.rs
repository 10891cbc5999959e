//! Everything about one order, as a page shows it.

mod amounts;
#[cfg(test)]
mod tests;
mod units;

use app::{orders::order_view::OrderView, returns::refund_problems::ProblemView};
use askama::Template;
use domain::{
    exchanges::record::{ExchangeRecord, ExchangeState},
    orders::order::{Order, OrderLine, PostalAddress},
    returns::rma::Rma,
};

use self::{
    amounts::{PaymentShown, RefundShown, discount_shown, payment_shown, refund_shown, sums},
    units::{UnitsShown, units},
};
use crate::{
    access::visit::Visitor,
    core::{
        frame::{Frame, Section},
        lists::{Badge, MessageLine, Moment, order_badge, return_badge},
        words::{money, path},
    },
};

#[derive(Template)]
#[template(path = "orders/order.html", whitespace = "minimize")]
pub(crate) struct OrderPage<'a> {
    frame: Frame<'a>,
    merchant: &'a str,
    merchant_address: String,
    order: &'a Order,
    status: Badge,
    created: Moment,
    updated: Moment,
    as_sent: String,
    shopper: String,
    tags: String,
    sums: Vec<(&'static str, String)>,
    total: String,
    addresses: [(&'static str, Vec<String>); 2],
    lines: Vec<LineShown<'a>>,
    units: Vec<UnitsShown>,
    policy_version: i64,
    policy_address: String,
    returns: Vec<ReturnShown>,
    refunds: Vec<RefundShown>,
    problems: Vec<ProblemShown<'a>>,
    discounts: Vec<[String; 3]>,
    payments: Vec<PaymentShown>,
    exchange: Option<ExchangeShown>,
    origin: Option<ExchangeShown>,
    messages: Vec<MessageLine>,
}

/// A line of the order.
struct LineShown<'a> {
    line: &'a OrderLine,
    codes: String,
    amount: String,
    tax: String,
    discount: String,
}

struct ReturnShown {
    address: String,
    identifier: String,
    units: usize,
    status: Badge,
    created: Moment,
}

struct ProblemShown<'a> {
    refund: &'a str,
    state: Badge,
    is_open: bool,
    detail: &'a str,
    noticed: Moment,
}

/// An exchange order, from either side.
struct ExchangeShown {
    /// The order on the other side, and where it is shown, if there is one.
    other: Option<(String, String)>,
    rma: String,
    rma_address: String,
    state: Badge,
    credit: String,
    total: String,
}

pub(crate) fn order_page<'a>(
    visitor: &'a Visitor,
    merchant: &'a str,
    view: &'a OrderView,
) -> OrderPage<'a> {
    let order = &view.order;
    let amount = |cents: i64| money(cents, &order.currency);
    let names = [&order.customer.first_name, &order.customer.last_name].map(Option::as_deref);
    OrderPage {
        frame: Frame::new(visitor, Section::Orders, format!("Order {}", order.identifier)),
        merchant_address: path(&["console", "merchants", merchant]),
        status: order_badge(order.status.name()),
        created: Moment(order.created_at),
        updated: Moment(order.updated_at),
        as_sent: path(&["console", "orders", merchant, &order.identifier, "as-sent"]),
        shopper: names.into_iter().flatten().collect::<Vec<_>>().join(" "),
        tags: order.tags.join(", "),
        sums: sums(order),
        total: amount(order.total_amount_cents),
        addresses: [
            ("Shipping", address_lines(&order.shipping_address)),
            ("Billing", address_lines(&order.billing_address)),
        ],
        lines: order.items.iter().map(|line| line_shown(line, &amount)).collect(),
        units: units(view, &amount),
        policy_version: view.policy_version,
        policy_address: policy_address(merchant, view.policy_version),
        returns: view.returns.iter().map(return_shown).collect(),
        refunds: order.refunds.iter().map(|refund| refund_shown(refund, &amount)).collect(),
        problems: view.problems.iter().map(problem_shown).collect(),
        discounts: order.discounts.iter().map(|it| discount_shown(it, &amount)).collect(),
        payments: order.transactions.iter().map(|it| payment_shown(it, &amount)).collect(),
        exchange: view.exchange.as_ref().map(|record| {
            exchange_shown(merchant, record, record.exchange_order_identifier.as_deref())
        }),
        origin: view.origin.as_ref().map(|record| {
            exchange_shown(merchant, record, Some(record.original_order_id.as_str()))
        }),
        messages: view.messages.iter().map(MessageLine::new).collect(),
        merchant,
        order,
    }
}

/// Where the version of a policy is shown; 0 is the one that nobody wrote.
pub(crate) fn policy_address(merchant: &str, version: i64) -> String {
    match version {
        0 => path(&["console", "merchants", merchant, "policy"]),
        _ => path(&["console", "merchants", merchant, "policy", &version.to_string()]),
    }
}

fn address_lines(address: &PostalAddress) -> Vec<String> {
    let place = [&address.zip_code, &address.city, &address.state].map(String::as_str);
    let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
    let lines = [
        address.name.clone(),
        address.street1.clone(),
        address.street2.clone().unwrap_or_default(),
        place.join(" "),
        address.country_code.clone(),
        address.phone.clone().unwrap_or_default(),
    ];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

fn line_shown<'a>(line: &'a OrderLine, amount: &impl Fn(i64) -> String) -> LineShown<'a> {
    let codes = [&line.sku, &line.upc].map(Option::as_deref);
    LineShown {
        line,
        codes: codes.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        amount: amount(line.product_amount_cents),
        tax: amount(line.tax_amount_cents),
        discount: amount(line.discount_amount_cents),
    }
}

fn return_shown(rma: &Rma) -> ReturnShown {
    ReturnShown {
        address: path(&["console", "returns", rma.rma_identifier.as_str()]),
        identifier: rma.rma_identifier.to_string(),
        units: rma.units.len(),
        status: return_badge(rma.status),
        created: Moment(rma.created_at),
    }
}

fn problem_shown(problem: &ProblemView) -> ProblemShown<'_> {
    let (class, words) = match problem.state.as_str() {
        "unmatched" => ("warn", "Unmatched"),
        "conflict" => ("bad", "Conflict"),
        _ => ("", "Dealt with"),
    };
    ProblemShown {
        refund: &problem.refund_identifier,
        state: Badge { class, words },
        is_open: !class.is_empty(),
        detail: &problem.detail,
        noticed: Moment(problem.noticed_at),
    }
}

pub(crate) fn exchange_badge(state: ExchangeState) -> Badge {
    let (class, words) = match state {
        ExchangeState::Pending => ("cool", "Being placed"),
        ExchangeState::Placed => ("good", "Placed"),
        ExchangeState::Failed => ("bad", "Never placed"),
        ExchangeState::Cancelled => ("", "Cancelled"),
    };
    Badge { class, words }
}

fn exchange_shown(merchant: &str, record: &ExchangeRecord, other: Option<&str>) -> ExchangeShown {
    let total = record.total_amount_cents.map(|cents| money(cents, &record.currency));
    ExchangeShown {
        other: other.map(|it| (path(&["console", "orders", merchant, it]), it.to_owned())),
        rma: record.rma_identifier.to_string(),
        rma_address: path(&["console", "returns", record.rma_identifier.as_str()]),
        state: exchange_badge(record.state),
        credit: money(record.credit_cents, &record.currency),
        total: total.unwrap_or_default(),
    }
}
