//! The check of the books: every return is the result of its journal, and every event has posted
//! what it changed. It reads page by page and writes nothing, also while a server runs.

mod compare;
mod ledgers;

use std::collections::{HashMap, HashSet};

use boxed::boxed;
use domain::{
    currency::format_amount,
    identifier::MerchantId,
    money::books::{Account, Balances},
    returns::{
        identifier::RmaId,
        journal::{JournalFault, Replay, ReturnEvent},
        rma::Rma,
    },
    time::micros,
};
use omit_none::omit_none;
use serde::Serialize;
use store::{CountedEvent, Posting, PostingPosition, ReturnRow, Store, StoreError};

use crate::{AppError, returns::history::EVENTS_MAX};
use compare::describe_differences;
use ledgers::{check_ledgers, is_in_ledgers};

/// How many returns or postings are read at once.
const PAGE: usize = 500;

/// What a check of the books found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BooksCheck {
    pub returns: u64,
    pub postings: u64,
    pub ledgers: u64,
    pub faults: Vec<BooksFault>,
}

/// Something that is not as it must be.
#[omit_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BooksFault {
    pub merchant: String,
    /// Absent if it is about all returns of the merchant.
    pub rma_identifier: Option<String>,
    pub problem: String,
}

/// About how many returns there are to check.
#[boxed]
pub async fn estimate_returns(store: &Store) -> Result<u64, AppError> {
    let counts = store.day_counts(0).await?;
    let started = counts.iter().filter(|it| it.event == CountedEvent::ReturnsStarted);
    Ok(started.map(|it| u64::try_from(it.number).unwrap_or(0)).sum())
}

/// Checks all returns and postings. `progress` gets the number of returns that are checked so far.
pub async fn check_books(
    store: &Store,
    mut progress: impl FnMut(u64),
) -> Result<BooksCheck, AppError> {
    let mut check = BooksCheck::default();
    let (mut merchant, mut rma) = (String::new(), String::new());
    loop {
        let page = store.return_keys(&merchant, &rma, PAGE).await?;
        for (merchant, id) in &page {
            for problem in check_return(store, merchant, id).await? {
                check.add(merchant, Some(id), problem);
            }
            check.returns += 1;
            progress(check.returns);
        }
        let Some((last_merchant, last_rma)) = page.last() else { break };
        (merchant, rma) = (last_merchant.to_string(), last_rma.to_string());
    }
    check_merchants(store, &mut check).await?;
    check_ledgers(store, &mut check).await?;
    Ok(check)
}

impl BooksCheck {
    fn add(&mut self, merchant: &MerchantId, rma: Option<&RmaId>, problem: String) {
        let (merchant, rma_identifier) = (merchant.to_string(), rma.map(ToString::to_string));
        self.faults.push(BooksFault { merchant, rma_identifier, problem });
    }
}

/// What is wrong with a return. One that changes meanwhile is read again.
async fn check_return(
    store: &Store,
    merchant: &MerchantId,
    id: &RmaId,
) -> Result<Vec<String>, AppError> {
    loop {
        let row = match readable(store.return_row(merchant, id).await)? {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(Vec::new()),
            Err(problem) => return Ok(vec![problem]),
        };
        let problems = check_row(store, merchant, id, &row).await?;
        if problems.is_empty() {
            return Ok(problems);
        }
        let now = store.return_row(merchant, id).await?;
        if now.is_none_or(|now| now.version == row.version) {
            return Ok(problems);
        }
    }
}

async fn check_row(
    store: &Store,
    merchant: &MerchantId,
    id: &RmaId,
    row: &ReturnRow,
) -> Result<Vec<String>, AppError> {
    let mut problems = check_columns(row);
    problems.extend(is_in_ledgers(store, merchant, &row.rma).await?);
    let events = match readable(store.return_events(merchant, id, -1, EVENTS_MAX).await)? {
        Ok(events) => events,
        Err(problem) => {
            problems.push(problem);
            return Ok(problems);
        }
    };
    let names = events.iter().map(|event| (micros(event.at), event.number));
    let postings = store.postings_of_events(merchant, id, names).await?;
    match check_events(row, &events, &postings) {
        Ok(found) => problems.extend(found),
        Err(fault) => problems.push(fault.to_string()),
    }
    Ok(problems)
}

