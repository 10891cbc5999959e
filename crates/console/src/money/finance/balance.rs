//! The trial balance of one currency, with debits and credits.

use app::money::books::{AccountBalance, CurrencyBalance};
use domain::money::books::Account;

use crate::core::{badge::Badge, format::format_money};

/// See `templates/money/finance.html`. Accounts without a balance are left out.
pub(super) struct BalanceTable {
    pub(super) currency: String,
    pub(super) accounts: Vec<AccountRow>,
    pub(super) debits: String,
    pub(super) credits: String,
    pub(super) sum: String,
    pub(super) check: Badge,
}

pub(super) struct AccountRow {
    pub(super) label: &'static str,
    pub(super) debit: String,
    pub(super) credit: String,
}

impl BalanceTable {
    pub(super) fn new(balance: &CurrencyBalance) -> Self {
        let CurrencyBalance { currency, accounts, sum_cents } = balance;
        let money = |cents: i64| format_money(cents, currency);
        let amounts = || accounts.iter().map(|it| it.amount_cents);
        let row = |it: &AccountBalance| AccountRow {
            label: account_label(it.account),
            debit: if it.amount_cents > 0 { money(it.amount_cents) } else { String::new() },
            credit: if it.amount_cents < 0 { money(-it.amount_cents) } else { String::new() },
        };
        Self {
            accounts: accounts.iter().filter(|it| it.amount_cents != 0).map(row).collect(),
            debits: money(amounts().filter(|cents| *cents > 0).sum()),
            credits: money(-amounts().filter(|cents| *cents < 0).sum::<i64>()),
            sum: money(*sum_cents),
            check: if *sum_cents == 0 {
                Badge::good("Balanced")
            } else {
                Badge::bad("Not balanced")
            },
            currency: currency.clone(),
        }
    }
}

const fn account_label(account: Account) -> &'static str {
    match account {
        Account::Promised => "Promised, not paid yet",
        Account::Refunds => "Refunds",
        Account::GiftCards => "Gift cards",
        Account::Exchanges => "Exchanges",
        Account::Goods => "Returned goods",
        Account::Tax => "Tax",
        Account::Shipping => "Shipping charges",
        Account::Fees => "Return fees",
        Account::Bonus => "Bonus credit",
        Account::Absorbed => "Price of dearer variants",
        Account::WrittenOff => "Accepted differences",
    }
}

/// An amount of a table with many empty cells.
pub(super) fn format_or_dash(cents: i64, currency: &str) -> String {
    if cents == 0 { "–".to_owned() } else { format_money(cents, currency) }
}
