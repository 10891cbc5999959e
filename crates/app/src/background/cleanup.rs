//! Removes what has expired: tokens and sessions after their end, remembered answers after a day,
//! finished messages after their retention.
//!
//! Removes in small batches, so that requests do not wait for it.

use std::time::Duration;

use domain::identifier::MerchantId;
use store::{FinishedMessages, StoreError, Transaction, with_causes};
use tokio_util::sync::CancellationToken;

use crate::{App, access::lookup_limit::lookup_cutoff_us, core::idempotency::response_cutoff_us};

const BATCH: usize = 500;
const MERCHANTS: usize = 200;
/// Between two batches, so that other writers come first.
const PAUSE: Duration = Duration::from_millis(20);
const EVERY: Duration = Duration::from_secs(60);
const RETENTION_EVERY_MINUTES: u64 = 60;
const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;

/// Removes what has expired until `stop`.
pub async fn run(app: App, retention_days: u32, stop: CancellationToken) {
    let mut minutes: u64 = 0;
    while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
        if let Some(Err(error)) = stop.run_until_cancelled(remove_expired(&app)).await {
            let cause = with_causes(&error);
            tracing::warn!("cleanup of expired tokens failed, will retry: {cause}");
        }
        if minutes.is_multiple_of(RETENTION_EVERY_MINUTES) {
            let before_us = app.world.now_us() - i64::from(retention_days) * DAY_US;
            if let Err(error) = remove_finished_messages(&app, before_us).await {
                let cause = with_causes(&error);
                tracing::warn!("cleanup of finished messages failed, will retry: {cause}");
            }
        }
        minutes += 1;
    }
}

/// Removes all expired tokens, sessions, remembered answers and counts of look-ups.
pub(crate) async fn remove_expired(app: &App) -> Result<(), StoreError> {
    // What expires meanwhile is for the next time, so that this ends.
    let (now_us, cutoff_us) = (app.world.wall_clock_us(), response_cutoff_us(app));
    let lookups_us = lookup_cutoff_us(app);
    while app.store.has_expired_tokens(now_us).await?
        || app.store.has_expired_sessions(now_us).await?
        || app.store.has_expired_responses(cutoff_us).await?
        || app.store.has_old_lookups(lookups_us).await?
    {
        let mut transaction = Transaction::new("removing expired tokens");
        transaction.delete_expired_tokens(now_us, BATCH);
        transaction.delete_expired_sessions(now_us, BATCH);
        transaction.delete_expired_responses(cutoff_us, BATCH);
        transaction.delete_old_lookups(lookups_us, BATCH);
        app.store.commit(transaction).await?;
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Removes every finished message that was created before `before_us`.
async fn remove_finished_messages(app: &App, before_us: i64) -> Result<u64, StoreError> {
    let mut removed = 0;
    let mut behind = String::new();
    loop {
        let merchants = app.store.merchants(&behind, MERCHANTS).await?;
        let Some(last) = merchants.last() else { return Ok(removed) };
        behind = last.id.to_string();
        for merchant in &merchants {
            removed += remove_messages_of(app, &merchant.id, before_us).await?;
        }
    }
}

async fn remove_messages_of(
    app: &App,
    merchant: &MerchantId,
    before_us: i64,
) -> Result<u64, StoreError> {
    let (mut removed, mut after) = (0, 0);
    loop {
        let FinishedMessages { finished, last_examined } =
            app.store.finished_messages(merchant, after, before_us, BATCH).await?;
        let Some(last) = last_examined else { return Ok(removed) };
        after = last;
        if !finished.is_empty() {
            let mut transaction = Transaction::new("removing finished messages");
            transaction.remove_messages(merchant, &finished);
            app.store.commit(transaction).await?;
            removed += u64::try_from(finished.len()).unwrap_or(u64::MAX);
            tokio::time::sleep(PAUSE).await;
        }
    }
}
