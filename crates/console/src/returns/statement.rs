//! What was promised for a return, what was paid, and what is left, as a section of its page.

use domain::money::statement::{PaidAmount, PaidKind, Promise, Statement};
use domain::returns::rma::Rma;

use crate::core::format::{TimeElement, format_money};

/// See `templates/returns/statement.html`. Amounts that are zero are left out.
pub(super) struct StatementView {
    /// What the promise consists of.
    pub(super) components: Vec<AmountLine>,
    pub(super) total: String,
    /// How it is paid.
    pub(super) ways: Vec<AmountLine>,
    /// What the merchant pays on top of the promise.
    pub(super) absorbed: Option<String>,
    pub(super) paid: Vec<PaidRow>,
    /// From the promise to the balance.
    pub(super) steps: Vec<AmountLine>,
    pub(super) balance: AmountLine,
}

pub(super) struct AmountLine {
    pub(super) label: &'static str,
    pub(super) amount: String,
}

pub(super) struct PaidRow {
    pub(super) kind: &'static str,
    pub(super) identifier: String,
    pub(super) amount: String,
    pub(super) at: TimeElement,
}

impl StatementView {
    pub(super) fn of(rma: &Rma) -> Self {
        let statement = Statement::of(rma);
        let money = |cents: i64| format_money(cents, &statement.currency);
        let lines = |parts: &[(&'static str, i64)]| -> Vec<AmountLine> {
            let present = parts.iter().filter(|(_, cents)| *cents != 0);
            present.map(|(label, cents)| AmountLine { label, amount: money(*cents) }).collect()
        };
        let absorbed = statement.promised.absorbed_cents;
        let balance = statement.balance_cents;
        Self {
            components: lines(&components(&statement.promised)),
            total: money(statement.promised.total_cents),
            ways: lines(&ways(&statement.promised)),
            absorbed: (absorbed != 0).then(|| money(absorbed)),
            paid: statement.paid.iter().map(|it| paid_row(it, &statement.currency)).collect(),
            steps: lines(&[
                ("Promised", statement.promised.total_cents),
                ("Withdrawn", -statement.withdrawn_cents),
                ("Paid", -statement.paid_cents()),
                ("Accepted differences", -statement.accepted_cents),
            ]),
            balance: AmountLine { label: balance_label(balance), amount: money(balance) },
        }
    }

    /// Whether nothing was promised or paid.
    pub(super) fn is_empty(&self) -> bool {
        self.components.is_empty() && self.paid.is_empty()
    }
}

const fn components(promised: &Promise) -> [(&'static str, i64); 6] {
    [
        ("Price", promised.price_cents),
        ("Discount", -promised.discount_cents),
        ("Tax", promised.tax_cents),
        ("Shipping charge", promised.shipping_cents),
        ("Fee", -promised.fee_cents),
        ("Bonus credit", promised.bonus_cents),
    ]
}

/// The difference is a part of the refund, so the other three sum to the total.
const fn ways(promised: &Promise) -> [(&'static str, i64); 4] {
    [
        ("Refund", promised.refund_cents),
        ("of it for cheaper variants", promised.difference_cents),
        ("Gift card", promised.gift_card_cents),
        ("Exchange", promised.exchange_cents),
    ]
}

const fn balance_label(cents: i64) -> &'static str {
    match cents {
        0 => "Balance",
        1.. => "Balance, still due",
        _ => "Balance, paid too much",
    }
}

fn paid_row(paid: &PaidAmount, currency: &str) -> PaidRow {
    PaidRow {
        kind: match paid.kind {
            PaidKind::Refund => "Refund",
            PaidKind::GiftCard => "Gift card",
            PaidKind::ExchangeOrder => "Exchange order",
        },
        identifier: paid.identifier.clone(),
        amount: format_money(paid.amount_cents, currency),
        at: TimeElement(paid.at),
    }
}
