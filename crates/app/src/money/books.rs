//! The books of a merchant: entries, the trial balance, and what is still promised, by age.

use boxed::boxed;
use domain::{
    identifier::MerchantId,
    money::books::{Account, Balances},
    time::{from_micros, micros},
};
use jiff::{Timestamp, ToSpan, civil::Date, tz::TimeZone};
use omit_none::omit_none;
use serde::{Deserialize, Serialize};
use store::{OwedReturn, Posting, PostingPosition, next_page};
use utoipa::ToSchema;

use crate::{
    App, AppError,
    core::{
        list_query::{read_after, read_position},
        time::time_from_us,
    },
};

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// An amount that an event of a return posted to an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MoneyEntry {
    /// When the event happened.
    pub at: Timestamp,
    /// The return.
    #[schema(example = "RMA-7K3Q-9XWD-2M4T")]
    pub rma_identifier: String,
    /// The event within the return that posted it. The entries of an event sum to zero.
    #[schema(example = 1, minimum = 0)]
    pub event: i64,
    /// The account that it was posted to.
    pub account: Account,
    /// ISO 4217 code.
    #[schema(example = "USD")]
    pub currency: String,
    /// In minor units of the currency. Positive: debit. Negative: credit.
    #[schema(example = -4015)]
    pub amount_cents: i64,
}

/// A page of entries.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MoneyEntries {
    /// Oldest first. The entries of an event are never on different pages.
    pub entries: Vec<MoneyEntry>,
    /// Pass as `after` to get the next page. Absent on the last page.
    pub next: Option<String>,
}

/// Which entries to list.
#[derive(Clone, Debug)]
pub struct EntryQuery<'a> {
    pub from: Option<Timestamp>,
    /// Not included.
    pub to: Option<Timestamp>,
    /// `next` of the page before.
    pub after: Option<&'a str>,
    /// How many events with entries a page has.
    pub limit: usize,
}

/// Lists what was posted, oldest first.
#[boxed]
pub async fn list_entries(
    app: &App,
    merchant: &MerchantId,
    query: &EntryQuery<'_>,
) -> Result<MoneyEntries, AppError> {
    let start = PostingPosition::before(query.from.map_or(i64::MIN, micros));
    let after = read_position("after", query.after, parse_position)?.unwrap_or(start);
    let to_us = query.to.map_or(i64::MAX, micros);
    let postings = app.store.postings(merchant, &after, to_us, query.limit).await?;
    let next = postings.last().filter(|_| postings.len() == query.limit).map(format_position);
    Ok(MoneyEntries { entries: postings.iter().flat_map(split_entries).collect(), next })
}

fn split_entries(posting: &Posting) -> impl Iterator<Item = MoneyEntry> {
    let at = time_from_us(posting.at_us);
    posting.amounts.entries().map(move |(account, amount_cents)| MoneyEntry {
        at,
        rma_identifier: posting.rma_id.to_string(),
        event: posting.number,
        account,
        currency: posting.currency.clone(),
        amount_cents,
    })
}

fn format_position(posting: &Posting) -> String {
    format!("{}_{}_{}", posting.at_us, posting.number, posting.rma_id)
}

fn parse_position(text: &str) -> Option<PostingPosition> {
    let mut parts = text.splitn(3, '_');
    let (at_us, number) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(PostingPosition { at_us, rma_id: parts.next()?.to_owned(), number })
}

/// The trial balance of a merchant, and what is still promised.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MoneyBalance {
    /// Everything that was posted before this time is included.
    pub as_of: Timestamp,
    /// One for each currency.
    pub currencies: Vec<CurrencyBalance>,
}

/// The balance of each account in one currency.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CurrencyBalance {
    /// ISO 4217 code.
    #[schema(example = "USD")]
    pub currency: String,
    /// In minor units. They sum to zero.
    pub accounts: Vec<AccountBalance>,
    /// The sum of all accounts: zero.
    #[schema(example = 0)]
    pub sum_cents: i64,
}

/// The balance of an account, in minor units.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AccountBalance {
    /// The account.
    pub account: Account,
    /// Positive: debit. Negative: credit.
    #[schema(example = -4015)]
    pub amount_cents: i64,
}

/// The trial balance at a time.
#[boxed]
pub async fn load_balance(
    app: &App,
    merchant: &MerchantId,
    as_of: Timestamp,
) -> Result<MoneyBalance, AppError> {
    let sums = app.store.posting_sums(merchant, i64::MIN, micros(as_of)).await?;
    Ok(MoneyBalance {
        as_of,
        currencies: sums.into_iter().map(|(code, sum)| view_balance(code, &sum)).collect(),
    })
}

fn view_balance(currency: String, balances: &Balances) -> CurrencyBalance {
    let view = |account: Account| AccountBalance { account, amount_cents: balances.get(account) };
    let accounts = Account::ALL.map(view).to_vec();
    CurrencyBalance { currency, accounts, sum_cents: balances.sum() }
}

