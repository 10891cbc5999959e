//! Removes what has expired: tokens and sessions after their end, remembered answers after a day,
//! finished messages after their retention.
//!
//! Removes in small batches, so that requests do not wait for it.

use std::time::Duration;

use boxed::boxed;
use domain::identifier::MerchantId;
use store::{FinishedMessages, LastingFailure, StoreError, Transaction};
use tokio_util::sync::CancellationToken;

use crate::{
    App,
    access::{lookup_limit::lookup_cutoff_us, order_proofs::proof_cutoff_us},
    core::idempotency::response_cutoff_us,
};

const BATCH: usize = 500;
const MERCHANTS: usize = 200;
/// Between two batches, so that other writers come first.
const PAUSE: Duration = Duration::from_millis(20);
const EVERY: Duration = Duration::from_secs(60);
const HOUR_US: i64 = 60 * 60 * 1_000_000;
const DAY_US: i64 = 24 * HOUR_US;
/// How long counts for charts and reports are kept, and longer if messages are.
const COUNTS_DAYS: u32 = 400;

/// What the log says of cleanups that fail.
pub(crate) struct CleanupFailures {
    expired: LastingFailure,
    finished: LastingFailure,
}

impl CleanupFailures {
    pub(crate) fn new() -> Self {
        Self {
            expired: LastingFailure::new("cleanup of expired tokens", "will retry"),
            finished: LastingFailure::new("cleanup of finished messages", "will retry"),
        }
    }
}

/// Removes what has expired until `stop`.
#[boxed]
pub async fn run(app: App, retention_days: u32, stop: CancellationToken) {
    let failures = CleanupFailures::new();
    while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
        clean_up(&app, retention_days, &stop, &failures).await;
    }
}

/// What was removed before `stop` is committed, and the rest is found again the next time.
pub(crate) async fn clean_up(
    app: &App,
    retention_days: u32,
    stop: &CancellationToken,
    failures: &CleanupFailures,
) {
    if let Some(removed) = stop.run_until_cancelled(remove_expired(app)).await {
        failures.expired.note(&removed);
    }
    if let Some(removed) = stop.run_until_cancelled(apply_retention(app, retention_days)).await {
        failures.finished.note(&removed);
    }
}

/// Once an hour, and on one node: removes finished messages and counts that are old enough.
async fn apply_retention(app: &App, retention_days: u32) -> Result<(), StoreError> {
    let now_us = app.world.now_us();
    let mut transaction = Transaction::new("beginning to remove finished messages");
    transaction.begin_retention(now_us, now_us + HOUR_US);
    match app.store.commit(transaction).await {
        Ok(_) => (),
        Err(StoreError::Conflict) => return Ok(()),
        Err(error) => return Err(error),
    }
    remove_finished_messages(app, now_us - i64::from(retention_days) * DAY_US).await?;
    let counts_days = COUNTS_DAYS.max(retention_days.saturating_add(1));
    remove_old_counts(app, now_us - i64::from(counts_days) * DAY_US).await
}

async fn remove_old_counts(app: &App, before_us: i64) -> Result<(), StoreError> {
    while app.store.has_old_counts(before_us).await? {
        let mut transaction = Transaction::new("removing old counts");
        transaction.delete_old_attempt_counts(before_us, BATCH);
        transaction.delete_old_day_counts(before_us, BATCH);
        app.store.commit(transaction).await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Removes all expired tokens, sessions, remembered answers and counts of look-ups.
pub(crate) async fn remove_expired(app: &App) -> Result<(), StoreError> {
    // What expires meanwhile is for the next time, so that this ends.
    let (now_us, cutoff_us) = (app.world.wall_clock_us(), response_cutoff_us(app));
    let (lookups_us, proofs_us) = (lookup_cutoff_us(app), proof_cutoff_us(app));
    while app.store.has_expired_tokens(now_us).await?
        || app.store.has_expired_sessions(now_us).await?
        || app.store.has_expired_responses(cutoff_us).await?
        || app.store.has_old_lookups(lookups_us).await?
        || app.store.has_old_proofs(proofs_us).await?
    {
        let mut transaction = Transaction::new("removing expired tokens");
        transaction.delete_expired_tokens(now_us, BATCH);
        transaction.delete_expired_sessions(now_us, BATCH);
        transaction.delete_expired_responses(cutoff_us, BATCH);
        transaction.delete_old_lookups(lookups_us, BATCH);
        transaction.delete_old_proofs(proofs_us, BATCH);
        app.store.commit(transaction).await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Removes every finished message that was created before `before_us` and had an attempt, or was
/// discarded, since the last time. The hour of `before_us` is not over, so it is looked at again.
pub(crate) async fn remove_finished_messages(app: &App, before_us: i64) -> Result<u64, StoreError> {
    let from_us = app.store.retention_done_us().await?;
    let mut removed = 0;
    let mut behind = String::new();
    loop {
        let page = app.store.merchants_with_attempts(&behind, from_us, before_us, MERCHANTS);
        let merchants = page.await?;
        let Some(last) = merchants.last() else { break };
        behind = last.to_string();
        for merchant in &merchants {
            removed += remove_messages_of(app, merchant, before_us).await?;
        }
    }
    let mut transaction = Transaction::new("remembering which messages were examined");
    transaction.end_retention(from_us.max(before_us - before_us.rem_euclid(HOUR_US)));
    app.store.commit(transaction).await?;
    Ok(removed)
}

async fn remove_messages_of(
    app: &App,
    merchant: &MerchantId,
    before_us: i64,
) -> Result<u64, StoreError> {
    // What is known of a message after its removal is in the index.
    app.store.update_message_index(merchant.as_str()).await?;
    let (mut removed, mut after) = (0, 0);
    loop {
        let FinishedMessages { finished, last_examined } =
            app.store.finished_messages(merchant, after, before_us, BATCH).await?;
        if !finished.is_empty() {
            let mut transaction = Transaction::new("removing finished messages");
            transaction.remove_messages(merchant, &finished);
            app.store.commit(transaction).await?;
            removed += u64::try_from(finished.len()).unwrap_or(u64::MAX);
            tokio::time::sleep(PAUSE).await;
        }
        let Some(last) = last_examined else { return Ok(removed) };
        after = last;
    }
}
