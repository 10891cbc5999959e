//! The deep check of `homeward doctor`: every return against its journal and its postings, and
//! every ledger against returns and refunds. It reads the database itself, beside a server if one
//! runs, and writes nothing.

use app::money::check::{BooksCheck, BooksFault, check_books, estimate_returns};
use indicatif::{ProgressBar, ProgressStyle};
use prometheus_client::registry::Registry;
use store::{Location, Store, StoreMetrics};

use super::{Finding, ensure_exists, finding};
use crate::{config::Config, output::format_count};

const CHECK: &str = "books";

/// One finding for each difference, or one that says that there is none.
pub(super) async fn check(config: &Config) -> Vec<Finding> {
    let check = match read_books(config).await {
        Ok(check) => check,
        Err(error) => return vec![finding(CHECK, Err(error))],
    };
    if check.faults.is_empty() {
        let returns = format_count(check.returns, "return");
        let postings = format_count(check.postings, "posting");
        let ledgers = format_count(check.ledgers, "ledger");
        let sound = format!("{returns}, {postings} and {ledgers} agree with their journals");
        return vec![finding(CHECK, Ok(sound))];
    }
    check.faults.into_iter().map(describe).collect()
}

fn describe(fault: BooksFault) -> Finding {
    let detail = match &fault.rma_identifier {
        Some(rma) => format!("{rma} of {}: {}", fault.merchant, fault.problem),
        None => format!("{}: {}", fault.merchant, fault.problem),
    };
    Finding { check: CHECK, ok: false, detail, fault: Some(fault) }
}

async fn read_books(config: &Config) -> anyhow::Result<BooksCheck> {
    if let Location::Sqlite(file) = &config.location {
        ensure_exists(file)?;
    }
    let metrics = StoreMetrics::register(&mut Registry::default());
    let store = Store::open_for_reading(&config.location, &metrics).await?;
    let checked = check_store(&store).await;
    store.close().await;
    checked
}

async fn check_store(store: &Store) -> anyhow::Result<BooksCheck> {
    store.ensure_current_schema().await?;
    let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len}  {eta} to go")?;
    let bar = ProgressBar::new(estimate_returns(store).await?).with_style(style);
    let checked = check_books(store, |returns| bar.set_position(returns)).await;
    bar.finish_and_clear();
    Ok(checked?)
}