/// Compares columns of a return's row with the return in it.
fn check_columns(row: &ReturnRow) -> Vec<String> {
    let mut problems = Vec::new();
    if row.status != row.rma.status.name() {
        problems.push(format!("is listed as {} and is {}", row.status, row.rma.status.name()));
    }
    if !row.is_posted {
        return problems;
    }
    if row.currency != row.rma.currency {
        problems.push(format!("is listed in {} and is in {}", row.currency, row.rma.currency));
    }
    let owed_cents = -Balances::of(&row.rma).get(Account::Promised);
    if row.owed_cents != owed_cents {
        let money = |cents: i64| format_amount(cents, &row.rma.currency);
        let (listed, owed) = (money(row.owed_cents), money(owed_cents));
        problems.push(format!("is listed as owing {listed} and owes {owed}"));
    }
    problems
}

/// Follows the journal, and compares what its events posted with what they changed, and its result
/// with the stored return.
fn check_events(
    row: &ReturnRow,
    events: &[ReturnEvent],
    postings: &[Posting],
) -> Result<Vec<String>, JournalFault> {
    let postings: HashMap<i64, &Posting> = postings.iter().map(|it| (it.number, it)).collect();
    let mut replay = Replay::default();
    let (mut before, mut problems) = (Balances::default(), Vec::new());
    for event in events {
        replay.follow(event)?;
        let state = replay.current().ok_or(JournalFault::NoStart)?;
        let after = Balances::of(state);
        if row.is_posted {
            let posting = postings.get(&event.number).copied();
            problems.extend(check_posting(state, event.number, after.since(&before), posting));
        }
        before = after;
    }
    let result = replay.current().ok_or(JournalFault::NoStart)?;
    if *result != row.rma {
        let differences = describe_differences(result, &row.rma);
        problems.push(format!("differs from the result of its journal: {differences}"));
    }
    Ok(problems)
}

/// Compares what an event posted with what it changed.
fn check_posting(
    state: &Rma,
    number: i64,
    expected: Balances,
    posting: Option<&Posting>,
) -> Vec<String> {
    let mut problems = Vec::new();
    let posted = posting.map_or_else(Balances::default, |posting| posting.amounts);
    let money = |cents: i64| format_amount(cents, &state.currency);
    for (account, cents) in posted.since(&expected).entries() {
        problems.push(format!(
            "event {number} posted {} to {} instead of {}",
            money(posted.get(account)),
            account.name(),
            money(posted.get(account) - cents),
        ));
    }
    if let Some(posting) = posting.filter(|posting| posting.currency != state.currency) {
        let (currency, own) = (&posting.currency, &state.currency);
        problems.push(format!("event {number} posted in {currency} instead of {own}"));
    }
    problems
}

/// Checks the postings of each merchant, also those of no return, and its trial balance.
async fn check_merchants(store: &Store, check: &mut BooksCheck) -> Result<(), AppError> {
    let mut after = String::new();
    loop {
        let page = store.merchants(&after, PAGE).await?;
        for merchant in &page {
            check_postings(store, &merchant.id, check).await?;
            for (currency, balances) in store.posting_sums(&merchant.id, i64::MIN, i64::MAX).await?
            {
                if balances.sum() != 0 {
                    let sum = format_amount(balances.sum(), &currency);
                    let problem = format!("its trial balance is {sum} instead of zero");
                    check.add(&merchant.id, None, problem);
                }
            }
        }
        let Some(last) = page.last() else { return Ok(()) };
        after = last.id.to_string();
    }
}

async fn check_postings(
    store: &Store,
    merchant: &MerchantId,
    check: &mut BooksCheck,
) -> Result<(), AppError> {
    let mut after = PostingPosition::before(i64::MIN);
    loop {
        let page = store.postings(merchant, &after, i64::MAX, PAGE).await?;
        let events = store.events_of_postings(merchant, &page).await?;
        let events: HashSet<PostingPosition> = events.into_iter().collect();
        for posting in &page {
            let (number, sum) = (posting.number, posting.amounts.sum());
            if sum != 0 {
                let sum = format_amount(sum, &posting.currency);
                let problem = format!("the entries of event {number} sum to {sum}, not to zero");
                check.add(merchant, Some(&posting.rma_id), problem);
            }
            if !events.contains(&posting.position()) {
                let problem = format!("has entries of event {number}, which did not happen then");
                check.add(merchant, Some(&posting.rma_id), problem);
            }
            check.postings += 1;
        }
        let Some(last) = page.last() else { return Ok(()) };
        after = last.position();
    }
}

/// What was read, or what is wrong with a row that is unreadable.
fn readable<T>(read: Result<T, StoreError>) -> Result<Result<T, String>, AppError> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(error @ StoreError::Corrupt { .. }) => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}