/// What is still promised for returns of some age, by currency.
#[omit_none]
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenAmount {
    /// The age of the returns in days: from this.
    #[schema(example = 0, minimum = 0)]
    pub from_days: i64,
    /// Not included. Absent for the oldest.
    #[schema(example = 30)]
    pub to_days: Option<i64>,
    /// ISO 4217 code.
    #[schema(example = "USD")]
    pub currency: String,
    /// How many returns.
    #[schema(example = 12, minimum = 0)]
    pub returns: i64,
    /// What they still owe, in minor units. Negative: too much was paid.
    #[schema(example = 48180)]
    pub open_cents: i64,
}

/// The ages by which open amounts are listed, in days.
const AGES: [(i64, Option<i64>); 4] = [(0, Some(30)), (30, Some(60)), (60, Some(90)), (90, None)];

/// What is still promised, by the age of the returns.
#[boxed]
pub async fn load_open_amounts(
    app: &App,
    merchant: &MerchantId,
) -> Result<Vec<OpenAmount>, AppError> {
    let now_us = app.world.now_us();
    let mut amounts = Vec::new();
    for (from_days, to_days) in AGES {
        let oldest_us = to_days.map_or(i64::MIN, |days| now_us - days * DAY_US + 1);
        let newest_us = if from_days == 0 { i64::MAX } else { now_us - from_days * DAY_US + 1 };
        let sums = app.store.owed_sums(merchant, oldest_us, newest_us).await?;
        amounts.extend(sums.into_iter().map(|sum| OpenAmount {
            from_days,
            to_days,
            currency: sum.currency,
            returns: sum.returns,
            open_cents: sum.owed_cents,
        }));
    }
    Ok(amounts)
}

/// A page of returns that still owe something, oldest first.
#[derive(Clone, Debug)]
pub struct OpenReturns {
    pub returns: Vec<OwedReturn>,
    pub next: Option<String>,
}

#[boxed]
pub async fn list_open_returns(
    app: &App,
    merchant: &MerchantId,
    after: Option<&str>,
    limit: usize,
) -> Result<OpenReturns, AppError> {
    let after = read_after(after)?;
    let returns = app.store.owed_returns(merchant, &after, limit).await?;
    let next = next_page(&returns, limit, OwedReturn::cursor);
    Ok(OpenReturns { returns, next })
}

/// What was promised and paid in one month, in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthMoney {
    /// The first day of the month, in UTC.
    pub month: Date,
    pub currency: String,
    /// What was promised, less what was withdrawn.
    pub promised_cents: i64,
    pub refunds_cents: i64,
    pub gift_cards_cents: i64,
    pub exchanges_cents: i64,
    pub written_off_cents: i64,
}

/// Promised against paid, for the last months, the newest first.
#[boxed]
pub async fn load_months(
    app: &App,
    merchant: &MerchantId,
    months: usize,
) -> Result<Vec<MonthMoney>, AppError> {
    let mut first = app.world.now().to_zoned(TimeZone::UTC).date().first_of_month();
    let mut found = Vec::new();
    for _ in 0..months {
        let next = first.saturating_add(1.month());
        let sums = app.store.posting_sums(merchant, start_us(first), start_us(next)).await?;
        found.extend(sums.into_iter().map(|(currency, sum)| {
            let paid = |account: Account| -sum.get(account);
            let (refunds_cents, gift_cards_cents) =
                (paid(Account::Refunds), paid(Account::GiftCards));
            let exchanges_cents = paid(Account::Exchanges) - sum.get(Account::Absorbed);
            let written_off_cents = paid(Account::WrittenOff);
            let settled = refunds_cents + gift_cards_cents + exchanges_cents + written_off_cents;
            MonthMoney {
                month: first,
                currency,
                promised_cents: settled - sum.get(Account::Promised),
                refunds_cents,
                gift_cards_cents,
                exchanges_cents,
                written_off_cents,
            }
        }));
        first = first.saturating_sub(1.month());
    }
    Ok(found)
}

fn start_us(day: Date) -> i64 {
    day.to_zoned(TimeZone::UTC).map_or(0, |start| micros(start.timestamp()))
}

/// The trial balance, and what is still promised now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BalanceAnswer {
    #[serde(flatten)]
    pub balance: MoneyBalance,
    /// What is still promised now, by the age of the returns.
    pub open: Vec<OpenAmount>,
}

/// The trial balance at a time, or now, and what is still promised now.
#[boxed]
pub async fn load_balance_answer(
    app: &App,
    merchant: &MerchantId,
    as_of: Option<Timestamp>,
) -> Result<BalanceAnswer, AppError> {
    let balance = load_balance(app, merchant, as_of_or_now(app, as_of)).await?;
    Ok(BalanceAnswer { balance, open: load_open_amounts(app, merchant).await? })
}

/// The time that a query names, or now.
pub fn as_of_or_now(app: &App, as_of: Option<Timestamp>) -> Timestamp {
    as_of.or_else(|| from_micros(app.world.now_us() + 1)).unwrap_or_else(|| app.world.now())
}
