//! The finance of a merchant: promised against paid, what is open, differences, and the trial
//! balance.

mod balance;
#[cfg(test)]
mod tests;

use app::{
    merchants::change_merchant::load_merchant,
    money::books::{
        MoneyBalance, MonthMoney, OpenAmount, OpenReturns, as_of_or_now, list_open_returns,
        load_balance, load_months, load_open_amounts,
    },
    returns::refund_problems::{ProblemView, RefundProblemPage, list_merchant_problems},
};
use askama::Template;
use axum::{extract::State, http::StatusCode, response::Response};
use domain::{identifier::MerchantId, time::from_micros};
use serde::Deserialize;
use store::OwedReturn;

use self::balance::{BalanceTable, format_or_dash};
use crate::{
    access::visit::Member,
    core::{
        badge::{Badge, problem_badge},
        form::non_empty,
        format::{TimeElement, format_count, format_money},
        frame::{Frame, Section, render_page},
        lists::{FilterOption, Paging, merchant_options, parse_merchant_filter},
        urls::{add_query, return_url},
    },
};
use server::{Web, error::ApiError, query::Query};

pub(super) const PATH: &str = "/console/finance";
const MONTHS: usize = 12;
/// How many open returns and differences are listed at once.
const ROWS_MAX: usize = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FinanceQuery {
    merchant: String,
    /// Open returns after this one.
    after: String,
}

#[derive(Template)]
#[template(path = "money/finance.html", whitespace = "minimize")]
struct FinancePage<'a> {
    frame: Frame<'a>,
    merchants: Vec<FilterOption>,
    /// None until a merchant is chosen.
    finance: Option<FinanceView>,
}

struct FinanceView {
    merchant: String,
    months: Vec<MonthRow>,
    ages: Vec<AgeRow>,
    returns: Vec<OpenReturnRow>,
    paging: Paging,
    differences: Vec<DifferenceRow>,
    differences_url: String,
    balances: Vec<BalanceTable>,
}

struct MonthRow {
    month: String,
    promised: String,
    refunds: String,
    gift_cards: String,
    exchanges: String,
    accepted: String,
    /// What was promised less all that was paid. Negative if promises of earlier months were paid.
    change: String,
}

struct AgeRow {
    age: String,
    returns: String,
    amount: String,
}

struct OpenReturnRow {
    url: String,
    identifier: String,
    started: Option<TimeElement>,
    amount: String,
    is_overpaid: bool,
}

struct DifferenceRow {
    refund: String,
    rma: String,
    url: String,
    state: Badge,
    promised: String,
    paid: String,
    difference: String,
}

/// Everything that the page shows of a merchant.
struct MerchantFinance {
    months: Vec<MonthMoney>,
    open: Vec<OpenAmount>,
    returns: OpenReturns,
    problems: RefundProblemPage,
    balance: MoneyBalance,
}

pub(super) async fn show(
    State(web): State<Web>,
    Member { visitor, .. }: Member,
    Query(mut query): Query<FinanceQuery>,
) -> Result<Response, ApiError> {
    visitor.narrow(&mut query.merchant);
    let merchants = merchant_options(&web, &visitor, &query.merchant).await?;
    let chosen = parse_merchant_filter(&query.merchant)?.or_else(|| find_only(&merchants));
    let finance = match chosen {
        Some(merchant) => {
            let loaded = load_finance(&web, &merchant, &query).await?;
            Some(finance_view(&merchant, &query, loaded))
        }
        None => None,
    };
    let frame = Frame::new(&visitor, Section::Finance, "Finance");
    Ok(render_page(&visitor, StatusCode::OK, &FinancePage { frame, merchants, finance }))
}

/// The merchant, if there is just one.
fn find_only(merchants: &[FilterOption]) -> Option<MerchantId> {
    let [only] = merchants else { return None };
    MerchantId::parse_stored(&only.value).ok()
}

async fn load_finance(
    web: &Web,
    merchant: &MerchantId,
    query: &FinanceQuery,
) -> Result<MerchantFinance, ApiError> {
    let app = &web.app;
    load_merchant(app, merchant).await?;
    let (months, open, returns, problems, balance) = tokio::try_join!(
        load_months(app, merchant, MONTHS),
        load_open_amounts(app, merchant),
        list_open_returns(app, merchant, non_empty(&query.after), ROWS_MAX),
        list_merchant_problems(app, merchant, None, None, ROWS_MAX),
        load_balance(app, merchant, as_of_or_now(app, None)),
    )?;
    Ok(MerchantFinance { months, open, returns, problems, balance })
}

fn finance_view(
    merchant: &MerchantId,
    query: &FinanceQuery,
    loaded: MerchantFinance,
) -> FinanceView {
    let MerchantFinance { months, open, returns, problems, balance } = loaded;
    let name = merchant.as_str();
    let next = returns.next.as_deref();
    FinanceView {
        months: months.iter().map(month_row).collect(),
        ages: open.iter().map(age_row).collect(),
        returns: returns.returns.iter().map(open_return_row).collect(),
        paging: Paging::in_order(PATH, &[("merchant", name)], &query.after, next),
        differences: problems.refunds.iter().filter_map(difference_row).collect(),
        differences_url: add_query("/console/refunds", &[("merchant", name)]),
        balances: balance.currencies.iter().map(BalanceTable::new).collect(),
        merchant: merchant.to_string(),
    }
}

fn month_row(month: &MonthMoney) -> MonthRow {
    let money = |cents: i64| format_or_dash(cents, &month.currency);
    let paid = [month.refunds_cents, month.gift_cards_cents, month.exchanges_cents];
    let settled = paid.iter().sum::<i64>() + month.written_off_cents;
    MonthRow {
        month: month.month.strftime("%B %Y").to_string(),
        promised: money(month.promised_cents),
        refunds: money(month.refunds_cents),
        gift_cards: money(month.gift_cards_cents),
        exchanges: money(month.exchanges_cents),
        accepted: money(month.written_off_cents),
        change: money(month.promised_cents - settled),
    }
}

fn age_row(open: &OpenAmount) -> AgeRow {
    let age = match (open.from_days, open.to_days) {
        (0, Some(to)) => format!("Less than {to} days"),
        (from, Some(to)) => format!("{from} to {} days", to - 1),
        (from, None) => format!("{from} days or more"),
    };
    AgeRow {
        age,
        returns: format_count(open.returns, "return", "returns"),
        amount: format_money(open.open_cents, &open.currency),
    }
}

fn open_return_row(open: &OwedReturn) -> OpenReturnRow {
    OpenReturnRow {
        url: return_url(&open.rma_id),
        identifier: open.rma_id.clone(),
        started: from_micros(open.created_us).map(TimeElement),
        amount: format_money(open.owed_cents, &open.currency),
        is_overpaid: open.owed_cents < 0,
    }
}

/// None for a problem that is not about amounts.
fn difference_row(problem: &ProblemView) -> Option<DifferenceRow> {
    let difference = problem.difference.as_ref()?;
    let money = |cents: i64| format_money(cents, &difference.currency);
    Some(DifferenceRow {
        refund: problem.refund_identifier.clone(),
        rma: difference.rma_identifier.clone(),
        url: return_url(&difference.rma_identifier),
        state: problem_badge(&problem.state),
        promised: money(difference.promised_cents),
        paid: money(difference.paid_cents),
        difference: money(difference.paid_cents.saturating_sub(difference.promised_cents)),
    })
}
