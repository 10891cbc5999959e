//! What has run out is removed: tokens and sessions after their end, answers after a day, finished messages after
//! their retention.
//!
//! In small batches, so that nobody waits behind it.

use std::time::Duration;

use domain::identifier::MerchantId;
use store::{StoreError, Transaction};

use crate::{App, core::commit_once};

const BATCH: i64 = 500;
const MERCHANTS: i64 = 200;
/// Between two batches of messages, so that whoever else writes comes first.
const PAUSE: Duration = Duration::from_millis(20);

/// Removes one batch of each.
pub async fn sweep(app: &App) -> Result<(), StoreError> {
    let mut transaction = Transaction::new("removing what has run out");
    transaction.delete_expired_tokens(app.world.holding_us(), BATCH);
    transaction.delete_expired_sessions(app.world.holding_us(), BATCH);
    transaction.delete_old_answers(commit_once::forgotten_us(app), BATCH);
    app.store.commit(transaction).await.map(drop)
}

/// Removes every finished message that was made before `before_us`.
pub async fn remove_finished_messages(app: &App, before_us: i64) -> Result<u64, StoreError> {
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
        let (finished, last) =
            app.store.finished_messages(merchant, after, before_us, BATCH).await?;
        let Some(last) = last else { return Ok(removed) };
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
