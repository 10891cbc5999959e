//! The finance page, with hostile text in every field that others fill.

use app::{
    money::books::{AccountBalance, CurrencyBalance},
    returns::refund_problems::DifferenceView,
};
use domain::money::books::Account;
use jiff::{Timestamp, civil::date};

use super::*;
use crate::core::fixtures::{HOSTILE, assert_is_text, sample_visitor};

fn sample_finance(currency: &str) -> MerchantFinance {
    let currency = || currency.to_owned();
    let account = |account, amount_cents| AccountBalance { account, amount_cents };
    MerchantFinance {
        months: vec![MonthMoney {
            month: date(2026, 2, 1),
            currency: currency(),
            promised_cents: 10_000,
            refunds_cents: 4_000,
            gift_cards_cents: 0,
            exchanges_cents: 5_000,
            written_off_cents: 1,
        }],
        open: vec![OpenAmount {
            from_days: 30,
            to_days: Some(60),
            currency: currency(),
            returns: 1,
            open_cents: 999,
        }],
        returns: OpenReturns {
            returns: vec![OwedReturn {
                rma_id: HOSTILE.to_owned(),
                created_us: 0,
                currency: currency(),
                owed_cents: -5,
            }],
            next: Some(HOSTILE.to_owned()),
        },
        problems: RefundProblemPage { refunds: vec![sample_problem(&currency())], next: None },
        balance: MoneyBalance {
            as_of: Timestamp::UNIX_EPOCH,
            currencies: vec![CurrencyBalance {
                currency: currency(),
                accounts: vec![
                    account(Account::Promised, -999),
                    account(Account::Tax, 0),
                    account(Account::Goods, 999),
                ],
                sum_cents: 0,
            }],
        },
    }
}

fn sample_problem(currency: &str) -> ProblemView {
    let hostile = || HOSTILE.to_owned();
    ProblemView {
        merchant: hostile(),
        refund_identifier: hostile(),
        order_identifier: hostile(),
        kind: "short_paid".to_owned(),
        state: "short_paid".to_owned(),
        noticed_at: Timestamp::UNIX_EPOCH,
        detail: hostile(),
        difference: Some(DifferenceView {
            rma_identifier: hostile(),
            currency: currency.to_owned(),
            promised_cents: 4_015,
            paid_cents: 4_014,
        }),
    }
}

fn page(visitor: &crate::access::visitor::Visitor, loaded: MerchantFinance) -> FinancePage<'_> {
    let merchant = MerchantId::parse("acme").unwrap();
    let query = FinanceQuery { merchant: "acme".to_owned(), after: HOSTILE.to_owned() };
    FinancePage {
        frame: Frame::new(visitor, Section::Finance, "Finance"),
        merchants: vec![FilterOption::new("acme", HOSTILE, "acme")],
        finance: Some(finance_view(&merchant, &query, loaded)),
    }
}

#[test]
fn the_finance_of_a_merchant_stays_text() {
    assert_is_text(&page(&sample_visitor(), sample_finance(HOSTILE)));
}

#[test]
fn the_finance_of_a_merchant_has_its_amounts() {
    let html = assert_is_text(&page(&sample_visitor(), sample_finance("USD")));
    for part in [
        "<th scope=\"row\">February 2026</th><td class=\"number\" data-label=\"Promised\">100.00 USD",
        "data-label=\"Accepted\">0.01 USD</td><td class=\"number\" data-label=\"Open amount\">9.99 USD",
        "<th scope=\"row\">30 to 59 days</th><td>1 return</td>",
        "−0.05 USD <span class=\"second\">paid too much</span>",
        "data-label=\"Paid\">40.14 USD</td><td class=\"number\" data-label=\"Difference\">−0.01 USD",
        "href=\"/console/refunds?merchant=acme\"",
        "<td class=\"number\">9.99 USD</td><td class=\"number\">9.99 USD</td>",
        "<td class=\"number\">0.00 USD</td>",
        ">Balanced</span>",
        "action=\"/console/finance/entries.csv\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("<th scope=\"row\">Tax"), "it has no balance: {html}");
}

#[test]
fn amounts_have_the_decimals_of_their_currency() {
    for (currency, promised) in [("JPY", "10,000 JPY"), ("KWD", "10.000 KWD")] {
        let html = assert_is_text(&page(&sample_visitor(), sample_finance(currency)));
        assert!(html.contains(promised), "{html}");
    }
}

#[test]
fn books_that_are_not_balanced_are_marked() {
    let mut loaded = sample_finance("USD");
    loaded.balance.currencies[0].sum_cents = 1;
    let html = assert_is_text(&page(&sample_visitor(), loaded));
    assert!(html.contains(">Not balanced</span>") && !html.contains(">Balanced<"), "{html}");
}

#[test]
fn a_merchant_without_money_has_friendly_sentences() {
    let mut loaded = sample_finance("USD");
    (loaded.months, loaded.open, loaded.returns.returns) = (Vec::new(), Vec::new(), Vec::new());
    (loaded.problems.refunds, loaded.balance.currencies) = (Vec::new(), Vec::new());
    let html = assert_is_text(&page(&sample_visitor(), loaded));
    for part in [
        "Nothing was promised or paid",
        "Nothing is open.",
        "No return is waiting for money.",
        "Every refund paid what was promised",
        "No entries yet.",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let visitor = sample_visitor();
    let unchosen = FinancePage { finance: None, ..page(&visitor, sample_finance("USD")) };
    assert!(assert_is_text(&unchosen).contains("Choose a merchant</h2>"));
}
